package blackbox

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"entrepot/test/blackbox/harness"
)

func init() {
	aboutOwn("4.4-erase-bytes 10-verify", "after erasure the person is nowhere in the store", harness.Options{}, func(c *testCase) {
		c.products([3]any{"A-1", 10, 100})
		inbox := receiver.Inbox()
		c.account.Endpoint(c, inbox)
		person := map[string]any{
			"email": "Zenobia.Quirrenbach@vanish.example", "firstName": "Zenobia", "lastName": "Quirrenbach", "phone": "+49170998877665",
			"company": "Quirrenbach Werke", "metadata": map[string]string{"nick": "Zenobinchen"},
			"addresses": []any{map[string]string{"line1": "99 Quirrenbachallee", "city": "Quirrenstadt", "zip": "98765", "country": "DE"}},
		}
		keyed := func(key, method, path string, body any) harness.Answer {
			answer, err := c.account.Key.Do(harness.Request{Method: method, Path: path, Header: http.Header{"Idempotency-Key": {key}},
				Body: encode(body)})
			if err != nil {
				c.Fatal(err)
			}
			return answer
		}
		id := c.must(keyed("k1", http.MethodPost, "/api/v1/customers", person), 201).Text("data", "id")
		body := order("Zenobia Quirrenbach", [3]any{"A-1", 2, 10})
		body["customerEmail"] = "zenobia.quirrenbach@VANISH.example"
		body["notes"] = "for Zenobia Quirrenbach, +49170998877665"
		body["shippingAddress"] = map[string]any{"name": "Zenobia Quirrenbach", "line1": "99 Quirrenbachallee", "city": "Quirrenstadt",
			"zip": "98765", "country": "DE"}
		body["paymentMetadata"] = map[string]any{"holder": "ZENOBIA QUIRRENBACH", "mail": "zenobia.quirrenbach@vanish.example"}
		placed := c.must(keyed("k2", http.MethodPost, "/api/v1/orders", body), 201).Text("data", "id")
		c.must(keyed("k3", http.MethodPatch, "/api/v1/orders/"+placed+"/status",
			map[string]string{"status": "PROCESSING", "note": "Zenobia Quirrenbach called"}), 200)
		c.must(keyed("k4", http.MethodPatch, "/api/v1/customers/"+id, map[string]string{"phone": "+49170998877666",
			"lastName": "Quirrenbach-Meier"}), 200)
		if err := harness.Eventually(5*time.Minute, func() error {
			_, err := c.account.Log("")
			return err
		}); err != nil {
			c.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond) // let the deliveries settle: their log is scrubbed too
		c.must(c.call(http.MethodPost, "/api/v1/customers/"+id+"/erase", nil), 200)
		traces := []string{
			"Zenobia", "zenobia", "ZENOBIA", "Quirrenbach", "quirrenbach", "QUIRRENBACH", "Zenobinchen", "vanish.example",
			"49170998877665", "49170998877666", "Quirrenstadt", "Quirrenbachallee",
			base64.StdEncoding.EncodeToString([]byte("zenobia.quirrenbach@vanish.example")),
		}
		var found []string
		if err := harness.Eventually(5*time.Minute, func() error {
			var err error
			if found, err = c.server.StoreHolds(traces...); err != nil {
				return err
			}
			if len(found) > 0 {
				return errStillThere
			}
			return nil
		}); err != nil {
			c.Errorf("while the service runs the store still holds %v (%v)", found, err)
		}
		if out, err := c.server.Command("verify-erasure"); err != nil {
			c.Errorf("verify-erasure: %v %s", err, out)
		}
		if out, err := c.server.Command("verify"); err != nil {
			c.Errorf("verify: %v %s", err, out)
		}
		for _, path := range []string{"/api/v1/customers/" + id, "/api/v1/orders/" + placed, "/api/v1/developer/events?limit=100",
			"/api/v1/sdk/sync/status"} {
			answer := c.must(c.call(http.MethodGet, path, nil), 200)
			for _, trace := range traces {
				if strings.Contains(string(answer.Body), trace) {
					c.Errorf("%s still shows %q", path, trace)
				}
			}
		}
	})
}
