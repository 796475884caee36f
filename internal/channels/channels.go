// Package channels holds where orders come from and products go to: six platforms and custom systems
// (interface §1, §2, §3.2).
//
//	Channel  a shop, a seller account or a custom system, with its settings and encrypted credentials
//	Ref      the part of it that orders and events show
//	Keep     queues a shared lock, so that a channel is not deleted while orders refer to it; see LockToDelete
//
// How far a channel is synchronised is in package channelsync; package connector calls its platform.
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

// Statuses lists them; callers set the first two.
var Statuses = []Status{Active, Inactive, NeedsReauth, Expiring, Error}

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
	return prefetchRef(r, refByID, string(channel))
}

// PrefetchFirst prefetches the oldest active channel: the zero Ref if there is none.
func PrefetchFirst(r db.Reader) *db.Pending[Ref] {
	return prefetchRef(r, refsByStatus, string(Active))
}

var (
	refByID      = refBy("id", "UUID", "")
	refsByStatus = refBy("status", "TEXT", " ORDER BY c.created_at, c.id")
)

// refBy begins with the key to which a row belongs, in front of the Ref.
func refBy(column, of, order string) *db.Keyed {
	columns := "SELECT CAST(c." + column + " AS TEXT), c.id, c.name, c.platform, c.oversell"
	return &db.Keyed{Head: 1, Tables: []string{"channels"},
		Build: func(n int) string {
			return columns + " FROM channels c WHERE c.tenant_id = $1 AND c." + column + " IN " + db.In(n, 2) + order
		},
		Mixed: columns + ", k.n::TEXT FROM " + db.MixedKeys + " JOIN channels c ON c.tenant_id = k.tenant AND c." + column +
			" = k.key::" + of + order}
}

// prefetchRef prefetches the first Ref of a key.
func prefetchRef(r db.Reader, by *db.Keyed, key string) *db.Pending[Ref] {
	p := new(db.Pending[Ref])
	return p.Await(r.PrefetchKeys(func(row db.Rows) error {
		if p.Value.ID != "" {
			return nil
		}
		return row.Scan(new(string), &p.Value.ID, &p.Value.Name, &p.Value.Platform, &p.Value.Oversell)
	}, by, []any{r.TenantID()}, []any{key}))
}
