package orders

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// The table order_figures counts orders, amounts and items by bucket of time (package spans), status, channel and
// currency, and by day, status and currency over all channels. Its version grows whenever the sold quantity of any SKU
// changes. A sum of totals may need more than 63 bits, so each total is summed in two parts: big·10^8 + small.

// addUp is the divisor that splits an amount into these two parts.
const addUp = 100_000_000

// figureRow is a change of the figures of one bucket.
type figureRow struct {
	figureKey
	figure  [4]int64 // orders, items, big, small
	version int64    // see package sales
}

type figureKey struct {
	width, bucket int64
	status        Status
	channel       id.Channel
	currency      string
}

// rowsOfOrder is how many rows one order is counted in.
var rowsOfOrder = len(spans.Widths) + 1

// figure returns what one order adds to the figures.
func (o *Order) figure() [4]int64 {
	total := int64(o.Total)
	return [4]int64{1, o.quantity(), total / addUp, total % addUp}
}

// moves appends the changes of the figures when an order is added (sign 1) or removed (-1).
func (o *Order) moves(into []figureRow, sign int64) []figureRow {
	figure := o.figure()
	for i := range figure {
		figure[i] *= sign
	}
	for _, width := range spans.Widths {
		into = append(into, figureRow{figureKey{width, spans.Down(o.CreatedAt, width), o.Status, o.Channel, o.Currency}, figure, 0})
	}
	day := spans.Down(o.CreatedAt, spans.Widths[spans.Days])
	return append(into, figureRow{figureKey{spans.DaysOfAll, day, o.Status, "", o.Currency}, figure, 0})
}

// tallied names the maintained counts of orders, by countedAs.
const tallied = "orders"

// ToCountry names the maintained counts of orders that are shipped to a country, by CountedIn.
const ToCountry = "orders to country"

// countedAs returns the key of the maintained count of an order: its status, and its channel after a blank if it has
// one.
func countedAs(status Status, channel id.Channel) string {
	if channel == "" {
		return string(status)
	}
	return string(status) + " " + string(channel)
}

// CountedIn returns the key of the maintained count of an order that is shipped to a country: the country, a blank, and
// countedAs.
func (o *Order) CountedIn(country string) string {
	return country + " " + countedAs(o.Status, o.Channel)
}

// tally adds an order to the maintained counts (n 1) or subtracts it (-1).
func (o *Order) tally(w db.Writer, n int64) {
	w.Tally(tallied, countedAs(o.Status, o.Channel), n)
	o.tallyIn(w, Country(o.ShippingAddress), n)
}

// tallyIn adds an order to the maintained counts of a country, if it has one.
func (o *Order) tallyIn(w db.Writer, country string, n int64) {
	if country != "" {
		w.Tally(ToCountry, o.CountedIn(country), n)
	}
}

// tallyMove counts an order in another country if its address has moved there.
func tallyMove(w db.Writer, before, after *Order) {
	if was, is := Country(before.ShippingAddress), Country(after.ShippingAddress); was != is {
		before.tallyIn(w, was, -1)
		after.tallyIn(w, is, 1)
	}
}

// count updates the maintained figures and counts from an order's old state to its new one; nil means that there is
// none (before creation).
func count(w db.Writer, before, after *Order) {
	if before == nil || before.Status != after.Status {
		after.tally(w, 1)
		if before != nil {
			before.tally(w, -1)
		}
	} else {
		tallyMove(w, before, after)
	}
	rows := after.moves(make([]figureRow, 0, 2*rowsOfOrder), 1)
	sold := !sameSold(before, after)
	switch {
	case before == nil:
	case before.Status != after.Status:
		rows = before.moves(rows, -1)
	default:
		was, is := before.figure(), after.figure()
		if was == is && !sold {
			return
		}
		for i := range rows {
			for k := range is {
				rows[i].figure[k] = is[k] - was[k]
			}
		}
	}
	if sold {
		for i := range rows {
			rows[i].version = 1
		}
	}
	moveFigures(w, rows)
}

// sameSold reports whether both states of an order have the same sold quantity of each SKU.
func sameSold(before, after *Order) bool {
	if before == nil || (before.Status == Cancelled) != (after.Status == Cancelled) {
		return false
	}
	return slices.EqualFunc(before.Lines, after.Lines, func(a, b Line) bool {
		return a.SKU == b.SKU && a.Quantity == b.Quantity && a.Total == b.Total
	})
}

// countAll adds new orders to the maintained figures, one row for each bucket, and to the maintained counts (sign 1),
// or subtracts deleted orders (-1).
func countAll(tx db.Writer, list []Order, sign int64) {
	sums := map[figureKey]int{}
	var rows, one []figureRow
	for i := range list {
		list[i].tally(tx, sign)
		one = list[i].moves(one[:0], sign)
		for _, r := range one {
			r.version = 1
			at, known := sums[r.figureKey]
			if !known {
				sums[r.figureKey] = len(rows)
				rows = append(rows, r)
				continue
			}
			for k := range r.figure {
				rows[at].figure[k] += r.figure[k]
			}
		}
	}
	db.Chunks(rows, func(piece []figureRow) error {
		moveFigures(tx, piece)
		return nil
	})
}

// Correction is a difference to add to a maintained figure: of one bucket of a width (package spans), a status, a
// channel ("" for none, and for days over all channels) and a currency.
type Correction struct {
	Width, Bucket int64
	Status        Status
	Channel       id.Channel
	Currency      string

	Orders, Items, Big, Small int64
}

// Correct queues a correction. The sales of the bucket are summed again, because its version may have been lost with
// the figure.
func Correct(w db.Writer, c Correction) {
	key := figureKey{c.Width, c.Bucket, c.Status, c.Channel, c.Currency}
	moveFigures(w, []figureRow{{key, [4]int64{c.Orders, c.Items, c.Big, c.Small}, 1}})
}

// moveFigures queues one statement for at most 256 rows.
func moveFigures(w db.Writer, rows []figureRow) {
	args := append(make([]any, 0, 1+10*len(rows)), w.TenantID())
	for i := range rows {
		r := &rows[i]
		args = append(args, r.width, string(r.status), r.bucket, string(r.channel), r.currency, r.figure[0], r.figure[1], r.figure[2],
			r.figure[3], r.version)
	}
	w.Change(figureText.For(len(rows), addFigures), args...)
}

var figureText db.Text

func addFigures(n int) string {
	return "INSERT INTO order_figures (tenant_id, span, status, bucket, channel, currency, orders, items, big, small, version) VALUES " +
		db.Repeat(n, 2, "($1,$,$,$,$,$,$,$,$,$,$)") + `
		ON CONFLICT (tenant_id, span, status, bucket, channel, currency) DO UPDATE SET orders = order_figures.orders + excluded.orders,
			items = order_figures.items + excluded.items, big = order_figures.big + excluded.big, small = order_figures.small + excluded.small,
			version = order_figures.version + excluded.version`
}

// quantity returns how many pieces were ordered.
func (o *Order) quantity() (n int64) {
	for i := range o.Lines {
		n += o.Lines[i].Quantity
	}
	return n
}
