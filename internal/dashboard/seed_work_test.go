package dashboard

import (
	"encoding/json"
	"fmt"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
)

// call sends a request to the API with a key of every scope, and gives the answer's data.
func (s *site) call(method, path, body string) (data map[string]any) {
	s.t.Helper()
	if s.key == "" {
		s.do(s.account.Tenant, func(tx *db.Tx) (err error) {
			_, s.key, err = s.Commerce.CreateKey(tx, accounts.Caller{}, commerce.KeyDraft{Name: "seed", Scopes: accounts.AllScopes})
			return err
		})
	}
	b := s.browser()
	b.header.Set("X-API-Key", s.key)
	out := b.send(method, path, strings.NewReader(body), "application/json")
	if out.status >= 300 {
		s.t.Fatalf("%s %s: %d %s", method, path, out.status, out.body)
	}
	var answer struct{ Data map[string]any }
	if err := json.Unmarshal([]byte(out.body), &answer); err != nil {
		s.t.Fatal(err)
	}
	return answer.Data
}

// seedWork fills the account with two months of orders and with what waits for people.
func (s *site) seedWork() {
	s.t.Helper()
	if s.samples == nil {
		s.samples = map[string]string{}
	}
	channel := s.call("POST", "/api/v1/channels", `{"name":"ERP","platform":"CUSTOM"}`)["channel"].(map[string]any)["id"].(string)
	s.samples["/channels"] = channel
	s.call("POST", "/api/v1/sdk/products/bulk-import?wait=true", `{"products":[`+
		`{"sku":"KIT-POT","name":"Cast-iron pot, 4 l","price":89,"stock":{"quantity":12}},`+
		`{"sku":"DSK-LAMP","name":"Desk lamp","price":42.5,"stock":{"quantity":3}},`+
		`{"sku":"TAB-PLATE","name":"Dinner plate <script>alert(1)</script>","price":15.9,"stock":{"quantity":60}}]}`)
	s.call("PATCH", "/api/v1/inventory/thresholds", `{"updates":[{"sku":"DSK-LAMP","threshold":10}]}`)
	now := s.DB.Now()
	for i := range 40 {
		status := []string{"PROCESSING", "PENDING", "DELIVERED", "DELIVERED", "SHIPPED"}[i%5]
		s.call("POST", "/api/v1/orders", fmt.Sprintf(`{"customerName":"Clara Schumann %d","customerEmail":"clara%d@example.com","channelId":%q,`+
			`"initialStatus":%q,"createdAt":%q,"items":[{"sku":"DSK-LAMP","quantity":2,"unitPrice":42.5},`+
			`{"sku":"KIT-POT","quantity":1,"unitPrice":89}]}`,
			i, i%9, channel, status, now.AddDate(0, 0, -i).Format("2006-01-02T15:04:05Z")))
	}
	endpoint := id.Endpoint(s.call("POST", "/api/v1/developer/webhooks",
		`{"url":"http://127.0.0.1:9/hooks","events":["*"],"description":"Shop order status page"}`)["id"].(string))
	s.samples["/webhooks"] = string(endpoint)
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		for i := range 3 {
			tx.Queue("INSERT INTO attempts (tenant_id, endpoint_id, position, number, at, duration_ms, error) VALUES ($1,$2,$3,$4,$5,$6,$7)",
				tx.Tenant, endpoint, 1, i+1, tx.Micros(), 3, "connection refused")
		}
		return nil
	})
}
