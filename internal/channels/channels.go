// Package channels holds where orders come from and products go to: six platforms and custom systems
// (interface §1, §2, §3.2).
package channels

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// The platforms; Custom is that of a channel without a connector.
const (
	Custom      = "CUSTOM"
	WooCommerce = "WOOCOMMERCE"
	Shopify     = "SHOPIFY"
	PrestaShop  = "PRESTASHOP"
	Amazon      = "AMAZON"
	EBay        = "EBAY"
	TikTokShop  = "TIKTOK_SHOP"
)

// Platforms lists them.
var Platforms = []string{Custom, WooCommerce, Shopify, PrestaShop, Amazon, EBay, TikTokShop}

var platformNames = map[string]string{Custom: "Custom", WooCommerce: "WooCommerce", Shopify: "Shopify", PrestaShop: "PrestaShop",
	Amazon: "Amazon", EBay: "eBay", TikTokShop: "TikTok Shop"}

// PlatformName is what people call a platform.
func PlatformName(platform string) string { return platformNames[platform] }

// Status is the state of a channel.
type Status string

// The states.
const (
	Active      Status = "active"
	Inactive    Status = "inactive"
	NeedsReauth Status = "needs_reauth"
	Expiring    Status = "expiring"
	Error       Status = "error"
)

// Ref is the part of a channel that orders and events show, and its stock policy.
type Ref struct {
	ID       id.Channel // "" for none
	Name     string
	Platform string
	Oversell string // "allow" or "reject"
}

// ByRef reads the Ref of a channel. Errors: NotFound.
func ByRef(r db.Reader, channel id.Channel) (Ref, error) {
	ref, err := PrefetchByRef(r, channel).Wait()
	if err == nil && ref.ID == "" {
		err = Missing()
	}
	return ref, err
}

// PrefetchByRef is ByRef as a pending read: the zero Ref if the account has no such channel.
func PrefetchByRef(r db.Reader, channel id.Channel) *db.Pending[Ref] {
	return prefetchRef(r, "id = $2::UUID", channel)
}

// PrefetchFirst prefetches the oldest active channel: the zero Ref if there is none.
func PrefetchFirst(r db.Reader) *db.Pending[Ref] {
	return prefetchRef(r, "status = 'active' ORDER BY created_at, id LIMIT 1")
}

func prefetchRef(r db.Reader, which string, args ...any) *db.Pending[Ref] {
	p := new(db.Pending[Ref])
	return p.Await(r.Prefetch(func(row db.Rows) error {
		return row.Scan(&p.Value.ID, &p.Value.Name, &p.Value.Platform, &p.Value.Oversell)
	},
		"SELECT id, name, platform, oversell FROM channels WHERE tenant_id = $1 AND "+which, append([]any{r.TenantID()}, args...)...))
}
