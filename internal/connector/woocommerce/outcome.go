package woocommerce

import (
	"crypto/sha256"

	"entrepot/internal/connector"
)

// Read returns the meaning of a notification (interface §6.3). The body is the resource at the time of delivery, so
// only its id is used: the job reads it again. Errors: Invalid.
func (*Connector) Read(_ connector.Channel, n connector.Notification) (connector.Outcome, error) {
	var resource struct{ ID connector.ID }
	if err := connector.Decode(n.Body, &resource); err != nil {
		return connector.Outcome{}, err
	}
	topic := connector.Only(n.Header, topicHeader)
	outcome := connector.About(topic, deliveryKey(n, topic))
	id := string(resource.ID)
	if id == "" {
		return outcome.Ignore("the shop no longer has what it is about"), nil // a signed error body
	}
	switch topic {
	case "order.created", "order.updated", "order.deleted", "order.restored":
		return outcome.PullOrder(id), nil
	case "product.created", "product.updated", "product.restored", "product.published", "product.deleted":
		return outcome.PushStock(id), nil // id may be a variation's, and that of an order that went to the bin
	}
	return outcome, nil
}

// deliveryKey adds topic and body to the delivery id: some versions of the shop derive the id from webhook and second
// only, so that two events in one second have the same.
func deliveryKey(n connector.Notification, topic string) string {
	body := sha256.Sum256(n.Body)
	return connector.Key(connector.Only(n.Header, deliveryHeader), topic, string(body[:]))
}
