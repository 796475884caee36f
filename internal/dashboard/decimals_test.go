package dashboard

import (
	"strings"
	"testing"
)

// Numbers are read as they are typed anywhere, but for those that mean different amounts in different places.
func TestTypedDecimals(t *testing.T) {
	for said, want := range map[string]string{
		"12.50": "12.50", "12,50": "12.50", "12": "12", "1234.5": "1234.5", "1234,567": "1234.567", "0,125": "0.125", "0.125": "0.125",
		"1,250.00": "1250.00", "1.250,00": "1250.00", "1 250": "1250", "1\u00a0250,5": "1250.5", "1\u202f250": "1250", "1'250.50": "1250.50",
		"1,250,000": "1250000", "1.250.000": "1250000", "12,3456": "12.3456", "1 250,500": "1250.500", "-3,5": "-3.5",
		"1,25,000": "1,25,000", "1.2.3": "1.2.3", "a": "a", "1,250.5,0": "1,250.5,0", "12 50": "12 50",
	} {
		if number, unclear := typedDecimal(said, ".", 2); number != want || unclear != "" {
			t.Errorf("%q is %q, not %q; asked: %q", said, number, want, unclear)
		}
	}
	for said, ask := range map[string]string{"1,250": "may be 1250 or 1.25:", "1.250": "may be 1250 or 1.25:",
		"12,125":  "may be 12125 or 12.1250:",
		"999.999": "may be 999999 or 999.9990:", "1,000": "may be 1000 or 1.00:"} {
		if _, unclear := typedDecimal(said, ".", 2); !strings.HasPrefix(unclear, ask) {
			t.Errorf("%q: %q", said, unclear)
		}
	}
	if number, unclear := typedDecimal("2.500", ".", 3); number != "2.500" || unclear != "" {
		t.Errorf("of a currency with three decimals: %q, %q", number, unclear)
	}
	for said, point := range map[string]string{"2,500": ".", "2.500": ","} {
		if _, unclear := typedDecimal(said, point, 3); unclear == "" {
			t.Errorf("%s is clear where decimals begin with %s", said, point)
		}
	}
	if number, unclear := typedDecimal("2,500", ",", 3); number != "2.500" || unclear != "" {
		t.Errorf("of a currency with three decimals, and a comma before them: %q, %q", number, unclear)
	}
	if _, unclear := typedDecimal("1.250", ",", 2); !strings.HasPrefix(unclear, "may be 1250 or 1,25:") {
		t.Errorf("what is asked where decimals begin with a comma: %s", unclear)
	}
}

// A whole number with signs between its thousands is that number and not a thousandth of it; where the locale has that sign before
// decimals, it is asked about.
func TestTypedWholeNumbers(t *testing.T) {
	for _, c := range []struct{ said, point, want string }{
		{"1.000", ",", "1000"}, {"1,000", ".", "1000"}, {"1.250", ",", "1250"}, {"1 000", ",", "1000"}, {"1\u202f000", ",", "1000"},
		{"1.000.000", ".", "1000000"}, {"1'000", ".", "1000"}, {"−3", ".", "-3"}, {"+2", ".", "2"}, {"-3", ",", "-3"}, {" 12 ", ".", "12"},
		{"12.5", ".", "12.5"}, {"1.250", ".", "1.250"}, {"a", ".", "a"},
	} {
		if number, unclear := typedWhole(c.said, c.point); number != c.want || unclear != "" {
			t.Errorf("%q with %q before decimals is %q, not %q; asked: %q", c.said, c.point, number, c.want, unclear)
		}
	}
	for said, point := range map[string]string{"1.000": ".", "1,000": ","} {
		if _, unclear := typedWhole(said, point); unclear != "may be 1000 or 1: type one of these" {
			t.Errorf("%q with %q before decimals: %q", said, point, unclear)
		}
	}
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	path := "/stock/MUG"
	hand := func() any { return c.list("/inventory?search=MUG")[0]["quantity"] }
	before := hand().(float64)
	b.sendForm(t, b.get(path), path+"/receive", "quantity", "1.000").has(t, 422, "Quantity may be 1000 or 1: type one of these")
	c.call("PATCH", "/account", map[string]any{"locale": "de-DE"})
	b.follow(b.sendForm(t, b.get(path), path+"/receive", "quantity", "1.000"))
	b.follow(b.sendForm(t, b.get(path), path+"/adjust", "quantity", "−3"))
	if now := hand(); now != before+997 {
		t.Errorf("%v on hand, before %v", now, before)
	}
}

// Inputs show numbers as the user's locale writes them and take them so; a point is taken too. What was not changed stays exact, also in a
// form that was filled before the locale changed.
func TestPricesAsTheLocaleWritesThem(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.call("POST", "/attributes", map[string]any{"code": "weight", "label": "Weight", "type": "number"})
	made := c.call("POST", "/products", map[string]any{"sku": "FINE", "name": "Fine", "price": "1234.5", "attributes": map[string]any{
		"weight": 1.125}, "variants": []any{map[string]any{"sku": "FINE-1", "name": "One", "price": "2.125"}}})
	product := "/products/" + made["id"].(string)
	price := func() any { return c.call("GET", product, nil)["price"] }
	english := b.get(product)
	c.call("PATCH", "/account", map[string]any{"locale": "de-DE"})
	german := b.get(product)
	for page, want := range map[*reply]string{&english: "1234.50", &german: "1234,50"} {
		if now := page.inputs(t, product).Get("price"); now != want {
			t.Errorf("the price is shown as %q, not %s", now, want)
		}
	}
	if now := german.inputs(t, product).Get("variants[0].price"); now != "2,125" {
		t.Errorf("the price of the variant is shown as %q", now)
	}
	b.follow(b.sendForm(t, english, product, "name", "Finer"))
	german = b.get(product)
	b.follow(b.sendForm(t, german, product, "variants[0].name", "The one"))
	german = b.get(product)
	b.follow(b.sendForm(t, german, product, "name", "Finest", "compareAtPrice", "2000,5"))
	if now := c.call("GET", product, nil); now["price"] != 1234.5 || now["compareAtPrice"] != 2000.5 || now["name"] != "Finest" {
		t.Errorf("stored: %v %v %v", now["name"], now["price"], now["compareAtPrice"])
	}
	for typed, want := range map[string]any{"12,75": 12.75, "13.75": 13.75, "1.250,50": 1250.5} {
		if b.follow(b.sendForm(t, b.get(product), product, "price", typed)); price() != want {
			t.Errorf("%s is stored as %v", typed, price())
		}
	}
	before := price()
	for typed, want := range map[string]string{"1.250": "may be 1250 or 1,25: type one of these",
		"12,50,1": "must be a number such as 12,50"} {
		if out := b.sendForm(t, b.get(product), product, "price", typed); out.status != 422 || !strings.Contains(out.words(), want) ||
			!strings.Contains(out.body, `value="`+typed+`"`) || price() != before {
			t.Errorf("%q: %d %v %s", typed, out.status, price(), out.words())
		}
	}
	page := b.get(product)
	if now := page.inputs(t, product).Get("value-weight"); now != "1,125" {
		t.Errorf("the weight is shown as %q", now)
	}
	b.follow(b.sendForm(t, page, product, "value-weight", "1,3750"))
	if now := c.call("GET", product, nil)["attributes"].(map[string]any)["weight"]; now != 1.375 {
		t.Errorf("the weight is %v", now)
	}
}

// Totals of the filter of orders are typed as the locale writes them; what the address then says is clear in every locale.
func TestTotalsOfAFilter(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	c.order("PENDING", nil, 1)
	c.call("PATCH", "/account", map[string]any{"locale": "fr-FR"})
	has(t, b.get("/orders?minTotal=9,5"), "Total: from 9,5", "1 order")
	has(t, b.get("/orders?minTotal=9,6"), "Total: from 9,6", "No order matches")
	if page := b.get("/orders?minTotal=9.5"); !strings.Contains(page.body, `value="9,5"`) || !strings.Contains(page.body, "minTotal=9.5") {
		t.Error("the filter is not shown as the locale writes it")
	}
	if out := b.get("/orders?minTotal=1.250&status=PENDING"); out.status != 400 || strings.Contains(out.words(), "ORD-") ||
		!strings.Contains(out.words(), "Min total may be 1250 or 1,25: type one of these") || !strings.Contains(out.body, `value="1.250"`) ||
		!strings.Contains(out.words(), "Status: Pending") || strings.Contains(out.words(), "Export CSV") {
		t.Errorf("%d %s", out.status, out.words()) // what would be exported is not what the filter says
	}
	b.get("/orders?minTotal=much&status=LOST").has(t, 400, "Status must be one of “Pending”", "; Min total must be", "Columns")
	if page := b.get("/orders?maxTotal=9,5010"); !strings.Contains(page.body, "maxTotal=9.5010") || page.status != 200 {
		t.Errorf("%d %s", page.status, page.words())
	}
}

// A price that may be a thousand times another one is asked for, wherever it is typed; one that was not changed is not.
func TestPricesThatAreUnclear(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	product := "/products/" + c.call("POST", "/products", map[string]any{"sku": "FINE", "name": "Fine", "price": "1.125",
		"variants": []any{map[string]any{"sku": "FINE-1", "name": "One", "price": "2.125"}}})["id"].(string)
	price := func() any { return c.call("GET", product, nil)["price"] }
	const asks = "may be 1250 or 1.25: type one of these"
	for _, typed := range []string{"1,250", "1.250"} {
		out := b.sendForm(t, b.get(product), product, "price", typed)
		if out.status != 422 || !strings.Contains(out.words(), asks) || strings.Contains(out.words(), "things are wrong") || price() != 1.125 {
			t.Errorf("%q: %d %v %s", typed, out.status, price(), out.words())
		}
	}
	b.follow(b.sendForm(t, b.get(product), product, "name", "Finer"))
	if price() != 1.125 {
		t.Errorf("the price that was not changed is %v", price())
	}
	b.follow(b.sendForm(t, b.get(product), product, "variants[0].name", "The one"))
	b.follow(b.sendForm(t, b.get(product), product, "price", "1,250.00"))
	if price() != 1250.0 {
		t.Errorf("the price is %v", price())
	}
	order := "/orders/" + c.order("PENDING", nil, 1, 1)
	page := b.get(order + "?open=lines")
	// Of the first line, which is removed, nothing is asked; what is asked stands beside the input of the second one.
	out := b.sendForm(t, page, order+"/lines", "items[0].quantity", "0", "items[1].unitPrice", "1,250", "shippingAmount", "2.125")
	if out.status != 422 || strings.Count(out.words(), "1250 or 1.25: type one") != 2 ||
		!strings.Contains(out.body, `items-1--unitPrice-error`) ||
		!strings.Contains(out.words(), "may be 2125 or 2.1250") {
		t.Errorf("%d %s", out.status, out.words())
	}
}

// What is typed into an input of a whole number is what is sent, to the last sign: a browser's own input of numbers leaves out a comma
// where its language has a point, and would make 15 of 1,5.
func TestACommaInAWholeNumberIsNotLeftOut(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	order := "/orders/" + c.order("PROCESSING", nil, 20)
	b := s.window(t, s.owner)
	b.open(order)
	b.fill(".qty", "1,5")
	b.press("Ship 20 units")
	b.until("document.activeElement.matches('.qty[aria-invalid=true]') && document.activeElement.value === '1,5'")
	b.shows("Must be a whole number")
	b.fill(".qty", "1,500")
	b.press("Ship 20 units")
	b.shows("Cannot ship")
	b.open("/stock?search=MUG")
	b.fill("td [name^=threshold-]", "1,5")
	b.press("Save")
	b.until("document.activeElement.matches('.qty[aria-invalid=true]') && document.activeElement.value === '1,5'")
	b.shows("Must be a whole number")
	b.fill("td [name^=threshold-]", "1,500")
	b.press("Save")
	b.shows("Saved 1 level")
	if low, now := c.list("/inventory?search=MUG")[0]["threshold"], c.call("GET", order, nil)["status"]; low != 1500.0 || now != "PROCESSING" {
		t.Errorf("the threshold is %v, and the order %v", low, now)
	}
}
