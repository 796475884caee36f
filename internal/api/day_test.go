package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/woocommerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// A kept answer is replayed for 24 hours to the last moment, and not after: then the key is as good as new (interface §4.1).
func TestIdempotencyKeysLastADay(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		create := func(body string) reply {
			return s.do(call{method: "POST", path: "/api/v1/customers", body: body, header: map[string]string{"Idempotency-Key": "day-1"}})
		}
		first := create(`{"email":"a@x.example"}`)
		if first.status != 201 {
			t.Fatalf("%d %s", first.status, first.body)
		}
		s.now.move(24*time.Hour - time.Minute)
		if again := create(`{"email":"a@x.example"}`); again.status != 201 || string(again.body) != string(first.body) {
			t.Errorf("a minute before: %d %s", again.status, again.body)
		}
		if other := create(`{"email":"b@x.example"}`); other.status != 409 {
			t.Errorf("another body a minute before: %d", other.status)
		}
		s.now.move(2 * time.Minute)
		fresh := create(`{"email":"b@x.example"}`)
		if fresh.status != 201 || text(fresh.json(t), "data", "email") != "b@x.example" {
			t.Errorf("a minute after: %d %s", fresh.status, fresh.body)
		}
		if again := create(`{"email":"b@x.example"}`); string(again.body) != string(fresh.body) {
			t.Errorf("the key is not kept anew: %s", again.body)
		}
	})
}

// A platform that sends a notification again within 24 hours is answered that it is known; later it counts as a new
// one (interface §6.3).
func TestNotificationsAreKnownForADay(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		var err error
		if s.Commerce.Connectors, err = connector.NewSet(woocommerce.New()); err != nil {
			t.Fatal(err)
		}
		made := s.must(t, 201, "POST", "/api/v1/channels", map[string]any{"name": "Woo", "platform": "WOOCOMMERCE",
			"credentials": map[string]any{"url": "http://127.0.0.1:1", "consumerKey": "ck", "consumerSecret": "cs", "webhookSecret": "hush"}})
		path := "/api/v1/webhooks/platform/" + text(made, "data", "channel", "id") + "/woocommerce"
		body := `{"id":727,"number":"727","status":"processing"}`
		sum := hmac.New(sha256.New, []byte("hush"))
		sum.Write([]byte(body))
		notify := func() map[string]any {
			r := s.do(call{method: "POST", path: path, body: body, noKey: true, header: map[string]string{"X-WC-Webhook-Topic": "order.updated",
				"X-WC-Webhook-Delivery-ID": "d1", "X-WC-Webhook-Signature": base64.StdEncoding.EncodeToString(sum.Sum(nil))}})
			if r.status != 201 {
				t.Fatalf("%d %s", r.status, r.body)
			}
			return r.json(t)
		}
		// What waits is worked on, so that the next notification is not answered for by it.
		work := func() {
			s.write(s.tenant, func(tx *db.Tx) error {
				tx.Queue("UPDATE jobs SET status = 'PROCESSING' WHERE tenant_id = $1", s.tenant)
				return nil
			})
		}
		for _, step := range []struct {
			after     time.Duration
			duplicate bool
		}{{0, false}, {0, true}, {24*time.Hour - time.Minute, true}, {2 * time.Minute, false}, {time.Minute, true}} {
			s.now.move(step.after)
			if answer := notify(); (answer["duplicate"] == true) != step.duplicate {
				t.Errorf("%v later: %v", step.after, answer)
			}
			work()
		}
		var pulls int64
		if err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND type = 'order_pull'", []any{s.tenant}, &pulls)
		}); err != nil || pulls != 2 {
			t.Errorf("%d jobs of two notifications that count, %v", pulls, err)
		}
	})
}

// A minute's requests are counted from its first one, to the last moment of it (interface §8).
func TestTheMinutesEdge(t *testing.T) {
	enginesWith(t, func() limits.Limiter { return limits.NewLocal() }, func(t *testing.T, s *server) {
		account, _ := s.newAccount("Small", "starter", "small@test.example")
		small := *s
		small.tenant = account.Tenant
		small.key = small.newKey("read:orders")
		list := func() reply { return small.do(call{method: "GET", path: "/api/v1/orders"}) }
		for n := range 100 {
			if r := list(); r.status != 200 {
				t.Fatalf("request %d: %d", n+1, r.status)
			}
			s.now.move(100 * time.Millisecond) // ten a second: clear of the burst
		}
		s.now.move(50*time.Second - time.Millisecond - 100*time.Microsecond)
		if r := list(); r.status != 429 {
			t.Errorf("a moment before the minute is over: %d", r.status)
		}
		s.now.move(2 * time.Millisecond)
		if r := list(); r.status != 200 {
			t.Errorf("a moment after: %d %s", r.status, r.body)
		}
	})
}
