package analytics

import (
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
	"entrepot/internal/sales"
)

// Point is one interval of a series.
type Point struct {
	Start     int64 // microseconds
	Orders    int64 // without cancelled ones
	ItemsSold int64
	Revenue   money.Total // in the account's currency
}

// Sales is the figures of a span, interval by interval.
type Sales struct {
	Span
	Interval Interval
	Zone     *time.Location // in which the intervals begin
	Points   []Point        // one for every interval, also for those without orders
	Takings  []Takings      // by currency, the account's first
	Best     []Seller
}

// Seller is one SKU that sold well.
type Seller struct {
	SKU      string
	Product  id.Product // "" if no product has the SKU
	Name     string
	Quantity int64
	Revenue  money.Total // of its lines, in the account's currency
}

// bestSellers limits the list of best sellers.
const bestSellers = 20

// ReadSales reads the series of a span, by intervals of a time zone, and its best sellers. Errors: Invalid when it
// would have more than 1,000 points.
func ReadSales(tx *db.Tx, currency string, s Span, every Interval, zone *time.Location) (Sales, error) {
	if _, err := emptyPoints(s, every, zone); err != nil {
		return Sales{}, err
	}
	var out Sales
	var best []Seller
	err := tx.Together(func(tx *db.Tx) (err error) {
		out, _, err = readSeries(tx, currency, "", s, every, zone, "start, currency, status")
		return err
	}, func(tx *db.Tx) (err error) {
		best, err = readBest(tx, currency, s)
		return err
	})
	out.Best = best
	return out, err
}

// readSeries is ReadSales without the best sellers, which cost the most. It also returns the figures that were summed,
// by the columns of by, and is of one channel unless that is "".
func readSeries(tx *db.Tx, currency string, only id.Channel, s Span, every Interval, zone *time.Location, by string) (Sales, []figure,
	error) {
	out := Sales{Span: s, Interval: every, Zone: zone}
	var err error
	if out.Points, err = emptyPoints(s, every, zone); err != nil {
		return out, nil, err
	}
	widest := spans.Days
	if every == Hour {
		widest = spans.Hours
	}
	points := newSeries(out.Points, s, spans.Widths[widest])
	list, err := readFigures(tx, only, s, widest, points.unit, by)
	if err != nil {
		return out, nil, err
	}
	out.Takings = takings(list, currency)
	points.add(list, currency)
	return out, list, points.move(tx, currency, only)
}

// readBest sums what was sold by SKU.
func readBest(tx *db.Tx, currency string, s Span) ([]Seller, error) {
	list, err := sales.Best(tx, currency, s.From, min(s.To+1, spans.Last), bestSellers)
	best := make([]Seller, len(list))
	for i, b := range list {
		best[i] = Seller{b.SKU, b.Product, b.Name, b.Quantity, sum(b.Big, b.Small)}
	}
	return best, err
}
