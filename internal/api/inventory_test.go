package api

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// stockUp makes products with stock in MAIN; -1 leaves the stock untold.
func (s *server) stockUp(t *testing.T, quantities map[string]int64) {
	t.Helper()
	var products []any
	for sku, n := range quantities {
		p := item{"sku": sku, "name": "Product " + sku, "price": 10}
		if n >= 0 {
			p["stock"] = item{"quantity": n}
		}
		products = append(products, p)
	}
	s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil, products...))
}

func (s *server) setStock(t *testing.T, updates ...item) any {
	t.Helper()
	return at(s.must(t, 200, "PATCH", "/api/v1/sdk/inventory/bulk-update", item{"updates": updates}), "data")
}

// level reads a level as "quantity/reserved/available threshold"; "" when there is none.
func (s *server) level(t *testing.T, sku, warehouse string) string {
	t.Helper()
	list := s.must(t, 200, "GET", "/api/v1/inventory?warehouseCode="+warehouse+"&sku="+url.QueryEscape(sku), nil)
	l := at(list, "data", 0)
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%s/%s/%s %s", number(l, "quantity"), number(l, "reserved"), number(l, "available"), number(l, "threshold"))
}

// newEvents are the names of the events since the last call, with reason and figures of the stock events.
type newEvents struct {
	s    *server
	next int64
}

func (e *newEvents) names() string {
	var names []string
	names, e.next = e.s.eventsSince(e.next)
	return strings.Join(names, " ")
}

// Valid items are applied, each invalid one is reported, and the first of two for one level counts.
func TestBulkInventory(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.stockUp(t, map[string]int64{"A": 5, "B": -1})
		events := newEvents{s: s}
		events.names()
		got := s.setStock(t, item{"sku": "A", "quantity": 7}, item{"sku": "B", "warehouseCode": "LYON", "quantity": 0},
			item{"sku": "A", "warehouseCode": "MAIN", "quantity": 9},
			item{"sku": "NO", "quantity": 1}, item{"sku": "A", "warehouseCode": "LYON", "quantity": -1}, item{"quantity": 1},
			item{"sku": "B", "quantity": "3"}, item{"sku": "A", "warehouseCode": strings.Repeat("x", 65), "quantity": 1})
		if number(got, "updated") != "2" || number(got, "notFound") != "1" {
			t.Errorf("counters: %v", got)
		}
		for i, want := range []string{"2 duplicate_sku sku", "3 unknown_sku sku", "4 invalid quantity", "5 required sku", "6 invalid quantity",
			"7 invalid warehouseCode"} {
			e := at(got, "errors", i)
			if have := number(e, "index") + " " + text(e, "code") + " " + text(e, "field"); have != want {
				t.Errorf("errors[%d]: %s, want %s", i, have, want)
			}
		}
		if have := events.names(); have != "stock.updated" {
			t.Errorf("events: %s", have)
		}
		if a, b := s.level(t, "A", "MAIN"), s.level(t, "B", "LYON"); a != "7/0/7 0" || b != "0/0/0 0" {
			t.Errorf("levels: %q %q", a, b)
		}
		if got := s.setStock(t, item{"sku": "A", "quantity": 7}, item{"sku": "B", "warehouseCode": "LYON", "quantity": 0}); number(got,
			"updated") != "2" {
			t.Errorf("equal items: %v", got)
		}
		if have := events.names(); have != "" {
			t.Errorf("events of equal items: %s", have)
		}
		ledger := s.must(t, 200, "GET", "/api/v1/inventory/A/ledger", nil)
		if number(ledger, "meta", "total") != "2" || number(ledger, "data", 0, "delta") != "2" || number(ledger, "data", 0, "balance") != "7" ||
			text(ledger, "data", 1, "cause") != "import" {
			t.Errorf("ledger: %v", ledger)
		}
	})
}

func TestStrictWarehouses(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.stockUp(t, map[string]int64{"A": 5})
		if status, answer := s.login(t, "PATCH", "/api/v1/account", item{"strictWarehouses": true}); status != 200 {
			t.Fatal(answer)
		}
		got := s.setStock(t, item{"sku": "A", "warehouseCode": "OSLO", "quantity": 7}, item{"sku": "A", "quantity": 6})
		if number(got, "updated") != "1" || text(got, "errors", 0, "code") != "unknown_warehouse" {
			t.Errorf("bulk: %v", got)
		}
		got = at(s.must(t, 200, "PATCH", "/api/v1/inventory/thresholds",
			item{"updates": []item{{"sku": "A", "warehouseCode": "OSLO", "threshold": 7}}}), "data")
		if text(got, "errors", 0, "code") != "unknown_warehouse" {
			t.Errorf("thresholds: %v", got)
		}
	})
}

// Stock is moved only between warehouses that there are: a mistyped code is a 404 and makes none, and nothing moves.
func TestMovementsNeedTheirWarehouse(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.stockUp(t, map[string]int64{"A": 5})
		events := newEvents{s: s}
		events.names()
		s.must(t, 404, "POST", "/api/v1/inventory/movements", item{"sku": "A", "warehouseCode": "OSLO", "type": "receive", "quantity": 1})
		for _, way := range [][2]string{{"MAIN", "OSLO"}, {"OSLO", "MAIN"}} {
			s.must(t, 404, "POST", "/api/v1/inventory/transfers",
				item{"sku": "A", "fromWarehouseCode": way[0], "toWarehouseCode": way[1], "quantity": 1})
		}
		if have := events.names(); have != "" {
			t.Errorf("events: %s", have)
		}
		if list := s.must(t, 200, "GET", "/api/v1/warehouses", nil); number(list, "meta", "total") != "1" {
			t.Errorf("warehouses: %v", list)
		}
		s.must(t, 201, "POST", "/api/v1/warehouses", item{"code": "OSLO", "name": "Oslo"})
		s.must(t, 201, "POST", "/api/v1/inventory/transfers",
			item{"sku": "A", "fromWarehouseCode": "MAIN", "toWarehouseCode": "OSLO", "quantity": 1})
		s.must(t, 201, "POST", "/api/v1/inventory/movements", item{"sku": "A", "warehouseCode": "OSLO", "type": "adjust", "quantity": -1})
	})
}

func TestMovementsAndTransfers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.stockUp(t, map[string]int64{"A": 5, "odd/1 ä": -1})
		s.must(t, 201, "POST", "/api/v1/warehouses", item{"code": "LYON", "name": "Lyon"})
		events := newEvents{s: s}
		events.names()
		row := at(s.must(t, 201, "POST", "/api/v1/inventory/movements",
			item{"sku": "A", "type": "receive", "quantity": 3, "reason": "delivery 42"}), "data")
		if text(row, "cause") != "receive" || number(row, "balance") != "8" || text(row, "note") != "delivery 42" ||
			at(row, "reference") != nil || !strings.HasPrefix(text(row, "actor"), "key:") {
			t.Errorf("movement: %v", row)
		}
		s.must(t, 201, "POST", "/api/v1/inventory/movements", item{"sku": "A", "type": "adjust", "quantity": -10})
		if have := events.names(); have != "stock.updated stock.updated stock.low" {
			t.Errorf("events: %s", have)
		}
		if refused := s.must(t, 409, "POST", "/api/v1/inventory/transfers",
			item{"sku": "A", "fromWarehouseCode": "MAIN", "toWarehouseCode": "LYON", "quantity": 1}); text(refused, "message") !=
			"MAIN has -2 of A on hand, less than 1" {
			t.Errorf("%v", refused)
		}
		s.setStock(t, item{"sku": "A", "quantity": 4})
		events.names()
		moves := at(s.must(t, 201, "POST", "/api/v1/inventory/transfers",
			item{"sku": "A", "fromWarehouseCode": "MAIN", "toWarehouseCode": "LYON", "quantity": 4}), "data", "movements")
		if number(moves, 0, "delta") != "-4" || number(moves, 0, "balance") != "0" || number(moves, 1, "delta") != "4" ||
			text(moves, 1, "warehouseCode") != "LYON" {
			t.Errorf("transfer: %v", moves)
		}
		if have := events.names(); have != "stock.updated stock.updated" {
			t.Errorf("events: %s", have)
		}
		for _, body := range []string{
			`{"sku":"A","type":"receive","quantity":0}`, `{"sku":"A","type":"import","quantity":1}`, `{"type":"receive","quantity":1}`,
			`{"sku":"A","type":"adjust","quantity":1000000001}`,
		} {
			s.must(t, 400, "POST", "/api/v1/inventory/movements", body)
		}
		s.must(t, 400, "POST", "/api/v1/inventory/transfers",
			item{"sku": "A", "fromWarehouseCode": "MAIN", "toWarehouseCode": "MAIN", "quantity": 1})
		s.must(t, 404, "POST", "/api/v1/inventory/movements", item{"sku": "NO", "type": "receive", "quantity": 1})
		s.must(t, 201, "POST", "/api/v1/inventory/movements", item{"sku": "odd/1 ä", "type": "receive", "quantity": 2})
		one := s.must(t, 200, "GET", "/api/v1/inventory/"+url.PathEscape("odd/1 ä"), nil)
		if number(one, "data", "quantity") != "2" || text(one, "data", "levels", 0, "warehouseCode") != "MAIN" {
			t.Errorf("stock of one: %v", one)
		}
		ledger := s.must(t, 200, "GET", "/api/v1/inventory/A/ledger?warehouseCode=MAIN&limit=2&page=2", nil)
		if number(ledger, "meta", "total") != "5" || number(ledger, "data", 0, "delta") != "-10" {
			t.Errorf("ledger: %v", ledger)
		}
		other := s.stranger()
		other.must(t, 404, "GET", "/api/v1/inventory/A/ledger", nil)
		other.must(t, 404, "GET", "/api/v1/inventory/A", nil)
		other.must(t, 404, "POST", "/api/v1/inventory/movements", item{"sku": "A", "type": "receive", "quantity": 1})
		if list := other.must(t, 200, "GET", "/api/v1/inventory", nil); number(list, "meta", "total") != "0" {
			t.Errorf("foreign levels: %v", list)
		}
	})
}

func TestThresholds(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.stockUp(t, map[string]int64{"A": 5, "B": -1})
		events := newEvents{s: s}
		events.names()
		set := func(updates ...item) any {
			return at(s.must(t, 200, "PATCH", "/api/v1/inventory/thresholds", item{"updates": updates}), "data")
		}
		got := set(item{"sku": "A", "threshold": 3}, item{"sku": "A", "threshold": 4}, item{"sku": "NO", "threshold": 4},
			item{"sku": "B", "threshold": -1}, item{"sku": "B", "threshold": nil})
		if number(got, "updated") != "1" || number(got, "notFound") != "1" || text(got, "errors", 0, "code") != "duplicate_sku" ||
			text(got, "errors", 3, "code") != "required" {
			t.Errorf("thresholds: %v", got)
		}
		if have := events.names(); have != "" {
			t.Errorf("not low, but %s", have)
		}
		set(item{"sku": "A", "threshold": 9}, item{"sku": "B", "threshold": 2})
		if have := events.names(); have != "stock.low stock.low" {
			t.Errorf("low by their thresholds: %s", have)
		}
		if list := s.must(t, 200, "GET", "/api/v1/inventory?low=true", nil); number(list, "meta", "total") != "2" {
			t.Errorf("low ones: %v", list)
		}
		set(item{"sku": "A", "threshold": 8}, item{"sku": "B", "threshold": 0})
		s.setStock(t, item{"sku": "A", "quantity": 7})
		if have := events.names(); have != "stock.updated" {
			t.Errorf("low already: %s", have)
		}
		if a, b := s.level(t, "A", "MAIN"), s.level(t, "B", "MAIN"); a != "7/0/7 8" || b != "0/0/0 0" {
			t.Errorf("levels: %q %q", a, b)
		}
	})
}

func TestInventoryList(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.stockUp(t, map[string]int64{"MUG-1": 1, "MUG-2": 2, "cup_3": 3})
		s.setStock(t, item{"sku": "MUG-1", "warehouseCode": "LYON", "quantity": 4})
		for query, want := range map[string]string{
			"": "MUG-1@LYON MUG-1@MAIN MUG-2@MAIN cup_3@MAIN", "?search=mug": "MUG-1@LYON MUG-1@MAIN MUG-2@MAIN", "?search=p_": "cup_3@MAIN",
			"?search=product+mug-2": "MUG-2@MAIN", "?search=50%25": "", "?search=mug;1": "",
			"?warehouseCode=LYON": "MUG-1@LYON", "?sku=MUG-2": "MUG-2@MAIN", "?low=true": "", "?limit=2&page=2": "MUG-2@MAIN cup_3@MAIN",
			"?page=9": "",
		} {
			list := s.must(t, 200, "GET", "/api/v1/inventory"+query, nil)
			var have []string
			for i := 0; at(list, "data", i) != nil; i++ {
				have = append(have, text(list, "data", i, "sku")+"@"+text(list, "data", i, "warehouseCode"))
			}
			if strings.Join(have, " ") != want {
				t.Errorf("%s: %v, want %s", query, have, want)
			}
		}
		s.must(t, 400, "GET", "/api/v1/inventory?limit=0", nil)
		s.must(t, 400, "GET", "/api/v1/inventory?low=maybe", nil)
	})
}

func TestWarehouses(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		main := text(s.must(t, 200, "GET", "/api/v1/warehouses", nil), "data", 0, "id")
		lyon := at(s.must(t, 201, "POST", "/api/v1/warehouses", item{"code": "LYON", "name": "Lyon", "address": item{"city": "Lyon"}}), "data")
		path := "/api/v1/warehouses/" + text(lyon, "id")
		s.must(t, 409, "POST", "/api/v1/warehouses", item{"code": "LYON", "name": "Again"})
		if got := s.must(t, 200, "PUT", path, item{"name": "Lyon Sud", "address": nil}); text(got, "data", "name") != "Lyon Sud" ||
			at(got, "data", "address") != nil {
			t.Errorf("changed: %v", got)
		}
		s.must(t, 400, "PATCH", path, item{"code": "PARIS"})
		s.must(t, 400, "PATCH", path, item{"name": ""})
		s.must(t, 200, "PATCH", path, item{"code": "LYON"})
		s.must(t, 409, "DELETE", "/api/v1/warehouses/"+main, nil)
		s.must(t, 409, "PATCH", "/api/v1/warehouses/"+main, item{"isDefault": false})

		s.must(t, 200, "PATCH", path, item{"isDefault": true})
		if got := s.must(t, 200, "GET", "/api/v1/warehouses/"+main, nil); at(got, "data", "isDefault") != false {
			t.Errorf("two defaults: %v", got)
		}
		s.stockUp(t, map[string]int64{"A": 2})
		if got := s.level(t, "A", "LYON"); got != "2/0/2 0" {
			t.Errorf("not in the default warehouse: %q", got)
		}
		s.must(t, 200, "PATCH", "/api/v1/warehouses/"+main, item{"isDefault": true})
		s.must(t, 409, "DELETE", path, nil) // holds stock
		order := text(s.must(t, 201, "POST", "/api/v1/orders",
			item{"customerName": "Ada", "items": []item{{"sku": "A", "quantity": 1, "unitPrice": 1}}}), "data", "id")
		s.setStock(t, item{"sku": "A", "warehouseCode": "LYON", "quantity": 0})
		s.must(t, 409, "DELETE", path, nil) // has reservations
		s.must(t, 200, "PATCH", "/api/v1/orders/"+order+"/status", item{"status": "CANCELLED"})
		feed := s.must(t, 200, "GET", "/api/v1/sdk/inventory/changes", nil)
		s.must(t, 200, "DELETE", path, nil)
		s.must(t, 404, "DELETE", path, nil)
		s.must(t, 404, "GET", path, nil)
		since := "/api/v1/sdk/inventory/changes?includeDeleted=true&since=" + url.QueryEscape(text(feed, "meta", "nextSince"))
		if got := s.must(t, 200, "GET", since, nil); text(got, "data", 0, "deletedAt") == "" {
			t.Errorf("no tombstone in the feed: %v", got)
		}
		if got := s.level(t, "A", "LYON"); got != "" {
			t.Errorf("a level without a warehouse: %q", got)
		}
		s.setStock(t, item{"sku": "A", "warehouseCode": "LYON", "quantity": 3})
		if got := s.level(t, "A", "LYON"); got != "3/0/3 0" {
			t.Errorf("made anew: %q", got)
		}
		s.stranger().must(t, 404, "GET", "/api/v1/warehouses/"+main, nil)
	})
}

// The feed is walked page by page while levels change; a level that changed again comes last.
func TestInventoryFeed(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.stockUp(t, map[string]int64{"A": 1, "B": 2, "C": 3})
		first := s.must(t, 200, "GET", "/api/v1/sdk/inventory/changes?limit=2", nil)
		if number(first, "meta", "total") != "3" || number(first, "meta", "count") != "2" || at(first, "meta", "hasMore") != true {
			t.Errorf("first page: %v", first["meta"])
		}
		seen := text(first, "data", 0, "sku")
		s.setStock(t, item{"sku": seen, "quantity": 9})
		rest := s.must(t, 200, "GET", "/api/v1/sdk/inventory/changes?since="+url.QueryEscape(text(first, "meta", "nextSince")), nil)
		if number(rest, "meta", "total") != "2" || text(rest, "data", 1, "sku") != seen || number(rest, "data", 1, "quantity") != "9" {
			t.Errorf("rest: %v", rest)
		}
		s.with(s.newKey("read:products")).must(t, 403, "GET", "/api/v1/sdk/inventory/changes", nil)
	})
}

// The stock of a SKU is that of all warehouses, however many have it.
func TestStockOfManyWarehouses(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.stockUp(t, map[string]int64{"A": -1})
		const warehouses = 1002
		updates := make([]item, 0, warehouses)
		for i := range warehouses {
			updates = append(updates, item{"sku": "A", "warehouseCode": fmt.Sprintf("W%04d", i), "quantity": 2})
		}
		s.setStock(t, updates...)
		got := s.must(t, 200, "GET", "/api/v1/inventory/A", nil)
		if sum := number(at(got, "data"), "quantity"); sum != fmt.Sprint(2*warehouses) {
			t.Errorf("the sum is %s", sum)
		}
		if last := at(got, "data", "levels", warehouses-1, "warehouseCode"); last != fmt.Sprintf("W%04d", warehouses-1) {
			t.Errorf("the last level is of %v", last)
		}
	})
}
