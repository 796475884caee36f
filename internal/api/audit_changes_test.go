package api

import (
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/verify"
)

// entry is the newest entry of the audit log about a record.
func (s *server) auditEntry(t *testing.T, resource string) any {
	t.Helper()
	return at(s.must(t, 200, "GET", "/api/v1/audit-log?limit=1&resourceId="+resource, nil), "data", 0)
}

// An entry of the audit log has what was replaced by what, and who did it from which address by which request.
func TestEntriesSayWhatWasReplaced(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		_, made := s.login(t, "POST", "/api/v1/users", map[string]any{"email": "v@test.example", "name": "Vera", "role": "viewer",
			"password": "correct horse battery 2"})
		user := text(made, "data", "id")
		_, shop := s.login(t, "POST", "/api/v1/channels", map[string]any{"name": "Shop", "platform": "CUSTOM",
			"settings": map[string]any{"oversell": "allow"}})
		channel := text(shop, "data", "channel", "id")
		if channel == "" {
			t.Fatal(shop)
		}
		_, hook := s.login(t, "POST", "/api/v1/developer/webhooks", map[string]any{"url": "http://127.0.0.1:9/a", "events": []string{"*"}})
		endpoint := text(hook, "data", "id")
		for _, c := range []struct{ path, of, body, want string }{
			{"/api/v1/users/", user, `{"role":"admin"}`, "role viewer admin"},
			{"/api/v1/users/", user, `{"email":"w@test.example","status":"disabled"}`,
				"email v@test.example w@test.example, status active disabled"},
			{"/api/v1/channels/", channel, `{"settings":{"oversell":"reject","stockBuffer":3}}`, "oversell allow reject"},
			{"/api/v1/channels/", channel, `{"name":"Stall"}`, "name Shop Stall"},
			{"/api/v1/developer/webhooks/", endpoint, `{"url":"http://127.0.0.2:9/b"}`, "host 127.0.0.1:9 127.0.0.2:9"},
			{"/api/v1/account", "", `{"timeZone":"Europe/Berlin"}`, "timeZone UTC Europe/Berlin"},
		} {
			r := s.do(call{method: "PATCH", path: c.path + c.of, body: c.body, noKey: true,
				header: map[string]string{"Authorization": "Bearer " + s.token, "X-Request-Id": "r-" + c.of}})
			if r.status != 200 {
				t.Fatalf("%s: %d %s", c.path, r.status, r.body)
			}
			of := c.of
			if of == "" {
				of = string(s.account.ID)
			}
			e := s.auditEntry(t, of)
			var changes []string
			list, _ := at(e, "changes").([]any)
			for _, one := range list {
				changes = append(changes, fmt.Sprintf("%s %s %s", text(one, "field"), text(one, "from"), text(one, "to")))
			}
			if got := strings.Join(changes, ", "); !strings.Contains(got, c.want) || text(e, "address") != "192.0.2.1" ||
				text(e, "actorName") != "Olga Owner" || text(e, "requestId") != "r-"+c.of || len(text(e, "hash")) != 64 {
				t.Errorf("%s %s: %s in %v", c.path, c.body, got, e)
			}
		}
		results, err := verify.Run(t.Context(), s.DB, "")
		for _, r := range results {
			if r.Name == "audit log" && (r.Wrong != 0 || r.Looked < 10) {
				t.Errorf("%+v", r)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}
