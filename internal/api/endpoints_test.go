package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

const hookPath = "/api/v1/developer/webhooks"

// hook makes an endpoint and gives its id and secret.
func (s *server) hook(t *testing.T, body string) (endpoint, secret string) {
	t.Helper()
	answer := s.must(t, 201, "POST", hookPath, body)
	return text(answer, "data", "id"), text(answer, "data", "secret")
}

// Neither the store nor a kept answer has the secret in the clear, and a repeated request gets it again.
func TestSecretsAreEncrypted(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		header := map[string]string{"Idempotency-Key": "hook"}
		body := `{"url":"http://127.0.0.1:9/hook","events":["*"]}`
		first := s.do(call{method: "POST", path: hookPath, body: body, header: header})
		again := s.do(call{method: "POST", path: hookPath, body: body, header: header})
		if first.status != 201 || string(again.body) != string(first.body) || again.header.Get("Idempotent-Replay") != "true" {
			t.Errorf("%d %s, %d %s", first.status, first.body, again.status, again.body)
		}
		endpoint := text(first.json(t), "data", "id")
		rotated := s.must(t, 200, "POST", hookPath+"/"+endpoint+"/rotate-secret", `{"graceSeconds":60}`)
		until, err := time.Parse(time.RFC3339, text(rotated, "data", "previousSecretExpiresAt"))
		if err != nil || until.Sub(s.now.Now()).Round(time.Second) != time.Minute ||
			text(rotated, "data", "secret") == text(first.json(t), "data", "secret") {
			t.Errorf("%v", rotated)
		}
		none := s.must(t, 200, "POST", hookPath+"/"+endpoint+"/rotate-secret", `{"graceSeconds":0}`)
		if at(none, "data", "previousSecretExpiresAt") != nil {
			t.Errorf("%v", none)
		}
		if status, _ := s.call(t, "POST", hookPath+"/"+endpoint+"/rotate-secret", `{"graceSeconds":604801}`); status != 400 {
			t.Errorf("a grace of over a week: %d", status)
		}
		s.write(s.tenant, func(tx *db.Tx) error {
			var stored string
			for _, sql := range []string{"SELECT secret FROM endpoints WHERE tenant_id = $1",
				"SELECT answer FROM idempotency_keys WHERE tenant_id = $1"} {
				if err := tx.Row(sql, []any{tx.Tenant}, &stored); err != nil || strings.Contains(stored, "whsec_") || stored == "" {
					t.Errorf("%s: %q %v", sql, stored, err)
				}
			}
			return nil
		})
	})
}

func TestPathsThatLookAlike(t *testing.T) {
	s := newServer(t, "sqlite", nil)
	for path, status := range map[string]int{"/events": 200, "/deliveries": 200, "/deliveries/x": 404, "/x/deliveries": 404,
		"/deliveries/deliveries": 404} {
		if got, answer := s.call(t, "GET", hookPath+path, nil); got != status {
			t.Errorf("%s: %d %v", path, got, answer)
		}
	}
	if got := s.do(call{method: "GET", path: alias + "x"}); got.status != 404 {
		t.Errorf("the inner name is reachable: %d", got.status)
	}
	if got := s.do(call{method: "PUT", path: hookPath + "/deliveries/x"}); got.status != 405 || got.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("PUT: %d %v", got.status, got.header)
	}
}

func TestCatalogueOfEvents(t *testing.T) {
	s := newServer(t, "sqlite", nil)
	catalogue := s.must(t, 200, "GET", hookPath+"/events", nil)
	list, _ := at(catalogue, "data").([]any)
	if len(list) != 22 {
		t.Fatalf("%d events", len(list))
	}
	for i, name := range webhooks.EventNames {
		data, ok := at(list, i, "sample", "data").(map[string]any)
		if text(list, i, "event") != name || !ok || len(data) < 3 || text(list, i, "sample", "event") != name {
			t.Errorf("%s: %v", name, at(list, i))
		}
	}
	if got := s.do(call{method: "GET", path: hookPath + "/events", noKey: true}); got.status != http.StatusUnauthorized {
		t.Errorf("without credential: %d", got.status)
	}
}

// An order is stored while the deliveries of a replay are counted, which reads all events of its span, and is not replayed with them.
func TestOrdersWhileAReplayIsCounted(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		endpoint := text(s.must(t, 201, "POST", hookPath, `{"url":"https://erp.example/hook","events":["order.received"]}`), "data", "id")
		s.stockUp(t, map[string]int64{"A": 5})
		order := item{"customerName": "Ada", "items": []any{item{"sku": "A", "quantity": 1, "unitPrice": 1}}}
		s.must(t, 201, "POST", "/api/v1/orders", order)
		s.dispatch()
		stored := false
		hook := func(sql string, _ []any) {
			if !stored && strings.HasPrefix(sql, "SELECT count(*) FROM events") {
				stored = true
				s.must(t, 201, "POST", "/api/v1/orders", order)
			}
		}
		s.trace.Store(&hook)
		replayed := s.must(t, 202, "POST", hookPath+"/"+endpoint+"/replay", `{"from":"2020-01-01","to":"2099-01-01"}`)
		s.trace.Store(nil)
		if !stored || number(replayed, "data", "queued") != "1" {
			t.Errorf("order stored meanwhile: %v; %v", stored, replayed)
		}
	})
}

// An order is stored while the failed deliveries of a retry are counted, which may be very many. Of several endpoints the transaction
// retries those of the first, and the worker the others.
func TestOrdersWhileARetryIsCounted(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for range 2 {
			endpoint, _ := s.hook(t, `{"url":"http://127.0.0.1:9/in","events":["*"]}`)
			for range 3 {
				s.attempted(t, endpoint, "order.shipped", webhooks.Failed, webhooks.Attempt{StatusCode: 404})
			}
		}
		s.stockUp(t, map[string]int64{"A": 5})
		order := item{"customerName": "Ada", "items": []any{item{"sku": "A", "quantity": 1, "unitPrice": 1}}}
		stored := false
		hook := func(sql string, _ []any) {
			if !stored && strings.HasPrefix(sql, "SELECT count(*) FROM deliveries d") {
				stored = true
				s.must(t, 201, "POST", "/api/v1/orders", order)
			}
		}
		s.trace.Store(&hook)
		retried := s.must(t, 202, "POST", hookPath+"/deliveries/retry", `{"status":"failed"}`)
		s.trace.Store(nil)
		if !stored || number(retried, "data", "retried") != "6" {
			t.Errorf("order stored meanwhile: %v; %v", stored, retried)
		}
		var pending, kept int
		s.write(s.tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT (SELECT count(*) FROM deliveries WHERE tenant_id = $1 AND state = 'pending'), count(*) FROM replays"+
				" WHERE tenant_id = $1", []any{tx.Tenant}, &pending, &kept)
		})
		if pending != 3 || kept != 1 {
			t.Errorf("%d are pending, %d are left to the worker", pending, kept)
		}
	})
}

// dispatch turns the account's events into deliveries, as a worker does.
func (s *server) dispatch() {
	s.write(s.tenant, func(tx *db.Tx) error {
		step, err := webhooks.ReadStep(tx)
		if err == nil {
			step.Write(tx)
		}
		return err
	})
}

// A request that is repeated with its Idempotency-Key is answered as before, though the address that it names would be refused by now: the
// first was done (interface §4.6).
func TestReplaysDoNotLookUpAddressesAgain(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		for path, body := range map[string]map[string]any{
			hookPath: {"url": "https://127.0.0.1:9/", "events": []string{"*"}},
			"/api/v1/channels": {"name": "Shop", "platform": "WOOCOMMERCE", "credentials": map[string]string{"url": "https://127.0.0.1:9",
				"consumerKey": "ck_a", "consumerSecret": "cs_a"}},
		} {
			post := func(key string) reply {
				return s.do(call{method: "POST", path: path, body: body, header: map[string]string{"Idempotency-Key": key}})
			}
			first := post("once")
			s.Commerce.Dev = false
			again, other := post("once"), post("another")
			s.Commerce.Dev = true
			if first.status != 201 || again.status != 201 || string(again.body) != string(first.body) ||
				again.header.Get("Idempotent-Replay") != "true" || other.status != 400 {
				t.Errorf("%s: %d, then %d %s; with another key %d", path, first.status, again.status, again.body, other.status)
			}
		}
	})
}
