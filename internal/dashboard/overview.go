package dashboard

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"entrepot/internal/analytics"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// overviewRoutes are the first page.
var overviewRoutes = []*route{
	{method: "GET", path: "", serve: (*Dashboard).showOverview},
	{method: "GET", path: "/{$}", serve: (*Dashboard).showOverview},
	{method: "POST", path: "/first-steps/dismiss", serve: (*Dashboard).dismissSteps},
}

// need is open work for a person.
type need struct {
	Tone, Icon string
	Head, Text string
	At         stamp  // after the text, empty for none
	To         string // with the prefix
	Label      string
	part, area string
}

// kpi is a figure and the figure of the span before.
type kpi struct {
	Label, Value, To string
	Change, Tone     string // "+30.5 %", "good"; "" for no comparison
	From             string
	At               stamp  // after From, empty for none
	Besides          string // revenue in other currencies
}

// Size is the class of a value that is too long for the usual letters. It counts signs: the euro and the space before
// it are five bytes.
func (k kpi) Size() string {
	switch n := utf8.RuneCountInString(k.Value); {
	case n > 14:
		return "longer"
	case n > 10:
		return "long"
	}
	return ""
}

// shareRow is a channel's share of the revenue.
type shareRow struct {
	Name, Platform, To, Revenue, Orders, Class string
	Value, Max                                 int64
}

// healthRow is the outcome of an endpoint's newest attempts.
type healthRow struct {
	Name, To, Words    string
	Answered, Attempts int64 // of the newest, if there is any
	Tone, Glyph        string
}

// latestRow is one of the newest orders.
type latestRow struct {
	ID, Number, Customer, Total, To string
	Status                          badge
	Placed                          stamp
}

// lowRow is a stock level under its threshold.
type lowRow struct {
	Name, SKU, Available, Threshold, To string
	Oversold                            bool
}

type overviewView struct {
	Spans    []tab
	Channel  string // whose figures are shown, "" for all
	Channels []tab  // to choose from, nil for fewer than two
	Choose   string // the page of very many to choose from
	Orders   string // the list of the latest orders
	Needs    []need
	KPIs     []kpi
	Chart    chart
	Before   string
	Zone     string // of the days
	Latest   []latestRow
	Shares   []shareRow
	Hooks    []healthRow
	Low      []lowRow
	LowCount string
	low      int64
	First    []firstStepRow
	Dismiss  *form // of the first steps
	Calm     bool
	Picker   []field // the days from one to another
	Days     string  // those that are chosen, "" for one of the spans
	Wrong    bool    // the days of the address
	Hidden   []pair  // the channel, in the form of the days
	Today    []kpi
	Best     []bestRow

	anyChannel bool
}

// overviewDays are the spans that can be chosen.
var overviewDays = []int{7, 30, 90}

// showOverview serves GET /: open work, and the account's figures.
func (d *Dashboard) showOverview(r *request) (answer, error) {
	if r.chooses("channelId") && r.caller().May("read:analytics") {
		return d.choose(r, r.listing("/", "", "", "days", "channelId"), "Overview")
	}
	p := r.period()
	only, of := id.Channel(""), ""
	if text := r.http.URL.Query().Get("channelId"); text != "" {
		found, ok := id.Parse[id.Channel](text)
		if !ok {
			return answer{}, apperr.Missing("channel")
		}
		only, of = found, "&channelId="+text
	}
	view := overviewView{Before: r.say("%s days before", strconv.Itoa(p.days)), Zone: r.format.zone.String(), Orders: prefix + "/orders",
		Spans: p.spans(of), Picker: r.picker(&p), Days: p.label, Wrong: p.wrong != ""}
	if of != "" {
		view.Orders += "?" + of[1:]
		view.Hidden = []pair{{Name: "channelId", Value: string(only)}}
	}
	steps := only == "" && r.stepsLeft()
	var work openWork
	err := r.readWide(func(tx *db.Tx) error {
		return tx.Together(func(tx *db.Tx) error { return work.read(tx, r) }, func(tx *db.Tx) error {
			if !r.caller().May("read:analytics") {
				return nil
			}
			return view.readFigures(tx, r, only, &p)
		}, func(tx *db.Tx) error {
			if !steps {
				return nil
			}
			return work.readProducts(tx)
		}, func(tx *db.Tx) error {
			if !r.caller().May("read:orders") {
				return nil
			}
			return view.readLatest(tx, r, only)
		})
	})
	if err == nil && only != "" && view.Channel == "" {
		return answer{}, apperr.Missing("channel")
	}
	view.Needs, view.Hooks = work.needs(r, view.lowStock(r.format, work.low)), work.hooks
	view.Calm = len(view.Needs) == 0
	if steps {
		view.First, view.Dismiss = d.firstSteps(r, &view, &work), r.form("/first-steps/dismiss")
	}
	if view.Today != nil && r.caller().May("read:orders") {
		view.Today = append(view.Today, r.toShipToday(&work))
	}
	return show(screen{Template: "overview", Title: "Overview", Section: "/", Data: view}), err
}

// readFigures reads the figures with those of the span before, the chart, and the channels' shares.
func (v *overviewView) readFigures(tx *db.Tx, r *request, only id.Channel, p *period) error {
	currency := r.session.Account.Currency
	list, todays := r.soldIn(p.placed()), r.soldIn("placed=today")
	return tx.Together(func(tx *db.Tx) error {
		o, err := analytics.ReadOverview(tx, currency, only, p.span(), p.before(), r.format.zone)
		if err != nil {
			return err
		}
		v.chooseChannel(only, p, o.Channels)
		ofAll := list
		if only != "" && list != "" {
			list += "&channelId=" + string(only)
			todays += "&channelId=" + string(only)
		}
		v.anyChannel = len(o.Channels) > 0
		v.KPIs, v.low, v.LowCount = r.kpis(o, currency, list), o.Low, r.format.Count(o.Low)
		if only != "" {
			v.KPIs[3].From += ", of every channel"
		}
		v.Shares = r.shares(o.Shares, currency, ofAll)
		v.Chart = r.salesChart(p, o.Now.Points, o.Before.Points, currency)
		v.Today = r.today(p, o, currency, todays)
		return nil
	}, func(tx *db.Tx) error {
		if only != "" {
			return nil // best sellers are those of all channels
		}
		return v.readBest(tx, r, currency, p)
	}, func(tx *db.Tx) error {
		if !r.caller().May("read:inventory") {
			return nil
		}
		low, err := analytics.LowLevels(tx, 5)
		for _, l := range low {
			v.Low = append(v.Low, lowRow{Name: l.Name, SKU: l.SKU, Available: r.format.Count(l.OnHand - l.Reserved),
				Threshold: r.format.Count(l.Threshold), Oversold: l.OnHand < l.Reserved, To: prefix + "/stock?search=" + url.QueryEscape(l.SKU)})
		}
		return err
	})
}

// chooseChannel notes whose figures are shown, and the others to choose from.
func (v *overviewView) chooseChannel(only id.Channel, p *period, list []analytics.Channel) {
	for _, c := range list {
		if c.ID == only {
			v.Channel = c.Name
		}
	}
	if len(list) < 2 && only == "" {
		return
	}
	at := prefix + "/?" + p.query().Encode()
	if len(list) > mostInMenu {
		v.Choose = at + "&" + choosing + "=channelId"
		return
	}
	v.Channels = append(v.Channels, tab{Label: "All channels", To: at, Current: only == ""})
	for _, c := range list {
		v.Channels = append(v.Channels, tab{Label: c.Name, To: at + "&channelId=" + string(c.ID), Current: c.ID == only})
	}
}

// lowStock says how many levels are low, with the first SKUs that have stock left; nil if all of them are oversold,
// whose number is given.
func (v overviewView) lowStock(f format, oversold int64) []need {
	var names []string
	for _, l := range v.Low {
		if !l.Oversold && len(names) < 3 {
			names = append(names, l.SKU+" "+l.Available)
		}
	}
	// those that are shown may all be oversold, which are the lowest
	if len(v.Low) == 0 || len(names) == 0 && v.low <= oversold {
		return nil
	}
	return []need{{Tone: "warn", Icon: "stock", Head: f.plural(v.low, "stock level low", "stock levels low"),
		Text: strings.Join(names, ", "), To: prefix + "/stock?view=low", Label: "See stock"}}
}

// soldIn is the list of the orders that the figures of a period count, which some parameters of the list name; "" if the
// user may not see it.
func (r *request) soldIn(placed string) string {
	sold := slices.DeleteFunc(slices.Clone(orders.Statuses), func(s orders.Status) bool { return s == orders.Cancelled })
	return r.page("/orders", "/orders?"+placed+"&status="+statusesText(sold))
}

// counted is the number of orders in all currencies.
func counted(list []analytics.Takings) (n int64) {
	for _, t := range list {
		n += t.Orders
	}
	return n
}

// kpis are the figures of a span, whose orders are in orderList.
func (r *request) kpis(o analytics.Overview, currency, orderList string) []kpi {
	now, before := o.Now.Takings[0], o.Before.Takings[0]
	placed, placedBefore := counted(o.Now.Takings), counted(o.Before.Takings)
	f := r.format
	list := []kpi{
		{Label: "Orders", Value: f.Count(placed), To: orderList, From: f.Count(placedBefore)},
		{Label: "Revenue", Value: f.Whole(now.Revenue, currency), To: orderList, From: f.Whole(before.Revenue, currency)},
		{Label: "Average order", Value: f.Money(now.Average(), currency), To: orderList, From: f.Money(before.Average(), currency)},
		{Label: "New customers", Value: f.Count(o.NewCustomers), To: r.page("/customers", "/customers")},
	}
	for i, pair := range [][2]float64{{float64(placed), float64(placedBefore)}, {units(now.Revenue), units(before.Revenue)},
		{float64(now.Average()), float64(before.Average())}} {
		if list[i].Change, list[i].Tone = f.change(pair[0], pair[1]); list[i].Change == "" {
			list[i].From += " before"
		}
	}
	for i, t := range o.Now.Takings[1:] {
		list[1].Besides += []string{"plus ", ", "}[min(i, 1)] + f.Whole(t.Revenue, t.Currency)
	}
	list[3].From = r.say("of %s in all", f.Count(o.Customers))
	return list
}

// units is a sum as a number, for pictures and percentages only.
func units(t money.Total) float64 {
	n, err := strconv.ParseFloat(t.String(), 64)
	if err != nil {
		return 0
	}
	return n
}

// change is how much a figure grew, in percent with one decimal.
func (f format) change(now, before float64) (words, tone string) {
	if before <= 0 {
		return "", ""
	}
	percent := (now/before - 1) * 100
	words = f.plain(strconv.FormatFloat(percent, 'f', 1, 64)) + " %"
	if strings.Trim(words, "−0., %") == "" {
		return "No change", "soft"
	}
	if percent >= 0 {
		return "+" + words, "good"
	}
	return words, "bad"
}

// salesChart is revenue by day; today has not ended yet.
func (r *request) salesChart(p *period, now, before []analytics.Point, currency string) chart {
	points := make([]point, len(now))
	for i, sold := range now {
		day := time.UnixMicro(sold.Start)
		points[i] = point{Label: r.format.write(day, "2 Jan"), Words: r.format.Total(sold.Revenue, currency), Value: units(sold.Revenue),
			Part: p.current() && i == len(now)-1}
		if points[i].Part {
			points[i].Label = "Today"
		}
		if i < len(before) {
			points[i].Before, points[i].Other = units(before[i].Revenue), r.format.Total(before[i].Revenue, currency)
		}
		points[i].Title = r.say("%s: %s from %s (%s before)",
			r.format.write(day, "Mon 2 Jan"), points[i].Words, r.format.plural(sold.Orders, "order", "orders"), points[i].Other)
		points[i].Brief = r.format.write(day, "2 Jan") + ": " + points[i].Words + ", " + r.format.plural(sold.Orders, "order", "orders")
	}
	return newChart("Revenue", points, func(v float64) string { return r.format.short(v, currency) })
}

// mostAxis is how many letters fit at an axis.
const mostAxis = 6

// short writes the value of an axis: €2k, without its currency where that has no room.
func (f format) short(v float64, currency string) string {
	suffix := ""
	switch {
	case v >= 1e9:
		v, suffix = v/1e9, "bn"
	case v >= 1e6:
		v, suffix = v/1e6, "m"
	case v >= 1000:
		v, suffix = v/1000, "k"
	}
	number := f.plain(strconv.FormatFloat(v, 'f', -1, 64)) + suffix
	if words := f.besideSymbol(number, currency); utf8.RuneCountInString(words) <= mostAxis {
		return words
	}
	return number
}

// shares are the channels with sales, the best first; orderList has the orders of all.
func (r *request) shares(list []analytics.Channel, currency, orderList string) (rows []shareRow) {
	for i, c := range list {
		if c.Orders == 0 || len(rows) == 6 {
			continue
		}
		row := shareRow{Name: c.Name, Platform: channels.PlatformName(c.Platform), Revenue: r.format.Whole(c.Revenue, currency),
			Orders: r.format.Count(c.Orders), Class: "c" + strconv.Itoa(i%4+1), Value: int64(units(c.Revenue)), Max: int64(units(list[0].Revenue))}
		switch row.To = orderList; {
		case c.ID == "":
			row.Name = "Without a channel"
		case orderList != "":
			row.To += "&channelId=" + string(c.ID)
		}
		rows = append(rows, row)
	}
	return rows
}

// readLatest reads the newest orders, of one channel unless that is "".
func (v *overviewView) readLatest(tx *db.Tx, r *request, only id.Channel) error {
	list, err := orders.Heads(tx, orders.Filter{CountedFilter: orders.CountedFilter{Channel: only}, Sort: orders.ByCreatedAt, Limit: 7})
	for _, o := range list {
		v.Latest = append(v.Latest, latestRow{ID: string(o.ID), Number: orders.Number(o.Number), Customer: o.CustomerName,
			Total: r.format.Money(o.Total, o.Currency), To: prefix + "/orders/" + string(o.ID), Status: statusWords[o.Status],
			Placed: r.format.Stamp(o.CreatedAt)})
	}
	return err
}
