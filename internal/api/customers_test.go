package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/id"
	"entrepot/internal/search"
)

// shop makes a product with plenty of stock and gives what an order of it is.
func (s *server) shop(t *testing.T) func(more map[string]any) map[string]any {
	t.Helper()
	s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import",
		`{"products":[{"sku":"A-1","name":"Mug","price":10,"stock":{"quantity":1000}}]}`)
	return func(more map[string]any) map[string]any {
		order := map[string]any{"customerName": "Ada Lovelace", "items": []any{map[string]any{"sku": "A-1", "quantity": 1, "unitPrice": 10}}}
		for name, value := range more {
			order[name] = value
		}
		return order
	}
}

// customer makes a customer and gives its id.
func (s *server) customer(t *testing.T, body any) string {
	t.Helper()
	return text(s.must(t, 201, "POST", "/api/v1/customers", body), "data", "id")
}

// place makes an order and reads it.
func (s *server) place(t *testing.T, body any) any {
	t.Helper()
	made := s.must(t, 201, "POST", "/api/v1/orders", body)
	return at(s.must(t, 200, "GET", "/api/v1/orders/"+text(made, "data", "id"), nil), "data")
}

// newest are the names of the events since the last call.
func (s *server) newest(t *testing.T, since *int64) string {
	t.Helper()
	names, next := s.eventsSince(*since)
	*since = next
	return strings.Join(names, " ")
}

// A SIRET has exactly 14 digits (interface §2.5). An empty text is none; null clears it.
func TestSiret(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		path := "/api/v1/customers/" + s.customer(t, item{"email": "ada@example.com", "siret": "12345678901234"})
		for _, wrong := range []string{"", " ", "1234567890123", "123456789012345", "1234567890123A",
			"123 456 789 0123", "１２３４５６７８９０１２３４"} {
			s.must(t, 400, "POST", "/api/v1/customers", item{"email": "bob@example.com", "siret": wrong})
			s.must(t, 400, "PATCH", path, item{"siret": wrong})
		}
		if c := s.must(t, 200, "PATCH", path, item{"siret": nil}); at(c, "data", "siret") != nil {
			t.Errorf("cleared: %v", c)
		}
		s.customer(t, item{"email": "bob@example.com", "siret": nil})
	})
}

func TestCustomerLife(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		var since int64
		s.newest(t, &since)
		path := "/api/v1/customers/" + s.customer(t,
			`{"email":"Ada@X.example","firstName":"Ada","phone":null,"tags":["a","b","a"],"metadata":{"n":1.0,"x":[1]},
			"addresses":[{"line1":"1 St","city":"Paris","postalCode":"75001","country":"fr","isDefault":true},
				{"line1":"2 St","city":"Paris","zip":"75002","country":"FR","isDefault":true}]}`)
		if got := s.newest(t, &since); got != "customer.created" {
			t.Errorf("creation emitted %q", got)
		}
		read := at(s.must(t, 200, "GET", path, nil), "data")
		if fmt.Sprint(at(read, "tags")) != "[a b]" || text(read, "email") != "Ada@X.example" || text(read, "name") != "Ada" ||
			at(read, "addresses", 0, "isDefault") != false ||
			at(read, "addresses", 1, "isDefault") != true || text(read, "addresses", 0, "zip") != "75001" ||
			text(read, "addresses", 0, "country") != "FR" {
			t.Errorf("read %v", read)
		}
		for _, body := range []string{`{}`, `{"firstName":"Ada"}`, `{"tags":["a","b"]}`, `{"metadata":{"x":[1],"n":1}}`, `{"phone":null}`,
			`{"email":"Ada@X.example"}`,
			`{"addresses":[{"line1":"1 St","city":"Paris","zip":"75001","country":"FR"},{"line1":"2 St","city":"Paris","zip":"75002",` +
				`"country":"FR","isDefault":true}]}`} {
			again := at(s.must(t, 200, "PATCH", path, body), "data")
			if fmt.Sprint(again) != fmt.Sprint(read) {
				t.Errorf("%s changed\n%v into\n%v", body, read, again)
			}
			if got := s.newest(t, &since); got != "" {
				t.Errorf("%s emitted %q", body, got)
			}
		}
		kept := text(read, "addresses", 1, "id")
		changed := at(s.must(t, 200, "PUT", path,
			map[string]any{"email": "ADA@x.example", "tags": nil, "metadata": nil, "addresses": []any{map[string]any{
				"id": kept, "line1": "3 St", "city": "Lyon", "zip": "69001", "country": "FR"}}}), "data")
		if text(changed, "email") != "ADA@x.example" || fmt.Sprint(at(changed, "tags")) != "[]" || text(changed, "addresses", 0, "id") != kept ||
			text(changed, "addresses", 0, "line1") != "3 St" ||
			fmt.Sprint(at(changed, "metadata")) != "map[]" || text(changed, "firstName") != "Ada" ||
			text(changed, "updatedAt") < text(read, "updatedAt") {
			t.Errorf("changed %v", changed)
		}
		if got := s.newest(t, &since); got != "customer.updated" {
			t.Errorf("change emitted %q", got)
		}
	})
}

// Clients that put an e-mail address into the query as it is send the '+' of a tagged one unescaped, which arrives as a space: it
// is found all the same, of customers and of orders (interface §4.1, §4.4).
func TestEmailWithPlusInTheQuery(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.shop(t)
		s.must(t, 201, "POST", "/api/v1/orders", item{"customerName": "Ada", "customerEmail": "ada+shop+1@x.example",
			"items": []item{{"sku": "A-1", "quantity": 1, "unitPrice": 1}}})
		for _, query := range []string{"ada+shop+1@x.example", "ADA%2bshop%2B1@x.example", "%20ada+shop%2b1@x.example+"} {
			for _, list := range []string{"orders?customerEmail=", "customers?email="} {
				if total := at(s.must(t, 200, "GET", "/api/v1/"+list+query, nil), "meta", "total"); fmt.Sprint(total) != "1" {
					t.Errorf("%s%s finds %v, not the one", list, query, total)
				}
			}
		}
		for _, list := range []string{"orders?customerEmail=adashop1@x.example", "customers?email=ada+shop@x.example"} {
			if total := at(s.must(t, 200, "GET", "/api/v1/"+list, nil), "meta", "total"); fmt.Sprint(total) != "0" {
				t.Errorf("%s finds %v", list, total)
			}
		}
	})
}

// The order history takes the filters of the order list, customerId included: another one's has nothing of this one's.
func TestCustomerOrdersOfAnother(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.shop(t)
		var ids []string
		for _, email := range []string{"ada@x.example", "bob@x.example"} {
			order := text(s.must(t, 201, "POST", "/api/v1/orders", item{"customerName": "x", "customerEmail": email,
				"items": []item{{"sku": "A-1", "quantity": 1, "unitPrice": 1}}}), "data", "id")
			ids = append(ids, text(s.must(t, 200, "GET", "/api/v1/orders/"+order, nil), "data", "customerId"))
		}
		for query, want := range map[string]string{"": "1", "?customerId=" + ids[0]: "1", "?customerId=" + strings.ToUpper(ids[0]): "1",
			"?customerId=" + ids[1]: "0"} {
			answer := s.must(t, 200, "GET", "/api/v1/customers/"+ids[0]+"/orders"+query, nil)
			if got := number(answer, "meta", "total"); got != want {
				t.Errorf("%s: %s orders, want %s", query, got, want)
			}
		}
	})
}

func TestCustomerEmailIsUnique(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		ada := s.customer(t, `{"email":"ada@x.example"}`)
		bob := s.customer(t, `{"email":"bob@x.example"}`)
		refused := s.must(t, 409, "POST", "/api/v1/customers", `{"email":"ADA@x.example"}`)
		if text(refused, "code") != "customer_exists" || text(refused, "customerId") != ada {
			t.Errorf("refused with %v", refused)
		}
		if refused := s.must(t, 409, "PATCH", "/api/v1/customers/"+bob, `{"email":"ada@X.example"}`); text(refused, "customerId") != ada {
			t.Errorf("refused with %v", refused)
		}
		for _, body := range []string{`{"email":null}`, `{"email":""}`, `{"email":"x"}`} {
			refused := s.must(t, 400, "PATCH", "/api/v1/customers/"+bob, body)
			if details := at(refused, "details").([]any); len(details) != 1 || text(details[0], "path") != "email" {
				t.Errorf("%s: %v", body, refused)
			}
		}
		s.must(t, 200, "POST", "/api/v1/customers/merge", map[string]any{"primaryId": bob, "secondaryIds": []string{ada}})
		if refused := s.must(t, 409, "POST", "/api/v1/customers", `{"email":"ada@x.example"}`); text(refused, "customerId") != bob {
			t.Errorf("the e-mail of a merged record stands for its primary, not %v", refused)
		}
		if other := s.stranger(); other.customer(t, `{"email":"ada@x.example"}`) == "" {
			t.Error("another account may have the e-mail")
		}
	})
}

func TestAddressBook(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		order := s.shop(t)
		ada := s.customer(t, `{"email":"ada@x.example"}`)
		path := "/api/v1/customers/" + ada
		for _, address := range []string{`{"line1":"1 Way","city":"Lyon","zip":"69001","country":"FR"}`,
			`{"address1":"1 Way","city":"Lyon","postalCode":69001,"extra":true}`,
			`{"line1":"2 Way","city":"Lyon","zip":"69001","countryCode":"FR"}`, `{"note":"nothing to go by"}`} {
			s.must(t, 201, "POST", "/api/v1/orders", order(map[string]any{"customerId": ada, "shippingAddress": raw(address)}))
		}
		derived := at(s.must(t, 200, "GET", path, nil), "data", "addresses").([]any)
		if len(derived) != 2 || text(derived[0], "line1") != "2 Way" || text(derived[0], "country") != "FR" ||
			at(derived[1], "_derived") != true || text(derived[1], "postalCode") != "69001" {
			t.Fatalf("derived %v", derived)
		}
		again := at(s.must(t, 200, "GET", path, nil), "data", "addresses", 0, "id")
		if again != at(derived[0], "id") {
			t.Errorf("a derived entry's id moves: %v, %v", again, at(derived[0], "id"))
		}
		s.must(t, 404, "PATCH", path+"/addresses/"+text(derived[0], "id"), `{"city":"X"}`)
		s.must(t, 404, "DELETE", path+"/addresses/"+text(derived[0], "id"), nil)

		var since int64
		s.newest(t, &since)
		added := at(s.must(t, 201, "POST", path+"/addresses",
			`{"line1":"Own","city":"Lyon","zip":"A","postalCode":"B","country":"be","type":"shipping","isDefault":true}`), "data")
		if text(added, "zip") != "A" || text(added, "postalCode") != "A" || text(added, "country") != "BE" || at(added, "_derived") != nil {
			t.Errorf("added %v", added)
		}
		if book := at(s.must(t, 200, "GET", path, nil), "data", "addresses").([]any); len(book) != 1 {
			t.Errorf("the book is not alone: %v", book)
		}
		other := at(s.must(t, 201, "POST", path+"/addresses",
			`{"line1":"Other","city":"Lyon","zip":"A","country":"BE","type":"billing","isDefault":true}`), "data")
		s.must(t, 200, "PATCH", path+"/addresses/"+text(other, "id"), `{"type":"shipping","postalCode":"C","phone":"1"}`)
		if got := s.newest(t, &since); got != "customer.updated customer.updated customer.updated" {
			t.Errorf("emitted %q", got)
		}
		s.must(t, 200, "PATCH", path+"/addresses/"+text(other, "id"), `{"zip":"C","phone":"1","isDefault":true}`)
		if got := s.newest(t, &since); got != "" {
			t.Errorf("a change of nothing emitted %q", got)
		}
		book := at(s.must(t, 200, "GET", path, nil), "data", "addresses")
		if at(book, 0, "isDefault") != false || at(book, 1, "isDefault") != true || text(book, 1, "zip") != "C" {
			t.Errorf("book %v", book)
		}
		s.must(t, 200, "DELETE", path+"/addresses/"+text(added, "id"), nil)
		s.must(t, 404, "DELETE", path+"/addresses/"+text(added, "id"), nil)
		for _, body := range []string{`{"city":null}`, `{"line1":""}`, `{"country":"ZZ"}`, `{"zip":null}`, `{"postalCode":null}`, `{"zip":""}`,
			`{"type":"home"}`, `{"country":"FRA"}`} {
			if refused := s.must(t, 400, "PATCH", path+"/addresses/"+text(other, "id"), body); len(at(refused, "details").([]any)) != 1 {
				t.Errorf("%s: %v", body, refused)
			}
		}
		refused := s.must(t, 400, "POST", path+"/addresses", `{"type":"x"}`)
		var paths []string
		for _, d := range at(refused, "details").([]any) {
			paths = append(paths, text(d, "path"))
		}
		slices.Sort(paths)
		if fmt.Sprint(paths) != "[city country line1 type zip]" {
			t.Errorf("faults at %v", paths)
		}
		foreign := s.stranger()
		foreign.must(t, 404, "POST", path+"/addresses", `{"line1":"Own","city":"Lyon","zip":"A","country":"BE"}`)
		foreign.must(t, 404, "GET", path, nil)
		foreign.must(t, 404, "GET", path+"/orders", nil)
	})
}

// raw is JSON text in a body.
type raw string

func (r raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func TestTotalsStayTrue(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		order := s.shop(t)
		line := func(quantity int) map[string]any {
			return order(map[string]any{"customerEmail": "ada@x.example",
				"items": []any{map[string]any{"sku": "A-1", "quantity": quantity, "unitPrice": "10.25"}}})
		}
		first := s.place(t, line(1))
		ada := text(first, "customerId")
		total := func(customer string) string {
			c := at(s.must(t, 200, "GET", "/api/v1/customers/"+customer, nil), "data")
			return number(c, "ordersCount") + " " + number(c, "totalSpent")
		}
		check := func(what, want string) {
			t.Helper()
			if got := total(ada); got != want {
				t.Errorf("after %s: %s, not %s", what, got, want)
			}
		}
		check("the first order", "1 10.25")
		second := at(s.must(t, 201, "POST", "/api/v1/orders", line(2)), "data")
		check("the second order", "2 30.75")
		s.must(t, 200, "PUT", "/api/v1/orders/"+text(second, "id")+"/items",
			`{"items":[{"sku":"A-1","quantity":4,"unitPrice":10.25}],"shippingAmount":5}`)
		check("an edit", "2 56.25")
		s.must(t, 200, "PATCH", "/api/v1/orders/"+text(first, "id")+"/status", `{"status":"CANCELLED"}`)
		check("a cancellation", "2 46")
		bob := s.customer(t, `{"email":"bob@x.example"}`)
		s.must(t, 201, "POST", "/api/v1/orders", order(map[string]any{"customerId": bob}))
		preview := s.must(t, 200, "GET", "/api/v1/customers/merge?primaryId="+ada+"&secondaryIds="+bob, nil)
		if number(preview, "data", "ordersMoved") != "1" || number(preview, "data", "totalSpent") != "56" {
			t.Errorf("preview %v", preview)
		}
		check("a preview", "2 46")
		merged := at(s.must(t, 200, "POST", "/api/v1/customers/merge", map[string]any{"primaryId": ada, "secondaryIds": []string{bob}}), "data")
		if number(merged, "ordersMoved") != "1" || number(merged, "totalSpent") != "56" || number(merged, "ordersCount") != "3" {
			t.Errorf("merged %v", merged)
		}
		check("a merge", "3 56")
		if got := total(bob); got != "0 0" {
			t.Errorf("the secondary keeps %s", got)
		}
		s.must(t, 201, "POST", "/api/v1/orders", order(map[string]any{"customerEmail": "BOB@x.example"}))
		check("an order under the secondary's e-mail", "4 66")
		s.must(t, 200, "PATCH", "/api/v1/orders/"+text(second, "id")+"/status", `{"status":"CANCELLED"}`)
		check("another cancellation", "4 20")
	})
}

func TestMergeIsAllOrNothing(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		ids := map[string]string{"unknown": id.New[string](), "nonsense": "nonsense"}
		for _, name := range []string{"a", "b", "c", "gone", "chain"} {
			ids[name] = s.customer(t, map[string]any{"email": name + "@x.example", "tags": []string{"all", name}})
		}
		ids["A"] = strings.ToUpper(ids["a"])
		ids["foreign"] = s.stranger().customer(t, `{"email":"f@x.example"}`)
		s.must(t, 200, "POST", "/api/v1/customers/"+ids["gone"]+"/erase", nil)
		s.must(t, 200, "POST", "/api/v1/customers/merge",
			map[string]any{"primaryId": ids["c"], "secondaryIds": []string{ids["chain"], ids["chain"]}})
		var since int64
		s.newest(t, &since)
		for _, c := range []struct {
			primary     string
			secondaries string
			status      int
			code        string
		}{
			{"a", "", 400, "validation_failed"}, {"a", "a", 400, "validation_failed"}, {"a", "b a", 400, "validation_failed"},
			{"unknown", "b", 404, "not_found"},
			{"a", "b unknown", 404, "not_found"}, {"a", "b foreign", 404, "not_found"}, {"a", "nonsense", 400, "validation_failed"},
			{"nonsense", "b", 400, "validation_failed"}, {"a", "b A", 400, "validation_failed"},
			{"a", "b gone", 409, "customer_erased"},
			{"gone", "b", 409, "customer_erased"}, {"a", "b chain", 409, "customer_merged"}, {"chain", "a", 409, "customer_merged"},
		} {
			list := []string{}
			for _, name := range strings.Fields(c.secondaries) {
				list = append(list, ids[name])
			}
			status, refused := s.call(t, "POST", "/api/v1/customers/merge", map[string]any{"primaryId": ids[c.primary], "secondaryIds": list})
			if status != c.status || text(refused, "code") != c.code {
				t.Errorf("%s ← %s: %d %v", c.primary, c.secondaries, status, refused)
			}
			status, refused = s.call(t, "GET", "/api/v1/customers/merge?primaryId="+ids[c.primary]+"&secondaryIds="+strings.Join(list, ","), nil)
			if status != c.status || text(refused, "code") != c.code {
				t.Errorf("preview of %s ← %s: %d %v", c.primary, c.secondaries, status, refused)
			}
		}
		if got := s.newest(t, &since); got != "" {
			t.Errorf("refused merges emitted %q", got)
		}
		merged := at(s.must(t, 200, "POST", "/api/v1/customers/merge",
			map[string]any{"primaryId": ids["a"], "secondaryIds": []string{ids["b"], ids["c"]}}), "data")
		if fmt.Sprint(at(merged, "tags")) != "[all a b c chain]" ||
			fmt.Sprint(at(merged, "mergedIds")) != fmt.Sprint([]string{ids["b"], ids["c"]}) {
			t.Errorf("merged %v", merged)
		}
		if got := s.newest(t, &since); got != "customer.merged" {
			t.Errorf("emitted %q", got)
		}
		for _, name := range []string{"b", "c", "chain"} {
			c := at(s.must(t, 200, "GET", "/api/v1/customers/"+ids[name], nil), "data")
			if text(c, "status") != "secondary" || text(c, "mergedIntoId") != ids["a"] || fmt.Sprint(at(c, "tags")) != "[]" {
				t.Errorf("%s: %v", name, c)
			}
			if refused := s.must(t, 409, "PATCH", "/api/v1/customers/"+ids[name], `{"phone":"1"}`); text(refused, "customerId") != ids["a"] {
				t.Errorf("%s: %v", name, refused)
			}
		}
		if n := number(s.must(t, 200, "GET", "/api/v1/customers", nil), "meta", "total"); n != "2" {
			t.Errorf("the list shows %s customers", n)
		}
		if n := number(s.must(t, 200, "GET", "/api/v1/customers?includeInactive=true", nil), "meta", "total"); n != "5" {
			t.Errorf("with inactive ones the list shows %s customers", n)
		}
	})
}

// A record that was merged into another is not listed without includeInactive, whatever becomes of the other one: also when that is
// erased, and the record with it.
func TestErasedSecondariesAreNotListed(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		primary, secondary := s.customer(t, `{"email":"primary@x.example"}`), s.customer(t, `{"email":"secondary@x.example"}`)
		alone, stays := s.customer(t, `{"email":"alone@x.example"}`), s.customer(t, `{"email":"stays@x.example"}`)
		s.must(t, 200, "POST", "/api/v1/customers/merge", map[string]any{"primaryId": primary, "secondaryIds": []string{secondary}})
		s.must(t, 200, "POST", "/api/v1/customers/"+primary+"/erase", nil)
		s.must(t, 200, "POST", "/api/v1/customers/"+alone+"/erase", nil)
		look := func(t *testing.T) {
			for query, want := range map[string][]string{
				"":                                    {stays, alone, primary},
				"includeInactive=true":                {stays, alone, secondary, primary},
				"search=erased-":                      {alone, primary},
				"search=erased-&includeInactive=true": {alone, secondary, primary},
				"email=erased-" + secondary + "@erased.invalid":                      {},
				"email=erased-" + secondary + "@erased.invalid&includeInactive=true": {secondary},
				"email=erased-" + primary + "@erased.invalid":                        {primary},
			} {
				list := s.must(t, 200, "GET", "/api/v1/customers?"+query, nil)
				got := []string{}
				for _, c := range at(list, "data").([]any) {
					got = append(got, text(c, "id"))
				}
				if !slices.Equal(got, want) || number(list, "meta", "total") != fmt.Sprint(len(want)) {
					t.Errorf("%q: %v, total %s, not %v", query, got, number(list, "meta", "total"), want)
				}
			}
			s.sound(t)
		}
		look(t)
		for _, kind := range search.Kinds {
			if err := search.Blocks[kind].FollowTenant(t.Context(), s.DB, s.tenant); err != nil {
				t.Fatal(err)
			}
		}
		look(t)
	})
}

// Accents that are composed of two characters, as names from files of macOS have them, are the same letters: searches
// and e-mail addresses compare alike, while the texts themselves stay as they were sent.
func TestComposedAndDecomposedAccents(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.shop(t)
		composed, decomposed := "Zoë Çelik", "Zoe\u0308 C\u0327elik"
		for n, name := range []string{composed, decomposed} {
			sku := fmt.Sprint("N-", n)
			s.must(t, 201, "POST", "/api/v1/products", item{"sku": sku, "name": name, "price": 1})
			s.must(t, 201, "POST", "/api/v1/categories", item{"name": name})
			s.must(t, 201, "POST", "/api/v1/customers", item{"email": fmt.Sprintf("n%d@test.example", n), "firstName": name})
			order := s.must(t, 201, "POST", "/api/v1/orders", item{"customerName": name,
				"items": []item{{"sku": sku, "quantity": 1, "unitPrice": 1}}})
			if got := text(order, "data", "customerName"); got != name {
				t.Errorf("%q became %q", name, got)
			}
		}
		for _, list := range []string{"orders", "customers", "products", "categories", "inventory"} {
			want := "2"
			if list == "inventory" { // the products have no stock
				for n := range 2 {
					s.must(t, 200, "PATCH", "/api/v1/sdk/inventory/bulk-update", item{"updates": []item{{"sku": fmt.Sprint("N-", n), "quantity": 1}}})
				}
			}
			for _, term := range []string{composed, decomposed, "ZOE\u0308 ç", "zoë", "ÇELIK"} {
				page := s.must(t, 200, "GET", "/api/v1/"+list+"?search="+url.QueryEscape(term), nil)
				if got := number(page, "meta", "total"); got != want {
					t.Errorf("%s for %q: %s, not %s", list, term, got, want)
				}
			}
		}
		first := s.customer(t, `{"email":"zoë@test.example"}`)
		r := s.do(call{method: "POST", path: "/api/v1/customers", body: item{"email": "ZOE\u0308@test.example"}})
		if r.status != 409 || text(r.json(t), "customerId") != first {
			t.Errorf("the same address: %d %s", r.status, r.body)
		}
		s.must(t, 201, "POST", "/api/v1/orders", item{"customerName": "Z", "customerEmail": "zoe\u0308@test.example",
			"items": []item{{"sku": "A-1", "quantity": 1, "unitPrice": 1}}})
		for path, want := range map[string]string{"customers?email=": "1", "orders?customerEmail=": "1"} {
			for _, email := range []string{"zoë@test.example", "zoe\u0308@TEST.example"} {
				page := s.must(t, 200, "GET", "/api/v1/"+path+url.QueryEscape(email), nil)
				if got := number(page, "meta", "total"); got != want {
					t.Errorf("%s%q: %s, not %s", path, email, got, want)
				}
			}
		}
		s.sound(t)
	})
}
