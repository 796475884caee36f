package webhooks

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
	"entrepot/internal/lists/liststest"
)

// listEndpoints are those of each account whose lists are compared.
var listEndpoints = []id.Endpoint{"019a1c52-7c1e-7d40-9a55-00000000000a", "019a1c52-7c1e-7d40-9a55-00000000000b",
	"019a1c52-7c1e-7d40-9a55-00000000000c"}

// deliverSome gives the endpoints of an account about n deliveries after those that they have: many in one moment and others hours
// apart, and of most events to several endpoints.
func deliverSome(a *liststest.Account, n int) {
	a.Write(func(tx *db.Tx) error {
		var position int64
		err := tx.Row("SELECT coalesce(max(position), $2::BIGINT) FROM deliveries WHERE tenant_id = $1",
			[]any{tx.Tenant, 20_000 * spans.Widths[spans.Days]}, &position)
		var list []Delivery
		for len(list) < n {
			position += []int64{1, 1, 1, 3_000_000, 40_000_000, 1_900_000_000, 30_000_000_000}[a.Dice.IntN(7)]
			name, resource := []string{OrderReceived, StockUpdated}[min(1, a.Dice.IntN(5))], fmt.Sprint("r", a.Dice.IntN(9))
			if a.Dice.IntN(40) == 0 {
				name = OrderReturned // a rare one
			}
			for _, endpoint := range listEndpoints[a.Dice.IntN(3):] {
				d := Delivery{ID: id.New[id.Delivery](), Endpoint: endpoint, Position: position, Event: id.New[id.Event](), EventStamp: position,
					Name: name, Resource: resource, State: States[a.Dice.IntN(3)], StatusCode: []int64{0, 200, 500, 503}[a.Dice.IntN(4)], Attempts: 1}
				if d.State == Pending {
					if d.Ordered = a.Dice.IntN(2) == 0; !d.Ordered {
						d.DueAt = 5_000
					}
				}
				list = append(list, d)
			}
		}
		storeDeliveries(tx, list)
		return err
	})
}

// storeDeliveries stores deliveries, and the counts and figures of their endpoints. A pending one that is not due waits for others of its
// resource.
func storeDeliveries(tx *db.Tx, list []Delivery) {
	counts, counted := map[id.Endpoint]*Counts{}, figures{}
	for _, d := range list {
		var lane any
		if d.State == Pending && d.DueAt == 0 {
			lane = d.Resource
		}
		if counts[d.Endpoint] == nil {
			counts[d.Endpoint] = &Counts{}
		}
		counts[d.Endpoint].add(d.State, 1)
		counted.move(d.Endpoint, d.Position, d.Name, in(d.State), 1)
		tx.Queue(`INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, lane, by_hand,
			state, attempts, due_at, status_code) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,FALSE,$11,1,$12,$13)`, tx.Tenant, d.Endpoint, d.Position,
			d.ID, d.Event, d.EventStamp, d.Name, d.Resource, d.Ordered, lane, d.State, db.Null(d.DueAt), db.Null(d.StatusCode))
	}
	for endpoint, c := range counts {
		tx.Queue(newQueue+` ON CONFLICT (tenant_id, endpoint_id) DO UPDATE SET pending = queues.pending + excluded.pending,
			delivered = queues.delivered + excluded.delivered, failed = queues.failed + excluded.failed`,
			tx.Tenant, endpoint, c.Pending, c.Delivered, c.Failed)
	}
	counted.store(tx.Queue, tx.Tenant)
}

// changeDeliveries gives some deliveries of an account other states, deletes some, and adds some.
func changeDeliveries(a *liststest.Account) {
	a.Write(func(tx *db.Tx) error {
		list, err := deliveryTable.All(tx, "ORDER BY endpoint_id, position")
		a.Dice.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		counted := figures{}
		for i, d := range list[:12] {
			key := []any{tx.Tenant, d.Endpoint, d.Position}
			counted.move(d.Endpoint, d.Position, d.Name, in(d.State), -1)
			tx.Queue("UPDATE queues SET "+string(d.State)+" = "+string(d.State)+" - 1 WHERE tenant_id = $1 AND endpoint_id = $2", key[:2]...)
			if i%4 == 0 {
				tx.Queue("DELETE FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND position = $3", key...)
				continue
			}
			state, due := States[a.Dice.IntN(3)], int64(0)
			if state == Pending {
				due = 6_000
			}
			counted.move(d.Endpoint, d.Position, d.Name, in(state), 1)
			tx.Queue("UPDATE queues SET "+string(state)+" = "+string(state)+" + 1 WHERE tenant_id = $1 AND endpoint_id = $2", key[:2]...)
			tx.Queue("UPDATE deliveries SET state = $4, due_at = $5, lane = NULL WHERE tenant_id = $1 AND endpoint_id = $2 AND position = $3",
				append(key, state, db.Null(due))...)
		}
		counted.store(tx.Queue, tx.Tenant)
		return err
	})
	deliverSome(a, 6)
}

// aSpan returns the times at a third and at two thirds of some rows.
func aSpan[R any](rows []R, at func(r *R) int64) (from, to int64) {
	times := make([]int64, len(rows))
	for i := range rows {
		times[i] = at(&rows[i])
	}
	slices.Sort(times)
	return times[len(times)/3], times[len(times)*2/3]
}

func positionOf(d *Delivery) int64 { return d.Position }

func idOf(d *Delivery) string { return string(d.ID) }

// newestDelivery compares two deliveries by their places in a list.
func newestDelivery(a, b *Delivery) int {
	return cmp.Or(cmp.Compare(b.Position, a.Position), cmp.Compare(b.Endpoint, a.Endpoint))
}

func idsOf(list []Delivery) (ids []string) {
	for i := range list {
		ids = append(ids, idOf(&list[i]))
	}
	return ids
}

// Every page of an endpoint's deliveries has the deliveries that looking at each gives, and their number.
func TestEveryPageOfAnEndpointsDeliveries(t *testing.T) {
	liststest.Compare(t, 600, liststest.Noun[Delivery, Filter]{
		Filters: func(rows []Delivery, add liststest.Add[Delivery, Filter]) {
			for _, s := range States {
				add(string(s), func(f *Filter) { f.State = s }, func(d *Delivery) bool { return d.State == s })
			}
			for name, event := range map[string]string{"frequent": OrderReceived, "rare": OrderReturned, "no such event": OrderShipped} {
				add(name, func(f *Filter) { f.Event = event }, func(d *Delivery) bool { return d.Name == event })
			}
			for name, resource := range map[string]string{"resource": "r2", "no such resource": "r"} {
				add(name, func(f *Filter) { f.Resource = resource }, func(d *Delivery) bool { return d.Resource == resource })
			}
			from, to := aSpan(rows, positionOf)
			add("since", func(f *Filter) { f.From = from }, func(d *Delivery) bool { return d.Position >= from })
			add("until", func(f *Filter) { f.To = to }, func(d *Delivery) bool { return d.Position <= to })
			add("no time", func(f *Filter) { f.From, f.To = to, from }, func(*Delivery) bool { return false })
		},
		Sorts: []liststest.Sort[Delivery, Filter]{{Name: "newest", OneWay: true, ByPage: true, Set: func(*Filter) {}, Compare: newestDelivery}},
		ID:    idOf,
		Page: func(f *Filter, p liststest.Page[Delivery]) {
			f.Endpoint, f.Limit, f.Offset = listEndpoints[1], p.Limit, p.Offset
		},
		List: func(tx *db.Tx, f Filter) ([]string, int64, error) {
			list, total, err := Deliveries(tx, f)
			if apperr.Is(err, apperr.NotFound) { // an account without endpoints
				err = nil
			}
			return idsOf(list), total, err
		},
		Rows: func(tx *db.Tx) ([]Delivery, error) {
			return deliveryTable.All(tx, "AND endpoint_id = $2", listEndpoints[1])
		},
		Fill: deliverSome, Change: changeDeliveries,
	})
}

// Following the deliveries of all endpoints shows what looking at each gives, newest first, also where a page ends because it has examined
// enough.
func TestEveryPageOfDeliveriesOverAllEndpoints(t *testing.T) {
	liststest.Compare(t, 300, liststest.Noun[Delivery, AcrossFilter]{Onward: true,
		Filters: func(rows []Delivery, add liststest.Add[Delivery, AcrossFilter]) {
			for name, e := range map[string]id.Endpoint{"endpoint": listEndpoints[1], "no such endpoint": id.New[id.Endpoint]()} {
				add(name, func(f *AcrossFilter) { f.Endpoint = e }, func(d *Delivery) bool { return d.Endpoint == e })
			}
			for _, s := range States {
				add(string(s), func(f *AcrossFilter) { f.State = s }, func(d *Delivery) bool { return d.State == s })
			}
			for name, event := range map[string]string{"frequent": OrderReceived, "rare": OrderReturned, "no such event": OrderShipped} {
				add(name, func(f *AcrossFilter) { f.Event = event }, func(d *Delivery) bool { return d.Name == event })
			}
			add("resource", func(f *AcrossFilter) { f.Resource = "r2" }, func(d *Delivery) bool { return d.Resource == "r2" })
			add("status", func(f *AcrossFilter) { f.StatusCode = 503 }, func(d *Delivery) bool { return d.StatusCode == 503 })
			from, to := aSpan(rows, positionOf)
			add("since", func(f *AcrossFilter) { f.From = from }, func(d *Delivery) bool { return d.Position >= from })
			add("until", func(f *AcrossFilter) { f.To = to }, func(d *Delivery) bool { return d.Position <= to })
		},
		Sorts: []liststest.Sort[Delivery, AcrossFilter]{{Name: "newest", OneWay: true, Set: func(*AcrossFilter) {}, Compare: newestDelivery}},
		ID:    idOf,
		Page: func(f *AcrossFilter, p liststest.Page[Delivery]) {
			if f.Limit, f.Look = p.Limit, 11; p.After != nil {
				f.After = &DeliveryCursor{p.After.Position, p.After.Endpoint}
			}
		},
		List: func(tx *db.Tx, f AcrossFilter) (ids []string, _ int64, err error) {
			for more := true; more && len(ids) < f.Limit; {
				page, err := Across(tx, f)
				if err != nil || len(page.Deliveries) > f.Limit {
					return nil, 0, fmt.Errorf("%d deliveries: %w", len(page.Deliveries), err)
				}
				ids = append(ids, idsOf(page.Deliveries)...)
				if more = page.Next != nil; more {
					f.After, _ = ParseDeliveryCursor(page.Next.String())
				}
			}
			return ids[:min(f.Limit, len(ids))], 0, nil
		},
		Rows: func(tx *db.Tx) ([]Delivery, error) { return deliveryTable.All(tx, "") },
		Fill: deliverSome, Change: changeDeliveries,
	})
}

// Following the log shows what looking at each event gives, in either order, also where a page ends because it has examined enough.
func TestEveryPageOfTheLog(t *testing.T) {
	fill := func(a *liststest.Account, n int) { fillLog(a.T, a.Store, a.Tenant, n) }
	liststest.Compare(t, 150, liststest.Noun[Logged, LogFilter]{Onward: true,
		Filters: func(rows []Logged, add liststest.Add[Logged, LogFilter]) {
			for name, event := range map[string]string{"indexed": OrderShipped, "bulk": StockUpdated, "bulk of products": ProductUpdated,
				"no such event": CustomerErased} {
				add(name, func(f *LogFilter) { f.Event = event }, func(e *Logged) bool { return e.Name == event })
			}
			for name, resource := range map[string]string{"order": anOrder, "product": aProduct, "SKU": "SKU-1", "no such record": "nothing"} {
				add(name, func(f *LogFilter) { f.Resource = resource }, func(e *Logged) bool { return e.Resource == resource })
			}
			from, to := aSpan(rows, func(e *Logged) int64 { return e.CreatedAt })
			add("since", func(f *LogFilter) { f.From = from }, func(e *Logged) bool { return e.CreatedAt >= from })
			add("until", func(f *LogFilter) { f.To = to }, func(e *Logged) bool { return e.CreatedAt <= to })
		},
		Sorts: []liststest.Sort[Logged, LogFilter]{{Name: "stamp", Set: func(*LogFilter) {},
			Compare: func(a, b *Logged) int { return cmp.Compare(a.Stamp, b.Stamp) }}},
		ID: func(e *Logged) string { return string(e.ID) },
		Page: func(f *LogFilter, p liststest.Page[Logged]) {
			if f.Limit, f.Look, f.Newest = p.Limit, 13, p.Descending; p.After != nil {
				f.After = p.After.ID
			}
		},
		List: func(tx *db.Tx, f LogFilter) (ids []string, _ int64, err error) {
			for more := true; more && len(ids) < f.Limit; {
				page, err := Log(tx, f)
				if err != nil || len(page.Events) > f.Limit {
					return nil, 0, fmt.Errorf("%d events: %w", len(page.Events), err)
				}
				for _, e := range page.Events {
					ids = append(ids, string(e.ID))
				}
				more, f.After = page.More, page.Next
			}
			return ids[:min(f.Limit, len(ids))], 0, nil
		},
		Rows: func(tx *db.Tx) ([]Logged, error) { return loggedTable.All(tx, "") },
		Fill: fill, Change: func(a *liststest.Account) { fill(a, 5) },
	})
}
