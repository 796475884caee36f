package failover

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"entrepot/test/blackbox/harness"
)

// findings count what the audit found wrong; all must stay 0.
type findings struct{ lost, doubled, missing, deliveries, replays int }

// audit holds the store against the clients' journals.
func (s *shop) audit(clients []*client, feed *walker) {
	var f findings
	wrong := func(counter *int, format string, args ...any) {
		if *counter++; *counter <= 5 {
			s.t.Errorf(format, args...)
		}
	}
	orders := s.orders()
	requests, repeated, made := 0, 0, 0
	onHand, reserved := map[string]int64{}, map[string]int64{}
	want := map[string]int{} // order and kind of event → how many
	for _, c := range clients {
		for i, e := range c.journal {
			requests++
			if e.asked > 1 {
				repeated++
			}
			switch e.kind {
			case "order":
				made++
				reserved[e.sku]++
				want[e.order+" order.received"]++
				if orders[e.order] == "" {
					wrong(&f.lost, "order %s was answered with 201 and is gone", e.order)
				}
			case "ship":
				onHand[c.journal[i-1].sku]--
				reserved[c.journal[i-1].sku]--
				for _, kind := range []string{"order.shipment_created", "order.status_changed", "order.shipped"} {
					want[e.order+" "+kind]++
				}
				if orders[e.order] != "SHIPPED" {
					wrong(&f.lost, "order %s was answered as SHIPPED and is %s", e.order, orders[e.order])
				}
			case "receive":
				onHand[e.sku]++
			}
			if e.asked == 1 && i%7 != 0 {
				continue
			}
			again, err := c.repeat(e, c.node+1)
			if err != nil || again.Status != e.answer.Status || !bytes.Equal(again.Body, e.answer.Body) {
				wrong(&f.replays, "key %s first gave %s and now %v %s", e.key, e.answer, err, again)
			}
		}
	}
	if len(orders) > made {
		wrong(&f.doubled, "%d orders were answered with 201, %d are there", made, len(orders))
	}
	for n := range skus {
		level, err := s.on(n).Call(http.MethodGet, "/api/v1/inventory?sku="+sku(n), nil)
		has, holds := level.Count("data", 0, "quantity"), level.Count("data", 0, "reserved")
		if err != nil || has < onHand[sku(n)] || holds < reserved[sku(n)] {
			wrong(&f.lost, "%s: %d on hand, %d reserved, want %d, %d: %v %s", sku(n), has, holds, onHand[sku(n)], reserved[sku(n)], err, level)
		}
		if has > onHand[sku(n)] || holds > reserved[sku(n)] {
			wrong(&f.doubled, "%s: %d on hand, %d reserved, want %d, %d", sku(n), has, holds, onHand[sku(n)], reserved[sku(n)])
		}
	}
	log, err := s.account.Log("")
	if err != nil {
		s.t.Fatal(err)
	}
	there := map[string]bool{}
	for _, event := range log {
		there[event.ID] = true
		of := event.Resource()
		if _, counted := want[of+" "+event.Kind]; counted {
			want[of+" "+event.Kind]--
		}
	}
	for what, n := range want {
		if n > 0 {
			wrong(&f.missing, "order and event %s: %d missing", what, n)
		} else if n < 0 {
			wrong(&f.doubled, "order and event %s: %d too many", what, -n)
		}
	}
	again := 0
	for i, inbox := range s.inboxes {
		again += s.auditDeliveries(inbox, i == 1, log, there, func(format string, args ...any) { wrong(&f.deliveries, format, args...) })
	}
	missed := feed.missed()
	if out, err := s.nodes[0].Command("verify"); err != nil {
		s.t.Errorf("verify: %v\n%s", err, out)
	}
	s.t.Logf("%d fail-overs, %d requests (%d sent again), %d answers 503 (%d outcome_unknown), %d orders, %d events: lost %d, doubled %d, "+
		"missing events %d, wrong deliveries %d, replays that differ %d, changes the feed missed %d; %d deliveries came again with the same id",
		*rounds, requests, repeated, s.unavailable.Load(), s.unknown.Load(), len(orders), len(log), f.lost, f.doubled, f.missing, f.deliveries,
		f.replays, missed, again)
}

// orders is the status of every order.
func (s *shop) orders() map[string]string {
	all := map[string]string{}
	for cursor := ""; ; {
		path := "/api/v1/orders?limit=100&sort=createdAt:asc"
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		page, err := s.on(0).Call(http.MethodGet, path, nil)
		if err != nil || page.Status != http.StatusOK {
			s.t.Fatalf("listing orders: %v %s", err, page)
		}
		rows := page.List("data")
		for _, row := range rows {
			id, _ := harness.At(row, "id").(string)
			all[id], _ = harness.At(row, "status").(string)
		}
		if cursor = page.Text("meta", "nextCursor"); cursor == "" || len(rows) == 0 {
			return all
		}
	}
}

// auditDeliveries waits until every event of the log came, and nothing else; it reports how many came again. What an ordered endpoint
// got of one order came in the order of the log.
func (s *shop) auditDeliveries(inbox *harness.Inbox, ordered bool, log []harness.Event, there map[string]bool,
	wrong func(string, ...any)) (again int) {
	first := map[string]int{} // event → its place among what came
	err := harness.Eventually(5*time.Minute, func() error {
		for i, d := range inbox.Deliveries() {
			if _, came := first[d.EventID()]; !came {
				first[d.EventID()] = i
			}
		}
		if len(first) < len(log) {
			return fmt.Errorf("%d of %d events were delivered", len(first), len(log))
		}
		return nil
	})
	if err != nil {
		wrong("%v", err)
	}
	deliveries := inbox.Deliveries()
	for _, d := range deliveries {
		if !there[d.EventID()] {
			wrong("%s %s was delivered and is not in the log", d.Kind(), d.EventID())
		}
	}
	last := map[string]int{}
	for _, event := range log {
		of := event.Resource()
		if at, came := first[event.ID]; ordered && came {
			if at < last[of] {
				wrong("%s %s of %s came before an earlier one", event.Kind, event.ID, of)
			}
			last[of] = max(last[of], at)
		}
	}
	for i, d := range deliveries {
		if i%20 == 0 {
			for _, fault := range inbox.Check(d) {
				wrong("a delivery of %s: %s", d.Kind(), fault)
			}
		}
	}
	return len(deliveries) - len(first)
}
