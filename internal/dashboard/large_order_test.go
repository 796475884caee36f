package dashboard

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// The page of an order of as many lines as there may be has no more elements than its lines need; it is edited and shipped there.
func TestOrderOf500Lines(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	items := make([]any, 500)
	for i := range items {
		items[i] = map[string]any{"sku": "MUG", "name": fmt.Sprint("Mug ", i), "quantity": 2, "unitPrice": "9.50"}
	}
	order := c.order("PROCESSING", map[string]any{"items": items})
	page := b.get("/orders/" + order)
	before, rest, _ := strings.Cut(page.body, `id="json"`)
	if n := len(anElement.FindAllString(rest, -1)); n > 100 {
		t.Errorf("the JSON and what follows it are %d elements", n)
	}
	if n := len(anElement.FindAllString(before, -1)); n > 6500 {
		t.Errorf("%d elements before the JSON", n)
	}
	page = b.follow(b.sendForm(t, b.get("/orders/"+order+"?open=lines"), "/orders/"+order+"/lines", "items[499].quantity", "1"))
	has(t, page, "Mug 499", "999 to ship")
	has(t, b.follow(b.sendForm(t, page, "/orders/"+order+"/ship")), "Shipped 999 units. ", "1 of 1", "2 of 2")
}

// An order of 100 lines is within the budget of elements, whatever it is opened with, before it is shipped and after.
func TestOrderOf100LinesIsLight(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	items := make([]any, 100)
	for i := range items {
		sku := fmt.Sprint("MUG-", i)
		c.call("POST", "/products", map[string]any{"sku": sku, "name": "Mug", "price": "9.50"})
		c.call("POST", "/inventory/movements", map[string]any{"sku": sku, "type": "receive", "quantity": 9, "warehouseCode": "MAIN"})
		items[i] = map[string]any{"sku": sku, "name": fmt.Sprint("Mug ", i), "quantity": 2, "unitPrice": "9.50"}
	}
	order := "/orders/" + c.order("PROCESSING", map[string]any{"items": items})
	light := func(part, has string) {
		t.Helper()
		page := b.get(order + part)
		n := len(anElement.FindAllString(page.body, -1))
		t.Logf("%s: %d elements, %d bytes", part, n, wire(t, page.body))
		if n > mostElements || wire(t, page.body) > laterVisit || !strings.Contains(page.body, has) {
			t.Errorf("%s: %d elements, %d bytes; has %q: %v", part, n, wire(t, page.body), has, strings.Contains(page.body, has))
		}
	}
	light("", "Ship 200 units")
	light("?open=lines", "Save lines")
	light("?open=json", "unitPrice")
	b.follow(b.sendForm(t, b.get(order), order+"/ship"))
	light("", "Undo shipment")
	light("?open=movements", "MUG-99")
	has(t, b.get(order+"?open=movements"), "100 lines, 200 units", "Show lines", "Folded while stock movements are open.")
}

// A page of the list of orders is within the budget at its worst: several lines, a country and a shop's number in each row, pages on both
// sides, filters, and some channels and saved views.
func TestListOfOrdersIsLight(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	for i := range 150 {
		c.order("PARTIALLY_SHIPPED", map[string]any{"externalReference": fmt.Sprint("WEB-", i)}, 1, 1)
	}
	const filters = "status=PENDING&status=PROCESSING&status=PARTIALLY_SHIPPED&placed=7d&country=FR&minTotal=1&customerEmail=ada@example.com"
	for i := range 5 {
		s.channel(fmt.Sprint("Shop ", i))
		name := fmt.Sprint("View ", i)
		b.follow(b.post("/orders/views", url.Values{"_key": {name}, "name": {name}, "status": {"PARTIALLY_SHIPPED"},
			"country": {"F" + string(rune('A'+i))}}))
	}
	page := b.get("/orders?page=2&" + filters)
	n := len(anElement.FindAllString(page.body, -1))
	t.Logf("%d elements, %d bytes", n, wire(t, page.body))
	has(t, page, "View 4", "WEB-70", "+1", "Next", "Total: from 1")
	if rows := strings.Count(page.body, `<tr role="row" id="o-`); rows != 50 || n > mostElements {
		t.Errorf("%d rows, %d elements", rows, n)
	}
}

// What is coloured of JSON is bounded, and nothing of it is lost.
func TestLongJSONIsNotColouredToItsEnd(t *testing.T) {
	long := "[" + strings.Repeat(`{"a":1,"b":"two"},`, 5000) + `{"last":null}]`
	var text strings.Builder
	coloured := 0
	for _, part := range colour(long) {
		text.WriteString(part.Text)
		if part.Class != "" {
			coloured++
		}
	}
	if coloured > mostColoured || coloured == 0 {
		t.Errorf("%d tokens are coloured", coloured)
	}
	if got := strings.Join(strings.Fields(text.String()), ""); got != long {
		t.Errorf("%d bytes of %d", len(got), len(long))
	}
}
