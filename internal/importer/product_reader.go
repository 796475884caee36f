package importer

import (
	"bytes"
	"slices"
	"strings"

	"entrepot/internal/base/money"
	"entrepot/internal/limits"
)

// productReader turns a row into a product by the mapping. It is used by one goroutine.
type productReader struct {
	sku, name, price, salePrice, compareAt, description, status *expression
	categoryIDs, categories, category, images                   *expression
	quantity, warehouse, parent                                 *expression
	saleFrom, saleUntil                                         *expression
	gtin, weight, cost, taxClass, origin                        *expression
	attributes, options                                         []namedExpression

	tree      *categoryTree
	imageBase string
	usual     usualCurrency
	scratch   []byte
	statuses  map[string]string
	sales     saleDates
}

func newProductReader(m *mapping, tree *categoryTree, imageBase string) *productReader {
	return &productReader{
		sku: m.exact["sku"], name: m.exact["name"], price: m.exact["price"], salePrice: m.exact["salePrice"],
		compareAt: m.exact["compareAtPrice"], description: m.exact["description"], status: m.exact["status"],
		categoryIDs: m.exact["categoryIds"], categories: m.exact["categories"], category: m.exact["category"],
		images: m.exact["images"], quantity: m.exact["stock.quantity"], warehouse: m.exact["stock.warehouseCode"],
		gtin: m.exact["gtin"], weight: m.exact["weight"], cost: m.exact["cost"], taxClass: m.exact["taxClass"],
		origin: m.exact["countryOfOrigin"], saleFrom: m.exact["saleFrom"], saleUntil: m.exact["saleUntil"],
		parent: m.exact["parent"], attributes: m.families["attributes."], options: m.families["option."],
		tree: tree, imageBase: strings.TrimSuffix(imageBase, "/"), statuses: productStatuses,
	}
}

// productStatuses translates what exports write into the statuses of interface §2.7.
var productStatuses = map[string]string{
	"active": "ACTIVE", "published": "ACTIVE", "publish": "ACTIVE", "enabled": "ACTIVE", "true": "ACTIVE", "1": "ACTIVE", "yes": "ACTIVE",
	"inactive": "INACTIVE", "unpublished": "INACTIVE", "private": "INACTIVE", "disabled": "INACTIVE", "false": "INACTIVE", "0": "INACTIVE",
	"no":    "INACTIVE",
	"draft": "DRAFT", "pending": "DRAFT", "-1": "DRAFT", "archived": "ARCHIVED",
}

func (r *productReader) value(e *expression, cells [][]byte) []byte {
	if e == nil {
		return nil
	}
	return e.value(cells, &r.scratch)
}

// read fills p from a row; its texts are parts of the row. A price that is blank leaves p unpriced:
// whether that is an error depends on the format. Errors of level Refused mean that p is no product.
func (r *productReader) read(line row, p *product, faults []Fault) []Fault {
	at, cells := place{line.number, line.line}, line.cells
	r.scratch = r.scratch[:0]
	p.reset(at)
	p.sku, p.name = r.value(r.sku, cells), r.value(r.name, cells)
	p.description, p.parent = r.value(r.description, cells), r.value(r.parent, cells)
	faults = r.prices(cells, p, faults)
	if status := r.value(r.status, cells); len(status) > 0 {
		known := r.statuses[string(bytes.ToLower(status))]
		if known == "" {
			faults = append(faults, p.unread(Note, "status", "bad_status",
				"%q is no status; known are ACTIVE, DRAFT, INACTIVE, ARCHIVED and the words shops use for them", clip(status)))
		}
		p.status = []byte(known)
	}
	faults = r.stock(cells, p, faults)
	for id := range strings.FieldsFuncSeq(string(r.value(r.categoryIDs, cells)), isListSign) {
		p.categories = append(p.categories, strings.TrimSpace(id))
	}
	if r.categories != nil {
		p.categories = append(p.categories, r.tree.of(r.value(r.categories, cells), false)...)
	}
	if r.category != nil {
		p.categories = append(p.categories, r.tree.of(r.value(r.category, cells), true)...)
	}
	faults = r.addImages(p, r.value(r.images, cells), faults)
	for _, a := range r.attributes {
		if v := a.value(cells, &r.scratch); len(v) > 0 {
			p.attributes = append(p.attributes, pair{a.name, v})
		}
	}
	faults = r.trade(cells, p, faults)
	for _, o := range r.options {
		if v := o.value(cells, &r.scratch); len(v) > 0 {
			p.options = append(p.options, pair{o.name, v})
		}
	}
	return faults
}

// prices reads price, sale price and compare-at price: a sale price that holds today becomes the price, and the price
// becomes the compare-at price.
func (r *productReader) prices(cells [][]byte, p *product, faults []Fault) []Fault {
	price, priced, faults := r.amount(p, "price", r.price, cells, Refused, faults)
	sale, onSale, faults := r.amount(p, "salePrice", r.salePrice, cells, Note, faults)
	if onSale {
		holds, why := r.sales.holds(r.value(r.saleFrom, cells), r.value(r.saleUntil, cells))
		switch {
		case !holds && !priced:
			faults = append(faults, p.refused(string(p.sku), "salePrice", "sale_not_today", "the sale price of %v %s, and there is no other",
				sale, why))
			priced = true // refused already
		case !holds:
			faults = append(faults, p.note(string(p.sku), "salePrice", "sale_not_today", "the sale price of %v %s, and was left out", sale, why))
		case why != "":
			faults = append(faults, p.note(string(p.sku), "salePrice", "special_price_ends", "the sale price of %v, which was stored, %s",
				sale, why))
		}
		onSale = holds
	}
	before := len(faults)
	p.compareAt, p.compareAtSet, faults = r.amount(p, "compareAtPrice", r.compareAt, cells, Note, faults)
	unread := len(faults) > before && !p.compareAtSet
	p.compareAtBlank = !p.compareAtSet && !unread && (r.compareAt != nil || r.salePrice != nil)
	p.price, p.priced = price, priced
	if onSale {
		p.price, p.priced = sale, true
		if priced && !p.compareAtSet && !unread && price > sale {
			p.compareAt, p.compareAtSet, p.compareAtBlank = price, true, false
		}
	}
	return faults
}

// amount reads one amount. given is false when the cell is blank, and when it cannot be read and level
// is Note: then the product is stored without it. A cell that is Refused counts as given.
func (r *productReader) amount(p *product, name string, e *expression, cells [][]byte, level Level, faults []Fault) (value money.Amount,
	given bool, _ []Fault) {
	if e == nil {
		return 0, false, faults
	}
	cell, decimal := e.amount(cells, &r.scratch)
	if len(cell) == 0 {
		return 0, false, faults
	}
	got, err := parseAmount(cell, decimal)
	switch {
	case err != nil:
		return 0, level == Refused, append(faults, p.unread(level, name, "bad_amount", "%q %v", clip(cell), err))
	case got.value < 0:
		return 0, level == Refused, append(faults, p.unread(level, name, "negative_amount", "%q is below zero", clip(cell)))
	case got.rounded:
		faults = append(faults, p.note(string(p.sku), name, "rounded", "%q has more than 4 decimals and was stored as %v", clip(cell), got.value))
	}
	if !r.usual.same(got.currency) {
		faults = append(faults, p.note(string(p.sku), name, "other_currency",
			"%q names another currency than the rows before it; the number was stored as it is", clip(cell)))
	}
	return got.value, true, faults
}

// unread is the error of a cell that cannot be parsed: without a required one there is no product, an optional one is
// noted.
func (p *product) unread(level Level, field, code, format string, arguments ...any) Fault {
	if level == Refused {
		return p.refused(string(p.sku), field, code, format, arguments...)
	}
	return p.note(string(p.sku), field, code, format+"; the product was stored without it", arguments...)
}

// usualCurrency remembers the currency text of the first amount of a file.
type usualCurrency struct {
	known bool
	text  string
}

func (u *usualCurrency) same(text []byte) bool {
	if !u.known {
		u.known, u.text = true, string(text)
	}
	return u.text == string(text)
}

func (r *productReader) stock(cells [][]byte, p *product, faults []Fault) []Fault {
	p.warehouse = r.value(r.warehouse, cells)
	if r.quantity == nil {
		return faults
	}
	cell, decimal := r.quantity.amount(cells, &r.scratch)
	if len(cell) == 0 {
		return faults
	}
	n, err := parseQuantity(cell, decimal)
	if err == nil && n > limits.MaxStock {
		err = errQuantity
	}
	if err != nil {
		return append(faults, p.unread(Note, "stock.quantity", "bad_quantity", "%q %v", clip(cell), err))
	}
	if n < 0 {
		faults = append(faults, p.note(string(p.sku), "stock.quantity", "negative_stock", "a stock of %d was stored as 0", n))
		n = 0
	}
	p.stock, p.stocked = n, true
	return faults
}

// addImages adds the addresses in a cell to a product, each once, at most 20.
func (r *productReader) addImages(p *product, cell []byte, faults []Fault) []Fault {
	var relative []byte // the first that is no address
	left := 0
	for len(cell) > 0 {
		var one []byte
		one, cell = cutAddress(cell)
		if one = bytes.TrimSpace(one); len(one) == 0 {
			continue
		}
		switch {
		case bytes.HasPrefix(one, []byte("http://")), bytes.HasPrefix(one, []byte("https://")):
		case bytes.HasPrefix(one, []byte("//")):
			one = append([]byte("https:"), one...)
		case r.imageBase != "":
			one = []byte(r.imageBase + "/" + string(bytes.TrimLeft(one, "/")))
		default:
			if left++; left == 1 {
				relative = one
			}
			continue
		}
		if len(one) > limits.MaxImageURL {
			faults = append(faults, p.note(string(p.sku), "images", "bad_image",
				"an address of %d bytes is too long and was left out; %d is the most", len(one), limits.MaxImageURL))
			continue
		}
		if bytes.IndexByte(one, ' ') >= 0 {
			one = bytes.ReplaceAll(one, []byte{' '}, []byte("%20"))
		}
		faults = p.addImage(one, faults)
	}
	if left > 0 {
		faults = append(faults, p.note(string(p.sku), "images", "relative_image",
			"%q is no http address and was left out (%d of the row's images); --image-base says where it lies", clip(relative), left))
	}
	return faults
}

// addImage adds one address.
func (p *product) addImage(address []byte, faults []Fault) []Fault {
	for _, have := range p.images {
		if bytes.Equal(have, address) {
			return faults
		}
	}
	if len(p.images) == limits.MaxImages {
		return append(faults, p.note(string(p.sku), "images", "too_many_images", "a product has at most %d images; %q was left out",
			limits.MaxImages, clip(address)))
	}
	p.images = append(p.images, address)
	return faults
}

// cutAddress cuts the first address off a list. Line breaks and "|" separate two addresses; blanks,
// "," and ";" do so only where another address, a path or the end follows, as addresses and file
// names contain them.
func cutAddress(cell []byte) (one, rest []byte) {
	for i, c := range cell {
		switch c {
		case '\n', '\r', '|', listMark:
			return cell[:i], cell[i+1:]
		case ' ', '\t', ',', ';':
			next := bytes.TrimLeft(cell[i+1:], " \t\r\n")
			if len(next) == 0 || next[0] == '/' || bytes.HasPrefix(next, []byte("http")) || c != ' ' && len(next) < len(cell[i+1:]) {
				return cell[:i], next
			}
		}
	}
	return cell, nil
}

func isListSign(r rune) bool { return r == '|' || r == ';' || r == ',' || r == '\n' || r == listMark }

// complete reports what a product still lacks.
func (p *product) complete(faults []Fault) []Fault {
	if len(p.sku) == 0 {
		faults = append(faults, p.refused("", "sku", "missing_sku", "the row has no SKU; map a column with --map COLUMN=sku"))
	}
	if len(p.name) == 0 {
		faults = append(faults, p.refused(string(p.sku), "name", "missing_name",
			"the row has no name; --map 'COLUMN|OTHER=name' takes another column where the first is blank"))
	}
	if !p.priced {
		faults = append(faults, p.refused(string(p.sku), "price", "missing_price", "the row has no price"))
	}
	return faults
}

// refusal reports whether any of the errors refuses the row. If so they are joined into one line, so that each row is
// counted once, and notes about how it was stored are removed.
func refusal(faults []Fault) ([]Fault, bool) {
	first := slices.IndexFunc(faults, func(f Fault) bool { return f.Level == Refused })
	if first < 0 {
		return faults, false
	}
	one := faults[first]
	for _, f := range faults[first+1:] {
		if f.Level == Refused {
			one.Field += ", " + f.Field
			one.Message += "; " + f.Message
		}
	}
	return append(faults[:0], one), true
}

// withoutNotes drops the notes about rows that were not stored after all.
func withoutNotes(faults []Fault) []Fault {
	return slices.DeleteFunc(faults, func(f Fault) bool { return f.Level == Note })
}

// clip shortens a text for a message.
func clip(text []byte) string {
	if len(text) <= 60 {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:57]), "") + "…"
}
