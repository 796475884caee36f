package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

const hookPath = "/api/v1/developer/webhooks"

// hook makes an endpoint and gives its id and secret.
func (s *server) hook(t *testing.T, body string) (endpoint, secret string) {
	t.Helper()
	answer := s.must(t, 201, "POST", hookPath, body)
	return text(answer, "data", "id"), text(answer, "data", "secret")
}

func TestEndpoints(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		endpoint,
			secret := s.hook(t, `{"url":"http://127.0.0.1:9/hook","events":["order.received","order.received"],"description":"Shop","ordered":true}`)
		if !strings.HasPrefix(secret, "whsec_") || len(secret) != 50 {
			t.Errorf("secret %q", secret)
		}
		r := s.do(call{method: "GET", path: hookPath + "/" + endpoint})
		read := r.json(t)
		if r.status != 200 || strings.Contains(string(r.body), "whsec_") || at(read, "data", "ordered") != true ||
			len(at(read, "data", "events").([]any)) != 1 {
			t.Errorf("%d %s", r.status, r.body)
		}
		changed := s.must(t, 200, "PATCH", hookPath+"/"+endpoint, `{"events":["stock.low","*"],"description":null,"status":"paused"}`)
		if fmt.Sprint(at(changed, "data", "events")) != "[*]" || at(changed, "data", "description") != nil ||
			at(changed, "data", "status") != "paused" || at(changed, "data", "ordered") != true {
			t.Errorf("%v", changed)
		}
		if status, _ := s.with(s.key).call(t, "PUT", hookPath+"/"+endpoint, `{"status":"active","url":"http://10.0.0.1/"}`); status != 400 {
			t.Errorf("a private address: %d", status)
		}
		stale := s.do(call{method: "PATCH", path: hookPath + "/" + endpoint, body: `{"ordered":false}`,
			header: map[string]string{"If-Match": `"old"`}})
		fresh := s.do(call{method: "GET", path: hookPath + "/" + endpoint}).header.Get("ETag")
		matched := s.do(call{method: "PATCH", path: hookPath + "/" + endpoint, body: `{"ordered":false}`,
			header: map[string]string{"If-Match": fresh}})
		if stale.status != 412 || matched.status != 200 {
			t.Errorf("If-Match: %d %d", stale.status, matched.status)
		}
		list := s.must(t, 200, "GET", hookPath, nil)
		if number(list, "meta", "total") != "1" || text(list, "data", 0, "id") != endpoint {
			t.Errorf("%v", list)
		}
		for range 2 {
			s.call(t, "DELETE", hookPath+"/"+endpoint, nil)
		}
		for _, c := range []call{{method: "GET"}, {method: "DELETE"}, {method: "PATCH", body: "{}"}} {
			c.path = hookPath + "/" + endpoint
			if r := s.do(c); r.status != 404 {
				t.Errorf("%s after the end: %d", c.method, r.status)
			}
		}
		for _, path := range []string{"/rotate-secret", "/test", "/deliveries"} {
			if status, _ := s.call(t, map[bool]string{true: "GET", false: "POST"}[path == "/deliveries"], hookPath+"/"+endpoint+path,
				nil); status != 404 {
				t.Errorf("%s after the end: %d", path, status)
			}
		}
	})
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

func TestEndpointFaults(t *testing.T) {
	s := newServer(t, "sqlite", nil)
	for body, path := range map[string]string{
		`{}`:                          "url",
		`{"url":"http://127.0.0.1/"}`: "events",
		`{"url":"http://127.0.0.1/","events":[]}`:                         "events",
		`{"url":"http://127.0.0.1/","events":"*"}`:                        "events",
		`{"url":"http://127.0.0.1/","events":["a"]}`:                      "events[0]",
		`{"url":"http://127.0.0.1/","events":["*",1]}`:                    "events[1]",
		`{"url":"http://127.0.0.1/","events":["*"],"ordered":"yes"}`:      "ordered",
		`{"url":"http://127.0.0.1/","events":["*"],"status":"asleep"}`:    "status",
		`{"url":"https://u:p@x.example/","events":["*"]}`:                 "url",
		`{"url":"https://192.168.1.1/","events":["*"]}`:                   "url",
		`{"url":"ftp://x.example/","events":["*"]}`:                       "url",
		`{"url":"http://127.0.0.1/` + "\\u0000" + `","events":["*"]}`:     "url",
		`{"url":"http://[::ffff:127.0.0.1]/","events":["order.shipped"]}`: "url",
	} {
		status, answer := s.call(t, "POST", hookPath, body)
		if status != 400 || text(answer, "details", 0, "path") != path {
			t.Errorf("%s: %d %v", body, status, answer)
		}
	}
	endpoint, _ := s.hook(t, `{"url":"http://127.0.0.1/","events":["*"]}`)
	for _, body := range []string{`{"events":[]}`, `{"events":["x"]}`, `{"url":""}`, `{"url":"https://10.0.0.1/"}`, `{"url":7}`} {
		if status, answer := s.call(t, "PATCH", hookPath+"/"+endpoint, body); status != 400 {
			t.Errorf("PATCH %s: %d %v", body, status, answer)
		}
	}
	for _, body := range []string{`{}`, `{"from":"x"}`, `{"from":"2026-01-02","to":"2026-01-01"}`, `{"from":"2026-01-02","events":["x"]}`,
		`{"from":"2026-01-02","to":"y"}`} {
		if status, answer := s.call(t, "POST", hookPath+"/"+endpoint+"/replay", body); status != 400 {
			t.Errorf("replay %s: %d %v", body, status, answer)
		}
	}
	for _, body := range []string{`{}`, `{"status":"delivered"}`, `{"status":"failed","endpointId":"x"}`} {
		if status, answer := s.call(t, "POST", hookPath+"/deliveries/retry", body); status != 400 {
			t.Errorf("retry %s: %d %v", body, status, answer)
		}
	}
	for _, query := range []string{"status=lost", "event=x", "from=x", "limit=0"} {
		if status, answer := s.call(t, "GET", hookPath+"/"+endpoint+"/deliveries?"+query, nil); status != 400 {
			t.Errorf("%s: %d %v", query, status, answer)
		}
	}
}

// Another account's endpoints and deliveries are not found, and scopes are kept.
func TestEndpointsOfOthers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		endpoint, _ := s.hook(t, `{"url":"http://127.0.0.1:9/","events":["*"]}`)
		delivery := text(s.must(t, 200, "POST", hookPath+"/"+endpoint+"/test", nil), "data", "id")
		stranger := s.stranger()
		paths := map[string]string{"GET ": "", "PATCH ": "", "DELETE ": "", "GET  ": "/deliveries", "POST ": "/test", "POST  ": "/rotate-secret",
			"POST   ": "/replay"}
		for method, path := range paths {
			method = strings.TrimSpace(method)
			if r := stranger.do(call{method: method, path: hookPath + "/" + endpoint + path, body: `{"from":"2026-01-01"}`}); r.status != 404 {
				t.Errorf("%s %s of another account: %d %s", method, path, r.status, r.body)
			}
		}
		for method, path := range map[string]string{"GET": "", "POST": "/retry"} {
			if r := stranger.do(call{method: method, path: hookPath + "/deliveries/" + delivery + path}); r.status != 404 {
				t.Errorf("%s %s of another account: %d %s", method, path, r.status, r.body)
			}
		}
		if status, answer := stranger.call(t, "POST", hookPath+"/deliveries/retry",
			`{"status":"failed","endpointId":"`+endpoint+`"}`); status != 404 {
			t.Errorf("bulk retry of another account's: %d %v", status, answer)
		}
		reader := s.with(s.newKey("read:webhooks"))
		if status, _ := reader.call(t, "GET", hookPath, nil); status != 200 {
			t.Errorf("read:webhooks may not read: %d", status)
		}
		if status, answer := reader.call(t, "POST", hookPath+"/"+endpoint+"/test", nil); status != 403 ||
			text(answer, "requiredScope") != "write:webhooks" {
			t.Errorf("read:webhooks may write: %d %v", status, answer)
		}
		erp := s.with(s.newKey(accounts.ChannelScopes...))
		if status, _ := erp.call(t, "GET", "/api/v1/developer/events", nil); status != 403 {
			t.Errorf("a channel's key reads the event log: %d", status)
		}
		if status, _ := erp.call(t, "GET", hookPath+"/events", nil); status != 200 {
			t.Errorf("a channel's key may not read the catalogue: %d", status)
		}
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

// What is under way is seen in the list, alone, and in the log.
func TestDeliveriesAndLog(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		endpoint, _ := s.hook(t, `{"url":"http://127.0.0.1:9/","events":["order.received"]}`)
		test := s.must(t, 200, "POST", hookPath+"/"+endpoint+"/test", nil)
		if text(test, "data", "event") != "order.received" || text(test, "data", "status") != "pending" ||
			number(test, "data", "attemptCount") != "0" {
			t.Errorf("%v", test)
		}
		s.must(t, 200, "POST", hookPath+"/"+endpoint+"/test", `{"event":"stock.low"}`)
		list := s.must(t, 200, "GET", hookPath+"/"+endpoint+"/deliveries?limit=1", nil)
		if number(list, "meta", "total") != "2" || number(list, "meta", "totalPages") != "2" || text(list, "data", 0, "event") != "stock.low" {
			t.Errorf("%v", list)
		}
		for query, total := range map[string]string{"event=stock.low": "1", "status=pending": "2", "status=failed": "0", "from=2099-01-01": "0",
			"to=2020-01-01": "0",
			"from=2020-01-01&event=order.received&status=pending": "1", "resourceId=x": "0"} {
			if got := s.must(t, 200, "GET", hookPath+"/"+endpoint+"/deliveries?"+query, nil); number(got, "meta", "total") != total {
				t.Errorf("%s: %v", query, got)
			}
		}
		// Both bounds include the whole millisecond that they name, which is all that a caller is shown.
		shown := text(list, "data", 0, "createdAt")
		got := s.must(t, 200, "GET", hookPath+"/"+endpoint+"/deliveries?event=stock.low&from="+shown+"&to="+shown, nil)
		if number(got, "meta", "total") != "1" {
			t.Errorf("from and to %s: %v", shown, got)
		}
		single := s.must(t, 200, "GET", hookPath+"/deliveries/"+text(test, "data", "id"), nil)
		if attempts, ok := at(single, "data", "attempts").([]any); !ok || len(attempts) != 0 {
			t.Errorf("%v", single)
		}
		s.must(t, 200, "POST", hookPath+"/deliveries/"+text(test, "data", "id")+"/retry", nil)
		s.must(t, 200, "PATCH", hookPath+"/"+endpoint, `{"status":"paused"}`)
		if status, _ := s.call(t, "POST", hookPath+"/"+endpoint+"/test", nil); status != 409 {
			t.Errorf("test of a paused endpoint: %d", status)
		}

		s.write(s.tenant, func(tx *db.Tx) error {
			for _, name := range []string{"customer.created", "customer.updated", "order.received"} {
				webhooks.Record(tx, records.EventOf(name, "r", []byte(`{"n":1}`)))
			}
			return nil
		})
		s.dispatch() // what is replayed is what has been dispatched before
		log := s.must(t, 200, "GET", "/api/v1/developer/events?limit=2", nil)
		if text(log, "data", 0, "event") != "customer.created" || at(log, "meta", "hasMore") != true ||
			text(log, "meta", "nextAfter") != text(log, "data", 1, "id") {
			t.Errorf("%v", log)
		}
		after := text(log, "meta", "nextAfter")
		rest := s.must(t, 200, "GET", "/api/v1/developer/events?after="+after, nil)
		if text(rest, "data", 0, "event") != "order.received" || at(rest, "meta", "hasMore") != false {
			t.Errorf("%v", rest)
		}
		if status, _ := s.stranger().call(t, "GET", "/api/v1/developer/events?after="+after, nil); status != 400 {
			t.Errorf("after another account's event: %d", status)
		}
		replayed := s.must(t, 202, "POST", hookPath+"/"+endpoint+"/replay", `{"from":"2020-01-01","to":"2099-01-01"}`)
		if number(replayed, "data", "queued") != "1" { // what it subscribes to
			t.Errorf("%v", replayed)
		}
		chosen := s.must(t, 202, "POST", hookPath+"/"+endpoint+"/replay",
			`{"from":"2020-01-01","events":["customer.created","customer.updated"]}`)
		failed := s.must(t, 202, "POST", hookPath+"/deliveries/retry", `{"status":"failed"}`)
		if number(chosen, "data", "queued") != "2" || number(failed, "data", "retried") != "0" {
			t.Errorf("%v %v", chosen, failed)
		}
		if got := s.must(t, 200, "GET", hookPath+"/"+endpoint+"/deliveries?status=pending", nil); number(got, "meta", "total") != "6" {
			t.Errorf("%v", got)
		}
		var envelope map[string]json.RawMessage
		if err := json.Unmarshal([]byte(s.raw(t, after)), &envelope); err != nil || len(envelope) != 4 {
			t.Errorf("%v %v", envelope, err)
		}
	})
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

// raw is the stored payload of an event.
func (s *server) raw(t *testing.T, event string) (payload string) {
	t.Helper()
	err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
		return tx.Row("SELECT payload FROM events WHERE tenant_id = $1 AND id = $2", []any{tx.Tenant, event}, &payload)
	})
	if err != nil {
		t.Fatal(err)
	}
	return payload
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
