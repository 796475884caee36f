package analytics

import (
	"time"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
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
	Product  id.Product
	Name     string
	Quantity int64
	Revenue  money.Total // of its lines, in the account's currency
}

// bestSellers bounds the list of them.
const bestSellers = 20

// ReadSales reads the series of a span. Errors: Invalid when it would have more than 1,000 points.
func ReadSales(tx *db.Tx, currency string, s Span, every Interval) (Sales, error) {
	out := Sales{Span: s, Interval: every}
	var err error
	if out.Points, err = emptyPoints(s, every); err != nil {
		return out, err
	}
	if out.Takings, err = takings(tx, currency, s); err != nil {
		return out, err
	}
	unit := int64(24 * time.Hour / time.Microsecond)
	if every == Hour {
		unit = int64(time.Hour / time.Microsecond)
	}
	place := 0
	err = tx.Each(func(r db.Rows) error {
		var p Point
		var big, small int64
		if err := r.Scan(&p.Start, &p.Orders, &big, &small, &p.ItemsSold); err != nil {
			return err
		}
		for place+1 < len(out.Points) && out.Points[place+1].Start <= p.Start {
			place++
		}
		into := &out.Points[place]
		into.Orders, into.Revenue, into.ItemsSold = into.Orders+p.Orders, into.Revenue.Plus(sum(big, small)), into.ItemsSold+p.ItemsSold
		return nil
	}, `SELECT o.created_at / $4::BIGINT * $4::BIGINT AS start, count(*), `+summed("CASE WHEN o.currency = $5 THEN o.total ELSE 0 END")+`,
			coalesce(sum((SELECT sum(l.quantity) FROM order_lines l WHERE l.tenant_id = o.tenant_id AND l.order_id = o.id)), 0)::BIGINT
		FROM orders o WHERE o.tenant_id = $1 AND o.created_at >= $2 AND o.created_at <= $3 AND o.status <> 'CANCELLED' GROUP BY 1 ORDER BY 1`,
		tx.Tenant, s.From, s.To, unit, currency)
	if err != nil {
		return out, err
	}
	out.Best, err = db.List(tx, func(r db.Rows) (b Seller, err error) {
		var big, small int64
		err = r.Scan(&b.SKU, &b.Product, &b.Name, &b.Quantity, &big, &small)
		b.Revenue = sum(big, small)
		return b, err
	}, `SELECT b.sku, b.product_id, coalesce(p.name, b.name), b.quantity, b.big, b.small FROM (
			SELECT g.* FROM (
				SELECT l.sku, l.product_id, max(l.name) AS name, sum(l.quantity)::BIGINT AS quantity, `+
		summed("CASE WHEN o.currency = $4 THEN l.line_total ELSE 0 END")+`
				FROM orders o JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
				WHERE o.tenant_id = $1 AND o.created_at >= $2 AND o.created_at <= $3 AND o.status <> 'CANCELLED'
				GROUP BY l.sku, l.product_id) g
			ORDER BY `+mostFirst("g")+`, g.quantity DESC, g.sku LIMIT $5) b
		LEFT JOIN products p ON p.tenant_id = $1 AND p.id = b.product_id ORDER BY `+mostFirst("b")+`, b.quantity DESC, b.sku`,
		tx.Tenant, s.From, s.To, currency, bestSellers)
	return out, err
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
