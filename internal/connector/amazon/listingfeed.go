package amazon

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// smallWave is the number of changes up to which each is a request; more are messages of one feed, of which Amazon
// accepts one in two minutes.
const smallWave = 20

// feedPart is the part of a feed that Poll asks for as one operation: a product, or some levels. Reports name messages
// by number and not by SKU, so an operation knows the numbers of its messages.
type feedPart struct {
	Feed    string   `json:"-"`
	First   int      `json:"first"`             // number of the first message
	SKUs    []string `json:"skus"`              // of its messages, in their order
	Made    []string `json:"made,omitempty"`    // new listings
	Waiting []string `json:"waiting,omitempty"` // listings that become live after the feed
	Dropped []string `json:"dropped,omitempty"` // SKUs of listings that are deleted
	Sent    int64    `json:"sent,omitempty"`    // when the feed was sent, in seconds since 1970 UTC
}

// operation is the part as the frame stores it.
func (p feedPart) operation() string {
	text, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	return feedPrefix + p.Feed + " " + string(text)
}

// partOf is the part that an operation names; without messages if the operation is a whole feed.
func partOf(operation string) (p feedPart, ok bool) {
	rest, ok := strings.CutPrefix(operation, feedPrefix)
	feed, text, _ := strings.Cut(rest, " ")
	_ = json.Unmarshal([]byte(text), &p)
	p.Feed = feed
	return p, ok
}

// sendFeed sends changes of listings as one feed and returns its id. Their numbers begin with 1.
func (s *session) sendFeed(ctx context.Context, writes []listingWrite) (string, error) {
	messages := make([]fields, len(writes))
	for i, w := range writes {
		messages[i] = fields{"messageId": i + 1, "sku": w.sku, "operationType": w.kind}
		maps.Copy(messages[i], w.body)
	}
	content, err := json.Marshal(fields{"messages": messages,
		"header": fields{"sellerId": s.seller, "version": "2.0", "issueLocale": "en_US"}})
	if err != nil {
		return "", err
	}
	return s.submit(ctx, createListings, listingsFeed, listingsForm, content)
}

// mostMessages is the largest number of changes in one feed.
const mostMessages = 25_000

// feedProducts makes the changes of many products by one feed, or by more if they are too many for one.
func (s *session) feedProducts(ctx context.Context, plans []plan, there map[string]listing) (results []connector.Result, err error) {
	for len(plans) > 0 {
		n, writes := 0, 0
		for n < len(plans) && (n == 0 || writes+len(plans[n].writes) <= mostMessages) {
			writes += len(plans[n].writes)
			n++
		}
		some, err := s.feedSome(ctx, plans[:n], there)
		if err != nil && results == nil {
			return nil, err
		}
		if err != nil { // what was sent is not sent again
			for _, p := range plans {
				results = append(results, connector.FailedProduct(p.product, connector.FailureOf(err), true)...)
			}
			return results, nil
		}
		results, plans = append(results, some...), plans[n:]
	}
	return results, nil
}

// feedSome makes the changes of some products by one feed.
func (s *session) feedSome(ctx context.Context, plans []plan, there map[string]listing) (results []connector.Result, err error) {
	var writes []listingWrite
	parts := make([]feedPart, len(plans))
	for i, p := range plans {
		if p.refused != nil {
			results = append(results, connector.FailedProduct(p.product, connector.FailureOf(p.refused), false)...)
			continue
		}
		parts[i] = feedPart{First: len(writes) + 1, Made: p.made(), Waiting: p.waiting, Sent: s.link.Now().Unix()}
		for _, w := range p.writes {
			parts[i].SKUs = append(parts[i].SKUs, w.sku)
			if w.kind == endListing {
				parts[i].Dropped = append(parts[i].Dropped, w.sku)
			}
		}
		writes = append(writes, p.writes...)
	}
	feed, err := s.sendFeed(ctx, writes)
	if err != nil {
		return nil, err
	}
	for i, p := range plans {
		if p.refused != nil {
			continue
		}
		operation := ""
		if parts[i].Feed = feed; len(p.writes) > 0 {
			operation = parts[i].operation()
		}
		results = append(results, s.results(p.product, there, operation)...)
	}
	return results, nil
}

// levelsOfPart is how many levels one operation names: each of their items stores its text.
const levelsOfPart = 20

// feedLevels changes the levels of many SKUs by one feed.
func (s *session) feedLevels(ctx context.Context, changes []*change) ([]connector.Result, error) {
	writes := make([]listingWrite, len(changes))
	for i, c := range changes {
		writes[i] = c.write()
	}
	feed, err := s.sendFeed(ctx, writes)
	if err != nil {
		return nil, err
	}
	var results []connector.Result
	for i := 0; i < len(changes); i += levelsOfPart {
		part := feedPart{Feed: feed, First: i + 1, Sent: s.link.Now().Unix()}
		some := changes[i:min(i+levelsOfPart, len(changes))]
		for _, c := range some {
			part.SKUs = append(part.SKUs, c.item.SKU)
		}
		for _, c := range some {
			results = append(results, connector.Result{SKU: c.item.SKU, IDs: c.item.IDs, State: connector.Waiting, Operation: part.operation()})
		}
	}
	return results, nil
}

// feedOutcome is the result of a feed.
type feedOutcome struct {
	ended  bool
	read   time.Time
	state  string
	issues []feedIssue
	unread bool // the report was too large

	abandoned bool // see endFeed
}

// feedRest is for how long a feed counts as still in process: a run polls a page of its operations at a time.
const feedRest = 5 * time.Second

// feedTimeout is how long a feed may take. Its SKUs wait for it, because Amazon may apply the later of two changes
// first. On Amazon's busiest days feeds take some hours, but one that never ends would keep its SKUs at their old
// stock for good.
const feedTimeout = 6 * time.Hour

// endFeed asks Amazon once to cancel a feed that takes too long. Amazon agrees as long as the feed is in its queue.
func (s *session) endFeed(ctx context.Context, id string, out *feedOutcome) error {
	if out.abandoned {
		return nil
	}
	out.abandoned = true
	err := s.call(ctx, request{getFeed, http.MethodDelete, feedsPath + "/feeds/" + url.PathEscape(id), nil, nil}, nil)
	if connector.Is(err, connector.Unauthorized) {
		return err
	}
	return nil
}

// feedIssue is an issue of one message, or, without its number and SKU, of the feed as a whole.
type feedIssue struct {
	MessageID int
	SKU       string
	issue
}

// feedResult reads the state of a feed and, once it has ended, its report. A session reads a report once.
func (s *session) feedResult(ctx context.Context, id string) (*feedOutcome, error) {
	if known := s.feeds[id]; known != nil && (known.ended || s.link.Now().Sub(known.read) < feedRest) {
		return known, nil
	}
	state, reported, ended, err := s.feed(ctx, id)
	out := &feedOutcome{ended: ended, read: s.link.Now(), state: state}
	switch {
	case connector.Is(err, connector.Missing):
		out.ended, out.state = true, feedFatal
	case err != nil:
		return nil, err
	case state == feedDone:
		report, err := s.report(ctx, reported)
		if err == nil {
			out.issues, err = report.errors()
		}
		if out.unread = errors.Is(err, errReportTooLarge); err != nil && !out.unread {
			return nil, err
		}
	}
	if s.feeds == nil {
		s.feeds = map[string]*feedOutcome{}
	}
	s.feeds[id] = out
	return out, nil
}

// partEnded returns the results of a part of a feed, none while Amazon processes the feed. If a product is refused in
// part, its new listings are named, so that they are taken off sale.
func (s *session) partEnded(ctx context.Context, operation string, part feedPart) ([]connector.Result, error) {
	out, err := s.feedResult(ctx, part.Feed)
	if err != nil {
		return nil, err
	}
	all := connector.Result{State: connector.Live, Operation: operation}
	if !out.ended {
		if part.Sent == 0 || s.link.Now().Sub(time.Unix(part.Sent, 0)) < feedTimeout {
			return nil, nil
		}
		if err := s.endFeed(ctx, part.Feed, out); err != nil {
			return nil, err
		}
		all.State, all.Error, all.Again = connector.Failed, "Amazon does not process the feed with it, which is sent again", true
		return []connector.Result{all}, nil
	}
	if out.state != feedDone {
		all.State, all.Error, all.Again = connector.Failed, "Amazon did not process the feed: "+out.state, true
		return []connector.Result{all}, nil
	}
	if out.unread {
		all.State, all.Error = connector.Failed, errReportTooLarge.Message
		return []connector.Result{all}, nil
	}
	refused := map[string][]issue{}
	for _, i := range out.issues {
		switch sku, named := part.sku(i); {
		case !named:
			all.State, all.Error = connector.Failed, connector.Line(i.Message)
		case slices.Contains(part.Dropped, sku):
			all.State, all.Error = connector.Failed, sku+" could not be deleted: "+connector.Line(i.Message)
		case sku != "":
			refused[sku] = append(refused[sku], i.issue)
		}
	}
	if len(refused) == 0 {
		if all.State == connector.Live && len(part.Waiting) > 0 {
			all.State, all.Next = connector.Waiting, listingOperation(part.Waiting)
		}
		return []connector.Result{all}, nil
	}
	results, err := s.partRefused(ctx, operation, part, refused)
	if err != nil {
		return nil, err
	}
	return append([]connector.Result{all}, results...), nil
}

// partRefused are the results of a part with refused SKUs, by the SKU, and the results of its other new listings.
func (s *session) partRefused(ctx context.Context, operation string, part feedPart, refused map[string][]issue) ([]connector.Result,
	error) {
	skus := slices.Sorted(maps.Keys(refused))
	there, err := s.find(ctx, skus) // what was refused may be gone
	if err != nil {
		return nil, err
	}
	var results []connector.Result
	for _, sku := range skus {
		r := connector.Result{SKU: sku, State: connector.Failed, Operation: operation, Error: refusals(refused[sku])}
		if _, known := there[sku]; !known && !slices.Contains(part.Made, sku) {
			r.State = connector.Gone
		}
		results = append(results, r)
	}
	for _, sku := range part.Made {
		if refused[sku] == nil {
			results = append(results, connector.Result{SKU: sku, State: connector.Live, Operation: operation})
		}
	}
	return results, nil
}

// sku is the SKU of the part that an issue is about, "" for a SKU of another part; named is false if the issue is
// about the whole feed.
func (p feedPart) sku(i feedIssue) (sku string, named bool) {
	at := i.MessageID - p.First
	switch {
	case i.SKU != "" && (p.SKUs == nil || slices.Contains(p.SKUs, i.SKU)):
		return i.SKU, true
	case i.MessageID == 0 && i.SKU == "":
		return "", false
	case i.SKU == "" && at >= 0 && at < len(p.SKUs):
		return p.SKUs[at], true
	}
	return "", true
}
