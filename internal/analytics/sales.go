package analytics

import (
	"time"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
	"entrepot/internal/sales"
	"entrepot/internal/spans"
)

// Interval is how long a point of a series is.
type Interval string

// The intervals; weeks start on Monday, all of them at 00:00 UTC.
const (
	Hour  Interval = "hour"
	Day   Interval = "day"
	Week  Interval = "week"
	Month Interval = "month"
)

// Intervals lists them.
var Intervals = []Interval{Hour, Day, Week, Month}

// maxPoints bounds a series.
const maxPoints = 1_000

// Point is one interval of a series.
type Point struct {
	Start     int64 // microseconds
	Orders    int64 // that are not cancelled
	ItemsSold int64
	Revenue   money.Total // in the account's currency
}

// Sales is how a span went, step by step.
type Sales struct {
	Span
	Interval Interval
	Points   []Point   // one for every interval, also for those without orders
	Takings  []Takings // by currency, the account's first
	Best     []Seller
}

// Seller is one SKU that sold well.
type Seller struct {
	SKU      string
	Product  id.Product // "" when the account has none
	Name     string
	Quantity int64
	Revenue  money.Total // of its lines, in the account's currency
}

// bestSellers bounds the list of them.
const bestSellers = 20

// ReadSales reads the series of a span and what sold best in it. Errors: Invalid when it would have more than 1,000 points.
func ReadSales(tx *db.Tx, currency string, s Span, every Interval) (Sales, error) {
	out, err := ReadSeries(tx, currency, s, every)
	if err == nil {
		out.Best, err = readBest(tx, currency, s)
	}
	return out, err
}

// ReadSeries is ReadSales without what sold best, which costs the most.
func ReadSeries(tx *db.Tx, currency string, s Span, every Interval) (Sales, error) {
	out := Sales{Span: s, Interval: every}
	var err error
	if out.Points, err = emptyPoints(s, every); err != nil {
		return out, err
	}
	widest := spans.Days
	if every == Hour {
		widest = spans.Hours
	}
	list, err := readFigures(tx, s, widest, spans.Widths[widest], "start, currency, status")
	if err != nil {
		return out, err
	}
	out.Takings = takings(list, currency)
	place := 0
	for _, f := range list {
		if f.status == cancelled {
			continue
		}
		for place+1 < len(out.Points) && out.Points[place+1].Start <= f.start {
			place++
		}
		into := &out.Points[place]
		into.Orders, into.ItemsSold = into.Orders+f.orders, into.ItemsSold+f.items
		if f.currency == currency {
			into.Revenue = into.Revenue.Plus(f.total)
		}
	}
	return out, nil
}

// readBest adds up what was sold by SKU.
func readBest(tx *db.Tx, currency string, s Span) ([]Seller, error) {
	list, err := sales.Best(tx, currency, s.From, min(s.To+1, spans.Last), bestSellers)
	best := make([]Seller, len(list))
	for i, b := range list {
		best[i] = Seller{b.SKU, b.Product, b.Name, b.Quantity, sum(b.Big, b.Small)}
	}
	return best, err
}

// emptyPoints are the intervals that a span touches.
func emptyPoints(s Span, every Interval) ([]Point, error) {
	var points []Point
	for at := every.start(time.UnixMicro(s.From).UTC()); at.UnixMicro() <= s.To; at = every.next(at) {
		if len(points) == maxPoints {
			return nil, apperr.At("interval", "the span has more than %d of it: take a longer interval or a shorter span", maxPoints)
		}
		points = append(points, Point{Start: at.UnixMicro()})
	}
	return points, nil
}

// start is the beginning of the interval that a moment falls in.
func (i Interval) start(at time.Time) time.Time {
	switch day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC); i {
	case Hour:
		return at.Truncate(time.Hour)
	case Week:
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case Month:
		return day.AddDate(0, 0, 1-day.Day())
	default:
		return day
	}
}

func (i Interval) next(start time.Time) time.Time {
	switch i {
	case Hour:
		return start.Add(time.Hour)
	case Week:
		return start.AddDate(0, 0, 7)
	case Month:
		return start.AddDate(0, 1, 0)
	default:
		return start.AddDate(0, 0, 1)
	}
}
