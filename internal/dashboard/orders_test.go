package dashboard

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/orders"

	"github.com/xuri/excelize/v2"
)

// shopper calls the API of a site as its owner.
type shopper struct {
	*browser
	t testing.TB
}

func (s *site) shopper(t testing.TB) *shopper {
	t.Helper()
	c := &shopper{s.browser(), t}
	c.header.Set("Authorization", "Bearer "+c.call("POST", "/auth/login", map[string]any{"email": "owner@test.example",
		"password": password})["accessToken"].(string))
	return c
}

// call gives the data of an answer that says that all went well.
func (c *shopper) call(method, path string, body any) map[string]any {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	kind := "application/json"
	if body == nil {
		kind, text = "", nil
	}
	out := c.send(method, "/api/v1"+path, bytes.NewReader(text), kind)
	var answer struct{ Data map[string]any }
	if err := json.Unmarshal([]byte(out.body), &answer); out.status >= 300 || err != nil {
		c.t.Fatalf("%s %s: %d %s", method, path, out.status, out.body)
	}
	return answer.Data
}

// order makes an order of quantities of the article MUG and TEA.
func (c *shopper) order(status string, more map[string]any, quantities ...int) string {
	c.t.Helper()
	var items []any
	for i, n := range quantities {
		items = append(items, map[string]any{"sku": []string{"MUG", "TEA"}[i], "quantity": n, "unitPrice": "9.50"})
	}
	body := map[string]any{"customerName": "Ada Lovelace", "customerEmail": "ada@example.com", "initialStatus": status, "items": items,
		"shippingAddress": map[string]any{"line1": "1 rue de la Paix", "zip": "75002", "city": "Paris", "country": "FR", "doorCode": "12B"}}
	for name, value := range more {
		body[name] = value
	}
	return c.call("POST", "/orders", body)["id"].(string)
}

func (c *shopper) articles() {
	c.t.Helper()
	for _, sku := range []string{"MUG", "TEA"} {
		c.call("POST", "/products", map[string]any{"sku": sku, "name": "The " + sku, "price": 9.5})
		c.call("POST", "/inventory/movements", map[string]any{"sku": sku, "type": "receive", "quantity": 100})
	}
}

// The list shows what the address says, and each filter that is set leads to the list without it.
func TestOrderList(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		if out := b.get("/orders"); out.status != 200 || !strings.Contains(out.words(), "No orders yet") {
			t.Fatalf("%d %s", out.status, out.words())
		}
		c.articles()
		for i := range 60 {
			c.order([]string{"PENDING", "PROCESSING", "SHIPPED"}[i%3], map[string]any{"externalReference": fmt.Sprint("WEB-", i)}, 2+i%3, 1)
		}
		c.order("PROCESSING", map[string]any{"customerName": "Bob", "shippingAddress": map[string]any{"country": "DE"}}, 10, 10)
		for path, want := range map[string][]string{
			"/orders": {"1–50 of 61", "All 61", "To ship 21", "Pending 20", "Bob DE", "The MUG", "+1", "0 of 20",
				"€190.00"},
			"/orders?page=2":                                             {"51–61 of 61"},
			"/orders?status=SHIPPED":                                     {"20 orders", "Status: Shipped"},
			"/orders?status=PENDING&status=":                             {"20 orders"},
			"/orders?search=web-7":                                       {"1 order", "WEB-7"},
			"/orders?country=de":                                         {"1 order", "Country: Germany"},
			"/orders?minTotal=100":                                       {"1 order", "Total: from 100"},
			"/orders?placed=7d&sort=total:desc":                          {"1–50 of 61", "Placed: last 7 days"},
			"/orders?placed=today":                                       {"Placed: today"},
			"/orders?createdAtLte=2020-01-01":                            {"No order matches", "Placed: to 1 Jan 2020"},
			"/orders?createdAtLte=2020-01-01T12:30":                      {"No order matches", "Placed: to 1 Jan 2020, 12:30"},
			"/orders?customerEmail=ADA@example.com&sort=orderNumber:asc": {"1–50 of 61", "Customer: ADA@example.com"},
		} {
			out := b.get(path)
			for _, words := range want {
				if out.status != 200 || !strings.Contains(out.words(), words) {
					t.Errorf("%s: %d, no %q in %s", path, out.status, words, out.words())
				}
			}
		}
		out := b.get("/orders?status=SHIPPED&search=ada")
		for _, link := range []string{`href="/dashboard/orders?search=ada"`, `name="status" value="SHIPPED"`, `name="search" value="ada"`} {
			if !strings.Contains(out.body, link) {
				t.Errorf("no %s", link)
			}
		}
		s.newUser("vera@test.example", accounts.Viewer)
		if out := s.as(accounts.User{Email: "vera@test.example"}).get("/orders"); out.status != 200 || strings.Contains(out.body, "bulk-moves") {
			t.Errorf("a viewer's list: %d", out.status)
		}
	})
}

// A tab says how many orders its list has, or nothing where another filter leaves fewer; so do those of products.
func TestCountsOfTabs(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		for _, status := range []string{"PENDING", "PENDING", "PROCESSING"} {
			c.order(status, nil, 1)
		}
		c.order("PENDING", map[string]any{"shippingAddress": map[string]any{"country": "DE"}}, 1)
		tabs := regexp.MustCompile(`(?s)<nav class="views" aria-label="Views">(.*?)</nav>`)
		for path, want := range map[string]string{"/orders": "All 4 To ship 1 Pending 3",
			"/orders?status=PENDING&sort=total:asc": "All 4 To ship 1",
			"/orders?status=PENDING&country=DE":     "All To ship Pending Partly", "/orders?search=ada": "All To ship Pending",
			"/products?status=ACTIVE": "All 2 For sale 2", "/products?search=MUG": "All For sale"} {
			shown := reply{body: tabs.FindString(b.get(path).body)}.words()
			if !strings.HasPrefix(shown, want) {
				t.Errorf("%s: %q", path, shown)
			}
		}
	})
}

// A file has every order of the view once, and no cell that a spreadsheet would take for a formula; who took it is noted.
func TestOrderExport(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		var ids []string
		for _, name := range []string{"=cmd()", "+1", "-1", "@x", "Ada"} {
			ids = append(ids, c.order("PENDING", map[string]any{"customerName": name}, 1))
		}
		c.order("SHIPPED", nil, 3)
		rows := func(values url.Values) [][]string {
			out := b.post("/orders/export", values)
			text, marked := strings.CutPrefix(out.body, "\ufeff") // by which a spreadsheet knows the encoding
			list, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if !marked || err != nil || out.status != 200 || !strings.Contains(out.header.Get("Content-Disposition"), ".csv") {
				t.Fatalf("%d %v %s", out.status, err, out.body)
			}
			return list[1:]
		}
		if all := rows(nil); len(all) != 6 || all[0][2] != "SHIPPED" || all[0][10] != "3" || all[1][5] != "Ada" || all[5][5] != "'=cmd()" ||
			all[4][5] != "'+1" || all[3][5] != "'-1" || all[2][5] != "'@x" {
			t.Errorf("%v", all)
		}
		if some := rows(url.Values{"status": {"PENDING"}}); len(some) != 5 {
			t.Errorf("%v", some)
		}
		if some := rows(url.Values{"id": ids[:2]}); len(some) != 2 {
			t.Errorf("%v", some)
		}
		// What was ticked is in the file, also when it has left the view meanwhile.
		c.call("PATCH", "/orders/"+ids[0]+"/status", map[string]any{"status": "PROCESSING"})
		some := rows(url.Values{"status": {"PENDING"}, "id": ids[:2]})
		if len(some) != 2 || some[0][2] != "PROCESSING" || some[0][8] != "1" || some[0][9] != "1" || some[1][5] != "'+1" {
			t.Errorf("%v", some)
		}
		// As a workbook, texts are texts, amounts are numbers, and moments are dates.
		out := b.post("/orders/export", url.Values{"as": {"xlsx"}, "id": ids[:2]})
		book, err := excelize.OpenReader(strings.NewReader(out.body))
		if err != nil || !strings.Contains(out.header.Get("Content-Disposition"), ".xlsx") {
			t.Fatal(err, out.status)
		}
		sheet, err := book.GetRows("Orders")
		if err != nil || len(sheet) != 3 || sheet[0][0] != "orderNumber" || sheet[1][5] != "=cmd()" && sheet[2][5] != "=cmd()" {
			t.Errorf("%v, %q", err, sheet)
		}
		for place, want := range map[string]excelize.CellType{"F2": excelize.CellTypeInlineString, "D2": excelize.CellTypeUnset,
			"P2": excelize.CellTypeUnset} {
			if kind, err := book.GetCellType("Orders", place); err != nil || kind != want {
				t.Errorf("%s: %v, %v", place, kind, err)
			}
		}
		if out := b.post("/orders/export", url.Values{"id": {"none"}}); out.status != 400 {
			t.Errorf("%d", out.status)
		}
		if log := c.send("GET", "/api/v1/audit-log", nil, ""); strings.Count(log.body, "orders.exported") != 5 {
			t.Errorf("%s", log.body)
		}
	})
}

// Who works through a list of orders stays in it: each action on an order leads back to its page in that list.
func TestActionsStayInTheList(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		first, other, second := c.order("PROCESSING", nil, 2), c.order("PENDING", nil, 1), c.order("PROCESSING", nil, 1)
		const list = "?status=PROCESSING%2CPARTIALLY_SHIPPED"
		order := "/orders/" + second
		page := b.get(order + list)
		stays := func(page reply) {
			t.Helper()
			if !strings.Contains(page.body, `href="/dashboard/orders`+list+`">Orders</a>`) ||
				!strings.Contains(page.body, `rel="next" href="/dashboard/orders/`+first+list+`"`) || strings.Contains(page.body, other) {
				t.Errorf("it has left the list: %.2000s", page.body)
			}
		}
		stays(page)
		if refused := b.sendForm(t, page, order+"/ship"+list, "items[0].quantity", "9"); refused.status != 422 {
			t.Errorf("%d", refused.status)
		} else {
			stays(refused)
		}
		if reloaded := b.get(order + "/ship" + list); reloaded.to() != prefix+order+list {
			t.Errorf("the address of the form leads to %q", reloaded.to())
		}
		page = b.follow(b.sendForm(t, page, order+"/ship"+list))
		stays(page)
		has(t, page, "Shipped 1 unit", "Undo")
		page = b.follow(b.sendForm(t, page, order+"/unship"+list))
		stays(page)
		stays(b.follow(b.sendForm(t, page, order+"/details"+list, "notes", "Ring twice")))
	})
}

// Slips have an address and what is to be packed, and neither prices nor the order's notes, which are internal.
func TestSlips(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		first, second := c.order("PROCESSING", nil, 2, 1), c.order("PENDING", map[string]any{"notes": "ring twice"}, 1)
		third := c.order("PENDING", map[string]any{"shippingAddress": map[string]any{"recipient": "Grace Hopper", "street": "1 Navy Way",
			"postcode": 22202, "city": "Arlington", "province": "Virginia", "countryCode": "US"}}, 1)
		out := b.get("/orders/slip?ids=" + first + "," + second + "," + third)
		for _, words := range []string{"ORD-000001", "ORD-000002", "1 rue de la Paix", "75002 Paris", "France", "The MUG",
			"Grace Hopper", "1 Navy Way", "22202 Arlington", "Virginia", "United States"} {
			if !strings.Contains(out.words(), words) {
				t.Errorf("no %q in %s", words, out.words())
			}
		}
		if strings.Contains(out.words(), "9.50") || strings.Contains(out.words(), "€") || strings.Contains(out.body, "ring twice") {
			t.Error("a slip shows a price, or notes")
		}
		if out := b.get("/orders/slip?status=PENDING"); strings.Contains(out.words(), "ORD-000001") ||
			!strings.Contains(out.words(), "ORD-000002") {
			t.Errorf("slips of a view: %s", out.words())
		}
		fetched := c.order("PENDING", map[string]any{"shippingAddress": nil, "customerName": "Mary Jackson"}, 1)
		if out := b.get("/orders/slip?ids=" + fetched); !strings.Contains(out.body, "<address>Mary Jackson</address>") {
			t.Errorf("without an address the slip names nobody: %s", out.words())
		}
		if out := b.get("/orders/slip?ids=" + nobodys); out.status != 404 {
			t.Errorf("a foreign order: %d", out.status)
		}
	})
}

// A view is saved with its filter, is the user's own, and is shown as a tab until it is deleted.
func TestSavedViews(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		page := b.get("/orders?status=PENDING&country=fr")
		values := url.Values{"_key": {page.key(t, "/orders/views")}, "name": {"French <b>"}, "status": {"PENDING"}, "country": {"fr"}}
		out := b.follow(b.post("/orders/views", values))
		if !strings.Contains(out.words(), "Saved the view") || !strings.Contains(out.words(), "French <b>") ||
			!strings.Contains(out.body, `href="/dashboard/orders?country=fr&amp;status=PENDING" aria-current="page"`) {
			t.Errorf("%s", out.words())
		}
		if again := b.follow(b.post("/orders/views", values)); strings.Count(again.words(), "French <b>") != 1 {
			t.Errorf("a double click saves two: %s", again.words())
		}
		s.newUser("vera@test.example", accounts.Viewer)
		vera := s.as(accounts.User{Email: "vera@test.example"})
		if other := vera.get("/orders"); strings.Contains(other.words(), "French") {
			t.Error("another user sees it")
		}
		_, rest, _ := strings.Cut(out.body, `name="view" value="`)
		view := url.Values{"view": {rest[:36]}}
		if refused := vera.post("/orders/views/delete", view); refused.status != 404 {
			t.Errorf("another user deletes it: %d", refused.status)
		}
		gone := b.follow(b.post("/orders/views/delete", view))
		if strings.Contains(gone.words(), "French") {
			t.Errorf("%s", gone.words())
		}
		back := b.follow(b.submit(t, gone, "/orders/views", "name", "French <b>", "status", "PENDING", "country", "fr"))
		has(t, back, "Saved the view", "French <b>")
		if !strings.Contains(gone.body, `name="country" value="fr"`) {
			t.Errorf("the undo of a deleted view: %s", gone.body)
		}
		if bad := b.post("/orders/views", url.Values{"name": {" "}, "status": {"PENDING"}}); bad.status != 400 {
			t.Errorf("a view without a name: %d", bad.status)
		}
	})
}

// The report of a bulk move says of every refused move why, as the pages call the statuses.
func TestRefusedMovesAreExplained(t *testing.T) {
	for _, from := range orders.Statuses {
		for to := range movedWords {
			err := from.May(to)
			if err == nil {
				continue
			}
			if words := whyNotMoved(err.Error()); strings.ToUpper(words) == words || strings.Contains(words, "cannot go") ||
				strings.HasSuffix(words, "Already ") || strings.Contains(words, "Already pending") {
				t.Errorf("%s to %s: %q", from, to, words)
			}
		}
	}
	for message, want := range map[string]string{
		"an order cannot go from SHIPPED to SHIPPED":             "Already shipped",
		"an order cannot go from PARTIALLY_SHIPPED to DELIVERED": "Not all of it is shipped yet",
		"an order cannot go from PROCESSING to PROCESSING":       "Already released to ship",
		"an order cannot go from CANCELLED to RETURNED":          "Already cancelled",
		"an order cannot go from PENDING to DELIVERED":           "Not shipped yet",
		"the order was changed meanwhile":                        "The order was changed meanwhile",
	} {
		if words := whyNotMoved(message); words != want {
			t.Errorf("%s: %q, not %q", message, words, want)
		}
	}
}

// A page after the last one leads to the last: rows may have left the list since its address was made.
func TestPagesAfterTheLast(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.shopper(t)
		c.articles()
		c.order("PROCESSING", nil, 1)
		b := s.as(s.owner)
		for _, path := range []string{"/orders", "/orders?status=PROCESSING", "/products", "/stock", "/products?search=a", "/customers",
			"/settings/users", "/settings/audit"} {
			at, err := url.Parse(prefix + path)
			if err != nil {
				t.Fatal(err)
			}
			query := at.Query()
			query.Set("page", "7")
			at.RawQuery = query.Encode()
			last, err := url.Parse(b.send("GET", at.String(), nil, "").to())
			if err != nil {
				t.Fatal(err)
			}
			query.Del("page")
			if last.Path != at.Path || last.Query().Encode() != query.Encode() {
				t.Errorf("%s leads to %s", at, last)
			}
			if page := b.send("GET", last.String(), nil, ""); page.status != 200 {
				t.Errorf("%s: %d", last, page.status)
			}
		}
		if page := b.get("/orders?search=nobody&page=2"); page.status != 200 || !strings.Contains(page.words(), "No order matches") {
			t.Errorf("an empty list: %d %.200s", page.status, page.words())
		}
	})
}

// A viewer can print and export the orders that he ticks, and is offered nothing that changes them.
func TestViewersTickOrders(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	c.order("PROCESSING", nil, 1)
	page := s.as(s.newUser("vera@test.example", accounts.Viewer)).get("/orders")
	_, bar, found := strings.Cut(page.body, `id="bulk"`)
	if !found || !strings.Contains(bar, "/orders/slip") || !strings.Contains(bar, "/orders/export") {
		t.Errorf("ticked orders cannot be printed and exported: %.300s", bar)
	}
	if strings.Contains(bar, `name="to"`) {
		t.Error("a viewer is offered to change orders")
	}
	if settings := s.as(s.newUser("wim@test.example", accounts.Viewer)).get("/settings/account"); !strings.Contains(settings.words(),
		"Numbers and dates As each browser says") {
		t.Errorf("the account's settings: %s", settings.words())
	}
}

// What was cancelled before anything was shipped looks like no work: it has no units to ship.
func TestCancelledOrdersHaveNothingToShip(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	order := c.order("PROCESSING", nil, 3)
	has(t, b.get("/orders"), "0 of 3")
	c.call("PATCH", "/orders/"+order+"/status", map[string]any{"status": "CANCELLED"})
	if page := b.get("/orders"); strings.Contains(page.words(), "0 of 3") || !strings.Contains(page.words(), "Cancelled none") {
		t.Errorf("%s", page.words())
	}
}

// A filter that cannot be read is said above the list, whose tabs and search stay, with what was typed.
func TestFiltersThatCannotBeRead(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		c.order("PROCESSING", nil, 3)
		long := strings.Repeat("x", 300)
		page := b.get("/orders?search=" + long)
		page.has(t, 400, "Search must be at most 255 characters long", "To ship", "Customer")
		if !strings.Contains(page.body, `value="`+long+`"`) || strings.Contains(page.body, "ORD-000001") {
			t.Errorf("%.900s", page.body)
		}
		b.get("/orders?status=NOPE&search=Ada").has(t, 400, "Status must be one of “Pending”", "To ship", "Customer")
		b.get("/orders?placed=soon").has(t, 400, "Placed must be today, or a number of days such as 7d", "To ship")
	})
}
