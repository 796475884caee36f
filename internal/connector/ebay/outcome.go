package ebay

import (
	"cmp"

	"entrepot/internal/connector"
)

// event is the body of every notification. Order topics name the seller and the order in objects of their own, the
// account topics name one user directly.
type event struct {
	Metadata     struct{ Topic connector.ID }
	Notification struct {
		NotificationID connector.ID
		Data           struct {
			user
			Seller  user `json:"user"`
			OrderID connector.ID
			Order   struct{ OrderID connector.ID }
		}
	}
}

// user is how eBay names a person.
type user struct{ UserID, Username connector.ID }

// Read returns the meaning of a notification (interface §6.3). Errors: Invalid.
func (*Connector) Read(ch connector.Channel, n connector.Notification) (connector.Outcome, error) {
	var e event
	if err := connector.Decode(n.Body, &e); err != nil {
		return connector.Outcome{}, err
	}
	data := e.Notification.Data
	outcome := connector.About(string(e.Metadata.Topic), connector.Key(string(e.Notification.NotificationID)))
	switch e.Metadata.Topic {
	case "MARKETPLACE_ACCOUNT_DELETION": // about a buyer, sent to every app there is
		return outcome.EraseCustomer(connector.Person{ID: string(data.UserID), Username: string(data.Username)}), nil
	case "AUTHORIZATION_REVOCATION":
		// a revoked consent stops the channel: it must be the channel's own
		seller := cmp.Or(ch.Value("sellerUserId"), ch.Account)
		if !data.user.is(seller) || !data.Seller.is(seller) {
			return outcome.Ignore("it is about another seller"), nil
		}
		return outcome.Reauthorize(), nil
	case "ORDER_CONFIRMATION", "ITEM_MARKED_SHIPPED", "ORDER_CANCELLATION_ACTIVITY", "ORDER_RETURN_ACTIVITY":
		if !data.Seller.is(ch.Value("sellerUserId")) {
			return outcome.Ignore("it is about another seller"), nil
		}
		return outcome.PullOrder(connector.First(data.Order.OrderID, data.OrderID)), nil
	}
	return outcome, nil
}

// is reports whether the user is a seller. While the seller's id is unknown, or if the notification names nobody,
// they count as the same.
func (u user) is(seller string) bool {
	return seller == "" || u.UserID == "" || string(u.UserID) == seller
}
