package api

import (
	"net/http"
	"testing"
)

// An account has a time zone and may have a locale; a user may have others, and changes his own whatever his role.
func TestTimeZonesAndLocales(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		read := s.must(t, 200, "GET", "/api/v1/account", nil)
		if text(read, "data", "timeZone") != "UTC" || at(read, "data", "locale") != nil {
			t.Errorf("a new account: %v", read)
		}
		changed := s.must(t, 200, "PATCH", "/api/v1/account", map[string]any{"timeZone": "Europe/Paris", "locale": "fr-fr"})
		if text(changed, "data", "timeZone") != "Europe/Paris" || text(changed, "data", "locale") != "fr-FR" {
			t.Errorf("changed: %v", changed)
		}
		s.must(t, 200, "PATCH", "/api/v1/account", map[string]any{"name": "Lumen"})
		changed = s.must(t, 200, "PATCH", "/api/v1/account", map[string]any{"locale": nil})
		if text(changed, "data", "timeZone") != "Europe/Paris" || at(changed, "data", "locale") != nil {
			t.Errorf("without a locale: %v", changed)
		}
		user := "/api/v1/users/" + string(s.owner.ID)
		for path, bodies := range map[string][]any{
			"/api/v1/account": {map[string]any{"timeZone": nil}, map[string]any{"timeZone": ""}, map[string]any{"timeZone": "Local"},
				map[string]any{"timeZone": "Paris"}, map[string]any{"timeZone": 1}, map[string]any{"locale": "nowhere at all"},
				map[string]any{"locale": 1}},
			user: {map[string]any{"timeZone": "+02:00"}, map[string]any{"locale": "x"}},
		} {
			for _, body := range bodies {
				if status, answer := s.call(t, "PATCH", path, body); status != http.StatusBadRequest || text(answer, "code") != "validation_failed" {
					t.Errorf("%s %v: %d %v", path, body, status, answer)
				}
			}
		}
		own := s.mustAs(t, s.token, 200, "PATCH", user, map[string]any{"timeZone": "Asia/Kolkata", "locale": "en-IN"})
		if text(own, "data", "timeZone") != "Asia/Kolkata" || text(own, "data", "locale") != "en-IN" {
			t.Errorf("the owner: %v", own)
		}
		own = s.mustAs(t, s.token, 200, "PATCH", user, map[string]any{"timeZone": nil, "locale": ""})
		if at(own, "data", "timeZone") != nil || at(own, "data", "locale") != nil {
			t.Errorf("cleared: %v", own)
		}
		token := s.viewer(t)
		me := s.mustAs(t, token, 200, "GET", "/api/v1/auth/me", nil)
		viewer := "/api/v1/users/" + text(me, "data", "id")
		s.mustAs(t, token, 200, "PATCH", viewer, map[string]any{"timeZone": "America/New_York"})
		s.mustAs(t, token, 403, "PATCH", viewer, map[string]any{"timeZone": "UTC", "name": "Eve"})
		s.mustAs(t, token, 403, "PATCH", user, map[string]any{"timeZone": "UTC"})
		if me = s.mustAs(t, token, 200, "GET", "/api/v1/auth/me", nil); text(me, "data", "timeZone") != "America/New_York" ||
			text(me, "data", "name") != "Vera" {
			t.Errorf("the viewer: %v", me)
		}
	})
}

// Sales are cut at days of a time zone that is given, in which bare dates are meant; without one they are those of UTC, whatever the
// account's.
func TestSalesOfATimeZone(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 200, "PATCH", "/api/v1/account", map[string]any{"timeZone": "Asia/Tokyo"})
		for name, want := range map[string][]string{
			"":                       {"2026-03-28T00:00:00.000Z", "2026-03-29T00:00:00.000Z", "2026-03-30T00:00:00.000Z"},
			"&timeZone=UTC":          {"2026-03-28T00:00:00.000Z", "2026-03-29T00:00:00.000Z", "2026-03-30T00:00:00.000Z"},
			"&timeZone=Europe/Paris": {"2026-03-27T23:00:00.000Z", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"},
			"&timeZone=Asia/Kolkata": {"2026-03-27T18:30:00.000Z", "2026-03-28T18:30:00.000Z", "2026-03-29T18:30:00.000Z"},
		} {
			out := s.must(t, 200, "GET", "/api/v1/analytics/sales?from=2026-03-28&to=2026-03-30"+name, nil)
			points := at(out, "data", "points").([]any)
			if len(points) != len(want) || text(out, "data", "from") != want[0] {
				t.Errorf("%s: %v", name, out)
				continue
			}
			for i := range want {
				if text(out, "data", "points", i, "start") != want[i] {
					t.Errorf("%s: the point %d starts at %s", name, i, text(out, "data", "points", i, "start"))
				}
			}
		}
		if status, answer := s.call(t, "GET", "/api/v1/analytics/sales?timeZone=Mars/Olympus", nil); status != 400 {
			t.Errorf("an unknown zone: %d %v", status, answer)
		}
	})
}
