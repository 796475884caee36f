package dashboard

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// Days are those of the account's time zone, also one of 25 hours: figures, lists and times. A user who has a zone sees his own.
func TestDaysOfATimeZone(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			now := time.Date(2026, 10, 26, 8, 30, 0, 0, time.UTC) // 9:30 in Paris, the day after the clocks were set back
			s := newSiteOn(t, engine, func(c *db.Config) { c.Now = func() time.Time { return now } })
			c, b := s.shopper(t), s.as(s.owner)
			c.call("PATCH", "/account", map[string]any{"timeZone": "Europe/Paris"})
			c.articles()
			for name, placed := range map[string]string{
				"Saturday": "2026-10-24T21:59:59.999Z", "Sunday first": "2026-10-24T22:00:00Z", "Sunday last": "2026-10-25T22:59:59.999Z",
				"Monday first": "2026-10-25T23:00:00Z", "Monday now": "2026-10-26T08:29:00Z"} {
				c.order("PENDING", map[string]any{"customerName": name, "createdAt": placed}, 1)
			}
			for path, want := range map[string][]string{
				"/?days=7": {"Orders 5", "Sat 24 Oct: €9.50 from 1 order", "Sun 25 Oct: €19.00 from 2 orders",
					"Mon 26 Oct: €19.00 from 2 orders"},
				"/orders?placed=today": {"2 orders", "Monday first", "Monday now", "today, 00:00"},
				"/orders?createdAtGte=2026-10-25&createdAtLte=2026-10-25":    {"2 orders", "Sunday first", "Sunday last", "yesterday, 23:59"},
				"/orders?createdAtGte=2026-10-26T00:00:00Z&sort=total:asc":   {"1 order", "Monday now"},
				"/orders?createdAtGte=2026-10-24&createdAtLte=2026-10-24":    {"1 order", "Saturday"},
				"/orders?createdAtLte=2026-10-23&createdAtGte=not-a-date-at": {"must be a date"},
			} {
				out := b.get(path)
				for _, words := range want {
					if !strings.Contains(out.words()+out.body, words) {
						t.Errorf("%s: no %q in %s", path, words, out.words())
					}
				}
			}
			page := b.get("/settings/me")
			values := page.inputs(t, "/settings/me/preferences")
			values.Set("timeZone", "America/New_York") // 4:30 of the same day
			out := b.follow(b.post("/settings/me/preferences", values))
			if !strings.Contains(out.words(), "Saved") {
				t.Fatalf("%d %s", out.status, out.words())
			}
			if out := b.get("/orders?placed=today"); !strings.Contains(out.words(), "1 order") || !strings.Contains(out.words(), "Monday now") {
				t.Errorf("today in New York: %s", out.words())
			}
			if out := b.get("/?days=7"); !strings.Contains(out.body, "Sat 24 Oct: €19.00 from 2 orders") {
				t.Errorf("Saturday in New York: %s", out.words())
			}
			vera := s.newUser("vera@test.example", accounts.Viewer)
			if out := s.as(vera).get("/orders?placed=today"); !strings.Contains(out.words(), "2 orders") {
				t.Errorf("another user of the account: %s", out.words())
			}
		})
	}
}

// A locale says how numbers, money, dates and times of day are written: the user's, else the account's, else numbers as the browser says.
func TestLocales(t *testing.T) {
	now := time.Date(2026, 3, 5, 15, 4, 0, 0, time.UTC)
	s := newSiteOn(t, "sqlite", func(c *db.Config) { c.Now = func() time.Time { return now } })
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	order := c.order("PENDING", map[string]any{"createdAt": "2026-01-30T14:05:00Z"}, 130)
	b.header.Set("Accept-Language", "de-DE,de")
	s.english(t, s.owner)
	for _, step := range []struct {
		path, locale string // which record gets which locale
		want         []string
	}{
		{"", "", []string{"1.235,00 €", "30 January 2026, 14:05"}},
		{"/account", "fr-FR", []string{"1 235,00 €", "30 January 2026, 14:05"}},
		{"/account", "en-US", []string{"€1,235.00", "January 30, 2026, 2:05 PM"}},
		{"/users/" + string(s.owner.ID), "de-CH", []string{"€ 1’235.00", "30 January 2026, 14:05"}},
		{"/users/" + string(s.owner.ID), "en-AU", []string{"€1,235.00", "30 January 2026, 2:05 PM"}},
	} {
		if step.path != "" {
			c.call("PATCH", step.path, map[string]any{"locale": step.locale})
		}
		out := b.get("/orders/" + order)
		for _, words := range step.want {
			if text := strings.ReplaceAll(out.words(), "\u00a0", " "); !strings.Contains(text, words) {
				t.Errorf("%s of %s: no %q in %.1500s", step.locale, step.path, words, text)
			}
		}
	}
	for locale, axis := range map[string]string{"de-DE": ">1k €<", "en-US": ">€1k<"} { // also along the axis of the chart
		c.call("PATCH", "/users/"+string(s.owner.ID), map[string]any{"locale": locale})
		c.order("PENDING", nil, 130)
		if page := b.get("/"); !strings.Contains(page.body, axis) {
			t.Errorf("%s: no %q along the axis", locale, axis)
		}
	}
	for _, at := range []string{"/settings/account", "/settings/me"} {
		if out := b.get(at); !strings.Contains(out.body, ` list="`) || !strings.Contains(out.body, `<option value="Pacific/Auckland">`) {
			t.Errorf("%s: no time zones to choose from", at)
		}
	}
	page := b.get("/settings/account").inputs(t, "/settings/account")
	if page.Get("locale") != "en-US" || page.Get("timeZone") != "UTC" {
		t.Errorf("the form of the account: %v", page)
	}
	page.Set("timeZone", "Atlantis")
	out := b.post("/settings/account", page)
	if out.status != 422 || !strings.Contains(out.words(), "Time zone must be the name of a time zone") {
		t.Errorf("an unknown zone: %d %s", out.status, out.words())
	}
	page.Set("timeZone", "paris") // the city is enough
	page.Set("locale", "")
	if out := b.post("/settings/account", page); out.status != 303 {
		t.Errorf("saved: %d %s", out.status, out.words())
	}
	if account := c.call("GET", "/account", nil); account["timeZone"] != "Europe/Paris" || account["locale"] != nil {
		t.Errorf("stored: %v", account)
	}
	own := url.Values{"timeZone": {""}, "locale": {"nonsense of a locale"}}
	if out := b.post("/settings/me/preferences", own); out.status != 422 || !strings.Contains(out.words(), "must be a language and a region") {
		t.Errorf("an unknown locale: %d %s", out.status, out.words())
	}
}

// Sums are rounded where they are shown without their last digits: cut, each would be too small.
func TestSumsAreRounded(t *testing.T) {
	f := format{separators: separators{group: ",", decimal: ".", first: 3, rest: 3}}
	for _, c := range []struct {
		amount, currency, whole, total string
	}{
		{"160.80", "EUR", "€161", "€160.80"}, {"15.4999", "EUR", "€15", "€15.50"}, {"999.5", "EUR", "€1,000", "€999.50"},
		{"0.4", "EUR", "€0", "€0.40"}, {"12.3456", "KWD", "KWD 12", "KWD 12.346"}, {"1999999.995", "JPY", "¥2,000,000", "¥2,000,000"},
	} {
		amount, err := money.Parse(c.amount)
		if err != nil {
			t.Fatal(err)
		}
		sum := money.TotalOf(int64(amount), 0)
		if whole, total := plainSpace(f.Whole(sum, c.currency)), plainSpace(f.Total(sum, c.currency)); whole != c.whole || total != c.total {
			t.Errorf("%s %s: %q and %q", c.amount, c.currency, whole, total)
		}
	}
	for text, want := range map[string]string{"-0.4": "0", "-0.5": "-1", "-9.99": "-10",
		"12345678901234567890123.5": "12345678901234567890124"} {
		if got := decimals(text, 0); got != want {
			t.Errorf("%s is %s, not %s", text, got, want)
		}
	}
}

func plainSpace(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// The symbol of a currency stands where the language has it (CLDR); who names none reads as in English.
func TestSymbolsOfCurrencies(t *testing.T) {
	for accept, want := range map[string]string{"de": "1.234,50 €", "de-AT": "€ 1 234,50", "nl": "€ 1.234,50", "pt": "€ 1.234,50",
		"pt-PT": "1 234,50 €", "hi-IN": "€1,234.50", "ko": "€1,234.50", "fr-CH": "1 234,50 €", "*": "€1,234.50", "": "€1,234.50"} {
		f := format{separators: separatorsOf(accept)}
		if got := strings.ReplaceAll(plainSpace(f.Money(12345000, "EUR")), "\u202f", " "); got != want {
			t.Errorf("%q: %s, not %s", accept, got, want)
		}
	}
}
