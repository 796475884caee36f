package bench

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
)

// feedSource reads a change feed from the beginning to its end, then starts again, as a shop does that fills its copy.
type feedSource struct {
	target *target
	path   string
	key    string
	since  string // empty: from the beginning
}

func newProductFeedSource(c *campaign, a *account, _ int) source {
	return &feedSource{target: c.target, path: "/api/v1/sdk/products/changes?limit=1000", key: a.key}
}

func newInventoryFeedSource(c *campaign, a *account, _ int) source {
	return &feedSource{target: c.target, path: "/api/v1/sdk/inventory/changes?limit=1000", key: a.key}
}

func (s *feedSource) next() ([]byte, []byte) {
	path := s.path
	if s.since != "" {
		path += "&since=" + url.QueryEscape(s.since)
	}
	return s.target.head("GET", path, s.key), nil
}

func (*feedSource) keeps() bool { return true }

// answered follows the cursor. The meta object is at an end of the answer, so its members are searched from the end,
// which is quick when it is last.
func (s *feedSource) answered(body []byte) (int, error) {
	count, err := lastValue(body, `"count":`)
	if err != nil {
		return 0, err
	}
	items, err := strconv.Atoi(count)
	if err != nil {
		return 0, fmt.Errorf("meta.count is %q", count)
	}
	more, err := lastValue(body, `"hasMore":`)
	if err != nil {
		return items, err
	}
	if more != "true" {
		s.since = ""
		return items, nil
	}
	next, err := lastValue(body, `"nextSince":`)
	if err != nil {
		return items, err
	}
	if next == s.since {
		return items, fmt.Errorf("meta.nextSince stays at %s although there is more", next)
	}
	s.since = next
	return items, nil
}

// lastValue is the number, word or string (without its quotes) after the last occurrence of label.
func lastValue(body []byte, label string) (string, error) {
	at := bytes.LastIndex(body, []byte(label))
	if at < 0 {
		return "", fmt.Errorf("no %s in the answer", label)
	}
	rest := bytes.TrimLeft(body[at+len(label):], " ")
	if end := bytes.IndexAny(rest, ",}\n"); end >= 0 {
		rest = rest[:end]
	}
	return string(bytes.Trim(rest, `" `)), nil
}
