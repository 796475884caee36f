package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/stock"
	"entrepot/internal/verify"
)

// zoe is everything that is stored of a person, word by word. Each must be found before the erasure, none after; so each is of a
// kind that no hash and no id in the store has by chance, as a number of five digits is.
var zoe = []string{"Zoëlie", "Çelik", "zoe.celik@vanish.example", "ZC@old.example", "+49 170 99887766", "99887711-77",
	"Çelik Maschinenbau", "11122233344455", "FR-ZZ77", "kundin-z",
	"Düsselstraße 77", "Köln-Höhenberg", "QX51 9ZZ", "Zoëliechen", "Holzmarkt 5", "läuten bei Zoëlie", "karte-zoe-4711",
	"paket-bei-nachbar", "anruf-von-zoe", "echo-zoe"}

// leaveTraces makes Zoëlie leave something everywhere, and gives her record, another one merged into it, and her order.
func (s *server) leaveTraces(t *testing.T) (zoe, merged, order string) {
	keyed := func(key string, want int, method, path, body string) map[string]any {
		t.Helper()
		r := s.do(call{method: method, path: path, body: body, header: map[string]string{"Idempotency-Key": key}})
		if r.status != want {
			t.Fatalf("%s %s: %d %s", method, path, r.status, r.body)
		}
		return r.json(t)
	}
	s.shop(t)
	zoe = text(keyed("k1", 201, "POST", "/api/v1/customers",
		`{"email":"zoe.celik@vanish.example","firstName":"Zoëlie","lastName":"Çelik","phone":"+49 170 99887711-77",
		"company":"Çelik Maschinenbau","siret":"11122233344455","vatIntracomNumber":"FR-ZZ77",
		"tags":["kundin-z"],"metadata":{"nick":"Zo\u00ebliechen"}}`), "data", "id")
	path := "/api/v1/customers/" + zoe
	keyed("k2 of zoe.celik@vanish.example", 200, "PATCH", path, `{"phone":"+49 170 99887766"}`)
	address := text(keyed("k3", 201, "POST", path+"/addresses",
		`{"name":"Zoëlie Çelik","line1":"Düsselstraße 77","city":"Köln-Höhenberg","zip":"QX51 9ZZ","country":"GB"}`), "data", "id")
	keyed("k4", 200, "PATCH", path+"/addresses/"+address, `{"line2":"läuten bei Zoëlie"}`)
	s.must(t, 200, "DELETE", path+"/addresses/"+address, nil)
	merged = s.customer(t, `{"email":"ZC@old.example","firstName":"Z. Çelik"}`)
	keyed("k5", 200, "POST", "/api/v1/customers/merge", fmt.Sprintf(`{"primaryId":%q,"secondaryIds":[%q]}`, zoe, merged))

	made := keyed("Zoëlie Çelik 6", 201, "POST", "/api/v1/orders",
		`{"customerName":"Zoëlie Çelik","customerEmail":"ZOE.CELIK@vanish.example","externalReference":"Zoëlie Çelik/1",
		"notes":"läuten bei Zoëlie",
		"paymentMetadata":{"holder":"karte-zoe-4711"},
		"shippingAddress":{"name":"Zo\u00EBlie \u00C7elik","street":"Holzmarkt 5","city":"Köln","zip":"50676","country":"DE"},
		"billingAddress":{"line1":"Holzmarkt 5","countryCode":"AT"},"items":[{"sku":"A-1","quantity":3,"unitPrice":10,
		"name":"Mug for Zoëlie Çelik","metadata":{"print":"ZOËLIE ÇELIK"}}]}`)
	order = text(made, "data", "id")
	keyed("k7", 200, "PATCH", "/api/v1/orders/"+order+"/status", `{"status":"PROCESSING","note":"anruf-von-zoe"}`)
	line := text(s.must(t, 200, "GET", "/api/v1/orders/"+order, nil), "data", "items", 0, "id")
	shipped := keyed("k8", 201, "POST", "/api/v1/orders/"+order+"/shipments",
		fmt.Sprintf(`{"notes":"paket-bei-nachbar","trackingNumber":"T1","trackingUrl":"https://t.example/?m=zoe.celik@vanish.example",
		"items":[{"orderItemId":%q,"quantity":1}]}`, line))
	s.must(t, 200, "DELETE", "/api/v1/orders/"+order+"/shipments/"+text(shipped, "data", "id"), nil)
	if r := s.do(call{method: "POST", path: "/api/v1/categories", body: `{"name":"Mugs"}`,
		header: map[string]string{"X-Request-Id": "asked-by-zoe.celik@vanish.example"}}); r.status != 201 {
		t.Fatalf("%s", r.body)
	}
	keyed("k9", 201, "POST", "/api/v1/orders/"+order+"/shipments",
		fmt.Sprintf(`{"notes":"paket-bei-nachbar","trackingUrl":"https://t.example/Zo%%C3%%ABlie%%20%%C3%%87elik?m=zoe.celik%%40vanish.example",
		"items":[{"orderItemId":%q,"quantity":1}]}`, line))
	keyed("k11", 201, "POST", "/api/v1/segments",
		`{"name":"Gifts for Zoe\u0308lie C\u0327elik","rules":{"tagsAny":["vip","of zoe.celik@vanish.example"]}}`)
	keyed("k10", 200, "PATCH", "/api/v1/orders/"+order+"/status", `{"status":"SHIPPED","note":"anruf-von-zoe"}`)

	// What workers store: a receiver's answer that repeats what it was sent, a job that failed because of her, a
	// careless entry in the audit log.
	s.write(s.tenant, func(tx *db.Tx) error {
		endpoint := id.New[id.Endpoint]()
		tx.Queue(`INSERT INTO endpoints (tenant_id, id, url, secret, old_secret, old_secret_until, events, description, status, ordered, since,
			created_at, updated_at)
			VALUES ($1,$2,'https://r.example','','',0,'*','','active',FALSE,0,0,0)`, tx.Tenant, endpoint)
		tx.Queue(`INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, by_hand,
			state, attempts)
			VALUES ($1,$2,1,$3,$3,1,'order.received',$4,FALSE,FALSE,'delivered',1)`, tx.Tenant, endpoint, id.New[id.Delivery](), order)
		tx.Queue("INSERT INTO attempts (tenant_id, endpoint_id, position, number, at, duration_ms, response_body) VALUES "+
			"($1,$2,1,1,0,0,'echo-zoe')", tx.Tenant, endpoint)
		tx.Queue(`INSERT INTO jobs (tenant_id, id, type, status, total, processed, created, updated, failed, errors, input, cursor, tries,
			created_at, completed_at)
			VALUES ($1,$2,'order_pull','FAILED',1,0,0,0,1,$3,$4,'',1,0,
				1)`, tx.Tenant, id.New[id.Job](), `[{"error":"the order of zoe.celik@vanish.example has no lines"}]`, `{"buyer":"Zoëlie Çelik"}`)
		tx.Queue("INSERT INTO audit_log (tenant_id, id, actor, action, resource_type, resource_id, details, created_at) VALUES "+
			"($1,$2,'system','x','x','x',$3,0)",
			tx.Tenant, id.New[id.Audit](), `{"who":"zoe.celik@vanish.example"}`)
		return nil
	})
	return zoe, merged, order
}

// search looks for texts in the whole store.
func (s *server) search(t *testing.T, texts ...string) *verify.Proof {
	t.Helper()
	p := &verify.Proof{}
	if err := verify.FindTexts(t.Context(), s.DB, p, texts...); err != nil {
		t.Fatal(err)
	}
	if p.Texts == 0 || p.Files == 0 || p.Bytes == 0 {
		t.Fatalf("nothing was looked at: %+v", p)
	}
	return p
}

// erasing is engines for a test of erasures, in one transaction and in steps.
func erasing(t *testing.T, test func(t *testing.T, s *server)) {
	t.Helper()
	for name, atOnce := range map[string]int{"at once": 1000, "in steps": -1} {
		t.Run(name, func(t *testing.T) {
			engines(t, func(t *testing.T, s *server) {
				s.Commerce.AtOnce = atOnce
				test(t, s)
			})
		})
	}
}

func TestErasedPersonIsNowhere(t *testing.T) {
	erasing(t, func(t *testing.T, s *server) {
		customer, merged, order := s.leaveTraces(t)
		before := s.search(t, zoe...)
		for _, word := range zoe {
			if !slices.ContainsFunc(before.Findings, func(f verify.Finding) bool { return f.What == word }) {
				t.Errorf("%q is not in the store: its absence would prove nothing", word)
			}
		}
		if p := (&verify.Proof{}); verify.CheckRecords(t.Context(), s.DB, p, id.Customer(customer)) != nil || p.Clean() {
			t.Error("a customer who is not erased passes for one")
		}
		var since int64
		s.newest(t, &since)
		first := s.do(call{method: "POST", path: "/api/v1/customers/" + customer + "/erase"})
		if first.status != 200 || number(first.json(t), "data", "orders") != "1" {
			t.Fatalf("%d %s", first.status, first.body)
		}
		if got := s.newest(t, &since); got != "customer.erased" {
			t.Errorf("emitted %q", got)
		}
		for _, f := range s.search(t, zoe...).Findings {
			t.Errorf("%q is left in %s", f.What, f.Where)
		}
		proof := &verify.Proof{}
		if err := verify.CheckRecords(t.Context(), s.DB, proof, ""); err != nil || !proof.Clean() || proof.Customers != 2 || proof.Orders != 1 ||
			proof.Events == 0 || proof.Pending != 0 {
			t.Errorf("proof %+v, %v", proof, err)
		}
		if again := s.do(call{method: "POST", path: "/api/v1/customers/" + customer + "/erase"}); string(again.body) != string(first.body) {
			t.Errorf("again: %s, first %s", again.body, first.body)
		}
		if got := s.newest(t, &since); got != "" {
			t.Errorf("again emitted %q", got)
		}
		s.afterErasure(t, customer, merged, order)
	})
}

// afterErasure looks at what is left to see of an erased customer.
func (s *server) afterErasure(t *testing.T, customer, merged, order string) {
	for _, which := range []string{customer, merged} {
		c := at(s.must(t, 200, "GET", "/api/v1/customers/"+which, nil), "data")
		if text(c, "status") != "erased" || text(c, "email") != "erased-"+which+"@erased.invalid" || at(c, "name") != nil ||
			fmt.Sprint(at(c, "addresses"), at(c, "tags"), at(c, "metadata")) != "[] [] map[]" {
			t.Errorf("erased %v", c)
		}
		for _, path := range []string{"", "/addresses", "/addresses/" + id.New[string]()} {
			method, body := "PATCH", `{"city":"X"}`
			if path == "/addresses" {
				method, body = "POST", `{"line1":"1","city":"c","zip":"z","country":"FR"}`
			}
			if refused := s.must(t, 409, method, "/api/v1/customers/"+which+path, body); text(refused, "code") != "customer_erased" ||
				text(refused, "customerId") != which {
				t.Errorf("%s %s: %v", method, path, refused)
			}
		}
		s.must(t, 409, "POST", "/api/v1/orders",
			map[string]any{"customerName": "X", "customerId": which, "items": []any{map[string]any{"sku": "A-1", "quantity": 1, "unitPrice": 1}}})
	}
	o := at(s.must(t, 200, "GET", "/api/v1/orders/"+order, nil), "data")
	if number(o, "total") != "30" || text(o, "shippingAddress", "country") != "DE" || text(o, "billingAddress", "country") != "AT" ||
		at(o, "shippingAddress", "line1") != nil ||
		text(o, "customerId") != customer || at(o, "notes") != nil || at(o, "paymentMetadata") != nil ||
		text(o, "items", 0, "name") != "Mug for [erased]" || text(o, "status") != "SHIPPED" {
		t.Errorf("order %v", o)
	}
	if n := number(s.must(t, 200, "GET", "/api/v1/customers/"+customer+"/orders", nil), "meta", "total"); n != "1" {
		t.Errorf("%s orders are found under the customer", n)
	}
	var since int64
	s.newest(t, &since)
	replay := s.do(call{method: "POST", path: "/api/v1/orders", header: map[string]string{"Idempotency-Key": "Zoëlie Çelik 6"},
		body: `{"customerName":"Zoëlie Çelik","customerEmail":"ZOE.CELIK@vanish.example","externalReference":"Zoëlie Çelik/1",
		"notes":"läuten bei Zoëlie",
		"paymentMetadata":{"holder":"karte-zoe-4711"},
		"shippingAddress":{"name":"Zo\u00EBlie \u00C7elik","street":"Holzmarkt 5","city":"Köln","zip":"50676","country":"DE"},
		"billingAddress":{"line1":"Holzmarkt 5","countryCode":"AT"},"items":[{"sku":"A-1","quantity":3,"unitPrice":10,
		"name":"Mug for Zoëlie Çelik","metadata":{"print":"ZOËLIE ÇELIK"}}]}`})
	receipt := at(replay.json(t), "data")
	if replay.status != 201 || replay.header.Get("Idempotent-Replay") != "true" || text(receipt, "id") != order ||
		text(receipt, "totalAmount") != "30.00" || text(receipt, "customerName") != "" ||
		at(receipt, "customerEmail") != nil || fmt.Sprint(at(receipt, "shippingAddress")) != "map[country:DE]" ||
		at(receipt, "paymentMetadata") != nil {
		t.Errorf("the replay says %d %s", replay.status, replay.body)
	}
	if got := s.newest(t, &since); got != "" {
		t.Errorf("the replay emitted %q", got)
	}
	free := s.customer(t, `{"email":"zoe.celik@VANISH.example"}`)
	if free == customer {
		t.Error("the erased record is alive again")
	}
	s.must(t, 200, "POST", "/api/v1/customers/"+free+"/erase", nil)
}

// Events of orders that were deleted with their channel are found by the customer they name.
func TestErasureReachesDeletedOrders(t *testing.T) {
	erasing(t, func(t *testing.T, s *server) {
		var err error
		if s.Commerce.Connectors, err = connector.NewSet(); err != nil {
			t.Fatal(err)
		}
		order := s.shop(t)
		channel := text(s.must(t, 201, "POST", "/api/v1/channels", `{"name":"ERP","platform":"CUSTOM"}`), "data", "channel", "id")
		made := s.place(t, order(map[string]any{"customerName": "Vera Vanished", "customerEmail": "vera@vanished.example", "channelId": channel,
			"initialStatus": "PROCESSING"}))
		line := text(made, "items", 0, "id")
		s.must(t, 201, "POST", "/api/v1/orders/"+text(made, "id")+"/shipments",
			map[string]any{"notes": "verasnote", "items": []any{map[string]any{"orderItemId": line, "quantity": 1}}})
		s.must(t, 200, "DELETE", "/api/v1/channels/"+channel, nil)
		erased := at(s.must(t, 200, "POST", "/api/v1/customers/"+text(made, "customerId")+"/erase", nil), "data")
		if number(erased, "orders") != "0" {
			t.Errorf("erased %v", erased)
		}
		for _, f := range s.search(t, "vera@vanished.example", "Vera Vanished", "verasnote").Findings {
			t.Errorf("%q is left in %s", f.What, f.Where)
		}
	})
}

// Notes that users wrote with stock changes, and the stored answers that repeat them, lose the person; other notes stay.
func TestErasureReachesStockNotes(t *testing.T) {
	erasing(t, func(t *testing.T, s *server) {
		order := s.shop(t)
		made := s.place(t, order(map[string]any{"customerName": "Nora Noted", "customerEmail": "nora@noted.example"}))
		customer := text(made, "customerId")
		s.must(t, 200, "PATCH", "/api/v1/customers/"+customer, `{"phone":"+33 6 12345678"}`)
		s.must(t, 201, "POST", "/api/v1/warehouses", `{"code":"SECOND","name":"Second"}`)
		keyed := func(key, path, body string) string {
			t.Helper()
			r := s.do(call{method: "POST", path: "/api/v1/inventory/" + path, body: body, header: map[string]string{"Idempotency-Key": key}})
			if r.status != 201 {
				t.Fatalf("%s: %d %s", path, r.status, r.body)
			}
			return string(r.body)
		}
		movement := `{"sku":"A-1","type":"receive","quantity":5,"reason":"brought back by NORA NOTED, Nora@Noted.example"}`
		keyed("n1", "movements", movement)
		keyed("n2", "movements", `{"sku":"A-1","type":"adjust","quantity":1,"reason":"counted again"}`)
		keyed("n3", "transfers", fmt.Sprintf(
			`{"sku":"A-1","fromWarehouseCode":%q,"toWarehouseCode":"SECOND","quantity":1,"reason":"for +33 6 12345678"}`, stock.MainWarehouse))
		foreign := s.stranger()
		foreign.shop(t)
		foreign.must(t, 201, "POST", "/api/v1/inventory/movements", `{"sku":"A-1","type":"receive","quantity":5,"reason":"ask Nora Noted"}`)

		texts := []string{"nora@noted.example", "brought back by NORA NOTED", "+33 6 12345678"}
		for _, word := range texts {
			if found := s.search(t, word).Findings; !slices.ContainsFunc(found,
				func(f verify.Finding) bool { return f.Where == "table movements, column note" }) {
				t.Errorf("%q is not found in the ledger: %v", word, found)
			}
		}
		s.must(t, 200, "POST", "/api/v1/customers/"+customer+"/erase", nil)
		for _, f := range s.search(t, texts...).Findings {
			t.Errorf("%q is left in %s", f.What, f.Where)
		}
		notes := map[string]int{}
		for _, m := range at(s.must(t, 200, "GET", "/api/v1/inventory/A-1/ledger", nil), "data").([]any) {
			notes[text(m, "note")]++
		}
		if notes["brought back by [erased], [erased]"] != 1 || notes["counted again"] != 1 || notes["for [erased]"] != 2 {
			t.Errorf("notes %v", notes)
		}
		if again := keyed("n1", "movements", movement); !strings.Contains(again, `"brought back by [erased], [erased]"`) {
			t.Errorf("the replay answers %s", again)
		}
		if m := foreign.do(call{method: "GET", path: "/api/v1/inventory/A-1/ledger"}); !strings.Contains(string(m.body), "ask Nora Noted") {
			t.Errorf("another account's note: %s", m.body)
		}
	})
}

// Another customer with the same name keeps it.
func TestErasureSparesOthers(t *testing.T) {
	erasing(t, func(t *testing.T, s *server) {
		order := s.shop(t)
		one := text(s.place(t, order(map[string]any{"customerEmail": "one@x.example"})), "customerId")
		two := s.place(t, order(map[string]any{"customerEmail": "two@x.example"}))
		foreign := s.stranger()
		three := foreign.customer(t, `{"email":"one@x.example","firstName":"Ada","lastName":"Lovelace"}`)
		s.must(t, 200, "POST", "/api/v1/customers/"+one+"/erase", nil)
		for who, path := range map[*server]string{s: "/api/v1/customers/" + text(two, "customerId"), foreign: "/api/v1/customers/" + three} {
			if c := at(who.must(t, 200, "GET", path, nil), "data"); text(c, "name") != "Ada Lovelace" || text(c, "status") != "active" {
				t.Errorf("%v", c)
			}
		}
		if o := at(s.must(t, 200, "GET", "/api/v1/orders/"+text(two, "id"), nil), "data"); text(o, "customerName") != "Ada Lovelace" {
			t.Errorf("%v", o)
		}
		log := s.do(call{method: "GET", path: "/api/v1/orders?search=lovelace"})
		if n := strings.Count(string(log.body), `"customerName":"Ada Lovelace"`); n != 1 {
			t.Errorf("%d orders with the name: %s", n, log.body)
		}
		foreign.must(t, 404, "POST", "/api/v1/customers/"+text(two, "customerId")+"/erase", nil)
	})
}
