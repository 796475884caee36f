package prestashop

import (
	"crypto/sha256"

	"entrepot/internal/connector"
)

// event is the body a webhook module sends.
type event struct {
	EventID   connector.ID `json:"event_id"`
	Event     connector.ID
	IDOrder   connector.ID `json:"id_order"`
	IDProduct connector.ID `json:"id_product"`
	DateUpd   connector.ID `json:"date_upd"`
}

// Read returns the meaning of a notification (interface §6.3). Errors: Invalid.
func (*Connector) Read(_ connector.Channel, n connector.Notification) (connector.Outcome, error) {
	var e event
	if err := connector.Decode(n.Body, &e); err != nil {
		return connector.Outcome{}, err
	}
	outcome := connector.About(string(e.Event), e.deliveryKey(n))
	switch e.Event {
	case "order.created", "order.updated", "order.status_changed":
		return outcome.PullOrder(string(e.IDOrder)), nil
	case "product.updated", "stock.updated":
		return outcome.PushStock(string(e.IDProduct)), nil
	}
	return outcome, nil
}

// deliveryKey is the event's id, else the delivery's, else the body itself if it has a time: a body without a time may
// occur again rightly.
func (e event) deliveryKey(n connector.Notification) string {
	id := connector.First(e.EventID, connector.ID(connector.Only(n.Header, deliveryHeader)))
	if id == "" && e.DateUpd != "" {
		body := sha256.Sum256(n.Body)
		return connector.Key("body", string(body[:]))
	}
	return connector.Key(id)
}
