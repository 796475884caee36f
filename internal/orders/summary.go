package orders

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Units are the quantities ordered and shipped, without fees. Units that were refunded before they were shipped do not
// count as ordered.
type Units struct {
	Ordered int64
	Shipped int64
}

// Units sums the lines.
func (o *Order) Units() (u Units) {
	for _, l := range o.Lines {
		if !l.Fee {
			u.Ordered += l.Quantity - l.Refunded
			u.Shipped += l.Shipped
		}
	}
	return u
}

// Summary is an order as a list shows it: sums of its lines in place of the lines.
type Summary struct {
	Order
	Units
	FirstLine string // name of its first line, or its SKU if it has no name
}

// ListSummaries reads a page as List does, and how many orders match in all. The store sums the lines.
func ListSummaries(tx *db.Tx, f Filter) ([]Summary, int64, error) {
	heads, total, err := ListHeads(tx, f)
	if err != nil || len(heads) == 0 {
		return []Summary{}, total, err
	}
	list, at, ids := make([]Summary, len(heads)), make(map[id.Order]*Summary, len(heads)), make([]id.Order, len(heads))
	for i := range heads {
		list[i].Order, ids[i] = heads[i], heads[i].ID
		at[ids[i]] = &list[i]
	}
	err = eachOf(tx, ids, func(r db.Rows) error {
		var order id.Order
		var u Units
		var first string
		err := r.Scan(&order, &u.Ordered, &u.Shipped, db.Opt(&first))
		at[order].Units, at[order].FirstLine = u, first
		return err
	}, "SELECT order_id, sum(CASE WHEN fee THEN 0 ELSE quantity - refunded END)::BIGINT, "+
		"sum(CASE WHEN fee THEN 0 ELSE shipped END)::BIGINT, max(CASE WHEN position = 0 THEN "+
		"CASE WHEN name = '' THEN sku ELSE name END END) FROM order_lines WHERE tenant_id = $1 AND order_id IN ", " GROUP BY order_id")
	return list, total, err
}

// wholePiece is how many ids one statement has.
const wholePiece = 256

// eachOf calls scan for each row that a statement finds for some ids, wholePiece ids at a time. The statement ends with
// IN, its list follows, and then suffix; $1 is the tenant.
func eachOf[ID ~string](tx *db.Tx, ids []ID, scan func(db.Rows) error, statement, suffix string) error {
	for piece := range slices.Chunk(ids, wholePiece) {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		if err := tx.Each(scan, statement+db.In(len(args)-1, 2)+suffix, args...); err != nil {
			return err
		}
	}
	return nil
}

// StatusCounts returns how many orders of the account have each status, from the maintained counts.
func StatusCounts(tx *db.Tx) (map[Status]int64, error) {
	counts := map[Status]int64{}
	return counts, eachTallied(tx, func(status Status, _ id.Channel, n int64) { counts[status] += n }).Wait()
}

// ToShip counts the orders of the account that wait for shipment, and returns the creation time of the oldest, 0 if
// there is none. It reads the maintained counts and the first order of each status: its cost depends neither on how
// many wait nor on the account's age.
func ToShip(tx *db.Tx) (n, oldest int64, err error) {
	waiting := []Status{Processing, PartiallyShipped}
	reads := []*db.PendingRead{eachTallied(tx, func(status Status, _ id.Channel, counted int64) {
		if slices.Contains(waiting, status) {
			n += counted
		}
	})}
	for _, status := range waiting {
		reads = append(reads, tx.Prefetch(func(r db.Rows) error {
			var first int64
			err := r.Scan(&first)
			if oldest == 0 || first < oldest {
				oldest = first
			}
			return err
		}, "SELECT created_at FROM orders WHERE tenant_id = $1 AND status = $2 ORDER BY created_at LIMIT 1", tx.Tenant, string(status)))
	}
	err = db.WaitAll(reads)
	return n, oldest, err
}

// Neighbours returns the orders before and after one in the list of a filter; "" at either end of the list. The order
// itself need not match.
func Neighbours(tx *db.Tx, f Filter, o *Order) (before, after id.Order, err error) {
	cursor := f.CursorOf(o)
	f.Offset, f.Limit, f.After = 0, 1, &cursor
	back := f
	back.Ascending = !f.Ascending
	first := func(f Filter, into *id.Order) func(*db.Tx) error {
		return func(tx *db.Tx) error {
			list, err := Heads(tx, f)
			if len(list) > 0 {
				*into = list[0].ID
			}
			return err
		}
	}
	err = tx.Together(first(f, &after), first(back, &before))
	return before, after, err
}

// EachHead calls page for all orders that match a filter, without lines, in the order of the list, up to 500 at a
// time. Orders created meanwhile may be included or not.
func EachHead(tx *db.Tx, f Filter, page func(list []Order) error) error {
	f.Offset, f.Limit = 0, 500
	for {
		list, err := Heads(tx, f)
		if err == nil {
			err = page(list)
		}
		if err != nil || len(list) < f.Limit {
			return err
		}
		cursor := f.CursorOf(&list[len(list)-1])
		f.After = &cursor
	}
}

// NumbersOf reads the numbers of some orders, by id; unknown orders are left out.
func NumbersOf(tx *db.Tx, ids []id.Order) (map[id.Order]int64, error) {
	numbers := make(map[id.Order]int64, len(ids))
	return numbers, eachOf(tx, ids, func(r db.Rows) error {
		var order id.Order
		var number int64
		err := r.Scan(&order, &number)
		numbers[order] = number
		return err
	}, "SELECT o.id, o.number FROM orders o WHERE o.tenant_id = $1 AND o.id IN ", "")
}

// Numbered is an order with its number.
type Numbered struct {
	Order  id.Order
	Number int64
}

// OfShipments reads the orders of some shipments, by the shipment's id; unknown shipments are left out.
func OfShipments(tx *db.Tx, ids []id.Shipment) (map[id.Shipment]Numbered, error) {
	found := make(map[id.Shipment]Numbered, len(ids))
	return found, eachOf(tx, ids, func(r db.Rows) error {
		var shipment id.Shipment
		var of Numbered
		err := r.Scan(&shipment, &of.Order, &of.Number)
		found[shipment] = of
		return err
	}, "SELECT s.id, o.id, o.number FROM shipments s JOIN orders o ON o.tenant_id = s.tenant_id AND o.id = s.order_id "+
		"WHERE s.tenant_id = $1 AND s.id IN ", "")
}

// ByIDs reads some orders with their lines, in the order of the ids; unknown orders are left out.
func ByIDs(tx *db.Tx, ids []id.Order) ([]Order, error) {
	found := make(map[id.Order]Order, len(ids))
	scan := table.Scanner()
	err := eachOf(tx, ids, func(r db.Rows) error {
		o, err := scan(r)
		found[o.ID] = o
		return err
	}, "SELECT "+table.Columns("o")+from+"WHERE o.tenant_id = $1 AND o.id IN ", "")
	if err != nil {
		return nil, err
	}
	var list []Order
	for _, order := range ids {
		if o, ok := found[order]; ok {
			list = append(list, o)
			delete(found, order)
		}
	}
	return list, readLines(tx, list)
}
