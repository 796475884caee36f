package server

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
	"entrepot/internal/netguard"
)

// connectors are the six platforms that a running service knows, listed by hand.
func connectors(client *http.Client) (*connector.Set, error) {
	return connector.NewSet(woocommerce.New(), shopify.New(), prestashop.New(), amazon.New(), ebay.New(client, time.Now), tiktokshop.New())
}

// guarded is the HTTP client for addresses that merchants enter: it connects only to addresses that interface §6.2
// allows and follows no redirects.
func guarded(guard *netguard.Guard) *http.Client {
	return &http.Client{
		Transport:     guard.Transport(4),
		Timeout:       30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
