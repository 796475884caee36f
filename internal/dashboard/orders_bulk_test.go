package dashboard

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

// work runs the jobs that are due, as a worker does.
func (s *site) work() {
	s.t.Helper()
	for {
		var list []jobs.Job
		s.do(db.Across, func(tx *db.Tx) (err error) {
			list, err = jobs.Claim(tx, 10, 1e9)
			return err
		})
		if len(list) == 0 {
			return
		}
		for _, job := range list {
			run := s.Commerce.RunOrderBulk
			if job.Type == jobs.ProductBulk {
				run = s.Commerce.RunProductBulk
			}
			if err := run(s.t.Context(), s.DB, job, 1e9); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// All orders of a view are shipped by one job, even after a second click, and the report gives the outcome of each.
func TestBulkShip(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		for i := range 9 {
			c.order([]string{"PROCESSING", "PENDING"}[i/6], nil, 2)
		}
		sheet := b.post("/orders/bulk", url.Values{"all": {"9"}, "to": {"SHIPPED"}})
		has(t, sheet, "Ship orders", "ORD-000001", "2 units", "Still pending: release it to ship first", "Ship 6 orders")
		values := sheet.inputs(t, "/orders/bulk")
		values.Set("carrier", "Colissimo")
		values["number"][0], values["number"][1], values["rowCarrier"][2] = "1Z999AA10123456784", "A-1", "By hand"
		values.Set("numbers", "JJD014600001234567\n\n A-2 \n")
		filled := b.post("/orders/bulk", values) // Enter in an input, or a scanner's
		if filled.status != 200 {
			t.Fatalf("%d %s", filled.status, filled.words())
		}
		numbers := []string{"1Z999AA10123456784", "A-1", "JJD014600001234567", "A-2", "", ""}
		if got := filled.inputs(t, "/orders/bulk"); !slices.Equal(got["number"], numbers) ||
			!slices.Equal(got["rowCarrier"], []string{"UPS", "", "By hand", "", "", ""}) || got.Get("numbers") != "" {
			t.Errorf("filled in: %v", got)
		}
		more := filled.inputs(t, "/orders/bulk")
		more.Set("numbers", "1\n2\n3")
		more.Set("act", "ship")
		has(t, b.post("/orders/bulk", more), "There are more numbers than orders")
		values = filled.inputs(t, "/orders/bulk")
		values.Set("act", "ship")
		asked := b.post("/orders/bulk", values) // two have no number: it asks once
		has(t, asked, "2 orders have no tracking number", "Ship 6 orders, 2 without tracking")
		values = asked.inputs(t, "/orders/bulk")
		values.Set("act", "ship")
		first, second := b.post("/orders/bulk", values), b.post("/orders/bulk", values)
		if first.status != 303 || first.to() != second.to() {
			t.Fatalf("%d %q, %d %q", first.status, first.to(), second.status, second.to())
		}
		if out := b.follow(first); !strings.Contains(out.words(), "Running") || !strings.Contains(out.words(), "0 of 6") {
			t.Errorf("%s", out.words())
		}
		s.work()
		out := b.follow(first)
		has(t, out, "6 of 6", "6 done, 0 refused", "Done")
		tracked := map[string]string{}
		for _, id := range values["id"] {
			o := c.call("GET", "/orders/"+id, nil)
			tracked[fmt.Sprint(o["orderNumber"])] = fmt.Sprint(o["status"], " ", o["trackingCarrier"], " ", o["trackingNumber"])
		}
		want := map[string]string{}
		for i, of := range []string{"UPS 1Z999AA10123456784", "Colissimo A-1", "By hand JJD014600001234567", "Colissimo A-2", "Colissimo <nil>",
			"Colissimo <nil>"} {
			want[orders.Number(numberOf(c, values["id"][i]))] = "SHIPPED " + of
		}
		if !maps.Equal(tracked, want) {
			t.Errorf("shipped %v, not %v", tracked, want)
		}
		undone := b.follow(b.submit(t, out, strings.TrimPrefix(first.to(), prefix)+"/undo"))
		has(t, undone, "Undo shipping", "Running")
		s.work()
		for _, id := range values["id"] {
			if o := c.call("GET", "/orders/"+id, nil); o["status"] != "PROCESSING" || len(o["shipments"].([]any)) != 0 {
				t.Errorf("after undo: %v", o)
			}
		}
		if out := b.follow(b.post("/orders/bulk", url.Values{"to": {"SHIPPED"}})); !strings.Contains(out.words(), "No order is selected") {
			t.Errorf("%s", out.words())
		}
	})
}

// More orders than the sheet takes are shipped without tracking after one question, and the report undoes all of them.
func TestBulkShipOfMoreThanTheSheetTakes(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	const many = limits.MaxBulkShip + 1
	for range many {
		c.order("PROCESSING", nil, 1)
	}
	asked := b.post("/orders/bulk", url.Values{"all": {strconv.Itoa(many)}, "to": {"SHIPPED"}})
	has(t, asked, "Ship: 501 orders?", "without tracking", "The report can undo all of it")
	report := b.post("/orders/bulk", asked.inputs(t, "/orders/bulk"))
	s.work()
	out := b.follow(report)
	has(t, out, "501 done, 0 refused")
	undone := b.submit(t, out, strings.TrimPrefix(report.to(), prefix)+"/undo")
	s.work()
	has(t, b.follow(undone), "Undo shipping", "501 done, 0 refused")
	has(t, b.get("/orders?status=PROCESSING"), "501 orders")
}

// Whoever chooses more orders than can be printed at once reads so above the list.
func TestTooManySlips(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	for range maxSlips + 1 {
		c.order("PENDING", nil, 1)
	}
	out := b.get("/orders/slip?status=PENDING")
	has(t, b.follow(out), "More than 100 orders are chosen", "Status: Pending")
	has(t, b.get("/orders/"+c.order("PENDING", nil, 12_345)), "0 of 12,345")
}

// What cannot be taken back is asked for, and changes nothing before.
func TestBulkCancelAsks(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		order := c.order("PENDING", nil, 2)
		values := url.Values{"id": {order}, "to": {"CANCELLED"}}
		if out := b.post("/orders/bulk", values); out.status != 200 || !strings.Contains(out.words(), "Cancel: 1 order?") {
			t.Fatalf("%d %s", out.status, out.words())
		}
		s.work()
		if got := c.call("GET", "/orders/"+order, nil)["status"]; got != "PENDING" {
			t.Fatalf("it is %s before it was confirmed", got)
		}
		values.Set("confirm", "yes")
		if out := b.post("/orders/bulk", values); out.status != 303 {
			t.Fatalf("%d %s", out.status, out.words())
		}
		s.work()
		if got := c.call("GET", "/orders/"+order, nil)["status"]; got != "CANCELLED" {
			t.Errorf("it is %s", got)
		}
	})
}

// All orders of a view are those that its page counted: none that came since, and if more match all the same, they are asked about.
func TestBulkOfWhatWasSeen(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		for range 3 {
			c.order("PENDING", nil, 1)
		}
		values := b.get("/orders?status=PENDING").inputs(t, "/orders/bulk")
		values.Set("all", "3")
		values.Set("to", "CANCELLED")
		c.order("PENDING", nil, 1)
		has(t, b.post("/orders/bulk", values), "Cancel: 3 orders?")
		values.Set("confirm", "yes")
		c.order("PENDING", map[string]any{"createdAt": "2020-02-02T02:02:02Z"}, 1) // imported meanwhile
		asked := b.post("/orders/bulk", values)
		has(t, asked, "Cancel: 4 orders?", "Meanwhile more orders match than the list showed")
		if out := b.post("/orders/bulk", asked.inputs(t, "/orders/bulk")); out.status != 303 {
			t.Fatalf("%d %s", out.status, out.words())
		}
		s.work()
		if list := c.list("/orders?status=CANCELLED"); len(list) != 4 {
			t.Errorf("%d orders are cancelled", len(list))
		}
	})
}

// Many orders that came back are asked about as one is: their units are on hand again only if the user says so.
func TestBulkReturn(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		const asked = "Put the shipped units back in stock"
		left := 100
		for _, restock := range []string{"", "true"} {
			values := url.Values{"id": {c.order("DELIVERED", nil, 3), c.order("DELIVERED", nil, 2)}, "to": {"RETURNED"}}
			left -= 5
			page := b.post("/orders/bulk", values)
			has(t, page, "Mark returned: 2 orders?", asked)
			if strings.Contains(page.body, `name="restock" value="true" checked`) {
				t.Error("units are taken as back unless the user says no")
			}
			values.Set("confirm", "yes")
			if restock != "" {
				values.Set("restock", restock)
				left += 5
			}
			if out := b.post("/orders/bulk", values); out.status != 303 {
				t.Fatalf("%d %s", out.status, out.words())
			}
			s.work()
			has(t, b.get("/stock/MUG"), fmt.Sprintf("ledger %d, on hand %d", left, left))
		}
		out := b.post("/orders/bulk", url.Values{"id": {c.order("PENDING", nil, 1)}, "to": {"CANCELLED"}})
		if strings.Contains(out.words(), asked) {
			t.Errorf("what is cancelled is not back: %s", out.words())
		}
	})
}

// numberOf is the number of an order.
func numberOf(c *shopper, order string) int64 {
	n, _ := orders.ParseNumber(fmt.Sprint(c.call("GET", "/orders/"+order, nil)["orderNumber"]))
	return n
}
