package tiktokshop

import (
	"cmp"

	"entrepot/internal/connector"
)

// topicNames names the event types, which arrive as numbers.
var topicNames = map[connector.ID]connector.ID{
	"1":  "ORDER_STATUS_CHANGE",
	"2":  "REVERSE_STATUS_UPDATE",
	"3":  "RECIPIENT_ADDRESS_UPDATE",
	"4":  "PACKAGE_UPDATE",
	"5":  "PRODUCT_STATUS_CHANGE",
	"6":  "SELLER_DEAUTHORIZATION",
	"7":  "UPCOMING_AUTHORIZATION_EXPIRATION",
	"11": "CANCELLATION_STATUS_CHANGE",
	"12": "RETURN_STATUS_CHANGE",
	"13": "NEW_CONVERSATION",
	"14": "NEW_MESSAGE",
	"15": "PRODUCT_INFORMATION_CHANGE",
	"37": "PRODUCT_AUDIT_STATUS_CHANGE",
}

// event is the body of every notification.
type event struct {
	Type           connector.ID // number, or name
	NotificationID connector.ID `json:"tts_notification_id"`
	ShopID         connector.ID `json:"shop_id"`
	Data           struct {
		OrderID   connector.ID `json:"order_id"`
		ProductID connector.ID `json:"product_id"`
	}
}

// Read returns the meaning of a notification (interface §6.3). Errors: Invalid.
func (*Connector) Read(ch connector.Channel, n connector.Notification) (connector.Outcome, error) {
	var e event
	if err := connector.Decode(n.Body, &e); err != nil {
		return connector.Outcome{}, err
	}
	topic := e.Type
	if name, ok := topicNames[topic]; ok {
		topic = name
	}
	outcome := connector.About(string(topic), connector.Key(string(e.NotificationID)))
	if shop := cmp.Or(ch.Value("shopId"), ch.Account); shop != "" && e.ShopID != "" && string(e.ShopID) != shop {
		return outcome.Ignore("it is about another shop"), nil // one app's secret signs for all its shops
	}
	switch topic {
	case "ORDER_STATUS_CHANGE", "REVERSE_STATUS_UPDATE", "RECIPIENT_ADDRESS_UPDATE", "PACKAGE_UPDATE",
		"CANCELLATION_STATUS_CHANGE", "RETURN_STATUS_CHANGE":
		return outcome.PullOrder(string(e.Data.OrderID)), nil
	case "PRODUCT_STATUS_CHANGE", "PRODUCT_AUDIT_STATUS_CHANGE":
		return outcome.PushStock(string(e.Data.ProductID)), nil // a product that went live needs our stock
	case "SELLER_DEAUTHORIZATION":
		return outcome.Reauthorize(), nil
	case "UPCOMING_AUTHORIZATION_EXPIRATION":
		return outcome.Expire(), nil
	}
	return outcome, nil
}
