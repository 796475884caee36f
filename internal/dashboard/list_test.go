package dashboard

import (
	"net/http"
	"strings"
	"testing"
)

// A list says what is wrong with its address in place of its rows, and has its filters all the same; what is no number of a page is the
// first one.
func TestListsSayWhatIsWrongWithTheirAddress(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.as(s.owner)
	for path, words := range map[string]string{
		"/orders?status=WRONG":                "Status must be one of",
		"/products?status=WRONG":              "Status must be one of",
		"/products?categoryId=zz":             "Category",
		"/products?channelId=zz":              "Channel",
		"/customers?segmentId=zz":             "Segment",
		"/categories?search=%00":              "Search",
		"/stock?view=WRONG":                   "View must be low or oversold",
		"/jobs?status=WRONG":                  "Status must be one of",
		"/jobs?channelId=zz":                  "Channel",
		"/events?from=zz":                     "From",
		"/webhooks/deliveries?endpointId=zz":  "Endpoint",
		"/settings/audit?from=zz":             "From",
		"/settings/requests?status=zz":        "Status",
		"/settings/requests?keyId=zz":         "Key",
		"/webhooks/deliveries?statusCode=two": "Status code",
	} {
		out := b.get(path)
		_, alert, _ := strings.Cut(out.body, `<div class="body" role="alert">`)
		alert, _, _ = strings.Cut(alert, "</div>")
		if said := (reply{body: alert}).words(); out.status != http.StatusBadRequest || !strings.Contains(said, words) {
			t.Errorf("%s: %d %q", path, out.status, said)
		}
		if strings.Contains(out.body, `<tbody role="rowgroup">`) || !strings.Contains(out.body, `class="card"`) {
			t.Errorf("%s has rows, or is no page of a list: %.300s", path, out.words())
		}
	}
	for _, path := range []string{"/products?categoryId=zz", "/customers?segmentId=zz"} {
		if !strings.Contains(b.get(path).words(), "Clear filters") && !strings.Contains(b.get(path).body, "Remove filter") {
			t.Errorf("%s cannot be cleared", path)
		}
	}
	for _, path := range []string{"/orders", "/products", "/customers", "/categories", "/stock", "/channels", "/segments", "/keys", "/jobs",
		"/settings/users", "/settings/audit", "/settings/requests"} {
		if out := b.get(path + "?page=zz"); out.status != http.StatusOK {
			t.Errorf("%s: %d", path, out.status)
		}
	}
}

// What no row matches says so, and leads to the whole list.
func TestListsWithoutAMatch(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.as(s.owner)
	for path, words := range map[string]string{"/orders?search=nobody": "No order matches", "/products?search=nobody": "No product matches",
		"/customers?search=nobody": "No customer matches", "/stock?warehouse=GONE": "No level matches",
		"/categories?search=nobody": "No category matches", "/settings/requests?status=418": "No request matches"} {
		out := b.get(path)
		list, _, _ := strings.Cut(path, "?")
		has(t, out, words, "Show all")
		if !strings.Contains(out.body, `class="btn primary" href="`+prefix+list+`"`) {
			t.Errorf("%s does not lead to the list", path)
		}
	}
	has(t, b.get("/stock?warehouse=GONE"), "a warehouse that is gone")
}

// The forms of filters keep those that they do not set, and the list's links have no parameter that it does not know.
func TestFiltersKeepEachOther(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	page := s.as(s.owner).get("/webhooks/deliveries?resourceId=MUG-BLUE&status=failed&page=2&unknown=1").body
	for words, want := range map[string]int{`<input type="hidden" name="resourceId" value="MUG-BLUE">`: 2, `<input type="hidden" name="status"`: 2,
		"unknown=1": 0, `aria-label="Remove filter About: MUG-BLUE"`: 1} {
		if n := strings.Count(page, words); n != want {
			t.Errorf("%d times %s", n, words)
		}
	}
}
