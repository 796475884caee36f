package fakeshop

import (
	"context"
	"encoding/hex"
	"net/http"
	"strconv"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// Install puts the notifying module into the shop, with the address and the secret that its channel shows. Like the
// module, the shop sends each notification once, and sends none of stock that was written over the web service.
func (s *Shop) Install(address, secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook, s.secret = address, secret
}

// Deliver sends the module's notifications until the context ends.
func (s *Shop) Deliver(ctx context.Context) {
	s.Notices.Deliver(ctx, func(string) string {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.hook
	}, func(l fakeshop.Letter, header http.Header) {
		s.mu.Lock()
		defer s.mu.Unlock()
		header.Set("X-PrestaShop-Signature", hex.EncodeToString(fakeshop.MAC(s.secret, l.Body)))
	})
}

// notify queues what the module sends of an event; s.mu is held.
func (s *Shop) notify(event, key, id string) {
	number, _ := strconv.Atoi(id)
	s.events++
	s.Notices.Add(event, map[string]any{"event_id": "event-" + strconv.Itoa(s.events), "event": event, key: number, "date_upd": s.stamp()})
}

// SetStock changes a quantity, as a person in the back office does.
func (s *Shop) SetStock(sku string, quantity int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	product, combination, _ := s.sold(sku)
	for _, r := range s.where("stock_availables", "id_product", product) {
		if r.get("id_product_attribute") == combination {
			r.fields["quantity"] = strconv.Itoa(quantity)
		}
	}
	s.addUp(product)
	s.notify("stock.updated", "id_product", product)
}
