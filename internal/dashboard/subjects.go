package dashboard

import (
	"encoding/json"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// subject is the record of an event.
type subject struct{ event, resource, payload string }

// subjectNames are the names of the records of events, by id: an order's number, a product's SKU, a category's or a
// channel's name, a customer's e-mail address. A record that the user may not read, or whose event has no name for it,
// has none.
func (r *request) subjectNames(tx *db.Tx, list []subject) (map[string]string, error) {
	names := map[string]string{}
	var wanted []id.Order
	for _, s := range list {
		if s.resource == "" || names[s.resource] != "" || !r.caller().May(webhooks.ReadScope(s.event)) {
			continue
		}
		switch category(s.event) {
		case "order":
			if order, ok := id.Parse[id.Order](s.resource); ok {
				wanted = append(wanted, order)
			}
		case "product", "category", "channel", "customer":
			if name := nameIn(s.payload); name != "" {
				names[s.resource] = name
			}
		}
	}
	if len(wanted) == 0 {
		return names, nil
	}
	numbers, err := orders.NumbersOf(tx, wanted)
	for order, number := range numbers {
		names[string(order)] = orders.Number(number)
	}
	return names, err
}

// nameIn is the name of the record in an event's payload, "" when it holds none.
func nameIn(payload string) string {
	var envelope struct {
		Data struct{ SKU, Name, Email, ChannelName string } `json:"data"`
	}
	if json.Unmarshal([]byte(payload), &envelope) != nil {
		return "" // the payload was deleted after its retention
	}
	d := envelope.Data
	for _, name := range []string{d.SKU, d.Name, d.ChannelName, d.Email} {
		if name != "" {
			return short(name)
		}
	}
	return ""
}
