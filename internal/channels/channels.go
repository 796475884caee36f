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
	"entrepot/internal/base/id"
	"entrepot/internal/db"
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

// PlatformName is people's name of a platform.
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
	found, err := PrefetchByRefs(r, []id.Channel{channel}).Wait()
	ref := found[channel]
	if err == nil && ref.ID == "" {
		err = Missing()
	}
	return ref, err
}

const refs = "SELECT id, name, platform, oversell FROM channels"

func scanRef(row db.Rows) (ref Ref, err error) {
	return ref, row.Scan(&ref.ID, &ref.Name, &ref.Platform, &ref.Oversell)
}

// PrefetchByRefs prefetches the Refs of some channels; those that the account does not have are left out.
func PrefetchByRefs(r db.Reader, channels []id.Channel) *db.Pending[map[id.Channel]Ref] {
	p := &db.Pending[map[id.Channel]Ref]{Value: map[id.Channel]Ref{}}
	return p.Await(db.PrefetchOf(r, refsByID, channels, func(row db.Rows) error {
		ref, err := scanRef(row)
		p.Value[ref.ID] = ref
		return err
	})...)
}

var refsByID = db.KeyedBy(refs, "id", "")

// PrefetchFirst prefetches the oldest active channel: the zero Ref if there is none.
func PrefetchFirst(r db.Reader) *db.Pending[Ref] {
	p := new(db.Pending[Ref])
	return p.Await(r.Prefetch(func(row db.Rows) (err error) {
		p.Value, err = scanRef(row)
		return err
	}, refs+" WHERE tenant_id = $1 AND status = $2 ORDER BY created_at, id LIMIT 1", r.TenantID(), Active))
}
