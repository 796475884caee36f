package importer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// wooFormat is WooCommerce's product export: variations name their parent by SKU or by "id:44"; a sale price becomes
// the price, and the regular price the compare-at price.
var wooFormat = format{
	name: "woocommerce", between: ",", nesting: ">",
	columns: [][2]string{
		{"SKU", "sku"}, {"Name", "name"}, {"Description|Short description", "description"}, {"Description", "description"},
		{"Published", "status"}, {"Regular price", "price"}, {"Sale price", "salePrice"},
		{"Date sale price starts", "saleFrom"}, {"Date sale price ends", "saleUntil"}, {"Stock", "stock.quantity"},
		{"Categories", "categories"}, {"Images", "images"}, {"Tax class", "taxClass"},
		{"Cost of goods", "cost"},
		{"Tags", "attributes.tags"}, {"Brands", "attributes.brand"}, {"[GTIN, UPC, EAN, or ISBN]", "attributes.gtin"},
	},
	more:   wooMeasures,
	reads:  columnsNamed(`ID|Type|Parent|Attribute \d+ (name|value\(s\)|visible|global|default)|Short description`),
	known:  func(header []string) bool { return hasColumns(header, "SKU", "Type", "Regular price") },
	layout: newWoo,
	words:  wooWords,
	learns: true,
}

type woo struct {
	id, kind      int
	sku, parent   *expression // nil without such a column
	names, values []int
	scratch       []byte
	keys          map[string]string // product id -> key, of products with variations
}

func newWoo(t *table, m *mapping) layout {
	w := &woo{id: columnOf(t, "ID"), kind: columnOf(t, "Type"), sku: m.exact["sku"], parent: m.exact["parent"], keys: map[string]string{}}
	if column := columnOf(t, "Parent"); w.parent == nil && column >= 0 {
		e := columnExpression(t.header, column)
		w.parent = &e
	}
	for i := 1; ; i++ {
		name := columnOf(t, fmt.Sprintf("Attribute %d name", i))
		if name < 0 {
			return w
		}
		w.names = append(w.names, name)
		w.values = append(w.values, columnOf(t, fmt.Sprintf("Attribute %d value(s)", i)))
	}
}

func (w *woo) value(e *expression, cells [][]byte) []byte {
	if e == nil {
		return nil
	}
	return e.value(cells, &w.scratch)
}

// learn remembers what "id:44" means.
func (w *woo) learn(cells [][]byte) {
	if id := cellOf(cells, w.id); len(id) > 0 && bytes.HasPrefix(cellOf(cells, w.kind), []byte("variable")) {
		w.keys[string(id)] = string(w.key(cells))
	}
}

// key is the parent's SKU for a variation, else the own one; without SKU, "woo-" and the id.
func (w *woo) key(cells [][]byte) []byte {
	w.scratch = w.scratch[:0]
	if w.variation(cells) {
		parent := w.value(w.parent, cells)
		id, byID := bytes.CutPrefix(parent, []byte("id:"))
		if !byID {
			return parent
		}
		if key, known := w.keys[string(id)]; known {
			return []byte(key)
		}
		return append([]byte("woo-"), id...)
	}
	if sku := w.value(w.sku, cells); len(sku) > 0 {
		return sku
	}
	if id := cellOf(cells, w.id); len(id) > 0 {
		return append([]byte("woo-"), id...)
	}
	return nil
}

func (w *woo) variation(cells [][]byte) bool {
	return bytes.HasPrefix(cellOf(cells, w.kind), []byte("variation")) && len(w.value(w.parent, cells)) > 0
}

func (w *woo) read(cells [][]byte, p *product) {
	p.compareAtBlank = !p.compareAtSet
	p.description = wooLines(p.description)
	if string(p.taxClass) == "parent" { // a variation's
		p.taxClass = nil
	}
	var said []pair
	for i := range w.names {
		name, value := cellOf(cells, w.names[i]), cellOf(cells, w.values[i])
		if len(name) > 0 && len(value) > 0 {
			said = append(said, pair{strings.TrimPrefix(string(name), "pa_"), value})
		}
	}
	if !w.variation(cells) {
		p.sku = w.key(cells)
		p.grouped = string(cellOf(cells, w.kind)) == "grouped"
		p.attributes = withMembers(p.attributes, said)
		return
	}
	p.kind = kindVariant
	p.categories = nil // a variation has those of its parent
	p.options = withMembers(p.options, said)
}

// wooLines is a text of WooCommerce's export, which writes a line break as the two signs \n, and these two signs as
// \\n.
func wooLines(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\n`)) {
		return text
	}
	parts := bytes.Split(text, []byte(`\\n`))
	for i := range parts {
		parts[i] = bytes.ReplaceAll(parts[i], []byte(`\n`), []byte("\n"))
	}
	return bytes.Join(parts, []byte(`\n`))
}

// assemble derives the SKU of a variation without one from its parent's and its options. Variations whose parent is
// not in the file become one product under the parent's SKU, with a note.
func (w *woo) assemble(key string, rows []*product) (*product, []Fault) {
	var faults []Fault
	whole, faults := family(key, rows, faults)
	if len(whole.variants) == len(rows) {
		faults = append(faults, whole.note(key, "parent", "parent_missing",
			"the file has no row for the parent %q; the product was made of its variations", key))
	}
	if whole.grouped && !whole.priced {
		return nil, rowsRefused(rows, key, "grouped_product", "a grouped product has no price of its own")
	}
	whole.attributes = slices.DeleteFunc(whole.attributes, func(a pair) bool { // what distinguishes its variations
		return slices.ContainsFunc(whole.variants, func(v *product) bool { return hasMember(v.options, a.name) })
	})
	taken := whole.ownSKUs()
	for _, v := range whole.variants {
		if len(v.sku) == 0 || string(v.sku) == key { // the shop shows the parent's SKU where a variation has none
			sku := key
			for _, o := range v.options {
				sku += "-" + slug(o.value)
			}
			v.sku = freeSKU(sku, taken)
		}
	}
	return whole, faults
}
