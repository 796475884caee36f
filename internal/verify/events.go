package verify

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"slices"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// horizon returns the time since which all events are certainly kept: that of the oldest event, but at most a day ago,
// so that a missing newer event is always found.
func (c *account) horizon() (int64, error) {
	day := c.Now().Add(-24 * time.Hour).UnixMicro()
	var oldest int64
	err := c.Row("SELECT created_at FROM events WHERE tenant_id = $1 ORDER BY stamp LIMIT 1", []any{c.Tenant}, &oldest)
	if errors.Is(err, db.ErrNoRow) {
		return day, nil
	}
	return min(oldest, day), err
}

// partSize limits how many records are held in memory at once; more are checked in several passes over the events.
var partSize = 200_000

// part is one of several equal parts of all records, by their names.
type part struct{ number, of uint32 }

func (p part) has(name string) bool {
	if p.of == 1 {
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()%p.of == p.number
}

// inParts runs a check in as many parts as n records need.
func inParts(n int64, look func(part) error) error {
	p := part{of: uint32(n/int64(partSize)) + 1}
	for ; p.number < p.of; p.number++ {
		if err := look(p); err != nil {
			return err
		}
	}
	return nil
}

// names calls each with the name and the resource of every event of the log whose name has a prefix, in commit order.
func (c *account) names(prefix string, each func(event, resource string)) error {
	return c.Each(func(r db.Rows) error {
		var event, resource string
		err := r.Scan(&event, &resource)
		each(event, resource)
		return err
	}, "SELECT event, resource_id FROM events WHERE tenant_id = $1 AND endpoint_id IS NULL AND event LIKE $2 ORDER BY stamp", c.Tenant,
		prefix+"%")
}

// orderNames are the events of an order that are counted.
var orderNames = []string{webhooks.OrderReceived, webhooks.OrderStatusChanged, webhooks.OrderShipped, webhooks.OrderDelivered,
	webhooks.OrderCancelled, webhooks.OrderReturned, webhooks.OrderShipmentCreated}

// shipmentCreated is the index of the event that may occur more often than there are shipments, because shipments can
// be deleted.
const shipmentCreated = 6

// orderTally counts the events of an order: how often each of orderNames is expected, and how often it was recorded.
type orderTally struct {
	number     int64
	created    int64
	silent     bool // created as shipped: its first shipment has no event
	want, sent [7]int64
}

func orderEvents(c *account) error {
	horizon, err := c.horizon()
	if err != nil {
		return err
	}
	var n int64
	if err := c.Row("SELECT count(*) FROM orders WHERE tenant_id = $1 AND (created_at >= $2 OR recorded_at >= $2)", []any{c.Tenant, horizon},
		&n); err != nil {
		return err
	}
	return inParts(n, func(p part) error {
		tallies, err := dueOfOrders(c, p, horizon)
		if err != nil {
			return err
		}
		err = c.names("order.", func(event, resource string) {
			if t := tallies[resource]; t != nil {
				if i := slices.Index(orderNames, event); i >= 0 {
					t.sent[i]++
				}
			}
		})
		for _, t := range tallies {
			for i, name := range orderNames {
				if t.sent[i] < t.want[i] || t.sent[i] > t.want[i] && i != shipmentCreated {
					c.wrong("%s has the event %s %d times, not %d", orders.Number(t.number), name, t.sent[i], t.want[i])
				}
			}
		}
		return err
	})
}

// dueOfOrders computes the events expected from a part of the orders.
func dueOfOrders(c *account, p part, horizon int64) (map[string]*orderTally, error) {
	tallies := map[string]*orderTally{}
	err := c.Each(func(r db.Rows) error {
		var id string
		var initial orders.Status
		var shippedNotified bool
		t := &orderTally{}
		if err := r.Scan(&id, &t.number, &initial, &shippedNotified, &t.created); err != nil || !p.has(id) {
			return err
		}
		c.look()
		t.silent = initial == orders.Shipped || initial == orders.Delivered
		t.want[0] = 1
		if shippedNotified && !t.silent {
			t.want[2] = 1
		}
		tallies[id] = t
		return nil
	}, "SELECT id, number, initial_status, shipped_notified, coalesce(recorded_at, created_at) FROM orders WHERE tenant_id = $1 AND "+
		"(created_at >= $2 OR recorded_at >= $2)", c.Tenant, horizon)
	if err != nil {
		return nil, err
	}
	err = c.Each(func(r db.Rows) error {
		var id string
		var status orders.Status
		err := r.Scan(&id, &status)
		if t := tallies[id]; t != nil {
			t.want[1]++
			if i := slices.Index([]orders.Status{orders.Delivered, orders.Cancelled, orders.Returned}, status); i >= 0 {
				t.want[3+i]++
			}
		}
		return err
	}, "SELECT order_id, status FROM order_history WHERE tenant_id = $1", c.Tenant)
	if err != nil {
		return nil, err
	}
	return tallies, c.Each(func(r db.Rows) error {
		var id string
		var automatic bool
		var created int64
		err := r.Scan(&id, &automatic, &created)
		if t := tallies[id]; t != nil && !(t.silent && automatic && created == t.created) {
			t.want[shipmentCreated]++
		}
		return err
	}, "SELECT order_id, automatic, created_at FROM shipments WHERE tenant_id = $1", c.Tenant)
}

// stockEvents also finds on-hand that changed without an event while all events are kept. The removal of a deleted
// product's stock has no event.
func stockEvents(c *account) error {
	horizon, err := c.horizon()
	if err != nil {
		return err
	}
	for from, last := "", false; !last; {
		var to string
		err := c.Row("SELECT sku FROM stock_levels WHERE tenant_id = $1 AND sku > $2 ORDER BY sku LIMIT 1 OFFSET $3",
			[]any{c.Tenant, from, partSize}, &to)
		if last = errors.Is(err, db.ErrNoRow); err != nil && !last {
			return err
		}
		if err := stockEventsBetween(c, from, to, horizon); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// stockEventsBetween checks the levels whose SKU is above from and not above to, "" for all above from.
func stockEventsBetween(c *account, from, to string, horizon int64) error {
	newest, err := newestOfLevels(c, from, to)
	if err != nil {
		return err
	}
	w := skusBetween(c, "l", "l.sku", from, to).And("l.deleted_at IS NULL")
	return c.Each(func(r db.Rows) error {
		var at stock.Place
		var onHand, moved int64
		var reference string
		if err := r.Scan(&at.SKU, &at.Warehouse, &onHand, &moved, &reference); err != nil || reference == "product" {
			return err
		}
		c.look()
		switch quantity, ok := newest[at]; {
		case ok && quantity != onHand:
			c.wrong("%s in %s has %d on hand, its newest event says %d", at.SKU, at.Warehouse, onHand, quantity)
		case !ok && moved >= horizon:
			c.wrong("%s in %s moved to %d on hand, and no event says so", at.SKU, at.Warehouse, onHand)
		}
		return nil
	}, `SELECT l.sku, l.warehouse_code, l.on_hand, m.created_at, m.reference_type
		FROM stock_levels l JOIN movements m ON m.tenant_id = $1 AND m.sku = l.sku
			AND m.stamp = (SELECT max(n.stamp) FROM movements n WHERE n.tenant_id = $1 AND n.sku = l.sku AND n.warehouse_code = l.warehouse_code)
		WHERE `+w.String(), w.Args()...)
}

// skusBetween returns the condition that a SKU is above from and not above to, "" for all above from.
func skusBetween(c *account, table, column, from, to string) *db.Where {
	w := db.NewWhere(c.Tx, table).And(column+" > ?", from)
	if to != "" {
		w.And(column+" <= ?", to)
	}
	return w
}

// newestOfLevels reads the quantity in the newest event of each level whose SKU is above from and not above to.
func newestOfLevels(c *account, from, to string) (map[stock.Place]int64, error) {
	newest := map[stock.Place]int64{}
	w := skusBetween(c, "", "resource_id", from, to).And("endpoint_id IS NULL AND event = ?", webhooks.StockUpdated)
	return newest, c.Each(func(r db.Rows) error {
		var sku, payload string
		if err := r.Scan(&sku, &payload); err != nil {
			return err
		}
		var event struct {
			Data struct {
				SKU           string `json:"sku"`
				WarehouseCode string `json:"warehouseCode"`
				Quantity      int64  `json:"quantity"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(payload), &event); err != nil || event.Data.SKU != sku {
			c.wrong("an event stock.updated about %s cannot be read: %.80s", sku, payload)
			return nil
		}
		newest[stock.Place{SKU: sku, Warehouse: event.Data.WarehouseCode}] = event.Data.Quantity
		return nil
	}, "SELECT resource_id, payload FROM events WHERE "+w.String()+" ORDER BY stamp", w.Args()...)
}
