package amazon

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

// envelope is what all notification types share. Some types spell their members in lower camel case, which Decode
// reads as well.
type envelope struct {
	NotificationType     connector.ID
	NotificationMetadata struct{ NotificationID connector.ID }
	Detail               json.RawMessage // EventBridge wraps the envelope in its own
}

// Read returns the meaning of a notification (interface §6.3). The body comes from a relay and is only a hint: a job
// reads the data itself. Errors: Invalid when it is unreadable or names another seller.
func (*Connector) Read(ch connector.Channel, n connector.Notification) (connector.Outcome, error) {
	e, body, err := open(n.Body)
	if err != nil {
		return connector.Outcome{}, err
	}
	for _, seller := range members(body, "SellerId", payloadDepth) {
		if seller != ch.Credentials["sellerId"] {
			return connector.Outcome{}, apperr.New(apperr.Invalid, "wrong_seller", "the notification is about another seller than the channel's")
		}
	}
	outcome := connector.About(string(e.NotificationType), connector.Key(string(e.NotificationMetadata.NotificationID)))
	switch e.NotificationType {
	case "ORDER_CHANGE":
		if reason := elsewhere(ch, body); reason != "" {
			return outcome.Ignore(reason), nil
		}
		return outcome.PullOrder(first(members(body, "AmazonOrderId", payloadDepth))), nil
	case "LISTINGS_ITEM_MFN_QUANTITY_CHANGE", "LISTINGS_ITEM_STATUS_CHANGE", "LISTINGS_ITEM_ISSUES_CHANGE":
		return outcome.PushStock(first(members(body, "Sku", payloadDepth))), nil
	}
	return outcome, nil
}

// summaryDepth is one level deeper, into the summary of an order.
const summaryDepth = payloadDepth + 1

// elsewhere says why an order is not the channel's: it is of another marketplace, or Amazon ships it.
func elsewhere(ch connector.Channel, body []byte) string {
	market := first(members(body, "MarketplaceId", summaryDepth))
	switch {
	case market != "" && !strings.EqualFold(market, ch.Value("marketplaceId")):
		return "the order is of another marketplace"
	case first(members(body, "FulfillmentType", summaryDepth)) == "AFN" && !takesFBA(ch):
		return "Amazon ships the order itself"
	}
	return ""
}

// open reads the envelope and returns it with the bytes it was read from, without EventBridge's wrapping.
func open(body []byte) (e envelope, inner []byte, err error) {
	err = connector.Decode(body, &e)
	if err == nil && e.NotificationType == "" && e.Detail != nil {
		body, e = e.Detail, envelope{}
		err = connector.Decode(body, &e)
	}
	return e, body, err
}

// payloadDepth is the depth from the envelope through its payload into the one object of most payloads. Deeper, offers
// name other sellers.
const payloadDepth = 2

// members returns the values of a member, in any case, of a JSON object and of the objects within it down to depth.
func members(raw []byte, name string, depth int) []string {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return nil
	}
	var found []string
	for _, member := range slices.Sorted(maps.Keys(object)) {
		if strings.EqualFold(member, name) {
			var id connector.ID
			if json.Unmarshal(object[member], &id) == nil && id != "" {
				found = append(found, string(id))
			}
		}
		if depth > 0 {
			found = append(found, members(object[member], name, depth-1)...)
		}
	}
	return found
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}
