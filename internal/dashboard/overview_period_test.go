package dashboard

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
)

// The first steps are ticked as they are taken. They go when all are, or when the browser puts them away; a viewer takes none.
func TestFirstSteps(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b, other := s.as(s.owner), s.as(s.owner)
		done := func(n int) {
			t.Helper()
			page := b.get("/")
			if got := strings.Count(page.body, `<li class="done">`); got != n {
				t.Errorf("%d steps are ticked, not %d: %s", got, n, page.words())
			}
		}
		done(1)
		c := s.shopper(t)
		c.articles()
		done(2)
		channel := c.call("POST", "/channels", map[string]any{"platform": "CUSTOM", "name": "Till"})["channel"].(map[string]any)["id"]
		done(3)
		c.order("PROCESSING", map[string]any{"channelId": channel}, 1)
		done(4)
		s.newUser("vera@test.example", accounts.Viewer)
		if page := s.as(accounts.User{Email: "vera@test.example"}).get("/"); strings.Contains(page.words(), "First steps") {
			t.Error("a viewer is asked to take steps")
		}
		if page := other.follow(other.sendForm(t, other.get("/"), "/first-steps/dismiss")); strings.Contains(page.words(), "Take the first order") {
			t.Errorf("they are not put away: %s", page.words())
		}
		c.call("POST", "/developer/webhooks", map[string]any{"url": "http://127.0.0.1:9/h", "events": []any{"order.received"}})
		if page := b.get("/"); strings.Contains(page.words(), "First steps") {
			t.Errorf("all are taken: %s", page.words())
		}
	})
}

// Today stands beside the same weekday, the best sellers have their units and revenue, and the days can be chosen.
func TestDaysOfTheOverview(t *testing.T) {
	now := time.Date(2026, 4, 8, 12, 0, 0, 0, time.UTC) // a Wednesday
	sitesWith(t, func(c *db.Config) { c.Now = func() time.Time { return now } }, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		placed := func(days, units int) {
			c.order("PROCESSING", map[string]any{"createdAt": now.AddDate(0, 0, -days).Format(time.RFC3339)}, units)
		}
		placed(0, 1)
		placed(7, 3)
		placed(7, 1)
		placed(40, 5)
		for _, path := range []string{"/", "/?days=7"} {
			has(t, b.get(path), "Orders today 1 2 last Wednesday", "Revenue today €10 €38 last Wednesday", "To ship 4 The oldest came")
		}
		has(t, b.get("/?days=7"), "Top products The MUG MUG €10 · 1 unit")
		has(t, b.get("/"), "Top products The MUG MUG €48 · 5 units")
		page := b.get("/?from=2026-02-20&to=2026-03-31")
		has(t, page, "20 Feb 2026 – 31 Mar 2026", "Orders 1", "Top products The MUG MUG €48 · 5 units", "40 days before")
		if strings.Contains(page.words(), "Orders today") {
			t.Error("today is no part of it")
		}
		to := regexp.MustCompile(`href="([^"]*createdAtGte=2026-02-20[^"]*)"`).FindStringSubmatch(page.body)
		if to == nil || !strings.Contains(to[1], "createdAtLte=2026-03-31") {
			t.Fatalf("no list of its orders: %s", page.words())
		}
		for query, words := range map[string]string{"from=2026-03-02&to=2026-03-01": "The first day must not be after the last",
			"from=2025-01-01&to=2026-03-01": "Choose at most 92 days", "from=x": "Choose a first and a last day"} {
			has(t, b.get("/?"+query), words, "Orders today")
		}
	})
}
