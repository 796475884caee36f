package importer

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// inspection is the result of reading the whole file once before anything is stored.
type inspection struct {
	rows   int
	filled []bool // by column: a cell of it holds something
}

// inspect reads the whole file once and decides how its numbers and dates are read. Of a file that breaks off it uses
// what can be read, because that is what will be stored. Errors: *CallError when numbers or dates can be read in two
// ways.
func (r *importRun) inspect(ctx context.Context, m *mapping) error {
	asked, err := parseDecimals(r.Decimal)
	if err != nil {
		return err
	}
	numbers, err := numberColumns(m, r.table.header, asked)
	if err != nil {
		return err
	}
	single := make([]expression, len(numbers))
	for i, c := range numbers {
		single[i].alternatives = c.expression.alternatives[c.alternative : c.alternative+1]
	}
	dates := dateVote{field: map[Kind]string{Orders: "date", Shipments: "shippedAt"}[r.Kind]}
	date := m.exact[dates.field]
	r.seen = inspection{filled: make([]bool, len(r.table.header))}
	var scratch []byte
	_ = eachRowMarked(ctx, r.table, func(row row) error { // storing breaks off at the same point, and reports it
		r.seen.rows++
		if unreadable(r.table, row) != "" {
			return nil
		}
		for i, cell := range row.cells {
			if i < len(r.seen.filled) && !r.seen.filled[i] {
				r.seen.filled[i] = len(bytes.TrimSpace(cell)) > 0
			}
		}
		for i, c := range numbers {
			scratch = scratch[:0]
			c.vote.add(single[i].value(row.cells, &scratch), row.number)
		}
		if date != nil {
			scratch = scratch[:0]
			dates.add(date.value(row.cells, &scratch), row.number)
		}
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := decideAll(numbers); err != nil {
		return err
	}
	r.decimals = describeDecimals(numbers)
	if dates.field != "" {
		return r.setDates(date, dates)
	}
	return nil
}

// setDates passes the order of day and month to the maker.
func (r *importRun) setDates(date *expression, dates dateVote) (err error) {
	order, name := dateOrder(r.DateOrder), ""
	if date != nil {
		name = date.text
	}
	if err := dates.readable(name); err != nil {
		return err
	}
	if order == "auto" {
		if order, err = dates.decide(name); err != nil {
			return err
		}
	}
	zone, err := zoneNamed(r.TimeZone)
	if err != nil {
		return err
	}
	reader := dateReader{order: order, zone: zone, now: r.Now()}
	switch m := r.maker.(type) {
	case *orderMaker:
		m.dates = reader
	case *shipmentMaker:
		m.dates = reader
	}
	return nil
}

// dateReader reads the dates of a file of orders or of shipments.
type dateReader struct {
	order dateOrder
	zone  *time.Location
	now   time.Time // the service takes no order from the future
}

// read parses a cell; it reports false for a text that is no date, and for a time in the future.
func (d dateReader) read(cell []byte) (time.Time, bool) {
	if len(cell) == 0 {
		return time.Time{}, false
	}
	at, ok := parseDate(cell, d.order, d.zone)
	return at, ok && !at.After(d.now)
}

// soon reports whether a cell is a time of the next two days, as clocks and zones that differ make it.
func (d dateReader) soon(cell []byte) bool {
	at, ok := parseDate(cell, d.order, d.zone)
	return ok && at.After(d.now) && at.Before(d.now.AddDate(0, 0, 2))
}

// demand names columns that a file lacks.
type demand struct {
	fields []string // any of them will do
	words  []string // what the column might be called, normalised
	amount bool     // its cells are numbers
	each   bool     // the amount is that of one piece: a column of totals, costs or measures is never meant
	named  bool     // a column is not guessed by its cells alone
	other  string   // what to do when no column holds it
	called string   // the first field, for users without a command line; "" = its name
}

var (
	demandSKU = demand{
		fields: []string{"sku"},
		called: "SKU",
		words: []string{"sku", "reference", "articlen", "itemn", "productid", "artikeln", "artnr", "partn", "ean", "gtin", "barcode", "code",
			"ref", "number", "id"},
		other: "--map COLUMN=sku",
	}
	demandName = demand{
		fields: []string{"name"},
		words: []string{"name", "title", "titel", "titre", "titulo", "titolo", "bezeichnung", "designation", "libelle", "nom", "nombre", "nome",
			"omschrijving", "nazwa", "product", "produit", "produkt", "artikel", "article", "model", "label"},
		other: "--map 'COLUMN=name'. A file without names can be one of prices or of stock: 'entrepot import prices' and 'entrepot import " +
			"stock' take these for products that exist",
	}
	demandPrice = demand{
		fields: []string{"price", "salePrice"},
		words:  []string{"price", "preis", "prix", "precio", "prezzo", "prijs", "preco", "cena", "pris", "rrp", "msrp", "uvp", "pvp"},
		amount: true,
		each:   true,
		other: "--map COLUMN=price. A file without prices can be one of stock, which 'entrepot import stock' takes for products that " +
			"exist",
	}
	demandReference = demand{
		fields: []string{"externalReference"},
		words: []string{"bestell", "auftrag", "commande", "pedido", "ordine", "zamow", "order", "rechnung", "facture", "factura", "fattura",
			"invoice", "beleg"},
		other:  "--map COLUMN=externalReference",
		called: "number of the order",
	}
	demandQuantity = demand{
		fields: []string{"quantity"},
		words:  []string{"quantit", "menge", "anzahl", "stuckzahl", "aantal", "cantidad", "ilosc", "pieces", "qte", "units"},
		amount: true,
		other:  "--map COLUMN=quantity",
	}
	demandUnitPrice = demand{
		fields: []string{"unitPrice", "lineTotal"},
		words:  demandPrice.words,
		amount: true,
		each:   true,
		named:  true,
		other:  "--map COLUMN=unitPrice for the price of one piece, or --map COLUMN=lineTotal for the total of a line, not of the order",
		called: "price of a line",
	}
	demandCustomer = demand{
		fields: []string{"customerName", "customerEmail"},
		words: []string{"customer", "client", "kunde", "kundenname", "buyer", "recipient", "billingname", "shippingname", "fullname", "lastname",
			"nom", "name", "email", "mail"},
		other:  "--map COLUMN=customerName, or --set customerName=Guest when nobody is named",
		called: "customer",
	}
)

// missing is the CallError for a file without a column that every row needs; it names the column that was probably
// meant.
func (d demand) missing(t *table, m *mapping) error {
	if m.has(d.fields...) {
		return nil
	}
	const missing = "no column holds the %s, so that no row could be stored"
	what, plain := fmt.Sprintf(missing, d.fields[0]), fmt.Sprintf(missing, wordOr(d.called, d.fields[0]))
	if guess := d.guess(t, m); guess != "" {
		return wrongChoice(fmt.Sprintf("%s. Is it %q?", plain, guess), fmt.Sprintf("%s; nothing was stored. Is it %q? Then add --map "+
			"'%s=%s'. Columns: %s", what, guess, ColumnName(guess), d.fields[0], columnList(t.header)))
	}
	return wrongChoice(plain+". Say which it is", fmt.Sprintf("%s; nothing was stored. Say which it is: %s. Columns: %s", what, d.other,
		columnList(t.header)))
}

// notEach are parts of names of columns whose amounts are not the selling price of one piece.
var notEach = strings.Fields("total gesamt summe suma somme totaal amount betrag montant importe importo bedrag umsatz revenue turnover " +
	"value extended lineprice orderprice linesum ordersum rowsum bestellwert warenwert shipping versand livraison envio spedizione verzend " +
	"porto discount rabatt remise descuento sconto korting cost kosten einkauf purchase buying achat compra acquisto inkoop wholesale " +
	"weight gewicht poids peso length breite width height marge margin profit")

// isNotEach reports whether a column's name says that it does not hold the selling price of one piece.
func isNotEach(name string) bool {
	key := headerKey(name)
	holds := func(word string) bool { return strings.Contains(key, word) }
	return key == "sum" || key == "sales" || key == "ek" || slices.ContainsFunc(notEach, holds)
}

// guess finds the unused column whose name holds one of the words; for an amount its cells must be
// numbers, and without such a name the only column of amounts with decimals will do.
func (d demand) guess(t *table, m *mapping) string {
	free := m.unused(t.header)
	if d.each {
		free = slices.DeleteFunc(free, isNotEach)
	}
	for _, word := range d.words {
		for _, name := range free {
			if strings.Contains(plainHeader(withoutAccents(name)), word) && (!d.amount || t.holdsNumbers(name, false)) {
				return name
			}
		}
	}
	if !d.amount || d.named {
		return ""
	}
	var priced []string
	for _, name := range free {
		if t.holdsNumbers(name, true) {
			priced = append(priced, name)
		}
	}
	if len(priced) == 1 {
		return priced[0]
	}
	return ""
}

// holdsNumbers reports whether most cells of a column in the first rows are numbers; with decimals,
// whether some of them have decimals, too.
func (t *table) holdsNumbers(name string, decimals bool) bool {
	column, numbers, others, fractions := columnOf(t, name), 0, 0, 0
	for _, cells := range t.sampled {
		cell := cellOf(cells, column)
		if len(cell) == 0 {
			continue
		}
		_, byPoint := parseAmount(cell, '.')
		_, byComma := parseAmount(cell, ',')
		if byPoint != nil && byComma != nil {
			others++
			continue
		}
		numbers++
		if bytes.ContainsAny(cell, ".,") {
			fractions++
		}
	}
	return numbers > others && (!decimals || fractions > 0)
}

// ColumnName writes a column's name so that Map takes it for one name.
func ColumnName(name string) string {
	if strings.ContainsAny(name, "=+|~\"") {
		return "[" + name + "]"
	}
	return name
}
