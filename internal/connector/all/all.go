// Package all lists the connectors of the six platforms, so that packages that need them do not import each.
package all

import (
	"net/http"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/amazon"
	"entrepot/internal/connector/ebay"
	"entrepot/internal/connector/prestashop"
	"entrepot/internal/connector/shopify"
	"entrepot/internal/connector/tiktokshop"
	"entrepot/internal/connector/woocommerce"
)

// Connectors are the connectors of the six platforms. client fetches the keys that a platform signs its notifications
// with.
func Connectors(client *http.Client, now func() time.Time) (*connector.Set, error) {
	return connector.NewSet(woocommerce.New(), shopify.New(), prestashop.New(), amazon.New(), ebay.New(client, now), tiktokshop.New())
}
