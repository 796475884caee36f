package importer

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// layout is the specific part of one kind of product file: which rows are one product, and how.
type layout interface {
	// learn is called for every row in a reading of its own, before any other method.
	learn(cells [][]byte)
	// key names the product a row belongs to; the rows of one key are assembled together.
	key(cells [][]byte) []byte
	// read adds what only this layout's columns say.
	read(cells [][]byte, p *product)
	// assemble makes one product of the rows that are not refused, at least one.
	assemble(key string, rows []*product) (*product, []Fault)
}

// format is a kind of file that the importer knows by its columns. Order files have no layout: the
// rows of one reference are one order, whatever the shop.
type format struct {
	name             string
	between, nesting string // how its cells separate categories, and the levels of one
	columns          [][2]string
	more             func(header []string) [][2]string // columns whose names vary
	known            func(header []string) bool
	reads            *regexp.Regexp                    // the columns that its layout reads beside those
	layout           func(t *table, m *mapping) layout // the mapping is complete
	learns           bool
	statuses         map[string]string
	words            map[string]string // names of columns in other languages, see english
}

var (
	productFormats = []format{shopifyFormat, wooFormat, magentoFormat, prestashopFormat}
	orderFormats   = []format{shopifyOrderFormat}
)

// plainFormat is every other file.
var plainFormat = format{name: "csv", between: "|;", nesting: ">"}

// columnsNamed matches whole column names, without case.
func columnsNamed(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`^(?i:` + pattern + `)$`)
}

// chooseFormat takes the format asked for, or the first whose columns the file has, in any of its languages.
func (t *table) chooseFormat(asked string, of []format) format {
	for _, f := range of {
		names := f.english(t.header)
		if f.name == asked || asked == "auto" && f.known(names) {
			t.english = names
			return f
		}
	}
	return plainFormat
}

// preset maps the columns a format is known to have, those that are there.
func preset(m *mapping, t *table, columns [][2]string) error {
	for _, c := range columns {
		known := true
		e, _, err := parseExpression(c[0]+"="+c[1], func(name string) (int, bool) {
			column := columnOf(t, name)
			known = known && column >= 0
			return max(column, 0), true
		})
		if err != nil {
			return err
		}
		if known {
			if join := e.alternatives[0]; len(e.alternatives) == 1 && len(join) == 1 && join[0].column >= 0 && join[0].pattern == nil {
				e.text = t.header[join[0].column]
			}
			if err := m.set(c[1], e); err != nil {
				return err
			}
		}
	}
	return nil
}

func hasColumns(header []string, names ...string) bool {
	for _, name := range names {
		found := false
		for _, h := range header {
			found = found || strings.EqualFold(h, name)
		}
		if !found {
			return false
		}
	}
	return true
}

// columnOf is a column's number by its name, or by its English one, or -1; cellOf reads it trimmed.
func columnOf(t *table, name string) int {
	for _, header := range [][]string{t.header, t.english} {
		for i, h := range header {
			if strings.EqualFold(h, name) && t.header[i] != "" {
				return i
			}
		}
	}
	return -1
}

func cellOf(cells [][]byte, column int) []byte {
	if column < 0 || column >= len(cells) {
		return nil
	}
	return bytes.TrimSpace(cells[column])
}

// families is the layout of a plain file whose rows name their parent: rows with one parent are the variants of one
// product, and a row whose own SKU is the parent's describes that product.
type families struct {
	sku, parent *expression
	scratch     []byte
}

func (f *families) learn([][]byte)          {}
func (f *families) read([][]byte, *product) {}

func (f *families) key(cells [][]byte) []byte {
	f.scratch = f.scratch[:0]
	if parent := f.parent.value(cells, &f.scratch); len(parent) > 0 {
		return parent
	}
	if f.sku == nil {
		return nil
	}
	return f.sku.value(cells, &f.scratch)
}

// assemble also gives a variant with a blank price that of its product, if the product has one: the service's own exports say so.
func (f *families) assemble(key string, rows []*product) (*product, []Fault) {
	if slices.ContainsFunc(rows, func(p *product) bool { return string(p.sku) == key && p.priced }) {
		for _, p := range rows {
			p.inherits = !p.priced && string(p.sku) != key
		}
	}
	return family(key, rows, nil)
}

// family builds a product from its own row, if there is one, and its variants' rows. Without a row of its own the
// product takes name, text and categories from its first variant.
func family(key string, rows []*product, faults []Fault) (*product, []Fault) {
	var whole *product
	var variants []*product
	stored := 0
	for _, p := range rows {
		switch own := string(p.sku) == key && p.kind != kindVariant; {
		case own && whole != nil:
			stored -= p.rows
			faults = append(faults, p.refused(key, "sku", "duplicate_sku", "an earlier row of the file has this SKU; the first one was taken"))
		case own:
			whole = p
		default:
			variants = append(variants, p)
		}
	}
	stored += rowsOf(rows)
	ownRow := whole != nil
	if whole == nil {
		first := rows[0]
		whole = &product{
			place: first.place, sku: []byte(key), name: first.name, description: first.description,
			status: first.status, categories: first.categories, images: first.images, attributes: first.attributes,
		}
	}
	whole.rows = stored
	whole.variants = variants
	if len(variants) > 0 {
		whole.shareAttributes(ownRow)
	}
	for _, v := range variants {
		for _, image := range v.images {
			faults = whole.addImage(image, faults)
		}
	}
	whole.lowestPrice()
	return whole, faults
}

// rowsOf counts the rows of the file that rows of one product stand for.
func rowsOf(rows []*product) int {
	n := 0
	for _, p := range rows {
		n += p.rows
	}
	return n
}

// What a row is, if its layout says so.
const (
	kindWhole   = "whole"   // the product's own row, without which there is no product
	kindVariant = "variant" // a variant, whatever its SKU is
	kindImage   = "image"   // brings a further image only
	kindView    = "view"    // translates another row for one view of the shop
)

// lowestPrice gives a product without a price that of its cheapest variant.
func (p *product) lowestPrice() {
	if p.priced {
		return
	}
	for _, v := range p.variants {
		if v.priced && (!p.priced || v.price < p.price) {
			p.price, p.priced = v.price, true
			p.compareAt, p.compareAtSet, p.compareAtBlank = v.compareAt, v.compareAtSet, v.compareAtBlank
		}
	}
}

// slug makes a part of a derived SKU: lower-case letters and digits, everything else one dash.
func slug(text []byte) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(string(text)) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127 {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		} else {
			dash = true
		}
	}
	return b.String()
}
