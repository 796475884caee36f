package analytics

import (
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/regional"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// Interval is the length of a series' points.
type Interval string

// The intervals. Days, weeks and months begin at the first moment of a day in the zone of the series, weeks on Monday;
// hours are counted from the beginning of the first.
const (
	Hour  Interval = "hour"
	Day   Interval = "day"
	Week  Interval = "week"
	Month Interval = "month"
)

// Intervals lists them.
var Intervals = []Interval{Hour, Day, Week, Month}

// maxPoints limits the points of a series.
const maxPoints = 1_000

// emptyPoints are the intervals that overlap a span.
func emptyPoints(s Span, every Interval, zone *time.Location) ([]Point, error) {
	var points []Point
	for at := every.start(time.UnixMicro(s.From).In(zone)); at.UnixMicro() <= s.To; at = every.next(at) {
		if len(points) == maxPoints {
			return nil, apperr.At("interval", "the span has more than %d such intervals: take a longer interval or a shorter span", maxPoints)
		}
		points = append(points, Point{Start: at.UnixMicro()})
	}
	return points, nil
}

// start is the beginning of the interval of a time.
func (i Interval) start(at time.Time) time.Time {
	year, month, day := at.Date()
	switch i {
	case Hour:
		return at.Add(-time.Duration(at.Minute())*time.Minute - time.Duration(at.Second())*time.Second - time.Duration(at.Nanosecond()))
	case Week:
		return regional.Day(year, month, day-(int(at.Weekday())+6)%7, at.Location())
	case Month:
		return regional.Day(year, month, 1, at.Location())
	default:
		return regional.Day(year, month, day, at.Location())
	}
}

func (i Interval) next(start time.Time) time.Time {
	year, month, day := start.Date()
	switch i {
	case Hour:
		return start.Add(time.Hour)
	case Week:
		return regional.Day(year, month, day+7, start.Location())
	case Month:
		return regional.Day(year, month+1, 1, start.Location())
	default:
		return regional.Day(year, month, day+1, start.Location())
	}
}

// series distributes figures over points. Figures are stored by hours and days of UTC. If a point begins within such
// a bucket, the bucket counts for the point that has most of it, and the part that belongs to other points is read
// from narrower buckets and moved.
type series struct {
	points []Point
	unit   int64         // the width of the buckets that are counted for points
	home   map[int64]int // buckets in which a point begins, with the point they are counted for
	moves  []moved
}

// moved is a part of a bucket that is counted for one point and belongs to another.
type moved struct{ from, to, out, into int64 }

func newSeries(points []Point, s Span, unit int64) *series {
	out := &series{points: points, unit: unit, home: map[int64]int{}}
	for i := 1; i < len(points); {
		bucket, first := spans.Down(points[i].Start, unit), i-1
		if bucket == points[i].Start {
			i++
			continue
		}
		for i < len(points) && points[i].Start < bucket+unit {
			i++
		}
		part := func(p int) (from, to int64) {
			from, to = max(points[p].Start, bucket, s.From), min(bucket+unit, s.To+1)
			if p+1 < len(points) {
				to = min(to, points[p+1].Start)
			}
			return from, max(from, to)
		}
		home, longest := first, int64(-1)
		for p := first; p < i; p++ {
			if from, to := part(p); to-from > longest {
				home, longest = p, to-from
			}
		}
		out.home[bucket] = home
		for p := first; p < i; p++ {
			if from, to := part(p); p != home && from < to {
				out.moves = append(out.moves, moved{from, to, int64(home), int64(p)})
			}
		}
	}
	return out
}

// add adds figures to the points: list is sorted by start.
func (s *series) add(list []figure, currency string) {
	place := 0
	for _, f := range list {
		for place+1 < len(s.points) && s.points[place+1].Start <= f.start {
			place++
		}
		at, split := s.home[f.start]
		if !split {
			at = place
		}
		s.points[at].add(f, currency)
	}
}

func (p *Point) add(f figure, currency string) {
	if f.status == cancelled {
		return
	}
	p.Orders, p.ItemsSold = p.Orders+f.orders, p.ItemsSold+f.items
	if f.currency == currency {
		p.Revenue = p.Revenue.Plus(f.total)
	}
}

// take is the opposite of add.
func (p *Point) take(f figure, currency string) {
	if f.status == cancelled {
		return
	}
	p.Orders, p.ItemsSold = p.Orders-f.orders, p.ItemsSold-f.items
	if f.currency == currency {
		p.Revenue = p.Revenue.Minus(f.total)
	}
}

// mostMoves is how many parts one statement sums.
const mostMoves = 256

// move reads the parts that were counted for the wrong point, of one channel unless that is "", and moves them.
func (s *series) move(tx *db.Tx, currency string, only id.Channel) error {
	for piece := range slices.Chunk(s.moves, mostMoves) {
		list, err := readMoved(tx, only, piece)
		if err != nil {
			return err
		}
		for _, f := range list {
			m := piece[f.start]
			s.points[m.into].add(f, currency)
			s.points[m.out].take(f, currency)
		}
	}
	return nil
}

// readMoved sums parts of buckets by currency and status; start is the part's index in the list.
func readMoved(tx *db.Tx, only id.Channel, list []moved) ([]figure, error) {
	w := db.NewWhere(tx, "")
	values := map[int64][]string{} // by width
	var parts []string
	for i, m := range list {
		place := w.Bind(int64(i)) + "::BIGINT"
		pieces, ends := spans.Fill(m.from, m.to, spans.Hours)
		for _, p := range pieces {
			values[p.Width] = append(values[p.Width], "("+place+","+w.Bind(p.From)+"::BIGINT,"+w.Bind(p.To)+"::BIGINT)")
		}
		for _, e := range ends {
			parts = append(parts, "SELECT "+place+" AS place, o.status, o.currency, "+ofOrders(w, every, only, e))
		}
	}
	var with []string
	for _, width := range spans.Widths[:spans.Days] {
		if len(values[width]) == 0 {
			continue
		}
		// few SQL texts: the list is filled up to a power of two with empty parts
		for n := len(values[width]); n&(n-1) != 0; n++ {
			values[width] = append(values[width], "(0::BIGINT,0::BIGINT,0::BIGINT)")
		}
		name := "v" + string(rune('a'+len(with)))
		with = append(with, name+"(place, a, b) AS (VALUES "+strings.Join(values[width], ",")+")")
		parts = append(parts, "SELECT "+name+".place, f.status, f.currency, f.orders, f.items, f.big, f.small FROM "+name+
			" CROSS JOIN order_figures f WHERE f.tenant_id = $1 AND f.span = "+w.Bind(width)+" AND f.status IN "+every+
			" AND f.bucket >= "+name+".a AND f.bucket < "+name+".b"+ofChannel(w, "f.channel = ", "", only))
	}
	head := ""
	if len(with) > 0 {
		head = "WITH " + strings.Join(with, ", ") + " "
	}
	return db.List(tx, func(r db.Rows) (f figure, err error) {
		var big, small int64
		err = r.Scan(&f.start, &f.status, &f.currency, &f.orders, &f.items, &big, &small)
		f.total = sum(big, small)
		return f, err
	}, head+"SELECT place, status, currency, sum(orders)::BIGINT, sum(items)::BIGINT, sum(big)::BIGINT, sum(small)::BIGINT FROM ("+
		strings.Join(parts, " UNION ALL ")+") AS moved GROUP BY place, status, currency", w.Args()...)
}
