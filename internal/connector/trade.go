package connector

import (
	"strconv"
	"strings"

	"entrepot/internal/base/money"
)

// Trade is what scanners, carriers, tax, customs and accounting need to know of a form of a product. Of a variant
// without values of its own it has the product's, except the GTIN.
type Trade struct {
	GTIN     string        `json:",omitempty"` // 8, 12, 13 or 14 digits
	Weight   *money.Amount `json:",omitempty"` // of one unit in kilograms, not money; nil: not set
	Cost     *money.Amount `json:",omitempty"` // what one unit costs the merchant; only where buyers do not see it
	TaxClass string        `json:",omitempty"`
	Origin   string        `json:",omitempty"` // the country of origin, ISO 3166-1 alpha-2
}

// EAN is the GTIN where platforms ask for an EAN of 8 or 13 digits, UPC where they ask for one of 12; "" if it is none.
func (t Trade) EAN() string {
	if n := len(t.GTIN); n == 8 || n == 13 {
		return t.GTIN
	} else if n == 14 && t.GTIN[0] == '0' {
		return t.GTIN[1:]
	}
	return ""
}

// UPC is the GTIN of 12 digits, see EAN.
func (t Trade) UPC() string {
	if len(t.GTIN) == 12 {
		return t.GTIN
	}
	return ""
}

// GTINs is the GTIN as an attribute, which is called EAN or UPC where it is one; empty without.
func (t Trade) GTINs() []Attribute {
	switch {
	case t.EAN() != "":
		return []Attribute{{"EAN", t.EAN()}}
	case t.UPC() != "":
		return []Attribute{{"UPC", t.UPC()}}
	case t.GTIN != "":
		return []Attribute{{"GTIN", t.GTIN}}
	}
	return nil
}

// perKilogram are the units of weight that shops count in, by their usual names; in one kilogram, times 10,000.
var perKilogram = map[string]int64{"kg": 10_000, "kilogram": 10_000, "g": 10_000_000,
	"lbs": 22_046, "lb": 22_046, "pound": 22_046, "oz": 352_740}

// WeightIn is a weight in kilograms in another unit, with at most four decimals; "" if there is none, or if nobody knows
// the unit.
func WeightIn(kilograms *money.Amount, unit string) string {
	rate := perKilogram[strings.ToLower(strings.TrimSpace(unit))]
	if kilograms == nil || rate == 0 {
		return ""
	}
	half := int64(5_000)
	if *kilograms < 0 { // what a variant weighs less than its product
		half = -half
	}
	return money.Amount((int64(*kilograms)*rate + half) / 10_000).String()
}

// Number is a decimal text as a number that JSON has; 0 for none.
func Number(decimal string) float64 {
	n, _ := strconv.ParseFloat(decimal, 64)
	return n
}
