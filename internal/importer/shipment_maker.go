package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"time"

	"entrepot/internal/importer/client"
)

// Shipper receives the shipments that an import reads: a client of the HTTP API, or something that runs the operation.
// The body is that of POST bulk-ship (interface §4.1), with at most 500 orders; a refused request is a *client.Error.
type Shipper interface {
	ShipOrders(ctx context.Context, body []byte, idempotencyKey string) (client.BulkShipped, error)
}

// shipmentFields are the fields of a file of tracking numbers, in the order in which they are described in docs/import.md.
var shipmentFields = []field{
	{"order", "order orderno ordernumber orderid ordername orderreference externalreference reference invoiceno invoicenumber"},
	{"trackingNumber", "trackingnumber trackingno tracking trackingcode trackingid parcelnumber waybill waybillnumber consignmentnumber " +
		"shipmentnumber"},
	{"carrier", "carrier trackingcarrier carriername shippingcarrier trackingcompany shippingcompany courier"},
	{"trackingUrl", "trackingurl trackinglink"},
	{"shippedAt", "shippedat shipdate shippingdate shippeddate dateshipped shipmentdate dispatchdate"},
}

var (
	demandOrder = demand{
		fields: []string{"order"},
		words:  append(demandReference.words, "reference", "referenz", "referencia", "riferimento", "kundenref"),
		other:  "--map COLUMN=order for the number or the external reference of the order",
		called: "number of the order",
	}
	demandTracking = demand{
		fields: []string{"trackingNumber"},
		words: []string{"tracking", "sendungsn", "sendung", "paketn", "suivi", "colis", "seguimiento", "spedizione", "zending", "barcode", "parcel",
			"shipment", "waybill", "consignment"},
		other:  "--map COLUMN=trackingNumber",
		called: "tracking number",
	}
)

// shipmentGuesses are the words by which columns are guessed, the most specific names first.
var shipmentGuesses = []demand{
	{fields: []string{"trackingUrl"}, words: []string{"url", "link", "lien", "enlace"}},
	{fields: []string{"shippedAt"}, words: []string{"date", "datum", "fecha", "data"}},
	{fields: []string{"carrier"}, words: []string{"carrier", "versanddienst", "dienstleister", "paketdienst", "transporteur", "transportista",
		"corriere", "vervoerder", "courier"}},
	demandTracking,
	demandOrder,
}

// shipmentMaker makes the shipment of one order from each row.
type shipmentMaker struct {
	table     *table
	mapping   *mapping
	carrierOf func(number string) string // nil: carriers are not recognised
	dates     dateReader

	rows    counter
	scratch []byte
	body    []byte
	faults  []Fault
}

func (m *shipmentMaker) prepare() error {
	m.mapping.suggest(m.table.header)
	for _, d := range []demand{demandOrder, demandTracking} {
		if err := d.missing(m.table, m.mapping); err != nil {
			return err
		}
	}
	return nil
}

func (m *shipmentMaker) survey(context.Context) error { return nil }
func (m *shipmentMaker) again(context.Context) error  { return nil }
func (m *shipmentMaker) counted() counter             { return m.rows }
func (m *shipmentMaker) untouched() bool              { return false }

// ownNumber is an order number of the service.
var ownNumber = regexp.MustCompile(`^(?i:ORD)-[0-9]+$`)

func (m *shipmentMaker) make(ctx context.Context, out emit) error {
	return eachRow(ctx, m.table, &m.rows, func(r row) error {
		m.scratch, m.faults = m.scratch[:0], m.faults[:0]
		at, order := place{r.number, r.line}, m.value("order", r.cells)
		name := string(order)
		if why := unreadable(m.table, r); why != "" {
			return out(piece{place: at, item: name, faults: []Fault{at.refused(name, "", "unreadable_row", "%s", why)}})
		}
		o := openObject(m.body[:0])
		if ownNumber.Match(order) {
			o.text("orderNumber", order)
		} else {
			o.text("externalReference", order)
		}
		number := m.value("trackingNumber", r.cells)
		carrier := m.value("carrier", r.cells)
		if len(carrier) == 0 && m.carrierOf != nil {
			carrier = []byte(m.carrierOf(string(number)))
		}
		o.textIf("carrier", carrier)
		o.text("trackingNumber", number)
		o.textIf("trackingUrl", m.value("trackingUrl", r.cells))
		if cell := m.value("shippedAt", r.cells); len(cell) > 0 {
			shipped, ok := m.dates.read(cell)
			o.text("shippedAt", []byte(apiTime(shipped)))
			if !ok {
				m.faults = append(m.faults, at.refused(name, "shippedAt", "bad_date", "%q is no date, or one of the future", clip(cell)))
			}
		}
		if len(order) == 0 {
			m.faults = append(m.faults, at.refused("", "order", "missing_reference", "the row names no order"))
		}
		if len(number) == 0 {
			m.faults = append(m.faults, at.refused(name, "trackingNumber", "missing_number", "the row has no tracking number"))
		}
		m.body = o.close()
		if faults, refused := refusal(m.faults); refused {
			return out(piece{place: at, item: name, faults: faults})
		}
		return out(piece{place: at, body: m.body, item: name, rows: 1})
	})
}

func (m *shipmentMaker) value(field string, cells [][]byte) []byte {
	e := m.mapping.exact[field]
	if e == nil {
		return nil
	}
	return e.value(cells, &m.scratch)
}

// shipmentSender ships the orders of a chunk in one request (interface §4.1). Its idempotency key is of this run and of
// the content: a request whose answer was lost is not done twice, and another run learns of each order how it is by then.
type shipmentSender struct {
	to  Shipper
	run time.Time
}

func (s *shipmentSender) send(ctx context.Context, c *chunk) outcome {
	out := outcome{chunk: c}
	if len(c.items) == 0 {
		return out
	}
	out.err = inHalves(0, len(c.items), func(from, to int) error {
		items := c.items[from:to]
		body := append([]byte(`{"orders":[`), c.body[items[0].from:items[len(items)-1].to]...)
		body = append(body, ']', '}')
		sum := sha256.Sum256(fmt.Appendf(body, "%d", s.run.UnixNano()))
		shipped, err := s.to.ShipOrders(ctx, body, "import-"+hex.EncodeToString(sum[:]))
		if err == nil {
			settleShipped(items, shipped, &out)
		}
		return err
	}, func(at int, err error) { out.refuse(c.items[at], "", "refused", err.Error()) })
	return out
}

// settleShipped counts an answer. An order that has the parcel already is noted, and not refused.
func settleShipped(items []chunkItem, shipped client.BulkShipped, out *outcome) {
	out.created += shipped.Shipped
	for _, e := range shipped.Errors {
		if e.Index < 0 || e.Index >= len(items) {
			continue
		}
		item := items[e.Index]
		if e.Code == "already_shipped" {
			out.existing++
			out.faults = append(out.faults, item.note(item.item, "", e.Code, "%s, and was left as it is", e.Error))
			continue
		}
		message := e.Error
		if e.Code == "not_found" {
			message = "no order has this number or reference"
		}
		out.refuse(item, "", wordOr(e.Code, "refused"), message)
	}
}
