package api

import (
	"fmt"
	"sync"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// The deletion of a channel also deletes the answers about its orders that were stored after they were looked for.
func TestAChannelTakesItsAnswersWithIt(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		var err error
		if s.Commerce.Connectors, err = connector.NewSet(); err != nil {
			t.Fatal(err)
		}
		order := s.shop(t)
		shop := text(s.must(t, 201, "POST", "/api/v1/channels", `{"name":"Shop","platform":"CUSTOM"}`), "data", "channel", "id")
		for name, meanwhile := range map[string]func(channel, order string){
			"nothing": func(string, string) {},
			"a change": func(_, made string) {
				s.keyed(t, "PATCH", "/api/v1/orders/"+made, `{"notes":"changed"}`)
			},
			"an order": func(channel, _ string) {
				s.keyed(t, "POST", "/api/v1/orders", order(map[string]any{"channelId": channel}))
			},
			"a shipment": func(_, made string) {
				line := text(s.must(t, 200, "GET", "/api/v1/orders/"+made, nil), "data", "items", 0, "id")
				s.keyed(t, "POST", "/api/v1/orders/"+made+"/shipments",
					map[string]any{"items": []any{map[string]any{"orderItemId": line, "quantity": 1}}})
			},
		} {
			channel := text(s.must(t, 201, "POST", "/api/v1/channels", `{"name":"ERP","platform":"CUSTOM"}`), "data", "channel", "id")
			elsewhere := s.keyed(t, "POST", "/api/v1/orders", order(map[string]any{"channelId": shop}))
			body := order(map[string]any{"channelId": channel, "initialStatus": "PROCESSING"})
			made := text(s.keyed(t, "POST", "/api/v1/orders", body).json(t), "data", "id")
			s.now.move(20_000_000_000)
			found, err := s.Commerce.FindChannelAnswers(t.Context(), s.DB, s.tenant, id.Channel(channel), false)
			if err != nil {
				t.Fatal(err)
			}
			meanwhile(channel, made)
			kept := func(like string) (n int) {
				s.write(s.tenant, func(tx *db.Tx) error {
					return tx.Row("SELECT count(*) FROM idempotency_keys WHERE tenant_id = $1 AND answer LIKE $2", []any{tx.Tenant, "%" + like + "%"}, &n)
				})
				return n
			}
			if kept(made) == 0 {
				t.Fatalf("%s: no answer is kept", name)
			}
			s.write(s.tenant, func(tx *db.Tx) error {
				_, err := s.Commerce.DeleteChannel(tx, accounts.Caller{Tenant: s.tenant}, id.Channel(channel), commerce.Expected{}, false, found)
				return err
			})
			if n := kept(made); n != 0 {
				t.Errorf("%s: %d answers are left", name, n)
			}
			if n := kept(text(elsewhere.json(t), "data", "id")); n != 1 {
				t.Errorf("%s: %d answers about another order", name, n)
			}
		}
		var n int
		s.write(s.tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM idempotency_keys WHERE tenant_id = $1", []any{tx.Tenant}, &n)
		})
		if n != 4 {
			t.Errorf("%d answers are kept", n)
		}
		s.sound(t)
	})
}

// A channel with much is deleted in steps, while its orders change by requests with keys: with the answer everything is gone, also what was
// stored meanwhile. Repeating the deletion with its key has the same answer.
func TestAChannelTakesItsAnswersWithItInSteps(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		var err error
		if s.Commerce.Connectors, err = connector.NewSet(); err != nil {
			t.Fatal(err)
		}
		s.Commerce.AtOnce = 1
		order := s.shop(t)
		channel := text(s.must(t, 201, "POST", "/api/v1/channels", `{"name":"ERP","platform":"CUSTOM"}`), "data", "channel", "id")
		var made []string
		for range 12 {
			body := order(map[string]any{"channelId": channel, "initialStatus": "PROCESSING"})
			made = append(made, text(s.keyed(t, "POST", "/api/v1/orders", body).json(t), "data", "id"))
		}
		keyed := func(method, path string, body any, key string) reply {
			return s.do(call{method: method, path: path, body: body, header: map[string]string{"Idempotency-Key": key}})
		}
		var all sync.WaitGroup
		for _, one := range made {
			all.Go(func() {
				for i := range 6 {
					r := keyed("PATCH", "/api/v1/orders/"+one, map[string]any{"notes": fmt.Sprint(i)}, id.New[string]())
					if r.status != 200 && r.status != 404 {
						t.Errorf("%d %s", r.status, r.body)
					}
				}
			})
		}
		var first reply
		key := id.New[string]()
		all.Go(func() { first = keyed("DELETE", "/api/v1/channels/"+channel, nil, key) })
		all.Wait()
		if first.status != 200 {
			t.Fatalf("%d %s", first.status, first.body)
		}
		if again := keyed("DELETE", "/api/v1/channels/"+channel, nil, key); again.status != 200 || string(again.body) != string(first.body) {
			t.Errorf("again: %d %s", again.status, again.body)
		}
		if r := s.do(call{method: "DELETE", path: "/api/v1/channels/" + channel}); r.status != 404 {
			t.Errorf("without a key: %d %s", r.status, r.body)
		}
		for _, one := range made {
			s.must(t, 404, "GET", "/api/v1/orders/"+one, nil)
			s.write(s.tenant, func(tx *db.Tx) error {
				var n int
				err := tx.Row("SELECT count(*) FROM idempotency_keys WHERE tenant_id = $1 AND resource_id = $2", []any{tx.Tenant, one}, &n)
				if n > 0 {
					t.Errorf("%d answers about %s", n, one)
				}
				return err
			})
		}
		s.sound(t)
	})
}
