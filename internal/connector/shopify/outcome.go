package shopify

import (
	"encoding/json"
	"strings"

	"entrepot/internal/connector"
)

// resource is what the bodies of all topics have in common; each has some of it.
type resource struct {
	ID              connector.ID
	GID             connector.ID `json:"admin_graphql_api_id"`
	OrderID         connector.ID `json:"order_id"`
	InventoryItemID connector.ID `json:"inventory_item_id"`
	MyshopifyDomain connector.ID `json:"myshopify_domain"`
	ShopDomain      connector.ID `json:"shop_domain"`
	Customer        struct{ ID, Email connector.ID }
	OrdersToRedact  json.RawMessage `json:"orders_to_redact"`
}

// Read returns the meaning of a notification (interface §6.3). Errors: Invalid.
//
// Only the body is signed. The topic is in a header, so an attacker could send a captured body again with another
// topic: where that would do more than queue a harmless pull, the body must fit the topic.
func (*Connector) Read(ch connector.Channel, n connector.Notification) (connector.Outcome, error) {
	var r resource
	if err := connector.Decode(n.Body, &r); err != nil {
		return connector.Outcome{}, err
	}
	topic := connector.Only(n.Header, topicHeader)
	outcome := connector.About(topic, connector.Key(connector.Only(n.Header, deliveryHeader)))
	if !sameShop(ch, n.Header.Get(shopHeader)) {
		return outcome.Ignore("it is about another shop"), nil // one app's secret signs for all its shops
	}
	switch topic {
	case "orders/create", "orders/updated", "orders/edited", "orders/paid", "orders/cancelled",
		"orders/fulfilled", "orders/partially_fulfilled":
		return outcome.PullOrder(r.gid("Order", r.ID)), nil
	case "refunds/create", "fulfillments/create", "fulfillments/update":
		return outcome.PullOrder(gid("Order", r.OrderID)), nil
	case "products/create", "products/update", "products/delete":
		return outcome.PushStock(r.gid("Product", r.ID)), nil
	case "inventory_levels/update", "inventory_levels/connect":
		return outcome.PushStock(gid("InventoryItem", r.InventoryItemID)), nil
	case "app/uninstalled":
		if r.isShop() && sameShop(ch, string(r.MyshopifyDomain)) {
			return outcome.Reauthorize(), nil
		}
		return outcome.Ignore("its body is not this shop"), nil
	case "customers/redact":
		if r.ShopDomain != "" && sameShop(ch, string(r.ShopDomain)) && r.OrdersToRedact != nil {
			return outcome.EraseCustomer(connector.Person{ID: string(r.Customer.ID), Email: string(r.Customer.Email)}), nil
		}
		return outcome.Ignore("its body is not a request to erase a customer of this shop"), nil
	}
	return outcome, nil
}

// gid is the global id of the resource itself: the one in the body, else one made of its number.
func (r resource) gid(kind string, number connector.ID) string {
	if strings.HasPrefix(string(r.GID), "gid://shopify/"+kind+"/") {
		return string(r.GID)
	}
	return gid(kind, number)
}

func gid(kind string, number connector.ID) string {
	if number == "" {
		return ""
	}
	return "gid://shopify/" + kind + "/" + string(number)
}

// isShop reports whether nothing in the body shows that it is something other than a shop.
func (r resource) isShop() bool {
	return r.GID == "" || strings.HasPrefix(string(r.GID), "gid://shopify/Shop/")
}

// sameShop reports whether a domain is the channel's. A channel or a notification that does not give a myshopify.com
// domain cannot be compared, which counts as the same.
func sameShop(ch connector.Channel, domain string) bool {
	ours, theirs := shopDomain(ch.Credentials["shop"]), shopDomain(domain)
	return ours == "" || theirs == "" || ours == theirs
}

// shopDomain reads name.myshopify.com from a domain, an address or the bare name; "" if it is none of these.
func shopDomain(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	s, _, _ = strings.Cut(s, "/")
	if s != "" && !strings.ContainsAny(s, ".:") {
		s += suffix
	}
	if !strings.HasSuffix(s, suffix) || strings.ContainsFunc(s, func(c rune) bool {
		return c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	}) {
		return ""
	}
	return s
}

const suffix = ".myshopify.com"
