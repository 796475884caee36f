package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

const (
	importPath = "/api/v1/sdk/products/bulk-import"
	stockPath  = "/api/v1/sdk/inventory/bulk-update"
	many       = 600 // items: three pieces of prices or stock at least
)

func sku(i int) string { return fmt.Sprintf("P-%04d", i) }

// fill makes many products with 5 pieces in stock each.
func (s *server) fill(t *testing.T) {
	t.Helper()
	var products []any
	for i := range many {
		products = append(products, item{"sku": sku(i), "name": sku(i), "price": 1, "stock": item{"quantity": 5}})
	}
	if out := s.must(t, 202, "POST", importPath, importBody(nil, products...)); number(out, "data", "accepted") != fmt.Sprint(many) {
		t.Fatalf("filled: %v", out)
	}
	s.disturb(t)
}

// disturb is a transaction of somebody else: the next bulk operation does not begin as if it were alone.
func (s *server) disturb(t *testing.T) {
	t.Helper()
	s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Mugs"})
}

// whenRead calls run once for each of some SKUs or ids, when a statement with a text is about to read it. It gives what was read of them,
// in the order of the statements; those that run itself makes are left out.
func (s *server) whenRead(statement string, run func(one string), some ...string) (reads *[]string) {
	reads, busy := new([]string), false
	hook := func(sql string, args []any) {
		if busy || !strings.Contains(sql, statement) {
			return
		}
		for _, one := range some {
			if !slices.ContainsFunc(args, func(arg any) bool { return fmt.Sprint(arg) == one }) {
				continue
			}
			first := !slices.Contains(*reads, one)
			if *reads = append(*reads, one); first {
				busy = true
				run(one)
				busy = false
			}
		}
	}
	s.trace.Store(&hook)
	return reads
}

// runs are names with how often each stands in a row: "2 a, 1 b".
func runs(names []string) string {
	var out []string
	for len(names) > 0 {
		n := 1
		for n < len(names) && names[n] == names[0] {
			n++
		}
		out = append(out, fmt.Sprintf("%d %s", n, names[0]))
		names = names[n:]
	}
	return strings.Join(out, ", ")
}

func newQuantities(n int, quantity any) item {
	var updates []any
	for i := range n {
		updates = append(updates, item{"sku": sku(i), "quantity": quantity})
	}
	return item{"updates": updates}
}

func newPrices(n int, price any) item {
	var updates []any
	for i := range n {
		updates = append(updates, item{"sku": sku(i), "price": price})
	}
	return item{"updates": updates}
}

// ids and stamps of answers differ from account to account.
var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|"changedAt":"[^"]*"`)

// contents are the products and levels of an account, by SKU.
func (s *server) contents(t *testing.T) string {
	t.Helper()
	var lines []string
	for _, path := range []string{"/api/v1/sdk/products/changes", "/api/v1/sdk/inventory/changes"} {
		for _, one := range at(s.must(t, 200, "GET", path, nil), "data").([]any) {
			line, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, text(one, "sku")+ids.ReplaceAllString(string(line), "id"))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// An order that comes while a bulk update is under way is stored before the next piece of it: one of the same SKUs, too, after the piece
// has read their levels. Every change is in the feed.
func TestOrdersBetweenPieces(t *testing.T) {
	dbtest.Long(t, "a large bulk request is answered in pieces")
	engines(t, func(t *testing.T, s *server) {
		s.fill(t)
		_, from := s.eventsSince(0)
		since := text(s.must(t, 200, "GET", "/api/v1/sdk/inventory/changes", nil), "meta", "nextSince")
		s.whenRead("CROSS JOIN stock_levels", func(sku string) {
			s.must(t, 201, "POST", "/api/v1/orders", item{"customerName": "Ada", "items": []any{item{"sku": sku, "quantity": 2, "unitPrice": 1}}})
		}, sku(0), sku(256), sku(512))
		out := s.must(t, 200, "PATCH", stockPath, newQuantities(many, 9))
		s.trace.Store(nil)
		if number(out, "data", "updated") != fmt.Sprint(many) {
			t.Errorf("answer: %v", out)
		}
		names, _ := s.eventsSince(from)
		want := "1 order.received, 256 stock.updated, 1 order.received, 256 stock.updated, 1 order.received, 88 stock.updated"
		if got := runs(names); got != want {
			t.Errorf("events: %s, not %s", got, want)
		}
		level := at(s.must(t, 200, "GET", "/api/v1/inventory?sku="+sku(256), nil), "data", 0)
		if number(level, "quantity") != "9" || number(level, "reserved") != "2" {
			t.Errorf("a level of which an order reserved while its piece was planned: %v", level)
		}
		if feed := s.must(t, 200, "GET", "/api/v1/sdk/inventory/changes?since="+since, nil); number(feed, "meta", "total") != fmt.Sprint(many) {
			t.Errorf("the feed: %v", at(feed, "meta"))
		}
		s.sound(t)
	})
}

// Thresholds are stored in pieces, too: an order that comes meanwhile is stored before the next of them.
func TestOrdersBetweenPiecesOfThresholds(t *testing.T) {
	dbtest.Long(t, "a large bulk request is answered in pieces")
	engines(t, func(t *testing.T, s *server) {
		s.fill(t)
		_, from := s.eventsSince(0)
		s.whenRead("CROSS JOIN stock_levels", func(sku string) {
			s.must(t, 201, "POST", "/api/v1/orders", item{"customerName": "Ada", "items": []any{item{"sku": sku, "quantity": 2, "unitPrice": 1}}})
		}, sku(0), sku(256), sku(512))
		var updates []any
		for i := range many {
			updates = append(updates, item{"sku": sku(i), "threshold": 4})
		}
		out := s.must(t, 200, "PATCH", "/api/v1/inventory/thresholds", item{"updates": updates})
		s.trace.Store(nil)
		if number(out, "data", "updated") != fmt.Sprint(many) {
			t.Errorf("answer: %v", out)
		}
		names, _ := s.eventsSince(from)
		want := "1 order.received, 1 stock.low, 1 order.received, 1 stock.low, 1 order.received, 1 stock.low" // the SKUs of the orders are
		if got := runs(names); got != want {
			t.Errorf("events: %s, not %s", got, want)
		}
		if got := s.level(t, sku(256), "MAIN"); got != "5/2/3 4" {
			t.Errorf("a level of which an order reserved while its piece was planned: %s", got)
		}
		s.sound(t)
	})
}

// A piece whose products were changed after it was planned is planned again, and no other piece.
func TestOneLostPieceIsPlannedAgain(t *testing.T) {
	dbtest.Long(t, "a large bulk request is answered in pieces")
	engines(t, func(t *testing.T, s *server) {
		s.fill(t)
		s.must(t, 202, "POST", importPath, importBody(nil, item{"sku": sku(520), "name": "M", "price": 1, "variants": []item{{"sku": "V"}}}))
		s.disturb(t)
		product := text(s.must(t, 200, "GET", "/api/v1/products?sku="+sku(520), nil), "data", 0, "id")
		update := newPrices(many, 3)
		update["updates"] = append(update["updates"].([]any), item{"sku": "V", "price": 2})
		reads := s.whenRead("", func(which string) {
			if which == product { // its variants are read when it was read itself
				s.must(t, 200, "PATCH", "/api/v1/products/"+product, item{"compareAtPrice": 7})
			}
		}, sku(0), product)
		s.must(t, 200, "PATCH", pricePath, update)
		s.trace.Store(nil)
		if got, want := fmt.Sprint(*reads), fmt.Sprint([]string{sku(0), sku(0), product, product}); got != want {
			t.Errorf("planned: %s, not %s", got, want)
		}
		if p := s.prices(t, sku(520)); p != "3/7 V=2/-" {
			t.Errorf("both changes: %s", p)
		}
	})
}

// A caller who goes away between two pieces leaves the first applied with its events, and no job. The same request again does the rest:
// what is there already is counted, and makes no second event.
func TestRepeatAfterOnePiece(t *testing.T) {
	dbtest.Long(t, "a large bulk request is answered in pieces")
	engines(t, func(t *testing.T, s *server) {
		var products []any
		for i := range many {
			products = append(products, item{"sku": sku(i), "name": sku(i), "price": 1, "stock": item{"quantity": 5}})
		}
		text, err := json.Marshal(importBody(nil, products...))
		if err != nil {
			t.Fatal(err)
		}
		body := string(text)
		ctx, leave := context.WithCancel(t.Context())
		s.whenRead("AS (VALUES", func(string) { leave() }, sku(300))
		r := httptest.NewRequestWithContext(ctx, "POST", importPath, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-API-Key", s.key)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		s.trace.Store(nil)
		stored := len(at(s.must(t, 200, "GET", "/api/v1/sdk/products/changes", nil), "data").([]any))
		if w.Code < 300 || stored == 0 || stored > 300 {
			t.Fatalf("%d products are stored, answer %d %s", stored, w.Code, w.Body)
		}
		if jobs := s.must(t, 200, "GET", "/api/v1/jobs", nil); len(at(jobs, "data").([]any)) > 0 {
			t.Errorf("jobs of what has not ended: %v", jobs)
		}
		out := s.must(t, 200, "POST", importPath+"?wait=true", body)
		if number(out, "created") != fmt.Sprint(many-stored) || number(out, "updated") != fmt.Sprint(stored) {
			t.Errorf("again, behind %d: %v", stored, out)
		}
		names, _ := s.eventsSince(0)
		slices.Sort(names)
		if got := runs(names); got != fmt.Sprintf("%d product.created, %d stock.updated", many, many) {
			t.Errorf("events: %s", got)
		}
		s.sound(t)
	})
}

// A request in pieces is answered like one that its Idempotency-Key keeps whole, and leaves the same behind, whatever the pieces divide: a
// SKU that stands twice, unknown ones, items that cannot be read.
func TestPiecesAnswerAsOne(t *testing.T) {
	dbtest.Long(t, "large bulk requests are answered whole and in pieces")
	engines(t, func(t *testing.T, s *server) {
		products := make([]any, many)
		for i := range products {
			products[i] = item{"sku": sku(i), "name": "Mug", "price": 1, "stock": item{"quantity": i}}
		}
		products[5].(item)["variants"] = []item{{"sku": "V", "stock": 3}, {"sku": "W"}}
		products[300].(item)["sku"] = sku(0)
		products[400].(item)["sku"] = "V"
		products[410].(item)["variants"] = []item{{"sku": "W"}, {"sku": sku(1)}}
		products[420].(item)["price"] = "x"
		products[430] = "text"
		updates := func(value string) item {
			list := make([]any, 0, many)
			for i := range many {
				list = append(list, item{"sku": sku(i), value: i + 2})
			}
			list = append(list, item{"sku": sku(3), value: 1}, item{"sku": "V", value: 8}, item{"sku": "NO", value: 1})
			list[300] = item{"sku": sku(7), value: 1}
			list[555] = item{"sku": "NO", value: 1}
			list[556] = item{"sku": sku(8), value: -1}
			return item{"updates": list}
		}
		other := s.stranger()
		for _, c := range []struct {
			method, path string
			status       int
			body         item
		}{
			{"POST", importPath, 202, importBody(nil, products...)}, {"POST", importPath + "?wait=true", 200, importBody(nil, products...)},
			{"PATCH", pricePath, 200, updates("price")}, {"PATCH", stockPath, 200, updates("quantity")},
		} {
			var answers, left []string
			for _, account := range []*server{s, other} {
				header := map[string]string{}
				if account == other {
					header["Idempotency-Key"] = c.path
				}
				got := account.do(call{method: c.method, path: c.path, body: c.body, header: header})
				if got.status != c.status {
					t.Fatalf("%s: %d %s", c.path, got.status, got.body)
				}
				answers = append(answers, ids.ReplaceAllString(string(got.body), "id"))
				left = append(left, account.contents(t))
			}
			if answers[0] != answers[1] {
				t.Errorf("%s in pieces: %s\nat once: %s", c.path, answers[0], answers[1])
			}
			if left[0] != left[1] {
				t.Errorf("%s leaves other products or levels in pieces than at once", c.path)
			}
		}
		s.sound(t)
	})
}

// An import in pieces has one job, which counts all items, and publishes the products of every piece.
func TestPiecesHaveOneJob(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		channel := id.New[id.Channel]()
		s.write(s.tenant, func(tx *db.Tx) error {
			channels.Channel{ID: channel, Name: "ERP", Platform: channels.Custom, Oversell: "allow", Status: channels.Active,
				Settings: "{}"}.Insert(tx)
			return nil
		})
		products := []any{item{"sku": "no name"}}
		for i := range many {
			products = append(products, item{"sku": sku(i), "name": sku(i), "price": 1})
		}
		accepted := s.must(t, 202, "POST", importPath, importBody(item{"channelId": channel}, products...))
		list := s.must(t, 200, "GET", "/api/v1/jobs", nil)
		job := at(list, "data", 0)
		if len(at(list, "data").([]any)) != 1 || text(job, "jobId") != text(accepted, "data", "jobId") ||
			number(job, "totalItems") != fmt.Sprint(many+1) || number(job, "created") != fmt.Sprint(many) || number(job, "failed") != "1" {
			t.Errorf("jobs: %v", list)
		}
		if on := s.must(t, 200, "GET", "/api/v1/products?channelId="+string(channel), nil); number(on, "meta", "total") != fmt.Sprint(many) {
			t.Errorf("published: %v", at(on, "meta"))
		}
		var input string
		if err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT input FROM jobs WHERE tenant_id = $1", []any{tx.Tenant}, &input)
		}); err != nil || strings.Count(input, "-") != 4*many {
			t.Errorf("the job names %d products, %v", strings.Count(input, "-")/4, err)
		}
	})
}
