package crash

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

// TestKilledDuringErasure kills the service when it has begun to erase a customer with many orders. The next process ends the
// erasure by itself: no order names the person, there is one event, and asking again has its answer.
func TestKilledDuringErasure(t *testing.T) {
	const many = 300
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		server := harness.Start(t, engine, harness.Options{})
		account := server.FirstAccount(t)
		key := account.Key
		seedCatalog(t, account)
		buy := func(email string, n int) harness.Answer {
			answer, err := key.Do(harness.Request{Method: http.MethodPost, Path: "/api/v1/orders",
				Header: http.Header{"Idempotency-Key": {fmt.Sprint(email, n)}},
				Body: fmt.Appendf(nil, `{"customerName":"Vanishing Person","customerEmail":%q,"notes":"by the door",
					"shippingAddress":{"line1":"1 High Street","city":"Lyon","country":"FR"},"items":[{"sku":%q,"quantity":1,"unitPrice":1}]}`,
					email, sku(n%skus))})
			if err != nil || answer.Status != http.StatusCreated {
				t.Errorf("an order: %v %s", err, answer)
			}
			return answer
		}
		cut := 0
		for round := range *kills {
			email := fmt.Sprintf("vanishing-%d@example.test", round)
			var all sync.WaitGroup
			for w := range 8 {
				all.Go(func() {
					for n := w; n < many; n += 8 {
						buy(email, n)
					}
				})
			}
			all.Wait()
			list, err := key.Call(http.MethodGet, "/api/v1/customers?email="+email, nil)
			if err != nil {
				t.Fatal(err)
			}
			path := "/api/v1/customers/" + list.Text("data", 0, "id")
			answered := make(chan harness.Answer, 1)
			go func() {
				answer, _ := key.Call(http.MethodPost, path+"/erase", nil)
				answered <- answer
			}()
			dbtest.Until(t, "the record is erased", func() bool {
				read, err := key.Call(http.MethodGet, path, nil)
				return err == nil && read.Text("data", "status") == "erased"
			})
			server.Kill()
			answer := <-answered
			if out, err := server.Command("verify"); err != nil {
				t.Errorf("verify between two steps: %v\n%s", err, out)
			}
			_, err = server.Command("verify-erasure")
			if answer.Status == 0 && err != nil {
				cut++
			}
			server.Launch()
			buy(email, many) // the address is free: another record gets it
			erased := func() (n int) {
				events, err := account.Log("")
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if id, _ := harness.At(e.Data, "id").(string); e.Kind == "customer.erased" && path == "/api/v1/customers/"+id {
						n++
					}
				}
				return n
			}
			dbtest.Until(t, "the erasure ends", func() bool { return erased() == 1 })
			again, err := key.Call(http.MethodPost, path+"/erase", nil)
			if err != nil || again.Status != http.StatusOK || again.Count("data", "orders") != many || erased() != 1 {
				t.Errorf("asked again: %v %s, %d events", err, again, erased())
			}
			read, err := key.Call(http.MethodGet, path, nil)
			if err != nil || read.Count("data", "ordersCount") != many || read.Text("data", "erasedAt") != again.Text("data", "erasedAt") {
				t.Errorf("the record: %v %s", err, read)
			}
			if r := buy(email, 0); r.Text("data", "customerName") == "Vanishing Person" {
				t.Errorf("a repeated request names the person: %s", r)
			}
		}
		if out, err := server.Command("verify"); err != nil {
			t.Errorf("verify: %v\n%s", err, out)
		}
		dbtest.Until(t, "nothing is left of the erased", func() bool {
			_, err := server.Command("verify-erasure")
			return err == nil
		})
		t.Logf("%s: %d of %d erasures were cut in two", server.Engine, cut, *kills)
	})
}
