package importer

import (
	"bytes"
	"slices"
)

// What happens to rows of a product file with the SKU of another row.
const (
	duplicatesFirst = "first" // the first row is taken, the others are refused
	duplicatesLast  = "last"  // the last row is taken, the others are refused
	duplicatesMerge = "merge" // later rows fill what earlier ones leave blank
)

// doubles is the layout of a plain file whose rows with one SKU belong together.
type doubles struct {
	sku     *expression
	scratch []byte
}

func (d *doubles) learn([][]byte)          {}
func (d *doubles) read([][]byte, *product) {}

func (d *doubles) key(cells [][]byte) []byte {
	d.scratch = d.scratch[:0]
	return d.sku.value(cells, &d.scratch)
}

// assemble gets one row: settleDoubles came before.
func (d *doubles) assemble(_ string, rows []*product) (*product, []Fault) { return rows[0], nil }

// settleDoubles leaves one row of each SKU among the rows of one product.
func settleDoubles(rows []*product, mode string, faults []Fault) ([]*product, []Fault) {
	if mode == duplicatesFirst {
		return rows, faults // the first to come gets the SKU, wherever in the file the others stand
	}
	at := map[string]int{}
	var kept []*product
	for _, p := range rows {
		i, double := at[string(p.sku)]
		switch {
		case len(p.sku) == 0:
			kept = append(kept, p)
		case !double:
			at[string(p.sku)] = len(kept)
			kept = append(kept, p)
		case mode == duplicatesMerge:
			faults = kept[i].merge(p, faults)
		default:
			faults = append(faults, kept[i].refused(string(p.sku), "sku", "duplicate_sku", "a later row of the file, %d, has this SKU and was taken",
				p.row))
			kept[i] = p
		}
	}
	return kept, faults
}

// merge fills empty fields of p from a later row of the same SKU; if both have a value, p's stays.
func (p *product) merge(later *product, faults []Fault) []Fault {
	if len(later.name) > 0 && len(p.name) > 0 && !bytes.Equal(later.name, p.name) {
		faults = append(faults, later.differs("name", string(p.name), string(later.name)))
	}
	if later.priced && p.priced && later.price != p.price {
		faults = append(faults, later.differs("price", p.price.String(), later.price.String()))
	}
	if later.stocked && p.stocked && later.stock != p.stock {
		faults = append(faults, later.differs("stock.quantity", decimalText(p.stock), decimalText(later.stock)))
	}
	for _, text := range []struct{ mine, theirs *[]byte }{
		{&p.name, &later.name}, {&p.description, &later.description}, {&p.status, &later.status}, {&p.parent, &later.parent},
		{&p.ownImage, &later.ownImage},
	} {
		if len(*text.mine) == 0 {
			*text.mine = *text.theirs
		}
	}
	if !p.priced && later.priced {
		p.price, p.priced = later.price, true
	}
	p.trade.fill(later.trade)
	if !p.compareAtSet && later.compareAtSet {
		p.compareAt, p.compareAtSet, p.compareAtBlank = later.compareAt, true, false
	}
	if !p.stocked && later.stocked {
		p.stock, p.stocked, p.warehouse = later.stock, true, later.warehouse
	}
	for _, id := range later.categories {
		if !slices.Contains(p.categories, id) {
			p.categories = append(p.categories, id)
		}
	}
	for _, image := range later.images {
		faults = p.addImage(image, faults)
	}
	p.attributes, p.options = withMembers(p.attributes, later.attributes), withMembers(p.options, later.options)
	p.rows += later.rows
	return faults
}

func (p *product) differs(field, taken, left string) Fault {
	return p.note(string(p.sku), field, "conflicting_rows", "the rows of this SKU differ; %q was taken, not %q", clip([]byte(taken)),
		clip([]byte(left)))
}

// withMembers adds the members whose names are not there yet.
func withMembers(have, more []pair) []pair {
	for _, one := range more {
		if !slices.ContainsFunc(have, func(p pair) bool { return p.name == one.name }) {
			have = append(have, one)
		}
	}
	return have
}
