package commerce

import (
	"encoding/json"
	"maps"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/money"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
)

// previewedSKUs bounds the SKUs of which a preview compares stock and prices: it answers as fast as a page.
const previewedSKUs = 5000

// previewSamples is how many SKUs a preview shows of each kind.
const previewSamples = 3

// SettingsPreview is what a change of a channel's settings would do (interface §4.5.7).
type SettingsPreview struct {
	Changed    []string // names of the settings whose values differ, sorted
	NotCounted []string // those of Changed whose effect only the platform knows, or a later order
	SKUs       int64    // whose stock and prices were compared; 0 if no changed setting is about these
	Partial    bool     // the channel has more SKUs: the first by their codes were compared
	Stock      int64    // SKUs that would show another quantity, or get one for the first time
	SoldOut    int64    // those of Stock that would show 0 and show more now
	Kept       int64    // SKUs whose quantity would not be sent any more: the platform keeps what it shows
	Prices     int64    // SKUs that would have another price
	Stocks     []StockSample
	Priced     []PriceSample
	Older      *int64 // orders here that are older than the new ordersFrom, and stay; nil if it does not change
}

// StockSample is the quantity of a SKU that a platform shows before and after a change; nil is none of ours.
type StockSample struct {
	SKU           string
	Before, After *int64
}

// PriceSample is the price of a SKU on a platform before and after a change, in the account's currency.
type PriceSample struct {
	SKU           string
	Before, After money.Amount
}

// counted are the settings whose effects a preview counts.
var counted = []string{"stock", "stockBuffer", "warehouses", "priceFactor", "ordersFrom"}

// PreviewSettings says what a change of a channel's settings would do, and stores nothing. settings is the JSON object
// of UpdateChannel. Errors: NotFound; Invalid if the settings become too many.
func (s *Service) PreviewSettings(
	tx *db.Tx, who accounts.Caller, channel id.Channel, settings string,
) (p SettingsPreview, err error) {
	c, err := channels.ByID(tx, channel)
	if err != nil {
		return p, err
	}
	now := c
	if err := changeSettings(&now, settings); err != nil {
		return p, err
	}
	p.Changed = differentSettings(c.Settings, now.Settings)
	before, after := settingsOf(c), settingsOf(now)
	_, calls := s.platform(c.Platform)
	for _, name := range p.Changed {
		if !calls || !slices.Contains(counted, name) {
			p.NotCounted = append(p.NotCounted, name)
		}
	}
	if !calls {
		return p, nil
	}
	if from := after.ordersFrom(now); !from.Equal(before.ordersFrom(c)) {
		filter := orders.Filter{CountedFilter: orders.CountedFilter{Channel: channel, To: max(1, from.UnixMicro()-1)},
			Sort: orders.ByCreatedAt, Limit: 1}
		_, older, err := orders.ListHeads(tx, filter)
		if err != nil {
			return p, err
		}
		p.Older = &older
	}
	if slices.ContainsFunc(p.Changed, func(name string) bool { return name != "ordersFrom" && slices.Contains(counted, name) }) {
		err = p.levels(tx, who.Currency, channel, before, after)
	}
	return p, err
}

// differentSettings are the names of the settings whose values differ, sorted.
func differentSettings(before, after string) (names []string) {
	var was, is map[string]json.RawMessage
	_ = json.Unmarshal([]byte(before), &was) // both are objects, or count as empty
	_ = json.Unmarshal([]byte(after), &is)
	all := maps.Clone(was)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	maps.Copy(all, is)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if was[name] == nil || is[name] == nil || !jsonvalue.Same(string(was[name]), string(is[name])) {
			names = append(names, name)
		}
	}
	return names
}

// previewedLevel is a SKU of a channel as a preview compares it.
type previewedLevel struct {
	sku    string
	price  money.Amount
	levels []stock.Level
}

// levels compares stock and prices by two versions of the settings.
func (p *SettingsPreview) levels(tx *db.Tx, currency string, channel id.Channel, before, after channelSettings) error {
	last := ""
	var one previewedLevel
	done := func() {
		if last != "" {
			p.compare(one, currency, before, after)
		}
	}
	err := tx.Each(func(r db.Rows) error {
		var sku, warehouse string
		var price, available int64
		if err := r.Scan(&sku, &price, &warehouse, &available); err != nil {
			return err
		}
		if sku != last {
			done()
			last, one = sku, previewedLevel{sku: sku, price: money.Amount(price), levels: one.levels[:0]}
		}
		one.levels = append(one.levels, stock.Level{Warehouse: warehouse, OnHand: available})
		return nil
	}, `SELECT i.sku, coalesce(v.price, p.price), coalesce(l.warehouse_code, ''), coalesce(l.on_hand - l.reserved, 0)
		FROM (SELECT sku, product_id, variant_id FROM channel_items WHERE tenant_id = $1 AND channel_id = $2::UUID
			AND external_product <> '' ORDER BY sku LIMIT $3::BIGINT) i
		JOIN products p ON p.tenant_id = $1 AND p.id = i.product_id AND p.deleted_at IS NULL
			AND (i.variant_id IS NOT NULL OR p.variant_count = 0)
		LEFT JOIN variants v ON v.tenant_id = $1 AND v.product_id = i.product_id AND v.id = i.variant_id
		LEFT JOIN stock_levels l ON l.tenant_id = $1 AND l.sku = i.sku AND l.deleted_at IS NULL
		ORDER BY i.sku, l.warehouse_code NULLS LAST`, tx.Tenant, channel, previewedSKUs)
	if err != nil {
		return err
	}
	done()
	return tx.Row(`SELECT count(*) > $3::BIGINT FROM (SELECT 1 AS one FROM channel_items WHERE tenant_id = $1 AND channel_id = $2::UUID
		AND external_product <> '' LIMIT $3::BIGINT + 1) AS some`, []any{tx.Tenant, channel, previewedSKUs}, &p.Partial)
}

// compare adds a SKU to the counts.
func (p *SettingsPreview) compare(one previewedLevel, currency string, before, after channelSettings) {
	p.SKUs++
	was, is := before.quantity(one.levels), after.quantity(one.levels)
	switch {
	case was == is:
	case is == connector.NotOurs:
		p.Kept++
	default:
		p.Stock++
		if is == 0 && was > 0 {
			p.SoldOut++
		}
		if len(p.Stocks) < previewSamples {
			p.Stocks = append(p.Stocks, StockSample{SKU: one.sku, Before: ours(was), After: ours(is)})
		}
	}
	cost, costs := before.price(one.price, currency), after.price(one.price, currency)
	if cost == costs {
		return
	}
	p.Prices++
	if len(p.Priced) < previewSamples {
		p.Priced = append(p.Priced, PriceSample{SKU: one.sku, Before: cost, After: costs})
	}
}

// ours is a quantity, nil if the channel's stock is not pushed.
func ours(quantity int64) *int64 {
	if quantity == connector.NotOurs {
		return nil
	}
	return &quantity
}
