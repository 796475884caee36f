package importer

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"strings"

	"entrepot/internal/importer/client"
	"entrepot/internal/limits"
)

// Lists receives the prices and the stock that an import reads: a client of the HTTP API, or something that runs the
// operations. Results are as in interface §4.2; a refused request is a *client.Error.
type Lists interface {
	Currency(ctx context.Context) (string, error) // of the catalog's prices; "" without products
	UpdatePrices(ctx context.Context, body []byte) (client.Updated, error)
	UpdateStock(ctx context.Context, body []byte) (client.Updated, error)
}

// priceFields are the fields of a price list, in the order in which they are described in docs/import.md.
var priceFields = []field{
	{"sku", productSynonyms("sku")},
	{"price", productSynonyms("price") + " newprice variantprice"},
	{"compareAtPrice", productSynonyms("compareAtPrice") + " variantcompareatprice"},
	{"currency", "currency currencycode"},
}

// stockFields likewise of a stock list.
var stockFields = []field{
	{"sku", productSynonyms("sku")},
	{"quantity", productSynonyms("stock.quantity") + " variantinventoryqty"},
	{"warehouseCode", productSynonyms("stock.warehouseCode") + " location"},
}

func productSynonyms(name string) string {
	for _, f := range productFields {
		if f.name == name {
			return f.synonyms
		}
	}
	return ""
}

var (
	demandListPrice = demand{fields: []string{"price"}, words: demandPrice.words, amount: true, each: true, other: "--map COLUMN=price"}
	demandStock     = demand{
		fields: []string{"quantity"},
		words: []string{"bestand", "stock", "quantit", "menge", "anzahl", "existencias", "giacenza", "voorraad", "onhand", "inventory", "lager",
			"cantidad", "aantal", "qte", "pieces", "units"},
		amount: true,
		other:  "--map COLUMN=quantity",
		called: "quantity on hand",
	}
)

// Guesses of lists, the most specific names first.
var (
	priceGuesses = []demand{
		demandSKU,
		demandCompareAt,
		demandListPrice,
		{fields: []string{"currency"}, words: []string{"currency", "wahrung", "waehrung", "devise", "moneda", "valuta", "divisa"}},
	}
	stockGuesses = []demand{
		demandSKU,
		{fields: []string{"warehouseCode"}, words: []string{"lagerort", "standort", "warehouse", "depot", "entrepot", "magazzino", "almacen",
			"magazijn", "location"}},
		demandStock,
		// where the quantity is another column
		{fields: []string{"warehouseCode"}, words: []string{"lager", "magasin"}},
	}
)

// listMaker makes one update of a price or of a level from each row.
type listMaker struct {
	table    *table
	mapping  *mapping
	stock    bool   // levels, otherwise prices
	currency string // of the catalog's prices; "" when it is not known

	reader  *productReader
	seed    maphash.Seed
	seen    map[uint64]struct{} // SKUs, with the warehouse of a level; about 20 bytes each
	rows    counter
	scratch []byte
	body    []byte
	faults  []Fault
}

func (m *listMaker) prepare() error {
	m.mapping.suggest(m.table.header)
	demands := []demand{demandSKU, demandListPrice}
	if m.stock {
		demands[1] = demandStock
	}
	for _, d := range demands {
		if err := d.missing(m.table, m.mapping); err != nil {
			return err
		}
	}
	return nil
}

func (m *listMaker) survey(context.Context) error { return nil }
func (m *listMaker) again(context.Context) error  { return nil }
func (m *listMaker) counted() counter             { return m.rows }
func (m *listMaker) untouched() bool              { return false }

func (m *listMaker) make(ctx context.Context, out emit) error {
	m.reader = newProductReader(m.mapping, nil, "")
	m.seed, m.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	var p product
	return eachRow(ctx, m.table, &m.rows, func(r row) error {
		at := place{r.number, r.line}
		if why := unreadable(m.table, r); why != "" {
			sku := string(m.reader.value(m.reader.sku, r.cells))
			return out(piece{place: at, item: sku, faults: []Fault{at.refused(sku, "", "unreadable_row", "%s", why)}})
		}
		m.reader.scratch, m.scratch, m.faults = m.reader.scratch[:0], m.scratch[:0], m.faults[:0]
		p.reset(at)
		p.sku = m.reader.value(m.reader.sku, r.cells)
		if len(p.sku) == 0 {
			m.faults = append(m.faults, p.refused("", "sku", "missing_sku", "the row has no SKU; map a column with --map COLUMN=sku"))
		}
		if m.stock {
			m.level(r.cells, &p)
		} else {
			m.price(r.cells, &p)
		}
		faults, refused := refusal(m.faults)
		if !refused && !m.first(&p) {
			faults, refused = append(faults, p.refused(string(p.sku), "sku", "duplicate_sku",
				"an earlier row of the file has this SKU; the first one was taken")), true
		}
		if refused {
			return out(piece{place: at, item: string(p.sku), faults: withoutNotes(faults)})
		}
		o := openObject(m.body[:0])
		o.text("sku", p.sku)
		if m.stock {
			o.textIf("warehouseCode", p.warehouse)
			o.integer("quantity", p.stock)
		} else {
			p.appendPrices(&o)
		}
		m.body = o.close()
		return out(piece{place: at, body: m.body, item: string(p.sku), rows: 1, faults: faults})
	})
}

// price reads the prices of a row. A blank price before clears it, if the file is a table; an object without it
// leaves it.
func (m *listMaker) price(cells [][]byte, p *product) {
	m.faults = m.reader.prices(cells, p, m.faults)
	p.compareAtBlank = p.compareAtBlank && m.table.container == delimited
	if !p.priced {
		m.faults = append(m.faults, p.refused(string(p.sku), "price", "missing_price", "the row has no price"))
	}
	currency := m.mapping.exact["currency"]
	if currency == nil || m.currency == "" {
		return
	}
	if got := strings.TrimSpace(string(currency.value(cells, &m.scratch))); got != "" && !strings.EqualFold(got, m.currency) {
		m.faults = append(m.faults, p.refused(string(p.sku), "currency", "other_currency",
			"the price is in %s, and those of the catalog are in %s",
			clip([]byte(got)), m.currency))
	}
}

// level reads the quantity of a row. Unlike that of a product, one that cannot be read refuses the row.
func (m *listMaker) level(cells [][]byte, p *product) {
	if warehouse := m.mapping.exact["warehouseCode"]; warehouse != nil {
		p.warehouse = warehouse.value(cells, &m.scratch)
	}
	cell, decimal := m.mapping.exact["quantity"].amount(cells, &m.scratch)
	if len(cell) == 0 {
		m.faults = append(m.faults, p.refused(string(p.sku), "quantity", "missing_quantity", "the row has no quantity"))
		return
	}
	n, err := parseQuantity(cell, decimal)
	if err == nil && n > limits.MaxStock {
		err = errQuantity
	}
	if err != nil {
		m.faults = append(m.faults, p.refused(string(p.sku), "quantity", "bad_quantity", "%q %v", clip(cell), err))
		return
	}
	if n < 0 {
		m.faults = append(m.faults, p.note(string(p.sku), "quantity", "negative_stock", "a stock of %d was stored as 0", n))
		n = 0
	}
	p.stock = n
}

// first reports whether no earlier row has the SKU, in the same warehouse if it is a level.
func (m *listMaker) first(p *product) bool {
	key := string(p.sku)
	if m.stock {
		key += "\x00" + string(p.warehouse)
	}
	hash := maphash.String(m.seed, key)
	if _, there := m.seen[hash]; there {
		return false
	}
	m.seen[hash] = struct{}{}
	return true
}

// findCurrency asks for the currency of the catalog's prices, if the file says which its own have.
func (r *importRun) findCurrency(ctx context.Context) (err error) {
	m, list := r.maker.(*listMaker)
	if !list || m.stock || r.Lists == nil || m.mapping.exact["currency"] == nil {
		return nil
	}
	if m.currency, err = r.Lists.Currency(ctx); client.StatusOf(err) == http.StatusForbidden {
		fmt.Fprintln(r.Log, "not checked: whether the currency is the catalog's; the key may not read products")
		return nil
	}
	return err
}

// listSender sends prices or levels by their bulk update (interface §4.2).
type listSender struct {
	update func(context.Context, []byte) (client.Updated, error)
}

func (s *listSender) send(ctx context.Context, c *chunk) outcome {
	out := outcome{chunk: c}
	if len(c.items) == 0 {
		return out
	}
	out.err = inHalves(0, len(c.items), func(from, to int) error {
		items := c.items[from:to]
		body := append([]byte(`{"updates":[`), c.body[items[0].from:items[len(items)-1].to]...)
		updated, err := s.update(ctx, append(body, ']', '}'))
		if err == nil {
			settleItems(items, client.Imported{Counted: true, Updated: updated.Updated, Errors: updated.Errors, Changes: updated.Changes}, &out)
		}
		return err
	}, func(at int, err error) { out.refuse(c.items[at], "", "refused", err.Error()) })
	return out
}
