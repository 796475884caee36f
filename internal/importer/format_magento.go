package importer

import (
	"slices"
	"strings"
)

// magentoFormat is Magento 2's import format: a configurable product lists its simple products in
// configurable_variations, "sku=A,size=S,color=Red|sku=B,…". Its images are relative paths.
var magentoFormat = format{
	name: "magento", between: ",", nesting: "/",
	columns: [][2]string{
		{"sku", "sku"}, {"name", "name"}, {"description|short_description", "description"}, {"description", "description"},
		{"product_online", "status"}, {"price", "price"}, {"special_price", "salePrice"},
		{"special_price_from_date", "saleFrom"}, {"special_price_to_date", "saleUntil"}, {"qty", "stock.quantity"}, {"categories", "categories"},
		{`base_image+"|"+additional_images`, "images"}, {"base_image", "images"},
		{"cost", "cost"}, {"country_of_manufacture", "countryOfOrigin"},
		{"weight", "attributes.weight"}, {"country_of_manufacture", "attributes.country_of_manufacture"},
	},
	reads: columnsNamed(`configurable_variations|store_view_code|product_type|additional_attributes|short_description`),
	known: func(header []string) bool {
		return hasColumns(header, "sku", "product_type") && (hasColumns(header, "configurable_variations") ||
			hasColumns(header, "attribute_set_code"))
	},
	layout:   newMagento,
	learns:   true,
	statuses: map[string]string{"1": "ACTIVE", "2": "INACTIVE", "0": "INACTIVE"},
}

type magento struct {
	sku                           *expression
	variations, store, additional int
	parents                       map[string]variation // simple product's SKU -> where it belongs
	scratch                       []byte
	listed                        map[string]int // variations of a configurable product
}

type variation struct {
	parent  string
	options []pair
}

func newMagento(t *table, m *mapping) layout {
	return &magento{
		sku: m.exact["sku"], variations: columnOf(t, "configurable_variations"), store: columnOf(t, "store_view_code"),
		additional: columnOf(t, "additional_attributes"),
		parents:    map[string]variation{}, listed: map[string]int{},
	}
}

func (m *magento) learn(cells [][]byte) {
	parent := string(m.skuOf(cells))
	for one := range strings.SplitSeq(string(cellOf(cells, m.variations)), "|") {
		var v variation
		var sku string
		for part := range strings.SplitSeq(one, ",") {
			name, value, _ := strings.Cut(part, "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if name == "sku" {
				sku = value
			} else if name != "" && value != "" {
				v.options = append(v.options, pair{name, []byte(value)})
			}
		}
		if sku != "" && sku != parent {
			v.parent = parent
			m.parents[sku] = v
			m.listed[parent]++
		}
	}
}

func (m *magento) skuOf(cells [][]byte) []byte {
	if m.sku == nil {
		return nil
	}
	m.scratch = m.scratch[:0]
	return m.sku.value(cells, &m.scratch)
}

func (m *magento) key(cells [][]byte) []byte {
	sku := m.skuOf(cells)
	if v, ok := m.parents[string(sku)]; ok {
		return []byte(v.parent)
	}
	return sku
}

func (m *magento) read(cells [][]byte, p *product) {
	p.attributes = withMembers(p.attributes, additional(cellOf(cells, m.additional)))
	// the shop's own bookkeeping
	p.attributes = slices.DeleteFunc(p.attributes, func(a pair) bool { return a.name == "has_options" || a.name == "required_options" })
	if v, ok := m.parents[string(p.sku)]; ok {
		p.kind, p.categories = kindVariant, nil
		p.options = withMembers(p.options, v.options)
	}
	if view := cellOf(cells, m.store); len(view) > 0 {
		p.kind = kindView
	}
}

func (m *magento) assemble(key string, rows []*product) (*product, []Fault) {
	var kept []*product
	var faults []Fault
	for _, p := range rows {
		if p.kind == kindView {
			faults = append(faults, p.refused(key, "store_view_code", "store_view",
				"the row is for one view of the shop; only rows for all of them are imported"))
		} else {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return nil, faults
	}
	whole, faults := family(key, kept, faults)
	if listed := m.listed[key]; len(whole.variants) < listed {
		faults = append(faults, whole.note(key, "configurable_variations", "variation_missing",
			"the file has rows for %d of the %d variations listed", len(whole.variants), listed))
	}
	return whole, faults
}
