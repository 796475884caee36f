package importer

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// shopifyFormat is Shopify's product export: the rows of one Handle are one product; each is a
// variant, a further image, or both.
var shopifyFormat = format{
	name: "shopify", nesting: ">", // one path in a cell, whose names contain commas
	columns: [][2]string{
		{"Variant SKU", "sku"}, {"Title", "name"}, {"Body (HTML)", "description"}, {"Status|Published", "status"},
		{"Status", "status"}, {"Published", "status"},
		{"Variant Price", "price"}, {"Variant Compare At Price", "compareAtPrice"}, {"Variant Inventory Qty", "stock.quantity"},
		{"Product Category|Type", "category"}, {"Product Category", "category"}, {"Type", "category"},
		{"Image Src", "images"}, {"Cost per item", "cost"},
		{"Vendor", "attributes.vendor"}, {"Tags", "attributes.tags"}, {"Type", "attributes.type"},
		{"Variant Barcode", "attributes.barcode"}, {"Variant Grams~/^0*[1-9].*/", "attributes.grams"},
	},
	more:   shopifyMetafields,
	reads:  columnsNamed(`Handle|Option\d (Name|Value)|Image Position|Variant Image`),
	known:  func(header []string) bool { return hasColumns(header, "Handle", "Variant Price") },
	layout: newShopify,
}

type shopify struct {
	handle                 *expression
	position, variantImage int
	scratch                []byte
	names, values          [3]int
}

func newShopify(t *table, m *mapping) layout {
	s := &shopify{
		handle: m.exact["parent"], position: columnOf(t, "Image Position"), variantImage: columnOf(t, "Variant Image"),
	}
	if column := columnOf(t, "Handle"); s.handle == nil && column >= 0 {
		e := columnExpression(t.header, column)
		s.handle = &e
	}
	for i := range s.names {
		s.names[i] = columnOf(t, fmt.Sprintf("Option%d Name", i+1))
		s.values[i] = columnOf(t, fmt.Sprintf("Option%d Value", i+1))
	}
	return s
}

func (s *shopify) learn([][]byte) {}

func (s *shopify) key(cells [][]byte) []byte {
	if s.handle == nil {
		return nil
	}
	s.scratch = s.scratch[:0]
	return s.handle.value(cells, &s.scratch)
}

func (s *shopify) read(cells [][]byte, p *product) {
	p.parent = s.key(cells)
	p.mapped = slices.Clone(p.options)
	p.options = p.options[:0]
	said := false
	for i := range s.names {
		value := cellOf(cells, s.values[i])
		said = said || len(value) > 0
		p.options = append(p.options, pair{string(cellOf(cells, s.names[i])), value})
	}
	if !said && !p.priced && len(p.sku) == 0 && len(p.name) == 0 {
		p.kind = kindImage
	}
	if len(p.name) > 0 {
		p.kind = kindWhole
	}
	p.imageAt, _ = strconv.Atoi(string(cellOf(cells, s.position))) // without a position: in the order of the file
	p.ownImage = cellOf(cells, s.variantImage)
}

// assemble: the product's SKU is its Handle if it has variants, else that of its only row. An empty SKU becomes the
// Handle, for a variant followed by its option values: "shirt-red-xl".
func (s *shopify) assemble(handle string, rows []*product) (*product, []Fault) {
	var faults []Fault
	whole := &product{place: rows[0].place, rows: rowsOf(rows)}
	var names [3]string
	for _, p := range rows {
		if len(whole.name) == 0 && len(p.name) > 0 {
			whole.name, whole.place = p.name, p.place
		}
		if len(whole.description) == 0 {
			whole.description = p.description
		}
		if len(whole.status) == 0 {
			whole.status = p.status
		}
		if len(whole.categories) == 0 {
			whole.categories = p.categories
		}
		whole.attributes = withMembers(whole.attributes, p.attributes)
		for i, o := range p.options {
			if names[i] == "" {
				names[i] = o.name
			}
		}
		if p.kind != kindImage {
			whole.variants = append(whole.variants, p)
		}
	}
	if len(whole.variants) == 0 {
		return nil, rowsRefused(rows, handle, "no_product_row", "the rows of this Handle hold images only")
	}
	for _, v := range whole.variants {
		v.options = withMembers(keepPairs(v.mapped), namedOptions(v.options, names))
	}
	faults = whole.gatherImages(rows, faults)
	if only := whole.variants[0]; len(whole.variants) == 1 && len(only.options) == 0 {
		whole.takeOver(only)
		if len(whole.sku) == 0 {
			whole.sku = []byte(handle)
		}
		return whole, faults
	}
	whole.sku = []byte(handle)
	for _, v := range whole.variants {
		v.attributes = slices.DeleteFunc(slices.Clone(v.attributes), func(a pair) bool { return !ofVariant(a) })
	}
	whole.attributes = slices.DeleteFunc(whole.attributes, ofVariant)
	whole.nameVariants(handle)
	whole.lowestPrice()
	return whole, faults
}

// ofVariant reports whether an attribute is one of a variant, not of its product.
func ofVariant(a pair) bool { return a.name == "barcode" || a.name == "grams" }

// namedOptions drops blank options and the placeholder "Title: Default Title".
func namedOptions(options []pair, names [3]string) []pair {
	var kept []pair
	for i, o := range options {
		if len(o.value) == 0 || names[i] == "Title" && string(o.value) == "Default Title" {
			continue
		}
		if names[i] == "" {
			names[i] = fmt.Sprintf("Option%d", i+1)
		}
		kept = append(kept, pair{names[i], o.value})
	}
	return kept
}

// gatherImages sorts the images of the rows by position, and adds those of variants that are not among them.
func (p *product) gatherImages(rows []*product, faults []Fault) []Fault {
	ordered := slices.Clone(rows)
	slices.SortStableFunc(ordered, func(a, b *product) int { return cmp.Compare(a.imageAt, b.imageAt) })
	for _, r := range ordered {
		for _, image := range r.images {
			faults = p.addImage(image, faults)
		}
	}
	for _, r := range rows {
		if len(r.ownImage) > 0 {
			faults = p.addImage(r.ownImage, faults)
		}
	}
	return faults
}

// takeOver copies price and stock of the only row to a product without variants.
func (p *product) takeOver(only *product) {
	p.sku, p.price, p.priced = only.sku, only.price, only.priced
	p.compareAt, p.compareAtSet, p.compareAtBlank = only.compareAt, only.compareAtSet, only.compareAtBlank
	p.trade.fill(only.trade)
	p.stock, p.stocked, p.warehouse = only.stock, only.stocked, only.warehouse
	p.variants = nil
}

// nameVariants sets what variants lack: the SKU from the product's key and their options (with -2, -3 … if that is
// taken), the name from the product's name and their options.
func (p *product) nameVariants(key string) {
	taken := p.ownSKUs()
	for i, v := range p.variants {
		var values [][]byte
		sku := key
		for _, o := range v.options {
			values = append(values, o.value)
			sku += "-" + slug(o.value)
		}
		if len(values) == 0 {
			sku += "-" + strconv.Itoa(i+1)
		}
		if len(v.sku) == 0 {
			v.sku = freeSKU(sku, taken)
		}
		if len(values) > 0 {
			v.name = slices.Concat(p.name, []byte(" - "), bytes.Join(values, []byte(" / ")))
		} else {
			v.name = p.name
		}
	}
	for _, v := range p.variants { // a variant may have the very name of the product
		if bytes.Equal(v.sku, p.sku) {
			p.sku = []byte(key + "-parent")
		}
	}
}

// rowsRefused reports every row of a group.
func rowsRefused(rows []*product, item, code, message string) []Fault {
	var faults []Fault
	for _, p := range rows {
		faults = append(faults, p.refused(item, "", code, "%s", message))
	}
	return faults
}
