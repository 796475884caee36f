package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/maphash"
	"regexp"
	"strings"
)

// passOn passes on objects that have the API's shape already.
func (m *productMaker) passOn(ctx context.Context, out emit) error {
	sku, variants := columnOf(m.table, "sku"), columnOf(m.table, "variants.sku")
	return eachRow(ctx, m.table, &m.rows, func(r row) error {
		at, item := place{r.number, r.line}, string(cellOf(r.cells, sku))
		m.marked = m.marked[:0]
		var fault Fault
		switch {
		case r.broken != "" || r.unclean != "":
			fault = at.refused(item, "", "unreadable_row", "%s", r.broken+r.unclean)
		case item == "":
			fault = at.refused("", "sku", "missing_sku", "the object has no sku")
		case m.laterOwn(item):
			fault = at.refused(item, "sku", "duplicate_sku", "a later row of the file has this SKU and was taken")
		case !m.mark([]byte(item)):
			fault = at.refused(item, "sku", "duplicate_sku", "an earlier row of the file has this SKU; the first one was taken")
		default:
			for variant := range bytes.SplitSeq(cellOf(r.cells, variants), []byte{listMark}) {
				if len(variant) > 0 && !m.mark(variant) {
					fault = at.refused(item, "variants", "duplicate_sku", "an earlier row of the file has the SKU %s; the first one was taken", variant)
				}
			}
		}
		if fault.Code != "" {
			m.unmark()
			return out(piece{place: at, item: item, faults: []Fault{fault}})
		}
		if !m.exported {
			return out(piece{place: at, body: namesAsText(r.raw), item: item, rows: 1})
		}
		body, notes, err := productAgain(r.raw, at, m.moved)
		if err != nil {
			m.unmark()
			return out(piece{place: at, item: item, faults: []Fault{notAgain(at, item, err)}})
		}
		return out(piece{place: at, body: body, item: item, rows: 1, faults: notes})
	})
}

// numberedName is a code that a program has written as a JSON number.
var numberedName = regexp.MustCompile(`("(?:sku|externalReference)"\s*:\s*)(-?[0-9]+)(\s*[,}])`)

// writtenName is a code as a JSON text.
var writtenName = regexp.MustCompile(`"(sku|externalReference)"\s*:\s*("(?:[^"\\]|\\.)*")`)

// namesAsText makes the codes among the members of an object texts, as the API takes them, without signs that nobody
// sees.
func namesAsText(raw []byte) []byte {
	raw = numberedName.ReplaceAll(raw, []byte(`$1"$2"$3`))
	if bytes.IndexByte(raw, 0xE2) < 0 && bytes.IndexByte(raw, 0xEF) < 0 && !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	return writtenName.ReplaceAllFunc(raw, func(member []byte) []byte {
		m := writtenName.FindSubmatch(member)
		var name string
		if json.Unmarshal(m[2], &name) != nil || !strings.ContainsFunc(name, isInvisible) {
			return member
		}
		return appendText([]byte(`"`+string(m[1])+`":`), plainText([]byte(name), true))
	})
}

// surveyOwn counts how often each SKU comes, when the last row with it is to be taken.
func (m *productMaker) surveyOwn(ctx context.Context) error {
	if m.twice != duplicatesLast {
		return nil
	}
	sku := columnOf(m.table, "sku")
	m.seed, m.left = maphash.MakeSeed(), map[uint64]int32{}
	return eachRow(ctx, m.table, nil, func(r row) error {
		if r.broken == "" {
			m.left[maphash.Bytes(m.seed, cellOf(r.cells, sku))]++
		}
		return nil
	})
}

// laterOwn reports whether a further row has the SKU.
func (m *productMaker) laterOwn(sku string) bool {
	if m.left == nil {
		return false
	}
	hash := maphash.String(m.seed, sku)
	m.left[hash]--
	return m.left[hash] > 0
}

// ownShape are the members of a product as the API takes it; a file with no others needs no mapping.
var ownShape = regexp.MustCompile(`^(sku|name|price|description|compareAtPrice|gtin|weight|cost|taxClass|countryOfOrigin|options(\..+)?|status|categoryIds|slug|images(\.url|\.position)?|` +
	`stock(\.quantity|\.warehouseCode)?|levels(\..+)?|attributes(\..+)?|variants(\..+)?)$`)

// isOwnShape reports whether the objects of a JSON file are products as the API takes them. Other members do not
// matter if the objects have variants: no mapping could keep these, while the API ignores members that it does not
// know.
func isOwnShape(t *table) bool {
	if t.container == delimited || !hasColumns(t.header, "sku", "name", "price") {
		return false
	}
	return hasColumns(t.header, "variants.sku") || len(foreign(t)) == 0
}

// foreign are the members that a product has not.
func foreign(t *table) (names []string) {
	for _, name := range t.header {
		if !ownShape.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}
