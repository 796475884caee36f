package api

import (
	"fmt"
	"testing"
)

// Stock of several warehouses is given in one item, of a product and of its variants, and is read by warehouse.
func TestLevelsOfSeveralWarehouses(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		level := func(code string, quantity int) item { return item{"warehouseCode": code, "quantity": quantity} }
		mug := item{"sku": "MUG", "name": "Mug", "price": 5, "levels": []item{level("MAIN", 1), level("EAST", 2)}, "variants": []item{
			{"sku": "MUG-S", "levels": []item{level("EAST", 3), level("WEST", 4)}}, {"sku": "MUG-M", "price": 6, "stock": 5}}}
		plan := s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import", importBody(item{"dryRun": true}, mug))
		if fields := at(plan, "changes", 0, "fields").([]any); len(fields) < 5 ||
			fmt.Sprint(fields[len(fields)-3:]) != "[map[field:stock from:<nil> to:map[quantity:3 sku:MUG-S warehouseCode:EAST]] "+
				"map[field:stock from:<nil> to:map[quantity:4 sku:MUG-S warehouseCode:WEST]] "+
				"map[field:stock from:<nil> to:map[quantity:5 sku:MUG-M warehouseCode:MAIN]]]" {
			t.Errorf("the plan: %v", fields)
		}
		s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil, mug))
		product := at(s.must(t, 200, "GET", "/api/v1/products?sku=MUG", nil), "data", 0)
		if shown := fmt.Sprint(at(product, "stock")); shown != "[map[available:2 onHand:2 reserved:0 warehouseCode:EAST] "+
			"map[available:1 onHand:1 reserved:0 warehouseCode:MAIN]]" {
			t.Errorf("the product's stock: %s", shown)
		}
		small, medium := at(product, "variants", 0), at(product, "variants", 1)
		if number(small, "stock") != "7" || at(small, "ownPrice") != nil || fmt.Sprint(at(small, "levels")) !=
			"[map[onHand:3 warehouseCode:EAST] map[onHand:4 warehouseCode:WEST]]" {
			t.Errorf("a variant in two warehouses: %v", small)
		}
		if number(medium, "ownPrice") != "6" || number(medium, "levels", 0, "onHand") != "5" {
			t.Errorf("a variant in the default warehouse: %v", medium)
		}
		feed := at(s.must(t, 200, "GET", "/api/v1/sdk/products/changes", nil), "data", 0, "variants", 0).(map[string]any)
		if fmt.Sprint(feed) != fmt.Sprint(small) {
			t.Errorf("a variant in the feed: %v", feed)
		}
		again := s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import", importBody(item{"dryRun": true}, mug))
		if text(again, "changes", 0, "action") != "unchanged" {
			t.Errorf("the same again: %v", again)
		}
		refused := s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil,
			item{"sku": "A", "name": "A", "price": 1, "levels": []item{level("MAIN", 1), level(" MAIN ", 2)}},
			item{"sku": "B", "name": "B", "price": 1, "levels": []item{level("MAIN", 1)}, "stock": item{"quantity": 1}},
			item{"sku": "C", "name": "C", "price": 1, "levels": []item{{"quantity": 1}}},
			item{"sku": "D", "name": "D", "price": 1, "variants": []item{{"sku": "D-1", "levels": []item{level("MAIN", -1)}}}}))
		many, far := make([]item, 2500), make([]item, 2501)
		for i := range far {
			far[i] = level(fmt.Sprint("W", i), 1)
		}
		copy(many, far)
		s.must(t, 400, "POST", "/api/v1/products", item{"sku": "M", "name": "M", "price": 1, "levels": many,
			"variants": []item{{"sku": "M-1", "levels": far}}})
		for i, field := range []string{"levels[1].warehouseCode", "levels", "levels[0].warehouseCode", "variants[0].levels[0].quantity"} {
			if text(refused, "errors", i, "field") != field {
				t.Errorf("item %d: %v", i, at(refused, "errors", i))
			}
		}
		s.must(t, 200, "PATCH", "/api/v1/account", item{"strictWarehouses": true})
		strict := s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil,
			item{"sku": "E", "name": "E", "price": 1, "levels": []item{level("MAIN", 1), level("MOON", 2)},
				"variants": []item{{"sku": "E-1", "levels": []item{level("WEST", 1), level("MARS", 1)}}}}))
		if text(strict, "errors", 0, "field") != "levels[1].warehouseCode" || text(strict, "errors", 0, "code") != "unknown_warehouse" ||
			text(strict, "errors", 0, "error") != "levels[1].warehouseCode MOON is not a warehouse of this account; "+
				"variants[0].levels[1].warehouseCode MARS is not a warehouse of this account" {
			t.Errorf("unknown warehouses: %v", strict)
		}
	})
}

// Lines of one SKU that no warehouse can serve together are served by several: an order is not refused, and no level falls
// below zero, while each of its lines finds its units somewhere (interface §2.7.8).
func TestLinesOfOneSKUFindTheirWarehouses(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		channels := map[string]string{}
		for _, oversell := range []string{"reject", "allow"} {
			channels[oversell] = channelOf(s.must(t, 201, "POST", "/api/v1/channels", item{"name": oversell, "platform": "CUSTOM",
				"settings": item{"oversell": oversell}}))
		}
		for n, c := range []struct {
			main, lyon int64
			oversell   string
			lines      []int64
			status     int
			want       string // levels of MAIN and LYON: quantity/reserved/available threshold
		}{
			{3, 3, "reject", []int64{3, 3}, 201, "3/3/0 0, 3/3/0 0"},
			{5, 3, "reject", []int64{3, 5}, 201, "5/5/0 0, 3/3/0 0"},
			{3, 5, "reject", []int64{1, 3, 2, 2}, 201, "3/3/0 0, 5/5/0 0"},
			{3, 3, "reject", []int64{3, 4}, 409, "3/0/3 0, 3/0/3 0"},
			{3, 3, "reject", []int64{6}, 409, "3/0/3 0, 3/0/3 0"},
			{6, 6, "reject", []int64{3, 3}, 201, "6/6/0 0, 6/0/6 0"},
			{5, 6, "reject", []int64{3, 3}, 201, "5/0/5 0, 6/6/0 0"},
			{3, 3, "allow", []int64{3, 3}, 201, "3/3/0 0, 3/3/0 0"},
			{3, 4, "allow", []int64{6}, 201, "3/0/3 0, 4/6/-2 0"},
		} {
			sku := fmt.Sprintf("PAIR-%d", n)
			s.stockUp(t, map[string]int64{sku: c.main})
			s.setStock(t, item{"sku": sku, "warehouseCode": "LYON", "quantity": c.lyon})
			lines := make([]item, len(c.lines))
			for i, quantity := range c.lines {
				lines[i] = item{"sku": sku, "quantity": quantity, "unitPrice": 1}
			}
			s.must(t, c.status, "POST", "/api/v1/orders", item{"customerName": "Ada", "channelId": channels[c.oversell], "items": lines})
			if got := s.level(t, sku, "MAIN") + ", " + s.level(t, sku, "LYON"); got != c.want {
				t.Errorf("%s %v of %d and %d: %s, not %s", c.oversell, c.lines, c.main, c.lyon, got, c.want)
			}
		}
	})
}
