package api

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// item is one product of an import.
type item = map[string]any

func importBody(options item, products ...any) item {
	body := item{"products": products}
	if options != nil {
		body["options"] = options
	}
	return body
}

// Both answers of an import count the same items, and what was accepted is there before the answer.
func TestImportAnswers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		good := item{"sku": "A-1", "name": "Mug", "price": 9.9}
		bad := item{"sku": "A-2", "name": "No price"}
		accepted := s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", importBody(nil, good, bad))
		data := at(accepted, "data")
		if text(data, "status") != "PROCESSING" || number(data, "totalItems") != "2" || number(data, "accepted") != "1" ||
			number(data, "rejected") != "1" || text(data, "jobId") == "" {
			t.Errorf("answer (a): %v", accepted)
		}
		entry := at(data, "errors", 0)
		if text(entry, "sku") != "A-2" || text(entry, "error") != "price is required" || number(entry, "index") != "1" ||
			text(entry, "field") != "price" || text(entry, "code") != "required" {
			t.Errorf("error entry: %v", entry)
		}
		for _, path := range []string{"/api/v1/sdk/products/bulk-import?wait=true", "/api/v1/sdk/products/bulk-import"} {
			r := s.do(call{method: "POST", path: path,
				body:   importBody(nil, good, item{"sku": "N" + fmt.Sprint(len(path)), "name": "New", "price": "1.50"}, bad),
				header: map[string]string{"Prefer": "respond-async, wait=10"}})
			counts := r.json(t)
			if r.status != 200 || number(counts, "total") != "3" || number(counts, "created") != "1" || number(counts, "updated") != "1" ||
				at(counts, "errors", 0, "sku") != "A-2" {
				t.Errorf("answer (b): %d %v", r.status, counts)
			}
		}
		names, _ := s.eventsSince(0)
		if fmt.Sprint(names) != "[product.created product.created product.created]" {
			t.Errorf("events: %v", names)
		}
	})
}

// Two imports of the same new SKUs at the same time make each product once.
func TestImportsRace(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		var wait sync.WaitGroup
		created := make([]int, 6)
		for c := range created {
			wait.Go(func() {
				for round := range 4 {
					var products []any
					for i := range 20 {
						n := (i*(2*c+1) + c) % 20 // in another order each
						products = append(products, item{"sku": fmt.Sprintf("S-%d-%d", round, n), "name": "Same name", "price": c,
							"categoryIds": []string{fmt.Sprint("cat-", round)}})
					}
					r := s.do(call{method: "POST", path: "/api/v1/sdk/products/bulk-import?wait=true", body: importBody(nil, products...)})
					if r.status != 200 {
						t.Errorf("%d %s", r.status, r.body)
						return
					}
					n, _ := strconv.Atoi(number(r.json(t), "created"))
					created[c] += n
					s.do(call{method: "POST", path: "/api/v1/sdk/categories/bulk-import",
						body: item{"categories": []item{{"externalId": fmt.Sprint("cat-", round), "name": "C"}}}})
				}
			})
		}
		wait.Wait()
		sum := 0
		for _, n := range created {
			sum += n
		}
		list := s.must(t, 200, "GET", "/api/v1/products?limit=250", nil)
		if sum != 80 || number(list, "meta", "total") != "80" {
			t.Errorf("%d created, %s there", sum, number(list, "meta", "total"))
		}
		for _, p := range list["data"].([]any) {
			if len(at(p, "categoryIds").([]any)) != 1 {
				t.Errorf("a link still waits for what is there: %v", p)
			}
		}
		names, _ := s.eventsSince(0)
		made := 0
		for _, name := range names {
			if name == "product.created" {
				made++
			}
		}
		if made != 80 {
			t.Errorf("%d events of creation", made)
		}
	})
}

// A dry run reports what the import would do, and changes nothing.
func TestDryRun(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import",
			importBody(nil, item{"sku": "A", "name": "A", "price": 1, "description": "old"}, item{"sku": "B", "name": "B", "price": 1}))
		body := []any{item{"sku": "A", "name": "A", "price": 2, "description": nil}, item{"sku": "B", "name": "B", "price": 1},
			item{"sku": "N", "name": "New", "price": 3, "variants": []item{{"sku": "N-1"}}}, item{"sku": "X"}}
		_, from := s.eventsSince(0)
		dry := s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import", importBody(item{"dryRun": true}, body...))
		if number(dry, "total") != "4" || number(dry, "created") != "1" || number(dry, "updated") != "2" ||
			number(dry, "errors", 0, "index") != "3" {
			t.Errorf("counts: %v", dry)
		}
		want := "[map[action:update fields:[map[field:description from:old to:<nil>] map[field:price from:1 to:2]] sku:A] " +
			"map[action:unchanged fields:[] sku:B]"
		if got := fmt.Sprint(dry["changes"]); !strings.HasPrefix(got, want) || text(dry, "changes", 2, "action") != "create" ||
			text(dry, "changes", 2, "fields", 1, "to") != "New" || at(dry, "changes", 2, "fields", 1, "from") != nil {
			t.Errorf("changes: %s", got)
		}
		if names, _ := s.eventsSince(from); len(names) != 0 {
			t.Errorf("events: %v", names)
		}
		if list := s.must(t, 200, "GET", "/api/v1/products", nil); number(list, "meta", "total") != "2" {
			t.Errorf("written: %v", list)
		}
		wet := s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil, body...))
		if number(wet, "created") != "1" || number(wet, "updated") != "2" {
			t.Errorf("then: %v", wet)
		}
	})
}

// A dry run lists the stock that the import then sets: of the product and its variants, in the warehouse meant, and only where it differs.
func TestDryRunShowsStock(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", importBody(nil,
			item{"sku": "A", "name": "A", "price": 1, "stock": item{"quantity": 3}, "variants": []item{{"sku": "A-1", "stock": 4}, {"sku": "A-2"}}},
			item{"sku": "B", "name": "B", "price": 1, "stock": item{"quantity": 5}}))
		dry := s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import", importBody(item{"dryRun": true},
			item{"sku": "A", "name": "A", "price": 1, "stock": item{"quantity": 3, "warehouseCode": "EAST"},
				"variants": []item{{"sku": "A-1", "stock": 9}, {"sku": "A-2"}}},
			item{"sku": "B", "name": "B", "price": 1, "stock": item{"quantity": 5}},
			item{"sku": "C", "name": "C", "price": 1, "stock": item{"quantity": 0}}))
		fields := func(i int) string { return fmt.Sprint(at(dry, "changes", i, "fields")) }
		level := func(sku, warehouse, quantity string) string {
			return "map[quantity:" + quantity + " sku:" + sku + " warehouseCode:" + warehouse + "]"
		}
		want := "[map[field:stock from:<nil> to:" + level("A", "EAST", "3") + "] " +
			"map[field:stock from:" + level("A-1", "MAIN", "4") + " to:" + level("A-1", "MAIN", "9") + "]]"
		if got := fields(0); got != want || text(dry, "changes", 0, "action") != "update" {
			t.Errorf("A: %s %s, not %s", text(dry, "changes", 0, "action"), got, want)
		}
		if got := fields(1); got != "[]" || text(dry, "changes", 1, "action") != "unchanged" {
			t.Errorf("B, whose stock is so already: %s", got)
		}
		if got := fields(2); !strings.HasSuffix(got, "map[field:stock from:<nil> to:"+level("C", "MAIN", "0")+"]]") {
			t.Errorf("C, which is new: %s", got)
		}
	})
}

// options.channelId publishes what was imported, unchanged products too, and creates a job; a channel that does not
// exist is not found.
func TestImportPublishes(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		channel := id.New[id.Channel]()
		s.write(s.tenant, func(tx *db.Tx) error {
			channels.Channel{ID: channel, Name: "ERP", Platform: channels.Custom, Oversell: "allow", Status: channels.Active,
				Settings: "{}"}.Insert(tx)
			return nil
		})
		for range 2 {
			accepted := s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import",
				importBody(item{"channelId": channel}, item{"sku": "A", "name": "A", "price": 1}, item{"sku": "B"}))
			job := s.must(t, 200, "GET", "/api/v1/sdk/jobs/"+text(accepted, "data", "jobId"), nil)
			if text(job, "data", "channelName") != "ERP" || number(job, "data", "failed") != "1" || text(job, "data", "errors", 0, "sku") != "B" ||
				text(job, "data", "type") != "product_import" {
				t.Errorf("job: %v", job)
			}
		}
		listed := s.must(t, 200, "GET", "/api/v1/products?channelId="+string(channel), nil)
		if number(listed, "meta", "total") != "1" || text(listed, "data", 0, "publications", 0, "status") != "published" ||
			text(listed, "data", 0, "publications", 0, "publishedAt") == "" {
			t.Errorf("published: %v", listed)
		}
		s.stranger().must(t, 404, "POST", "/api/v1/sdk/products/bulk-import",
			importBody(item{"channelId": channel}, item{"sku": "A", "name": "A", "price": 1}))
		s.must(t, 400, "POST", "/api/v1/sdk/products/bulk-import", importBody(item{"channelId": "x"}, item{"sku": "A", "name": "A", "price": 1}))
		s.must(t, 400, "POST", "/api/v1/sdk/products/bulk-import?wait=maybe", importBody(nil, item{"sku": "A", "name": "A", "price": 1}))
	})
}

// A replay answers the same bytes, though planning it again would give another result.
func TestImportReplays(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		send := func() reply {
			return s.do(call{method: "POST", path: "/api/v1/sdk/products/bulk-import",
				body: importBody(nil, item{"sku": "A", "name": "A", "price": 1}), header: map[string]string{"Idempotency-Key": "once"}})
		}
		first, second := send(), send()
		if first.status != 202 || string(first.body) != string(second.body) || second.header.Get("Idempotent-Replay") != "true" {
			t.Errorf("%d %s, then %d %s", first.status, first.body, second.status, second.body)
		}
		if names, _ := s.eventsSince(0); len(names) != 1 {
			t.Errorf("events: %v", names)
		}
	})
}

// Stock comes with products and variants, into the default warehouse or a named one; with strictWarehouses only into known ones.
func TestImportStock(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		body := importBody(nil, item{"sku": "A", "name": "A", "price": 1, "stock": item{"warehouseCode": "LYON", "quantity": 4},
			"variants": []item{{"sku": "A-1", "stock": 2}, {"sku": "A-2"}}},
			item{"sku": "B", "name": "B", "price": 1, "stock": item{"quantity": 0}})
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", body)
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", body)
		a := at(s.must(t, 200, "GET", "/api/v1/products?sku=A", nil), "data", 0)
		if text(a, "stock", 0, "warehouseCode") != "LYON" || number(a, "stock", 0, "onHand") != "4" ||
			number(a, "variants", 0, "stock") != "2" || number(a, "variants", 1, "stock") != "0" {
			t.Errorf("stock: %v", a)
		}
		if names, _ := s.eventsSince(0); fmt.Sprint(names) != "[product.created product.created stock.updated stock.updated]" {
			t.Errorf("events: %v", names)
		}
		s.write(s.tenant, func(tx *db.Tx) error {
			tx.Queue(`UPDATE tenants SET settings = '{"strictWarehouses":true}' WHERE tenant_id = $1`, tx.Tenant)
			return nil
		})
		strict := s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true",
			importBody(nil, item{"sku": "A", "name": "A", "price": 2, "stock": item{"warehouseCode": "OSLO", "quantity": 4}}))
		if text(strict, "errors", 0, "code") != "unknown_warehouse" || number(strict, "updated") != "0" {
			t.Errorf("strict: %v", strict)
		}
	})
}

// The stock of a removed variant is written off with an event, so that a copy of the stock is right when the SKU comes
// back without any.
func TestRemovedVariantsWriteTheirStockOff(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		load := func(options item, variants ...any) {
			t.Helper()
			s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true",
				importBody(options, item{"sku": "A", "name": "Mug", "price": 1, "variants": append([]any{}, variants...)}))
		}
		load(nil, item{"sku": "V", "name": "Blue", "stock": 4})
		_, before := s.eventsSince(0)
		load(item{"replaceVariants": true})
		if names, _ := s.eventsSince(before); fmt.Sprint(names) != "[product.updated stock.updated]" {
			t.Errorf("events of the removal: %v", names)
		}
		load(nil, item{"sku": "V", "name": "Blue", "stock": 0})
		newest := at(s.must(t, 200, "GET", "/api/v1/developer/events?event=stock.updated&resourceId=V&order=desc", nil), "data", 0, "data")
		if number(newest, "previousQuantity") != "4" || number(newest, "quantity") != "0" {
			t.Errorf("the newest event: %v", newest)
		}
	})
}

// A warehouse's code has the same bound wherever it is given.
func TestLongWarehouseCodes(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		long := strings.Repeat("W", limits.MaxWarehouseCode)
		product := func(sku, code string) item {
			return item{"sku": sku, "name": "Mug", "price": 1, "stock": item{"warehouseCode": code, "quantity": 4}}
		}
		counts := s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true",
			importBody(nil, product("A", long), product("B", long+"W")))
		if number(counts, "created") != "1" || text(counts, "errors", 0, "sku") != "B" ||
			text(counts, "errors", 0, "field") != "stock.warehouseCode" {
			t.Errorf("%v", counts)
		}
		done := s.must(t, 200, "PATCH", "/api/v1/sdk/inventory/bulk-update", item{"updates": []item{
			{"sku": "A", "warehouseCode": long, "quantity": 5}, {"sku": "A", "warehouseCode": long + "W", "quantity": 5}}})
		if number(done, "data", "updated") != "1" || text(done, "data", "errors", 0, "field") != "warehouseCode" {
			t.Errorf("%v", done)
		}
	})
}
