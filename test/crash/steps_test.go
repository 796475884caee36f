package crash

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

// TestKilledDuringSteps kills the service when it has begun to delete a channel with many orders, and when it has begun to merge a customer
// with many. The store is sound then, and the next process ends both by itself.
func TestKilledDuringSteps(t *testing.T) {
	const many = 300
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		server := harness.Start(t, engine, harness.Options{})
		account := server.FirstAccount(t)
		key := account.Key
		seedCatalog(t, account)
		call := func(status int, method, path, body string) harness.Answer {
			t.Helper()
			answer, err := key.Do(harness.Request{Method: method, Path: "/api/v1" + path, Body: []byte(body)})
			if err != nil || answer.Status != status {
				t.Fatalf("%s %s: %v %s", method, path, err, answer)
			}
			return answer
		}
		buy := func(n int, more string) {
			var all sync.WaitGroup
			for w := range 8 {
				all.Go(func() {
					for i := w; i < n; i += 8 {
						body := fmt.Appendf(nil, `{"customerName":"Ada Lovelace","items":[{"sku":%q,"quantity":1,"unitPrice":1}],%s}`, sku(i%skus), more)
						answer, err := key.Do(harness.Request{Method: http.MethodPost, Path: "/api/v1/orders", Body: body})
						if err != nil || answer.Status != http.StatusCreated {
							t.Errorf("an order: %v %s", err, answer)
						}
					}
				})
			}
			all.Wait()
		}
		total := func(filter string) int64 {
			answer, err := key.Call(http.MethodGet, "/api/v1/orders?limit=1&"+filter, nil)
			if err != nil || answer.Status != http.StatusOK {
				return -1
			}
			return answer.Count("meta", "total")
		}
		// kill starts a request, and kills the service when that has begun.
		cut := 0
		kill := func(method, path, body string, begun func() bool, left func() bool) {
			t.Helper()
			answered := make(chan harness.Answer, 1)
			go func() {
				answer, _ := key.Do(harness.Request{Method: method, Path: "/api/v1" + path, Body: []byte(body)})
				answered <- answer
			}()
			dbtest.Until(t, method+" "+path+" has begun", begun)
			server.Kill()
			if answer := <-answered; answer.Status == 0 {
				cut++
			}
			if out, err := server.Command("verify"); err != nil {
				t.Errorf("verify between two steps: %v\n%s", err, out)
			}
			server.Launch()
			dbtest.Until(t, method+" "+path+" ends", func() bool { return !left() })
		}
		for round := range *kills {
			channel := call(201, http.MethodPost, "/channels", `{"name":"Corner","platform":"CUSTOM"}`).Text("data", "channel", "id")
			before := total("")
			buy(many, fmt.Sprintf(`"channelId":%q`, channel))
			kill(http.MethodDelete, "/channels/"+channel, "", func() bool {
				answer, err := key.Call(http.MethodGet, "/api/v1/channels/"+channel, nil)
				return err == nil && answer.Status == http.StatusNotFound
			}, func() bool { return total("channelId="+channel) != 0 })
			if now := total(""); now != before {
				t.Errorf("%d orders, there were %d", now, before)
			}

			from := call(201, http.MethodPost, "/customers", fmt.Sprintf(`{"email":"from-%d@example.test"}`, round)).Text("data", "id")
			into := call(201, http.MethodPost, "/customers", fmt.Sprintf(`{"email":"into-%d@example.test"}`, round)).Text("data", "id")
			buy(many, fmt.Sprintf(`"customerId":%q`, from))
			kill(http.MethodPost, "/customers/merge", fmt.Sprintf(`{"primaryId":%q,"secondaryIds":[%q]}`, into, from), func() bool {
				answer, err := key.Call(http.MethodGet, "/api/v1/customers/"+from, nil)
				return err == nil && answer.Text("data", "status") == "secondary"
			}, func() bool { return total("customerId="+into) != many })
			if n := call(200, http.MethodGet, "/customers/"+into, "").Count("data", "ordersCount"); n != many {
				t.Errorf("the primary has %v orders", n)
			}
		}
		if out, err := server.Command("verify"); err != nil {
			t.Errorf("verify: %v\n%s", err, out)
		}
		t.Logf("%s: %d of %d operations were cut in two", server.Engine, cut, 2**kills)
	})
}
