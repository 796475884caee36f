// Package channels holds where orders come from and products go to: six platforms and custom systems
// (interface §1, §2, §3.2).
package channels

import (
	"errors"

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

// Status is where a channel stands.
type Status string

// The states.
const (
	Active      Status = "active"
	Inactive    Status = "inactive"
	NeedsReauth Status = "needs_reauth"
	Expiring    Status = "expiring"
	Error       Status = "error"
)

// Ref is what an order or an event shows of its channel, and how the channel treats stock.
type Ref struct {
	ID       id.Channel // "" for none
	Name     string
	Platform string
	Oversell string // "allow" or "reject"
}

// ByRef reads what an order needs of a channel; ErrNoRow when the account has no such channel.
func ByRef(tx *db.Tx, channel id.Channel) (Ref, error) { return PrefetchByRef(tx, channel)() }

// PrefetchByRef is ByRef as a pending read.
func PrefetchByRef(tx *db.Tx, channel id.Channel) func() (Ref, error) {
	return ref(tx, "id = $2::UUID", channel)
}

// PrefetchFirst asks for the oldest active channel: the zero Ref when there is none.
func PrefetchFirst(tx *db.Tx) func() (Ref, error) {
	first := ref(tx, "status = 'active' ORDER BY created_at, id LIMIT 1")
	return func() (Ref, error) {
		r, err := first()
		if errors.Is(err, db.ErrNoRow) {
			return Ref{}, nil
		}
		return r, err
	}
}

func ref(tx *db.Tx, which string, args ...any) func() (Ref, error) {
	var r Ref
	pending := tx.Prefetch(func(row db.Rows) error { return row.Scan(&r.ID, &r.Name, &r.Platform, &r.Oversell) },
		"SELECT id, name, platform, oversell FROM channels WHERE tenant_id = $1 AND "+which, append([]any{tx.Tenant}, args...)...)
	return func() (Ref, error) {
		err := pending.Wait()
		if err == nil && r.ID == "" {
			err = db.ErrNoRow
		}
		return r, err
	}
}
