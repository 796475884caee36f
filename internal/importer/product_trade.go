package importer

import (
	"bytes"
	"strings"

	"entrepot/internal/base/gtin"
	"entrepot/internal/base/money"
	"entrepot/internal/limits"
)

// tradeFields are the fields of what trade needs to know of a product, which a column is taken for only if nothing else
// reads it.
var tradeFields = map[string]bool{"gtin": true, "weight": true, "cost": true, "taxClass": true, "countryOfOrigin": true}

// trade is what trade needs to know of a product (interface §2.7.1). Blank cells set nothing.
type trade struct {
	gtin, taxClass, origin []byte
	weight, cost           money.Amount // the weight in kilograms
	weighed, costed        bool
}

// keepTrade copies its texts out of the row.
func keepTrade(t trade) trade {
	t.gtin, t.taxClass, t.origin = bytes.Clone(t.gtin), bytes.Clone(t.taxClass), bytes.Clone(t.origin)
	return t
}

// fill takes over what is missing.
func (t *trade) fill(other trade) {
	for _, text := range [][2]*[]byte{{&t.gtin, &other.gtin}, {&t.taxClass, &other.taxClass}, {&t.origin, &other.origin}} {
		if len(*text[0]) == 0 {
			*text[0] = *text[1]
		}
	}
	if !t.weighed {
		t.weight, t.weighed = other.weight, other.weighed
	}
	if !t.costed {
		t.cost, t.costed = other.cost, other.costed
	}
}

// trade reads the cells of a row. Without a column of its own, the GTIN is the first valid one among the attributes, and
// the weight that of an attribute with a unit.
func (r *productReader) trade(cells [][]byte, p *product, faults []Fault) []Fault {
	t := &p.trade
	t.cost, t.costed, faults = r.amount(p, "cost", r.cost, cells, Note, faults)
	if t.taxClass = r.value(r.taxClass, cells); len(t.taxClass) > limits.MaxTaxClass {
		faults = append(faults, p.unread(Note, "taxClass", "bad_tax_class", "%q is too long", clip(t.taxClass)))
		t.taxClass = nil
	}
	if cell := r.value(r.gtin, cells); len(cell) > 0 {
		if wrong := gtin.Check(string(cell)); wrong != "" {
			faults = append(faults, p.unread(Note, "gtin", "bad_gtin", "%q %s", clip(cell), wrong))
		} else {
			t.gtin = cell
		}
	}
	if cell := r.value(r.weight, cells); len(cell) > 0 {
		if t.weight, t.weighed = weightOf(cell, "kg"); !t.weighed {
			faults = append(faults, p.unread(Note, "weight", "bad_weight", "%q is no weight such as 0.35 or 350 g", clip(cell)))
		}
	}
	if cell := r.value(r.origin, cells); len(cell) > 0 {
		if code := countryCode(cell); code != "" {
			t.origin = []byte(code)
		} else {
			faults = append(faults, p.unread(Note, "countryOfOrigin", "bad_country", "%q is no country", clip(cell)))
		}
	}
	for _, a := range p.attributes {
		switch name := strings.ToLower(a.name); {
		case r.gtin == nil && len(t.gtin) == 0 && gtinAttributes[name] && gtin.Check(string(a.value)) == "":
			t.gtin = a.value
		case r.weight == nil && !t.weighed && (name == "weight" || name == "grams"):
			unit := ""
			if name == "grams" {
				unit = "g"
			}
			t.weight, t.weighed = weightOf(a.value, unit)
		}
	}
	return faults
}

// gtinAttributes are attributes that may hold a GTIN.
var gtinAttributes = map[string]bool{"gtin": true, "ean": true, "upc": true, "isbn": true, "barcode": true}

// units of weight, in 1/100,000,000 of a kilogram.
var units = map[string]int64{"kg": 1e8, "g": 1e5, "lbs": 45_359_237, "lb": 45_359_237, "oz": 2_834_952}

// weightOf reads a weight in kilograms: a number, whose decimals begin with a point or a comma, and perhaps its unit. ok
// is false if it is none, or without a unit if none is given.
func weightOf(cell []byte, unit string) (weight money.Amount, ok bool) {
	text := strings.ToLower(strings.TrimSpace(string(cell)))
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz. ")
	if said := strings.Trim(text[len(number):], ". "); said != "" {
		unit = said
	}
	number = strings.Replace(number, ",", ".", 1)
	if at := strings.IndexByte(number, '.'); at >= 0 {
		number = number[:min(len(number), at+5)] // four decimals: no scale shows more
	}
	amount, err := money.Parse(number)
	rate := units[unit]
	if err != nil || amount < 0 || rate == 0 || amount > limits.MaxWeight*1000*money.Scale {
		return 0, false
	}
	weight = money.Amount((int64(amount)/1000*rate + int64(amount)%1000*rate/1000 + 5e4) / 1e5)
	return weight, weight <= limits.MaxWeight*money.Scale
}

// appendTrade appends what is set.
func (t *trade) appendTrade(o *object) {
	o.textIf("gtin", t.gtin)
	if t.weighed {
		o.key("weight")
		o.b = t.weight.AppendTo(o.b)
	}
	if t.costed {
		o.key("cost")
		o.b = t.cost.AppendTo(o.b)
	}
	o.textIf("taxClass", t.taxClass)
	o.textIf("countryOfOrigin", t.origin)
}
