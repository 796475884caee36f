package failover

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"entrepot/test/blackbox/harness"
)

// entry is one request of one client and its outcome.
type entry struct {
	kind, key, method, path string
	body                    []byte
	order                   string // id of the order that it made or shipped
	sku                     string // whose stock it changed
	asked                   int
	answer                  harness.Answer // the first that is no 503
}

// client orders, ships and receives stock, one request after the other, and repeats under the same key what was answered with 503.
type client struct {
	*shop
	number, node int
	sent         int
	journal      []*entry
}

func (c *client) work(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		n := c.sent
		order := c.send("order", http.MethodPost, "/api/v1/orders", map[string]any{"customerName": "Buyer", "initialStatus": "PROCESSING",
			"customerEmail":     fmt.Sprintf("buyer%d@failover.example", n%20),
			"externalReference": fmt.Sprintf("REF-%d-%d", c.number, n),
			"items":             []any{map[string]any{"sku": sku(n % skus), "quantity": 1, "unitPrice": 2}}}, http.StatusCreated)
		order.order, order.sku = order.answer.Text("data", "id"), sku(n%skus)
		if order.order == "" {
			return
		}
		if n%2 == 0 {
			c.send("ship", http.MethodPatch, "/api/v1/orders/"+order.order+"/status", map[string]any{"status": "SHIPPED"},
				http.StatusOK).order = order.order
		}
		c.send("receive", http.MethodPost, "/api/v1/inventory/movements", map[string]any{"sku": order.sku, "type": "receive", "quantity": 1},
			http.StatusCreated).sku = order.sku
	}
}

// send sends a request until its outcome is known, which ends when the database is back.
func (c *client) send(kind, method, path string, body any, want int) *entry {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	c.sent++
	e := &entry{kind: kind, key: fmt.Sprintf("c%d-%d", c.number, c.sent), method: method, path: path, body: text}
	c.journal = append(c.journal, e)
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		asked := time.Now()
		answer, err := c.repeat(e, c.node)
		if err != nil {
			c.t.Errorf("%s %s: no answer: %v", method, path, err)
			continue
		}
		if answer.Status == http.StatusServiceUnavailable {
			c.away(answer)
			continue
		}
		if e.answer = answer; answer.Status != want {
			c.t.Errorf("%s, asked %d times: want %d", answer, e.asked, want)
		}
		c.answered[c.node].Store(asked.UnixNano())
		return e
	}
	c.t.Errorf("%s %s: 503 for two minutes", method, path)
	return e
}

func (c *client) repeat(e *entry, node int) (harness.Answer, error) {
	e.asked++
	return c.on(node).Do(harness.Request{Method: e.method, Path: e.path, Body: e.body, Header: http.Header{"Idempotency-Key": {e.key}}})
}

// away holds a 503 against the interface.
func (s *shop) away(answer harness.Answer) {
	s.unavailable.Add(1)
	switch code := answer.Text("code"); {
	case answer.Header.Get("Retry-After") == "":
		s.t.Errorf("no Retry-After: %s", answer)
	case code == "outcome_unknown":
		s.unknown.Add(1)
	case code != "unavailable" && code != "busy":
		s.t.Errorf("another code: %s", answer)
	}
}
