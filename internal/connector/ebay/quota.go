package ebay

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"entrepot/internal/connector"
)

// APIs of eBay that have a quota of their own, as their names in eBay's list of limits.
const (
	inventoryAPI   = "inventory"
	fulfillmentAPI = "fulfillment"
)

// apiOf is the API of a path; "" for one whose quota is not looked at.
func apiOf(path string) string {
	switch {
	case strings.HasPrefix(path, inventory):
		return inventoryAPI
	case strings.HasPrefix(path, selling):
		return fulfillmentAPI
	}
	return ""
}

// Bounds of the quotas.
const (
	// the part of a day's quota, one in so many, that is reserved for stock, prices and the pull of orders
	reserved    = 10
	quotaLife   = time.Hour
	scarceLife  = 10 * time.Minute // while less than half of a quota is left, or it is unknown
	longestRest = time.Hour        // a refused request is tried again after this time, because eBay may raise a quota
)

// quota is how many requests of an API eBay takes of an application until a time.
type quota struct {
	limit, remaining int64
	reset            time.Time
}

// quotas are those of an application, as eBay gave them, and the requests since.
type quotas struct {
	byAPI map[string]quota
	mu    sync.Mutex
	used  map[string]int64
}

// count notes a request.
func (q *quotas) count(api string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used[api]++
}

// of is the remainder of an API's quota; known is false if eBay does not say.
func (q *quotas) of(api string) (left quota, known bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	left, known = q.byAPI[api]
	left.remaining -= q.used[api]
	return left, known
}

// quotas reads the quotas of a channel's application, at most once in scarceLife. Without an answer they are unknown.
func (c *Connector) quotas(ctx context.Context, ch connector.Channel) *quotas {
	read, err := c.limits.get(ctx, app(ch), func(ctx context.Context) (*quotas, time.Duration, error) {
		q := &quotas{byAPI: map[string]quota{}, used: map[string]int64{}}
		if c.readQuotas(ctx, ch, q) != nil || q.scarce() {
			return q, scarceLife, nil //nolint:nilerr // they are unknown
		}
		return q, quotaLife, nil
	})
	if err != nil {
		return &quotas{used: map[string]int64{}}
	}
	return read
}

// rate is a quota as eBay gives it.
type rate struct {
	Limit, Remaining int64
	Reset            time.Time
}

// readQuotas adds eBay's statement of the quotas. Errors: those of a missing answer.
func (c *Connector) readQuotas(ctx context.Context, ch connector.Channel, q *quotas) error {
	token, err := c.appToken(ctx, ch)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base(ch)+"/developer/analytics/v1_beta/rate_limit/?api_context=sell", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	var out struct {
		RateLimits []struct {
			APIName   string
			Resources []struct{ Rates []rate }
		}
	}
	status, err := c.call(r, &out)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("eBay answered %d to the request for quotas", status)
	}
	if err != nil {
		return err
	}
	for _, api := range out.RateLimits {
		for _, resource := range api.Resources {
			for _, one := range resource.Rates {
				q.add(strings.ToLower(api.APIName), one)
			}
		}
	}
	return nil
}

// add notes a quota of an API. Of several the scarcest counts.
func (q *quotas) add(api string, r rate) {
	if known, twice := q.byAPI[api]; r.Limit > 0 && (!twice || known.remaining > r.Remaining) {
		q.byAPI[api] = quota{r.Limit, r.Remaining, r.Reset}
	}
}

// scarce reports whether less than half of a quota is left.
func (q *quotas) scarce() bool {
	for _, one := range q.byAPI {
		if one.remaining < one.limit/2 {
			return true
		}
	}
	return false
}

// counted notes a request, if the quotas are known.
func (c *Connector) counted(ch connector.Channel, api string) {
	if q, known := c.limits.fresh(app(ch)); known {
		q.count(api)
	}
}

// spare fails when the remainder of an API's quota is reserved for stock, prices and the pull of orders (decision
// 16). Work that may wait for the next day calls it before it begins.
func (s *session) spare(ctx context.Context, api string) error {
	left, known := s.connector.quotas(ctx, s.link.Channel).of(api)
	if !known || left.remaining > left.limit/reserved || !left.reset.After(s.link.Now()) {
		return nil
	}
	return s.spent(api, left)
}

// noteRefusal makes the quotas be read again after a refusal for too many requests, because other programs may have
// used them. The refusal of an API without quota lasts until the quota begins anew.
func (s *session) noteRefusal(ctx context.Context, api string, refused error) error {
	f := connector.FailureOf(refused)
	if f == nil || f.Kind != connector.Throttled {
		return refused
	}
	s.connector.limits.forget(app(s.link.Channel))
	if api == "" || f.After > 0 {
		return f
	}
	left, known := s.connector.quotas(ctx, s.link.Channel).of(api)
	if known && left.remaining <= 0 && left.reset.After(s.link.Now()) {
		return s.spent(api, left)
	}
	return f
}

// spent is the failure of work that waits until a quota begins anew.
func (s *session) spent(api string, left quota) error {
	until := left.reset.UTC().Format(time.RFC3339)
	f := &connector.Failure{Kind: connector.Throttled, Share: true, After: min(left.reset.Sub(s.link.Now()), longestRest),
		Message: fmt.Sprintf("the application's quota of eBay's %s API is spent until %s: it goes on by itself then", api, until)}
	if left.remaining > 0 {
		f.Message = fmt.Sprintf("the application's quota of eBay's %s API is nearly spent: what is left until %s is kept for stock and orders",
			api, until)
	}
	return f
}
