package commerce

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"entrepot/internal/channels"
)

// ConnectionTest is what POST sync/test found out (interface §4.5).
type ConnectionTest struct {
	Success            bool
	Message            string
	CheckedAt          int64    // microseconds since 1970 UTC
	WebhooksRegistered []string // none yet: no connector registers webhooks
}

// testTime bounds a connection test.
const testTime = 10 * time.Second

// CheckChannel asks the address of a channel's platform whether it is there: success means that it answered without an error, not
// that the credentials are right, and the message says so.
func (s *Service) CheckChannel(ctx context.Context, c channels.Channel) (ConnectionTest, error) {
	opened, err := s.Opened(c)
	if err != nil {
		return ConnectionTest{}, err
	}
	out := ConnectionTest{CheckedAt: time.Now().UnixMicro(), WebhooksRegistered: []string{}}
	address := opened.Value("baseUrl")
	if address == "" {
		address = opened.Value("url")
	}
	if shop := opened.Value("shop"); address == "" && shop != "" {
		address = "https://" + strings.TrimPrefix(shop, "https://")
	}
	if address == "" {
		out.Message = "the channel names no address to test (baseUrl)"
		return out, nil
	}
	if problem := s.refused(ctx, address); problem != "" { // a channel of former rules, or a name that has moved
		out.Message = "the channel's address cannot be used: " + problem
		return out, nil
	}
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		out.Message = "the channel's address cannot be used: " + address
		return out, nil
	}
	answer, err := s.HTTP.Do(req)
	if err != nil {
		out.Message = "no answer from " + req.URL.Host
		return out, nil
	}
	answer.Body.Close()
	out.Success = answer.StatusCode < http.StatusBadRequest
	out.Message = fmt.Sprintf("%s answered with status %d; credentials are checked when the channel first synchronises", req.URL.Host, answer.StatusCode)
	return out, nil
}
