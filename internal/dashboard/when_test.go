package dashboard

import (
	"net/url"
	"strings"
	"testing"
)

// Filters by time have inputs for a day. A time that the address has stays a time, in the user's zone, through another use of the form;
// what is neither stays as it was written, beside the error.
func TestFiltersByTime(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.as(s.owner)
	for path, names := range map[string][2]string{"/orders": {"createdAtGte", "createdAtLte"}, "/events": {"from", "to"},
		"/webhooks/deliveries": {"from", "to"}, "/settings/audit": {"from", "to"}} {
		for given, want := range map[string]string{"": `type="date" value=""`, "2026-01-31": `type="date" value="2026-01-31"`,
			"2026-01-31T12:30:00.25Z": `type="datetime-local" value="2026-01-31T12:30:00.25" step="any"`,
			"2026-01-31T12:30":        `type="datetime-local" value="2026-01-31T12:30:00" step="any"`} {
			page := b.get(path + "?" + url.Values{names[0]: {given}, names[1]: {given}}.Encode())
			for _, name := range names {
				if page.status != 200 || !strings.Contains(page.body, `name="`+name+`" `+want) {
					t.Errorf("%s: %q is not shown as %s: %d", path, given, want, page.status)
				}
			}
		}
	}
	if chips := b.get("/events?from=2026-01-31T12:30:00Z&to=2026-01-31"); !strings.Contains(chips.words(), "From: 31 Jan 2026, 12:30") ||
		!strings.Contains(chips.words(), "Until: 31 Jan 2026") {
		t.Errorf("%.900s", chips.words())
	}
	s.shopper(t).call("PATCH", "/account", map[string]any{"locale": "en-US", "timeZone": "America/St_Johns"})
	for path, words := range map[string]string{"/webhooks/deliveries?from=2026-01-31": "From: Jan 31, 2026",
		"/settings/audit?to=2026-01-31": "Until: Jan 31, 2026", "/orders?createdAtGte=2026-01-31": "Placed: from Jan 31, 2026"} {
		has(t, b.get(path), words)
	}
	s.shopper(t).call("PATCH", "/account", map[string]any{"locale": "", "timeZone": "UTC"})
	page := b.get("/events?from=yesterday")
	if page.status != 400 || !strings.Contains(page.body, `name="from" type="text" value="yesterday"`) {
		t.Errorf("a wrong time: %d %.900s", page.status, page.body)
	}
	const wide, before = "?createdAtGte=2000-01-01T00:00&createdAtLte=2100-01-01T00:00", "?createdAtLte=2000-01-01T00:00"
	if !strings.Contains(b.get("/orders"+wide).words(), "ORD-000001") || strings.Contains(b.get("/orders"+before).words(), "ORD-000001") {
		t.Error("a time without a zone does not bound the list")
	}
}

// A date that is typed into a list's filter narrows the list, and stands on a chip that takes it away.
func TestATypedDateFilters(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.open("/events")
	b.shows("order.received")
	b.press("Date")
	b.focus("#f-from")
	b.keys("01312099")
	b.press("Apply")
	b.until("location.search === '?from=2099-01-31' || location.search === '?from=2099-01-31&to='")
	b.shows("No event matches")
	b.shows("From: 31 Jan 2099")
}
