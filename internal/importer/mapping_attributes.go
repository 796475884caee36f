package importer

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// attributeColumns are headers of plain files that become attributes of the product.
var attributeColumns = map[string]string{
	"vendor": "vendor", "brand": "brand", "brands": "brand", "brandname": "brand",
	"manufacturer": "manufacturer", "supplier": "supplier", "tags": "tags",
	"tag":   "tags",
	"color": "color", "colour": "colour", "size": "size", "material": "material", "gender": "gender", "season": "season", "pattern": "pattern",
	"style": "style", "collection": "collection", "weight": "weight", "dimensions": "dimensions", "width": "width", "height": "height",
	"depth": "depth", "length": "length",
	"ean": "ean", "ean13": "ean", "gtin": "gtin", "barcode": "barcode", "upc": "upc", "isbn": "isbn", "mpn": "mpn",
}

// suggestAttributes maps columns of a plain file that nothing else reads to attributes.
func (m *mapping) suggestAttributes(header []string) {
	free := m.unused(header)
	for column, name := range header {
		if code := attributeColumns[plainHeader(name)]; code != "" && slices.Contains(free, name) {
			_ = m.set("attributes."+code, columnExpression(header, column)) // cannot fail: the family is known
		}
	}
}

// hasMember reports whether a list has a member of this name, in any case.
func hasMember(pairs []pair, name string) bool {
	return slices.ContainsFunc(pairs, func(p pair) bool { return strings.EqualFold(p.name, name) })
}

// shareAttributes leaves each variant only the attributes that differ from its product's. A product without a row of
// its own gets the attributes that all its variants have in common.
func (p *product) shareAttributes(ownRow bool) {
	if !ownRow {
		p.attributes = nil
		for _, a := range p.variants[0].attributes {
			same := func(v *product) bool { return slices.ContainsFunc(v.attributes, a.equal) }
			if !slices.ContainsFunc(p.variants, func(v *product) bool { return !same(v) }) {
				p.attributes = append(p.attributes, a)
			}
		}
	}
	for _, v := range p.variants {
		v.attributes = slices.DeleteFunc(v.attributes, func(a pair) bool {
			return slices.ContainsFunc(p.attributes, a.equal) || hasMember(v.options, a.name)
		})
	}
}

func (p pair) equal(other pair) bool {
	return p.name == other.name && bytes.Equal(p.value, other.value)
}

// metafield is the end of a column name in Shopify's export: "Flavor (product.metafields.shopify.flavor)".
var metafield = regexp.MustCompile(`\(product\.metafields\.[^.]+\.([^.)]+)\)$`)

func shopifyMetafields(header []string) (columns [][2]string) {
	for _, name := range header {
		if m := metafield.FindStringSubmatch(name); m != nil && !strings.Contains(name, "]") {
			columns = append(columns, [2]string{"[" + name + "]", "attributes." + m[1]})
		}
	}
	return columns
}

// measure is a column such as "Weight (kg)", whose unit goes into the value.
var measure = regexp.MustCompile(`^(Weight|Length|Width|Height) \(([^()]+)\)$`)

func wooMeasures(header []string) (columns [][2]string) {
	for _, name := range header {
		if m := measure.FindStringSubmatch(name); m != nil {
			columns = append(columns, [2]string{`[` + name + `]+" ` + m[2] + `"`, "attributes." + strings.ToLower(m[1])})
		}
	}
	return columns
}

// additional reads Magento's "pattern=Solid,material=Cotton|Hemp", whose values may hold commas.
func additional(cell []byte) (pairs []pair) {
	for part := range bytes.SplitSeq(cell, []byte{','}) {
		name, value, found := bytes.Cut(part, []byte{'='})
		switch {
		case found && attributeCode.Match(name):
			pairs = append(pairs, pair{string(bytes.TrimSpace(name)), slices.Clone(value)})
		case len(pairs) > 0: // a comma of the value before
			last := &pairs[len(pairs)-1]
			last.value = append(append(last.value, ','), part...)
		}
	}
	for i := range pairs {
		pairs[i].value = bytes.TrimSpace(pairs[i].value)
	}
	return slices.DeleteFunc(pairs, func(p pair) bool { return len(p.value) == 0 })
}

var attributeCode = regexp.MustCompile(`^\s*[A-Za-z][A-Za-z0-9_]*\s*$`)

// notImported lists the columns with values that no field reads.
func (r *importRun) notImported(m *mapping) (names []string) {
	for _, name := range r.unreadColumns(m) {
		if r.seen.filled[slices.Index(r.table.header, name)] {
			names = append(names, name)
		}
	}
	return names
}

// unreadColumns are the columns that neither a field nor the format reads.
func (r *importRun) unreadColumns(m *mapping) []string {
	return slices.DeleteFunc(m.unused(r.table.header), func(name string) bool {
		if at := slices.Index(r.table.header, name); at < len(r.table.english) {
			name = r.table.english[at]
		}
		return r.format.reads != nil && r.format.reads.MatchString(name)
	})
}
