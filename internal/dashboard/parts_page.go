package dashboard

import (
	"entrepot/internal/base/apperr"
	"entrepot/internal/webhooks"
)

// partsRoutes are for developers only.
var partsRoutes = []*route{
	{method: "GET", path: "/_parts", serve: (*Dashboard).showParts},
	{method: "POST", path: "/_parts/form", serve: (*Dashboard).sendParts},
}

// partsView has one of each part.
type partsView struct {
	Badges   []badge
	Gauges   []gauge
	Tabs     []tab
	Chips    []chip
	Heads    []head
	At       stamp
	Pager    pager
	Callouts []callout
	Steps    []step
	Pairs    []pair
	Lines    []line
	Tree     []node
	Empty    empty
	Once     once
	Ask      ask
	Form     *form
	File     field
	JSON     []token
	Chart    chart
}

func partsForm(r *request) *form {
	return r.form("/_parts/form",
		field{Name: "name", Label: "Text", Hint: "A hint says what is expected", Required: true},
		field{Name: "price", Label: "Amount", Kind: "decimal", Placeholder: "12.50"},
		field{Name: "kind", Label: "Choice", Kind: "select",
			Options: []option{{Value: "a", Label: "The first"}, {Value: "b", Label: "The second"}}},
		field{Name: "scopes", Label: "Several", Kind: "checks", Values: []string{"b"},
			Options: []option{{Value: "a", Label: "Orders"}, {Value: "b", Label: "Products"}}},
		field{Name: "strict", Label: "Yes or no", Kind: "checkbox"},
		field{Name: "note", Label: "Long text", Kind: "textarea", ClearBlank: true})
}

// sendParts serves POST /_parts/form: it always finds something wrong.
func (d *Dashboard) sendParts(r *request) (answer, error) {
	return r.submit(partsForm(r), d.showParts, func(*form) (answer, error) {
		return answer{}, apperr.Validation([]apperr.Detail{{Path: "name", Message: "must be at least 3 characters long"},
			{Path: "elsewhere", Message: "is wrong too"}})
	})
}

// showParts serves GET /_parts.
func (d *Dashboard) showParts(r *request) (answer, error) {
	at := r.format.Stamp(d.DB.Now().UnixMicro() - 3e9)
	view := partsView{
		Badges: []badge{{"", "pending", "Pending"}, {"warn", "processing", "To ship"}, {"info", "partially_shipped", "Partly shipped"},
			{"info", "shipped", "Shipped"}, {"good", "delivered", "Delivered"}, {"", "cancelled", "Cancelled"}, {"odd", "returned", "Returned"},
			{"good", "ok", "Healthy"}, {"bad", "fail", "Failed"}, {"warn", "wait", "Retrying"}},
		Gauges: []gauge{r.format.gauge(0, 4, "%s of %s"), r.format.gauge(5, 12, "%s of %s"), r.format.gauge(7, 7, "%s of %s")},
		Tabs:   []tab{{Label: "All", To: "#", Count: "970", Current: true}, {Label: "To ship", To: "#", Count: "20"}},
		Chips:  []chip{{Label: "Status", To: "#"}, {Label: "Placed: last 7 days", To: "#", On: true}},
		Heads:  []head{{Label: "Order"}, {Label: "Placed", To: "#", Sort: "descending"}, {Label: "Total", To: "#", Num: true}},
		At:     at,
		Pager:  pager{Words: "1–50 of 970", Newer: "#", Older: "#"},
		Callouts: []callout{{"", "You can leave the page.", "The import goes on."}, {"good", "All is delivered.", ""},
			{"warn", "Note", "Call before delivery."}, {"bad", "Your endpoint failed.", "Look into its log."}},
		Steps: []step{{"File", "done"}, {"Check", "at"}, {"Import", ""}},
		Pairs: []pair{{Name: "E-mail", Value: "clara@example.com"}, {Name: "Id", Value: "01a20172-0af1-716e-9328-599295bda54e", Mono: true}},
		Lines: []line{{Tone: "info", Glyph: "shipped", Head: "Shipped", Small: webhooks.OrderShipped, At: at},
			{Tone: "warn", Glyph: "processing", Head: "Lines edited", Changes: []change{{"Dinner plate", "8", "6"}}, At: at}},
		Tree: []node{{Label: "Kitchen", To: "#", Meta: "12 products", Children: []node{{Label: "Pots"}, {Label: "Knives"}}}, {Label: "Garden"}},
		Empty: empty{Icon: "order", Head: "No orders yet", Text: "Orders appear here as channels send them.", Label: "Add a channel", To: "#",
			Curl: r.curl("read:orders", "GET", "/orders?limit=10", "")},
		Once: once{Head: "Your API key", Text: "It is shown now and never again.", Label: "API key", Secret: "pk_live_example", Back: "#"},
		Ask:  newAsk("ask", "Delete the channel?", "Its orders go with it.", "Delete", r.form("/_parts/form")),
		Form: partsForm(r),
		File: field{Form: "parts", Name: "file", Label: "Drop a file here, or choose one", Hint: "CSV, JSON or JSON lines"},
		JSON: colour(`{"id":"01a2","total":12.5,"paid":true,"note":null,"items":[{"sku":"A"}]}`),
		Chart: newChart("Revenue per day", []point{{Label: "1 Nov", Words: "€1,000", Value: 1000, Before: 900},
			{Label: "2 Nov", Words: "€2,400", Value: 2400, Before: 1300}, {Label: "3 Nov", Words: "€1,900", Value: 1900, Before: 2100}},
			func(v float64) string { return "€" + r.format.Count(int64(v)) }),
	}
	return show(screen{Template: "parts_page", Title: "Parts", Data: view}), nil
}
