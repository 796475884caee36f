package catalog

import (
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
)

// Trade is what scanners, carriers, tax, customs and accounting need to know of a product or a variant (interface
// §2.7.1).
type Trade struct {
	GTIN     string        // 8, 12, 13 or 14 digits with their check digit; "" for none
	Weight   *money.Amount // of one unit in kilograms, not money; nil: not set
	Cost     *money.Amount // what one unit costs the merchant, in the account's currency; nil: not set
	TaxClass string        // "" for none
	Origin   string        // the country of origin, ISO 3166-1 alpha-2; "": not set
}

// TradeDraft is a caller's input for Trade; null clears.
type TradeDraft struct {
	GTIN     patch.Field[string]
	Weight   patch.Field[money.Amount]
	Cost     patch.Field[money.Amount]
	TaxClass patch.Field[string]
	Origin   patch.Field[string]
}

// TradeNames are the members of Trade, as the interface names them.
var TradeNames = []string{"gtin", "weight", "cost", "taxClass", "countryOfOrigin"}

// change applies a draft and calls changed with the name of each member that is another one now.
func (t *Trade) change(d *TradeDraft, changed func(name string)) {
	text := func(name string, now *string, f patch.Field[string]) {
		if f.Set && f.Value != *now {
			*now = f.Value
			changed(name)
		}
	}
	amount := func(name string, now **money.Amount, f patch.Field[money.Amount]) {
		if f.Set && !sameAmount(f.Ptr(), *now) {
			*now = f.Ptr()
			changed(name)
		}
	}
	text("gtin", &t.GTIN, d.GTIN)
	amount("weight", &t.Weight, d.Weight)
	amount("cost", &t.Cost, d.Cost)
	text("taxClass", &t.TaxClass, d.TaxClass)
	text("countryOfOrigin", &t.Origin, d.Origin)
}

// TradeIn is what holds for the variant: its own values, and the product's where it has none. A GTIN is never the
// product's.
func (v *Variant) TradeIn(p *Product) Trade {
	t := v.Trade
	if t.Weight == nil {
		t.Weight = p.Weight
	}
	if t.Cost == nil {
		t.Cost = p.Cost
	}
	if t.TaxClass == "" {
		t.TaxClass = p.TaxClass
	}
	if t.Origin == "" {
		t.Origin = p.Origin
	}
	return t
}
