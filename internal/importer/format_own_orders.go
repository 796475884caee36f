package importer

import (
	"bytes"
	"context"
	"slices"

	"entrepot/internal/limits"
)

// isOwnOrder reports whether the objects of a JSON file are orders as the API takes them.
func isOwnOrder(t *table) bool {
	return t.container != delimited && hasColumns(t.header, "customerName", "items.sku", "items.quantity", "items.unitPrice")
}

// passOn passes on orders that have the API's shape already. An order without an external reference is refused,
// because importing the file again would create it twice.
func (m *orderMaker) passOn(ctx context.Context, out emit) error {
	number := columnOf(m.table, "orderNumber")
	reference, channel := columnOf(m.table, "externalReference"), columnOf(m.table, "channelId")
	return eachRow(ctx, m.table, &m.rows, func(r row) error {
		at, item := place{r.number, r.line}, string(cellOf(r.cells, reference))
		refused := func(field, code, why string) error {
			return out(piece{place: at, item: item, faults: []Fault{at.refused(item, field, code, "%s", why)}})
		}
		if r.broken != "" || r.unclean != "" {
			return refused("", "unreadable_row", r.broken+r.unclean)
		}
		if m.exported && item == "" {
			item = string(cellOf(r.cells, number))
		}
		if item == "" {
			return refused("externalReference", "missing_reference", "an order without externalReference could be doubled by a repeated import")
		}
		body, notes := namesAsText(r.raw), []Fault(nil)
		if m.exported {
			var err error
			if body, notes, err = orderAgain(r.raw, at, item, m.channel); err != nil {
				return out(piece{place: at, item: item, faults: []Fault{notAgain(at, item, err)}})
			}
		} else if m.channel != "" && len(cellOf(r.cells, channel)) == 0 {
			m.body = append(m.body[:0], `{"channelId":`...)
			m.body = appendText(m.body, m.channel)
			// the object has members: items at least
			m.body = append(append(m.body, ','), bytes.TrimLeft(body, " \t\r\n")[1:]...)
			body = m.body
		}
		if len(body) > limits.MaxBody {
			return refused("items", "too_large", "the order is longer than 1 MB")
		}
		return out(piece{place: at, body: body, item: item, rows: 1, faults: notes})
	})
}

func (m *orderMaker) surveyOwn(ctx context.Context) error {
	if m.missing == nil {
		return nil
	}
	skus, prices := columnOf(m.table, "items.sku"), columnOf(m.table, "items.unitPrice")
	return eachRow(ctx, m.table, nil, func(r row) error {
		price := slices.Collect(bytes.SplitSeq(cellOf(r.cells, prices), []byte{listMark}))
		i := 0
		for sku := range bytes.SplitSeq(cellOf(r.cells, skus), []byte{listMark}) {
			if len(sku) > 0 && i < len(price) {
				if amount, err := parseAmount(price[i], '.'); err == nil {
					m.missing.add(sku, nil, amount.value)
				}
			}
			i++
		}
		return nil
	})
}
