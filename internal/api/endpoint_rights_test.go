package api

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// ownKey makes an API key by login, and returns its id and text.
func (s *server) ownKey(t *testing.T, body member) (key, secret string) {
	t.Helper()
	status, made := s.login(t, "POST", "/api/v1/developer/api-keys", body)
	if status != 201 {
		t.Fatalf("%d %v", status, made)
	}
	return text(made, "data", "id"), text(made, "data", "key")
}

// A key chooses addresses and events, sends again, tests and rotates only where it may read what the events are about
// (interface §4.5.9); the 403 names the scopes that lack.
func TestEndpointsGetWhatTheirMakerMayRead(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		all, _ := s.hook(t, `{"url":"http://127.0.0.1:9/all","events":["*"]}`)
		orders, _ := s.hook(t, `{"url":"http://127.0.0.1:9/orders","events":["order.received","order.shipped"]}`)
		paused, _ := s.hook(t, `{"url":"http://127.0.0.1:9/paused","events":["order.received"],"status":"paused"}`)
		s.must(t, 200, "POST", hookPath+"/"+orders+"/test", nil)
		sent := text(s.must(t, 200, "GET", hookPath+"/"+orders+"/deliveries", nil), "data", 0, "id")
		hooks := s.with(s.newKey("write:webhooks"))
		reader := s.with(s.newKey("write:webhooks", "write:orders")) // write:x includes read:x
		span := member{"from": "2020-01-01"}
		for _, c := range []struct {
			method, path string
			body         any
			lacks        string // of the key with write:webhooks alone
			reader       int    // the status for the other key
		}{
			{"POST", hookPath, member{"url": "http://127.0.0.1:9/", "events": []any{"order.received"}}, "read:orders", 201},
			{"POST", hookPath, member{"url": "http://127.0.0.1:9/", "events": []any{"order.received", "customer.erased"}}, "read:orders read:customers", 403},
			{"POST", hookPath, member{"url": "http://127.0.0.1:9/", "events": []any{"stock.low"}}, "read:inventory", 403},
			{"POST", hookPath, member{"url": "http://127.0.0.1:9/", "events": []any{"category.created"}}, "read:categories", 403},
			{"POST", hookPath, member{"url": "http://127.0.0.1:9/", "events": []any{"channel.sync_failed"}}, "read:channels", 403},
			{"POST", hookPath, member{"url": "http://127.0.0.1:9/", "events": []any{"*"}},
				"read:products read:categories read:orders read:inventory read:channels read:customers", 403},
			{"PATCH", hookPath + "/" + all, member{"url": "http://127.0.0.1:9/mine"},
				"read:products read:categories read:orders read:inventory read:channels read:customers", 403},
			{"PATCH", hookPath + "/" + orders, member{"url": "http://127.0.0.1:9/mine"}, "read:orders", 200},
			{"PUT", hookPath + "/" + orders, member{"events": []any{"order.received"}}, "read:orders", 200},
			{"PATCH", hookPath + "/" + orders, member{"events": []any{"customer.created"}}, "read:customers", 403},
			{"PATCH", hookPath + "/" + orders, member{"events": []any{"*"}},
				"read:products read:categories read:orders read:inventory read:channels read:customers", 403},
			{"POST", hookPath + "/" + orders + "/replay", span, "read:orders", 202},
			{"POST", hookPath + "/" + orders + "/replay", member{"from": "2020-01-01", "onlyFailed": true}, "read:orders", 202},
			{"POST", hookPath + "/" + orders + "/replay", member{"from": "2020-01-01", "events": []any{"customer.created"}}, "read:customers", 403},
			{"POST", hookPath + "/" + orders + "/test", nil, "read:orders", 200},
			{"POST", hookPath + "/" + orders + "/test", member{"event": "customer.created"}, "read:customers read:orders", 403},
			{"POST", hookPath + "/" + orders + "/rotate-secret", nil, "read:orders", 200},
			{"POST", hookPath + "/deliveries/" + sent + "/retry", nil, "read:orders", 200},
			{"POST", hookPath + "/deliveries/retry", member{"status": "failed", "endpointId": orders}, "read:orders", 202},
			{"POST", hookPath + "/" + all + "/rotate-secret", nil,
				"read:products read:categories read:orders read:inventory read:channels read:customers", 403},
		} {
			status, got := hooks.call(t, c.method, c.path, c.body)
			if status != 403 || text(got, "code") != "missing_scope" || text(got, "requiredScope") != c.lacks {
				t.Errorf("%s %s %v: %d %v", c.method, c.path, c.body, status, got)
			}
			if status, got := reader.call(t, c.method, c.path, c.body); status != c.reader {
				t.Errorf("%s %s %v by a reader: %d %v", c.method, c.path, c.body, status, got)
			}
		}
		// What decides nothing of that needs no more than write:webhooks, also when the whole record is sent back.
		read := s.must(t, 200, "GET", hookPath+"/"+paused, nil)["data"].(map[string]any)
		read["description"] = "Shop"
		for _, body := range []any{read, member{"status": "active"}, member{"status": "paused", "ordered": true}} {
			if status, got := hooks.call(t, "PUT", hookPath+"/"+paused, body); status != 200 {
				t.Errorf("%v: %d %v", body, status, got)
			}
		}
		if status, _ := hooks.call(t, "DELETE", hookPath+"/"+paused, nil); status != 200 {
			t.Errorf("not deleted: %d", status)
		}
	})
}

// An endpoint whose maker is gone is paused and says why; whoever may read its events may take it over (interface §4.5.9).
func TestEndpointsArePausedWithoutTheirMaker(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		admin := member{"email": "admin@shop.example", "password": "a long enough word 7", "role": "admin", "name": "Ada"}
		status, made := s.login(t, "POST", "/api/v1/users", admin)
		if status != 201 {
			t.Fatalf("%d %v", status, made)
		}
		user := "/api/v1/users/" + text(made, "data", "id")
		_, in := s.call(t, "POST", "/api/v1/auth/login", member{"email": admin["email"], "password": admin["password"]})
		asAdmin := *s
		asAdmin.token = text(in, "data", "accessToken")
		key, secret := s.ownKey(t, member{"name": "hooks", "scopes": []any{"write:webhooks", "read:orders"}})
		_, soon := s.ownKey(t, member{"name": "soon", "scopes": []any{"write:webhooks", "read:orders"},
			"expiresAt": s.now.Now().Add(time.Minute).Format(time.RFC3339Nano)})
		_, theirs := asAdmin.ownKey(t, member{"name": "theirs", "scopes": []any{"write:webhooks", "read:orders"}})
		body := member{"url": "http://127.0.0.1:9/", "events": []any{"order.received"}}
		byKey := text(s.with(secret).must(t, 201, "POST", hookPath, body), "data", "id")
		bySoon := text(s.with(soon).must(t, 201, "POST", hookPath, body), "data", "id")
		byTheirs := text(s.with(theirs).must(t, 201, "POST", hookPath, body), "data", "id")
		status, answer := asAdmin.login(t, "POST", hookPath, body)
		byUser := text(answer, "data", "id")
		if status != 201 {
			t.Fatalf("%d %v", status, answer)
		}
		shows := func(endpoint, state, reason string) {
			t.Helper()
			got := s.must(t, 200, "GET", hookPath+"/"+endpoint, nil)
			if text(got, "data", "status") != state || (reason == "") != (at(got, "data", "pausedReason") == nil) ||
				!strings.Contains(text(got, "data", "pausedReason"), reason) {
				t.Errorf("%v, want %s %q", got["data"], state, reason)
			}
		}
		for _, endpoint := range []string{byKey, bySoon, byTheirs, byUser} {
			shows(endpoint, "active", "")
		}
		as := func(method, path string, body any) {
			t.Helper()
			if status, got := s.login(t, method, path, body); status != 200 {
				t.Errorf("%s %s: %d %v", method, path, status, got)
			}
		}
		as("PATCH", user, member{"status": "disabled"})
		shows(byUser, "paused", "disabled")
		shows(byTheirs, "paused", "disabled")
		shows(byKey, "active", "")
		as("PATCH", user, member{"status": "active"})
		shows(byUser, "active", "")
		shows(byTheirs, "active", "")
		as("DELETE", user, nil)
		shows(byUser, "paused", "deleted")
		shows(byTheirs, "paused", "deleted")
		as("DELETE", "/api/v1/developer/api-keys/"+key, nil)
		shows(byKey, "paused", "revoked")
		shows(bySoon, "active", "")
		s.now.move(2 * time.Minute)
		shows(bySoon, "paused", "expired")

		list := s.must(t, 200, "GET", hookPath, nil)["data"].([]any)
		if i := slices.IndexFunc(list, func(e any) bool { return text(e.(map[string]any), "status") != "paused" }); len(list) != 4 || i >= 0 {
			t.Errorf("listed %v", list)
		}
		if status, got := s.call(t, "POST", hookPath+"/"+byKey+"/test", nil); status != 409 || !strings.Contains(text(got, "message"), "revoked") {
			t.Errorf("a test: %d %v", status, got)
		}
		hooks := s.with(s.newKey("write:webhooks"))
		if status, got := hooks.call(t, "PATCH", hookPath+"/"+byKey, member{"status": "active"}); status != 403 {
			t.Errorf("taken over without the scopes: %d %v", status, got)
		}
		read := s.must(t, 200, "GET", hookPath+"/"+byKey, nil)["data"].(map[string]any)
		hooks.must(t, 200, "PUT", hookPath+"/"+byKey, read) // as it was read: nothing changes
		s.must(t, 200, "PATCH", hookPath+"/"+byKey, member{"status": "active"})
		shows(byKey, "active", "")
	})
}
