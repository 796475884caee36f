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
	demandCompareAt,
	demandPrice,
	{fields: []string{"stock.quantity"}, words: []string{"stock", "bestand", "lager", "quantit", "menge", "anzahl", "existencias", "giacenza",
		"voorraad", "onhand", "inventory"}, amount: true},
	{fields: []string{"category", "categories", "categoryIds"}, words: []string{"categor", "kategorie", "rubrique", "warengruppe"}},
	{fields: []string{"images"}, words: []string{"image", "bild", "photo", "foto", "imagen", "picture"}},
	demandName,
	{fields: []string{"description"}, words: []string{"descri", "beschreibung", "beschrijving", "longtext", "langtext"}},
}

var demandCompareAt = demand{fields: []string{"compareAtPrice"}, words: []string{"barre", "avant", "streich", "statt", "strike", "waspr",
	"oldprice", "uvp", "rrp", "listpr", "compareat"}, amount: true}

// orderGuesses likewise for a file of orders. A total is not guessed, because it may be that of a line or of the order.
var orderGuesses = []demand{
	demandReference,
	{fields: []string{"customerEmail"}, words: []string{"mail", "courriel", "correo"}},
	{fields: []string{"date"}, words: []string{"date", "datum", "fecha"}},
	{fields: []string{"initialStatus"}, words: []string{"status", "statut", "stato", "estado"}},
	demandQuantity,
	{fields: []string{"unitPrice"}, words: []string{"einzelpreis", "stuckpreis", "unitaire", "unitario", "unitprice", "preis", "prix",
		"precio", "prezzo", "prijs", "price"}, amount: true, each: true},
	{fields: []string{"sku"}, words: []string{"sku", "artikeln", "artnr", "articlen", "itemn", "reference", "referencia", "ean", "gtin"}},
	{fields: []string{"customerName"}, words: []string{"kunde", "kaufer", "client", "customer", "acheteur", "buyer", "recipient"}},
	{fields: []string{"name"}, words: []string{"bezeichnung", "designation", "libelle", "produit", "produkt", "product", "artikel", "title"}},
}

// foreignAddress are names of columns in other languages, without accents, that are guessed to be parts of the
// shipping address.
var foreignAddress = map[string]string{
	"land": "country", "pays": "country", "pais": "country", "paese": "country",
	"plz": "postalCode", "postleitzahl": "postalCode", "codepostal": "postalCode", "cp": "postalCode", "cap": "postalCode",
	"ort": "city", "stadt": "city", "ville": "city", "ciudad": "city", "citta": "city", "plaats": "city",
	"strasse": "line1", "adresse": "line1", "rue": "line1", "direccion": "line1", "indirizzo": "line1", "calle": "line1", "via": "line1",
}

// guess adds to Map the columns whose names resemble a field's and which nothing else reads, if guesses are wanted. It
// returns their names. Nothing is guessed in known exports of shops and in objects in the API's own shape.
func (o *Options) guess(src *source) (columns []string, err error) {
	if !o.Guess {
		return nil, nil
	}
	known := kinds[o.Kind]
	t, err := newTable(src, o.tableOptions())
	if err != nil {
		return nil, err
	}
	t.ignore(o.Ignore)
	m, err := o.explicit(t)
	if err != nil || t.chooseFormat(o.Format, known.formats).known != nil || (o.Kind == Products || o.Kind == Orders) && isExported(t, o.Kind) ||
		known.own(t) {
		return nil, nil // an error of the mapping is met again when the file is opened
	}
	m.suggest(t.header)
	if o.Kind == Products {
		m.suggestAttributes(t.header)
	}
	for _, d := range known.guesses {
		if m.has(d.fields...) {
			continue
		}
		d.named = true
		column := d.guess(t, m)
		if column == "" {
			continue
		}
		o.Map = append(o.Map, ColumnName(column)+"="+d.fields[0])
		columns = append(columns, column)
		if err := m.set(d.fields[0], columnExpression(t.header, columnOf(t, column))); err != nil {
			return nil, err
		}
	}
	if o.Kind == Orders {
		for _, column := range m.unused(t.header) {
			if part := foreignAddress[plainHeader(withoutAccents(column))]; part != "" {
				o.Map = append(o.Map, ColumnName(column)+"=shippingAddress."+part)
				columns = append(columns, column)
			}
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
