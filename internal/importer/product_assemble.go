package importer

import (
	"context"
	"hash/maphash"
	"slices"

	"entrepot/internal/limits"
)

// assembled gathers the rows of each product.
func (m *productMaker) assembled(ctx context.Context, out emit) error {
	reader := m.newReader()
	var p product
	err := eachRow(ctx, m.table, &m.rows, func(r row) error {
		at := place{r.number, r.line}
		why := unreadable(m.table, r)
		key := m.layout.key(r.cells)
		_, alone := m.layout.(*doubles)
		if why == "" && len(key) == 0 && !alone {
			why = "the row names no product: its SKU, handle and parent are blank"
		}
		if why == "" && len(key) == 0 {
			p.reset(at)
			p.faults = p.complete(reader.read(r, &p, nil))
		} else if why != "" {
			p.reset(at)
			p.faults = []Fault{at.refused(string(key), "", "unreadable_row", "%s", why)}
		} else {
			p.faults = reader.read(r, &p, nil)
			m.layout.read(r.cells, &p)
		}
		p.faults, p.dropped = refusal(p.faults)
		for i := range p.faults {
			p.faults[i].Item = wordOr(p.faults[i].Item, string(key))
		}
		if len(key) == 0 {
			return out(piece{place: at, faults: p.faults})
		}
		rows, whole := m.gather.add(key, p.keep())
		if !whole {
			return nil
		}
		return m.assemble(string(key), rows, out)
	})
	if err != nil {
		return err
	}
	for key, rows := range m.gather.rest() {
		if err := m.assemble(key, rows, out); err != nil {
			return err
		}
	}
	return nil
}

// assemble builds one product from its rows. Rows with errors are left out and reported; if one of them was the
// product's own, its variants are refused too.
func (m *productMaker) assemble(key string, rows []*product, out emit) error {
	var faults []Fault
	var kept []*product
	headless, headed := 0, false
	for _, p := range rows {
		faults = append(faults, p.faults...)
		own := p.kind == kindWhole || string(p.sku) == key && p.kind != kindVariant
		if !p.dropped {
			kept = append(kept, p)
			headed = headed || own
		} else if own {
			headless = p.row
		}
	}
	if headless > 0 && !headed {
		for _, p := range kept {
			faults = append(faults, p.refused(wordOr(string(p.sku), key), "parent", "parent_refused", "the product's own row %d was refused",
				headless))
		}
		kept = nil
	}
	if len(kept) == 0 {
		return out(piece{place: rows[0].place, item: key, faults: withoutNotes(faults)})
	}
	kept, faults = settleDoubles(kept, m.twice, faults)
	whole, more := m.layout.assemble(key, kept)
	faults = append(faults, more...)
	if whole == nil {
		return out(piece{place: rows[0].place, item: key, faults: withoutNotes(faults)})
	}
	unpriced := func(v *product) bool { return !v.priced && !v.inherits }
	for _, v := range whole.variants {
		if v.stocked && len(v.warehouse) > 0 {
			faults = append(faults, v.note(string(v.sku), "stock.warehouseCode", "default_warehouse",
				"the stock of a variant goes to the default warehouse, not to %q", clip(v.warehouse)))
		}
		if unpriced(v) {
			faults = append(faults, v.refused(string(v.sku), "price", "missing_price", "the variant has no price"))
			whole.rows -= v.rows
		}
	}
	whole.variants = slices.DeleteFunc(whole.variants, unpriced)
	whole.lowestPrice()
	return m.send(whole, faults, whole.complete(nil), out)
}

// send checks rules about the whole file and passes the product on. rowErrors are for rows that are not part of p any
// more; errors are about p itself, and cover all its rows.
func (m *productMaker) send(p *product, rowErrors, faults []Fault, out emit) error {
	m.marked = m.marked[:0]
	variants := len(p.variants)
	p.variants = slices.DeleteFunc(p.variants, func(v *product) bool {
		switch {
		case len(v.sku) == 0:
			rowErrors = append(rowErrors, v.refused("", "sku", "missing_sku", "the variant has no SKU"))
		case string(v.sku) == string(p.sku) || !m.mark(v.sku):
			rowErrors = append(rowErrors, v.refused(string(v.sku), "sku", "duplicate_sku",
				"an earlier row of the file has this SKU; the first one was taken"))
		default:
			return false
		}
		p.rows -= v.rows
		return true
	})
	if len(p.sku) > 0 && !m.mark(p.sku) {
		faults = append(faults, p.refused(string(p.sku), "sku", "duplicate_sku",
			"an earlier row of the file has this SKU; the first one was taken"))
	}
	if variants > 0 && len(p.variants) == 0 {
		faults = append(faults, p.refused(string(p.sku), "variants", "no_variant", "none of the product's variants can be stored"))
	}
	if len(p.variants) > limits.MaxVariants {
		faults = append(faults, p.refused(string(p.sku), "variants", "too_many_variants", "the product has %d variants; %d is the most",
			len(p.variants), limits.MaxVariants))
	}
	faults, refused := refusal(faults)
	if refused {
		m.unmark() // a later row may still bring these SKUs in
		faults[0].Rows = p.rows
		return out(piece{place: p.place, item: string(p.sku), faults: append(withoutNotes(rowErrors), faults...)})
	}
	m.body = p.appendJSON(m.body[:0])
	if len(rowErrors) > 0 {
		faults = append(rowErrors, faults...)
	}
	return out(piece{place: p.place, body: m.body, item: string(p.sku), rows: p.rows, faults: faults})
}

// mark remembers a SKU; it fails when the SKU was there before.
func (m *productMaker) mark(sku []byte) bool {
	hash := maphash.Bytes(m.seed, sku)
	if _, there := m.skus[hash]; there {
		return false
	}
	m.skus[hash] = struct{}{}
	m.marked = append(m.marked, hash)
	return true
}

// unmark forgets the SKUs of the current product.
func (m *productMaker) unmark() {
	for _, hash := range m.marked {
		delete(m.skus, hash)
	}
}
