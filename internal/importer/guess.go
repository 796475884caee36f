package importer

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// guesses are the words by which columns of a product file are guessed, in the order in which they choose: the most
// specific names first.
var guesses = []demand{
	demandSKU,
	{fields: []string{"compareAtPrice"}, words: []string{"barre", "avant", "streich", "statt", "strike", "waspr", "oldprice", "uvp", "rrp",
		"listpr", "compareat"}, amount: true},
	demandPrice,
	{fields: []string{"stock.quantity"}, words: []string{"stock", "bestand", "lager", "quantit", "menge", "anzahl", "existencias", "giacenza",
		"voorraad", "onhand", "inventory"}, amount: true},
	{fields: []string{"category", "categories", "categoryIds"}, words: []string{"categor", "kategorie", "rubrique", "warengruppe"}},
	{fields: []string{"images"}, words: []string{"image", "bild", "photo", "foto", "imagen", "picture"}},
	demandName,
	{fields: []string{"description"}, words: []string{"descri", "beschreibung", "beschrijving", "longtext", "langtext"}},
}

// guess adds to Map the columns whose names resemble a field's and which nothing else reads, if guesses are wanted. It
// returns their names. Nothing is guessed in known exports of shops and in objects in the API's own shape.
func (o *Options) guess(src *source) (columns []string, err error) {
	if !o.Guess || o.Kind != Products {
		return nil, nil
	}
	t, err := newTable(src, tableOptions{format: o.Format, delimiter: o.Delimiter, columns: o.Columns, noHeader: o.NoHeader})
	if err != nil {
		return nil, err
	}
	t.ignore(o.Ignore)
	m, err := o.explicit(t)
	if err != nil || chooseFormat(o.Format, t.header, productFormats).known != nil || isExported(t, Products) || isOwnShape(t) {
		return nil, nil // an error of the mapping is met again when the file is opened
	}
	m.suggest(t.header)
	m.suggestAttributes(t.header)
	for _, d := range guesses {
		if m.has(d.fields...) {
			continue
		}
		d.named = true
		column := d.guess(t, m)
		if column == "" {
			continue
		}
		o.Map = append(o.Map, mapName(column)+"="+d.fields[0])
		columns = append(columns, column)
		if err := m.set(d.fields[0], columnExpression(t.header, columnOf(t, column))); err != nil {
			return nil, err
		}
	}
	return columns, nil
}

// withoutAccents makes é an e.
func withoutAccents(name string) string {
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), name)
	if err != nil {
		return name
	}
	return strings.ReplaceAll(plain, "ß", "ss")
}
