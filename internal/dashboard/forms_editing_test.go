package dashboard

import (
	"html"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// inputs are the fields that a browser sends of the form to an action below the prefix if the user changes nothing. An input has one
// line, and the lines of a text have CRLF between them.
func (r reply) inputs(t testing.TB, action string) url.Values {
	t.Helper()
	_, form, ok := strings.Cut(r.body, `action="`+prefix+action+`"`)
	if form, _, _ = strings.Cut(form, "</form>"); !ok {
		t.Fatalf("no form to %s in %.300s", action, r.words())
	}
	values := url.Values{}
	for _, tag := range regexp.MustCompile(`<input [^>]*>`).FindAllString(form, -1) {
		kind := attribute(tag, "type")
		if (kind == "checkbox" || kind == "radio") && !strings.Contains(tag, " checked") {
			continue
		}
		values.Add(attribute(tag, "name"), strings.ReplaceAll(attribute(tag, "value"), "\n", ""))
	}
	for _, found := range regexp.MustCompile(`(?s)<textarea ([^>]*)>(.*?)</textarea>`).FindAllStringSubmatch(form, -1) {
		values.Add(attribute(" "+found[1], "name"), strings.ReplaceAll(html.UnescapeString(found[2]), "\n", "\r\n"))
	}
	for _, found := range regexp.MustCompile(`(?s)<select ([^>]*)>(.*?)</select>`).FindAllStringSubmatch(form, -1) {
		for i, chosen := range regexp.MustCompile(`<option [^>]*>`).FindAllString(found[2], -1) {
			if i == 0 || strings.Contains(chosen, " selected") {
				values.Set(attribute(" "+found[1], "name"), attribute(chosen, "value"))
			}
		}
	}
	return values
}

func attribute(tag, name string) string {
	_, rest, _ := strings.Cut(tag, " "+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return html.UnescapeString(value)
}

// Two people open a form and both change one input: the second is refused, sees what it is now beside what he has typed, and can send it
// again. What the first changed elsewhere in the form stays.
func TestFormsOfWhatHasChanged(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		at := s.samples
		for _, c := range []struct {
			page, action, input, first, second string
			beside, besideNow                  string // another input that the first changes
			by                                 string // who the refusal names
		}{
			{page: "/settings/account", action: "/settings/account", input: "name", first: "Lumen", second: "Atelier", by: "Olga Owner"},
			{page: "/products/" + at["/products"], action: "/products/" + at["/products"], input: "name", first: "Mug, blue", second: "Blue cup",
				beside: "price", besideNow: "13.75"},
			{page: "/products/" + at["/products"], action: "/products/" + at["/products"], input: "variants[0].name", first: "S",
				second: "XS"},
			{page: "/products/" + at["/products"], action: "/products/" + at["/products"], input: "value-material",
				first: "clay", second: "glass"},
			{page: "/customers/" + at["/customers"], action: "/customers/" + at["/customers"], input: "lastName", first: "King", second: "Byron",
				beside: "company", besideNow: "Analytical Ltd"},
			{page: "/orders/" + at["/orders"], action: "/orders/" + at["/orders"] + "/details", input: "notes", first: "Ring", second: "Knock"},
			{page: "/categories/" + at["/categories"], action: "/categories/" + at["/categories"], input: "name", first: "Cooking",
				second: "Kitchens"},
			{page: "/attributes/" + at["/attributes"], action: "/attributes/" + at["/attributes"], input: "label", first: "Stuff", second: "Matter"},
			{page: "/stock/warehouses/" + at["/stock/warehouses"], action: "/stock/warehouses/" + at["/stock/warehouses"] + "/save",
				input: "name", first: "East", second: "Far east"},
			{page: "/segments/" + at["/segments"], action: "/segments/" + at["/segments"], input: "name", first: "Often", second: "Friends"},
			{page: "/webhooks/" + at["/webhooks"], action: "/webhooks/" + at["/webhooks"], input: "description", first: "Page", second: "Status",
				by: "Olga Owner"},
			{page: "/channels/" + at["/channels"], action: "/channels/" + at["/channels"], input: "name", first: "Old ERP", second: "New ERP",
				by: "Olga Owner"},
			{page: "/settings/users/" + at["/settings/users"], action: "/settings/users/" + at["/settings/users"], input: "name", first: "Vera W.",
				second: "Vera X.", by: "Olga Owner"},
		} {
			one, two := s.as(s.owner), s.as(s.owner)
			first, second := one.get(c.page).inputs(t, c.action), two.get(c.page).inputs(t, c.action)
			if !first.Has(c.input) || first.Get(seenName) == "" {
				t.Errorf("%s: the form has no %s, or no version: %v", c.action, c.input, first)
				continue
			}
			first.Set(c.input, c.first)
			if c.beside != "" {
				first.Set(c.beside, c.besideNow)
			}
			if out := one.post(c.action, first); out.status != 303 {
				t.Errorf("%s: the first: %d %.300s", c.action, out.status, out.words())
				continue
			}
			if out := one.post(c.action, first); out.status != 303 {
				t.Errorf("%s: the first clicks twice: %d %.300s", c.action, out.status, out.words())
			}
			second.Set(c.input, c.second)
			out := two.post(c.action, second)
			if out.status != 412 || !strings.Contains(out.words(), "Changed meanwhile: it is “"+c.first+"” now") {
				t.Errorf("%s: the second: %d %.600s", c.action, out.status, out.words())
				continue
			}
			named := regexp.MustCompile(`Changed by ` + regexp.QuoteMeta(c.by) + `, (just now|\d+ min ago)`).MatchString(out.words())
			if named != (c.by != "") {
				t.Errorf("%s: by whom? %.600s", c.action, out.words())
			}
			again := out.inputs(t, c.action)
			if again.Get(c.input) != c.second || c.beside != "" && again.Get(c.beside) != c.besideNow {
				t.Errorf("%s: the form that comes back holds %v", c.action, again)
			}
			if out := two.post(c.action, again); out.status != 303 {
				t.Errorf("%s: the second sends it again: %d %.300s", c.action, out.status, out.words())
			}
			if kept := two.get(c.page).inputs(t, c.action); kept.Get(c.input) != c.second || c.beside != "" && kept.Get(c.beside) != c.besideNow {
				t.Errorf("%s: in the end it holds %v", c.action, kept)
			}
		}
	})
}

// An order was shipped while its page was open: shipping it again, or moving it, says that it is done, and does nothing.
func TestStaleActionsOfAnOrder(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.shopper(t)
		c.articles()
		order := c.order("PROCESSING", nil, 2)
		b := s.as(s.owner)
		page := b.get("/orders/" + order)
		ship := page.inputs(t, "/orders/"+order+"/ship")
		c.call("PATCH", "/orders/"+order+"/status", map[string]any{"status": "SHIPPED"})
		for action, values := range map[string]url.Values{"/ship": ship, "/move": {"status": {"SHIPPED"}}} {
			out := b.post("/orders/"+order+action, values)
			_, alert, _ := strings.Cut(out.body, `role="alert">`)
			alert, _, _ = strings.Cut(alert, "</div>")
			said := reply{body: alert}.words()
			want := map[string]string{"/ship": "nothing is left to ship", "/move": "Already shipped"}[action]
			if out.status < 400 || out.status >= 500 || !strings.Contains(said, want) {
				t.Errorf("%s: %d, it says %q", action, out.status, said)
			}
			if after := c.call("GET", "/orders/"+order, nil); len(after["shipments"].([]any)) != 1 {
				t.Errorf("%s: %v", action, after["shipments"])
			}
		}
	})
}

// pageWith is the address of the page that has the form of an action: the lines of an order are edited when they are opened.
func pageWith(page, action string) string {
	if action == "/lines" {
		return page + "?open=lines"
	}
	return page
}

// Rows that a colleague has removed do not come back, nor do those after them take their place: the form shows those that are there.
func TestFormsWhoseRowsHaveMoved(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		product := "/products/" + c.call("POST", "/products", map[string]any{"sku": "PEN", "name": "Pen", "price": 1,
			"variants": []any{map[string]any{"sku": "PEN-S", "name": "S"}, map[string]any{"sku": "PEN-L", "name": "L"}}})["id"].(string)
		first, last := "/orders/"+c.order("PROCESSING", nil, 3, 2), "/orders/"+c.order("PROCESSING", nil, 3, 2)
		ships := "/orders/" + c.order("PROCESSING", nil, 3, 2)
		rest := func(order string, kept int) map[string]any {
			line := c.call("GET", order, nil)["items"].([]any)[kept].(map[string]any)
			return map[string]any{"items": []any{map[string]any{"id": line["id"], "sku": line["sku"], "quantity": line["quantity"],
				"unitPrice": line["unitPrice"]}}}
		}
		for _, one := range []struct {
			page, action, input, method, path string
			body                              map[string]any
			want                              string // what is in that input then
		}{
			{first, "/lines", "items[0].quantity", "PUT", first + "/items", rest(first, 1), "2"},
			{last, "/lines", "items[0].quantity", "PUT", last + "/items", rest(last, 0), "3"},
			{ships, "/ship", "items[0].quantity", "PUT", ships + "/items", rest(ships, 1), "2"},
			{product, "", "variants[0].name", "POST", "/sdk/products/bulk-import?wait=true", map[string]any{
				"options": map[string]any{"replaceVariants": true}, "products": []any{map[string]any{"sku": "PEN", "name": "Pen", "price": 1,
					"variants": []any{map[string]any{"sku": "PEN-L", "name": "L"}}}}}, "L"},
		} {
			form := b.get(pageWith(one.page, one.action)).inputs(t, one.page+one.action)
			form.Set(one.input, "1")
			s.call(one.method, "/api/v1"+one.path, string(text(one.body)))
			before := c.call("GET", one.page, nil)
			out := b.post(one.page+one.action, form)
			if out.status != 412 || !strings.Contains(out.words(), "Meanwhile rows of it came or went") {
				t.Errorf("%s%s: %d %.900s", one.page, one.action, out.status, out.words())
				continue
			}
			again := out.inputs(t, one.page+one.action)
			if got := again.Get(one.input); got != one.want {
				t.Errorf("%s%s: %s is %q", one.page, one.action, one.input, got)
			}
			if after := c.call("GET", one.page, nil); !reflect.DeepEqual(before, after) {
				t.Errorf("%s%s: it is stored all the same: %v", one.page, one.action, after)
			}
			again.Set(one.input, "1")
			if out := b.post(one.page+one.action, again); out.status != 303 {
				t.Errorf("%s%s: typed again: %d %.600s", one.page, one.action, out.status, out.words())
			}
		}
	})
}

// A form that is sent as it came changes nothing, whatever the API has stored: several lines, a price of more digits than the currency
// has, a comma in a tag, a time within a day. Nor does it take for typed what is as it was when something else has changed meanwhile.
func TestFormsChangeOnlyWhatIsTyped(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		c.call("POST", "/attributes", map[string]any{"code": "care", "label": "Care", "type": "text"})
		product := "/products/" + c.call("POST", "/products", map[string]any{"sku": "PEN", "name": "Pen\nin a box", "price": 9.9999,
			"compareAtPrice": 10.005, "description": "One\ntwo", "attributes": map[string]any{"care": "Wash\nDry", "other": "a\nb", "n": 1.50},
			"variants": []any{map[string]any{"sku": "PEN-L", "name": "L\nlarge", "price": 9.0001}}})["id"].(string)
		order := "/orders/" + c.order("PROCESSING", map[string]any{"notes": "Ring\nTwice", "shippingAddress": map[string]any{
			"line1": "1 rue A\nporte B", "zip": "75002", "city": "Paris", "country": "FR"}}, 3)
		customer := "/customers/" + c.call("GET", order, nil)["customerId"].(string)
		c.call("PATCH", customer, map[string]any{"company": "A\nB", "tags": []any{"vip, gold", "b2b", `"loud"`}})
		segment := "/segments/" + c.call("POST", "/segments", map[string]any{"name": "Some",
			"rules": map[string]any{"tagsAny": []any{"vip, gold"}, "tagsAll": []any{"b2b"}, "minTotalSpent": 10.0001,
				"createdAfter": "2026-01-02T03:04:05.678Z"}})["id"].(string)
		for _, one := range []struct{ record, action string }{{product, ""}, {order, "/lines"}, {order, "/details"}, {order, "/address"}, {order, "/billing-address"},
			{customer, ""}, {customer, "/tags"}, {segment, ""}} {
			before := c.call("GET", one.record, nil)
			form := b.get(pageWith(one.record, one.action)).inputs(t, one.record+one.action)
			if out := b.post(one.record+one.action, form); out.status != 303 {
				t.Errorf("%s%s: %d %s", one.record, one.action, out.status, out.words())
			}
			after := c.call("GET", one.record, nil)
			for _, m := range []map[string]any{before, after} {
				delete(m, "updatedAt")
			}
			if !reflect.DeepEqual(before, after) {
				t.Errorf("%s%s:\n%v\n%v", one.record, one.action, before, after)
			}
		}
		form := b.get(product).inputs(t, product)
		c.call("PATCH", product, map[string]any{"description": "Three\nfour"})
		form.Set("slug", "a-pen")
		out := b.post(product, form)
		if out.status != 412 || out.inputs(t, product).Get("description") != "Three\r\nfour" {
			t.Errorf("%d %q", out.status, out.inputs(t, product).Get("description"))
		}
	})
}

func TestCommas(t *testing.T) {
	for _, list := range [][]string{nil, {"vip"}, {"a", "b c", "d"}, {"vip, gold", "x"}, {`"q"`, `a "b"`, `"`, `","`}, {"x", ","}} {
		if got := commaList(commaText(list)); !slices.Equal(got, list) {
			t.Errorf("%q comes back as %q", list, got)
		}
	}
	for typed, want := range map[string][]string{" a ,, b,": {"a", "b"}, `"a, b" , c`: {"a, b", "c"}, `"a`: {"a"}, `12" pipe`: {`12" pipe`}} {
		if got := commaList(typed); !slices.Equal(got, want) {
			t.Errorf("%s is read as %q", typed, got)
		}
	}
}

// Two people ship the same order: nothing on the second one's page says that anything of the form is left to be sent again.
func TestNothingIsLeftToShip(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.shopper(t)
		c.articles()
		path := "/orders/" + c.order("PROCESSING", nil, 3)
		one, two := s.as(s.owner), s.as(s.owner)
		first, second := one.get(path).inputs(t, path+"/ship"), two.get(path).inputs(t, path+"/ship")
		one.follow(one.post(path+"/ship", first))
		second.Set("trackingNumber", "6A123")
		refused := two.post(path+"/ship", second)
		refused.has(t, 412, "Meanwhile all of it was shipped: nothing is left to ship, and nothing that you typed is stored")
	})
}
