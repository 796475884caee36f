package crash

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"entrepot/test/blackbox/harness"
)

// TestKilledDuringBulk kills the service when a bulk import has stored some of its items: what is there has its events, and sending the
// request again stores the rest, each item once.
func TestKilledDuringBulk(t *testing.T) {
	const items = 1000
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		server := harness.Start(t, engine, harness.Options{})
		account := server.FirstAccount(t)
		key := account.Key
		cut := 0
		for round := range *kills {
			var products []any
			for i := range items {
				products = append(products, map[string]any{"sku": fmt.Sprintf("BULK-%d-%d", round, i), "name": "Bulk", "price": 1,
					"stock": map[string]any{"quantity": 7}})
			}
			body, err := json.Marshal(map[string]any{"products": products})
			if err != nil {
				t.Fatal(err)
			}
			before := stored(t, key)
			answered := make(chan harness.Answer, 1)
			go func() {
				answer, _ := key.Call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", string(body))
				answered <- answer
			}()
			for end := time.Now().Add(5 * time.Minute); stored(t, key) == before && time.Now().Before(end); {
			}
			server.Kill()
			answer := <-answered
			server.Launch()
			there := stored(t, key) - before
			if there == 0 || answer.Status == http.StatusOK && there != items {
				t.Errorf("round %d: %d of %d products are stored, the answer was %d", round, there, items, answer.Status)
			}
			if there < items {
				cut++
			}
			again, err := key.Call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", string(body))
			if err != nil || again.Count("created") != items-there || again.Count("updated") != there {
				t.Errorf("round %d: the request again, behind %d stored products: %v %s", round, there, err, again)
			}
			if n := stored(t, key) - before; n != items {
				t.Errorf("round %d: %d products, not %d", round, n, items)
			}
		}
		created, moved := map[string]int{}, map[string]int{}
		events, err := account.Log("")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			switch sku, _ := harness.At(e.Data, "sku").(string); e.Kind {
			case "product.created":
				created[sku]++
			case "stock.updated":
				moved[sku]++
			}
		}
		for round := range *kills {
			for i := range items {
				if sku := fmt.Sprintf("BULK-%d-%d", round, i); created[sku] != 1 || moved[sku] != 1 {
					t.Fatalf("%s has %d events of its creation and %d of its stock", sku, created[sku], moved[sku])
				}
			}
		}
		if out, err := server.Command("verify"); err != nil {
			t.Errorf("verify: %v\n%s", err, out)
		}
		t.Logf("%s: %d of %d imports were cut in two", server.Engine, cut, *kills)
	})
}

// stored is how many products there are.
func stored(t *testing.T, key harness.Client) int64 {
	answer, err := key.Call(http.MethodGet, "/api/v1/sdk/products/changes?limit=1", nil)
	if err != nil || answer.Status != http.StatusOK {
		t.Fatalf("reading the feed: %v %s", err, answer)
	}
	return answer.Count("meta", "total")
}
