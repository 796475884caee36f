package platforms

import (
	"io"
	"net/http"
	"testing"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/connector"
)

// limited is an answer of a platform that wants fewer requests, or is away for a moment.
type limited struct {
	only   string // the platform that answers so, "" for all of them
	status int
	after  func(platform time.Time) string // the header Retry-After
	body   string
	least  time.Duration  // that a client waits before it sends the request again
	ends   connector.Kind // of a call that does not wait for so long, "" for one that ends well
}

func says(text string) func(time.Time) string { return func(time.Time) string { return text } }

func at(d time.Duration) func(time.Time) string {
	return func(platform time.Time) string { return platform.Add(d).UTC().Format(http.TimeFormat) }
}

// limitedAnswers are the forms in which platforms, and what stands before them, ask for a rest.
func limitedAnswers() map[string]limited {
	const page = "<!DOCTYPE html><html><h1>Back soon</h1></html>"
	return map[string]limited{
		"429 alone":           {status: 429, least: time.Second},
		"429 of a page":       {status: 429, body: page, least: time.Second},
		"seconds":             {status: 429, after: says("7"), least: 7 * time.Second},
		"parts of a second":   {status: 429, after: says("2.5"), least: 2500 * time.Millisecond},
		"nothing":             {status: 429, after: says("0"), least: time.Second},
		"negative":            {status: 429, after: says("-120"), least: time.Second},
		"no number":           {status: 429, after: says("soon"), least: time.Second},
		"a date":              {status: 429, after: at(8 * time.Second), least: 7 * time.Second},
		"a date of the past":  {status: 429, after: at(-time.Hour), least: time.Second},
		"a far date":          {status: 429, after: at(48 * time.Hour), ends: connector.Throttled},
		"huge":                {status: 429, after: says("99999999999999999999"), ends: connector.Throttled},
		"endless":             {status: 429, after: says("Inf"), ends: connector.Throttled},
		"a page that is away": {status: 503, body: page, least: time.Second},
		"away for seconds":    {status: 503, body: page, after: says("7"), least: 7 * time.Second},
		"away until a date":   {status: 503, body: page, after: at(8 * time.Second), least: 7 * time.Second},
		"away for hours":      {status: 503, body: page, after: says("7200"), ends: connector.Temporary},
		"points are spent": {only: "SHOPIFY", status: 200, least: 3 * time.Second, body: `{
			"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}],
			"extensions":{"cost":{"requestedQueryCost":400,"throttleStatus":{"currentlyAvailable":100,"restoreRate":100}}}}`},
		"points without numbers": {only: "SHOPIFY", status: 200, least: time.Second,
			body: `{"data":null,"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}]}`},
		"a quota": {only: "AMAZON", status: 429, least: time.Second,
			body: `{"errors":[{"code":"QuotaExceeded","message":"You exceeded your quota for the requested resource."}]}`},
		"a quota without its status": {only: "AMAZON", status: 400, ends: connector.Throttled,
			body: `{"errors":[{"code":"QuotaExceeded","message":"You exceeded your quota for the requested resource."}]}`},
		"a code": {only: "TIKTOK_SHOP", status: 200, least: time.Second, body: `{"code":36009002,"message":"QPS limit","data":null}`},
		"a code and seconds": {only: "TIKTOK_SHOP", status: 200, after: says("7"), least: 7 * time.Second,
			body: `{"code":36009002,"message":"QPS limit","data":null}`},
		"an error inside": {only: "TIKTOK_SHOP", status: 200, least: time.Second, body: `{"code":36009003,"message":"internal error"}`},
		"an error within": {only: "SHOPIFY", status: 200, least: time.Second,
			body: `{"errors":[{"message":"oops","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}`},
	}
}

// A pull whose first two requests are answered with a wish for fewer waits as long as is wished, by the platform's clock, and ends well; a
// wish for more than a call may wait ends it, and nothing is sent before that time.
func TestWishesForFewerRequests(t *testing.T) {
	for i, shop := range shops() {
		for name, c := range limitedAnswers() {
			if c.only != "" && c.only != shop.Platform {
				continue
			}
			if shop.Platform == channels.Amazon && c.status == http.StatusTooManyRequests && c.least == time.Second {
				c.ends = connector.Throttled // it says no time, and gives one permit for orders in three minutes
			}
			for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} { // of the service's clock
				t.Run(shop.Platform+"/"+name+"/"+ahead.String(), func(t *testing.T) {
					var o *opened
					shop := shops()[i]
					left, requests, first := 0, 0, time.Time{}
					o = open(t, shop, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Date", o.Clock().UTC().Format(http.TimeFormat))
						if requests++; left == 0 {
							shop.Handler.ServeHTTP(w, r)
							return
						}
						if left--; first.IsZero() {
							first = o.Clock()
						} else if rest := o.Clock().Sub(first); rest < c.least || rest > time.Minute {
							t.Errorf("sent again after %s", rest)
						}
						if c.after != nil {
							w.Header().Set("Retry-After", c.after(o.Clock()))
						}
						w.Header().Set("Content-Type", "application/json")
						w.WriteHeader(c.status)
						_, _ = io.WriteString(w, c.body)
					}))
					o.Ahead = ahead
					pull := func() error {
						_, err := o.PullOrders(t.Context(), connector.Cursor{Since: o.Clock().Add(-time.Hour)})
						return err
					}
					if err := pull(); err != nil { // it has its token and knows the shop
						t.Fatal(err)
					}
					o.Pass(time.Minute)
					left, requests = 2, 0
					err := pull()
					f := connector.FailureOf(err)
					if c.ends == "" && err != nil || c.ends != "" && (f == nil || f.Kind != c.ends || f.After < time.Minute || f.After > time.Hour) {
						t.Fatalf("%v %+v", err, f)
					}
					if c.ends == "" {
						return
					}
					sent := requests
					if err := pull(); !connector.Is(err, connector.Throttled, connector.Temporary) || requests != sent || sent != 1 {
						t.Errorf("%v: %d requests, then %d", err, sent, requests-sent)
					}
				})
			}
		}
	}
}
