package analytics

import (
	"maps"
	"sync"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// Events are only added behind the newest stamp of the log, and only taken away at its beginning. So an hour that is
// over and not yet touched by the end of the log's keeping has as many events as when they were last counted, which
// is remembered here: counting a million events takes a tenth of a second.

var hour = spans.Widths[spans.Hours]

// hoursOf is the key in the store's memory of an account's counted hours.
type hoursOf id.Tenant

// countedHours is how many events, tests of endpoints left out, hours have that are over, by their first microsecond.
type countedHours struct {
	mu     sync.Mutex
	events map[int64]int64
}

// countEvents counts the events of the log in a span.
func countEvents(tx *db.Tx, s Span) (int64, error) {
	var oldest, newest int64
	err := count(tx, &oldest, "SELECT coalesce(min(stamp), 0) FROM events WHERE tenant_id = $1")
	if err == nil {
		err = count(tx, &newest, "SELECT coalesce(max(stamp), 0) FROM events WHERE tenant_id = $1")
	}
	from, to := max(s.From, oldest), min(s.To, newest)+1
	if err != nil || newest == 0 || from >= to {
		return 0, err
	}
	first, last := spans.Up(from, hour), spans.Down(to, hour)
	if first >= last {
		return eventsBetween(tx, from, to)
	}
	n, err := eventsInHours(tx, first, last)
	for _, end := range [][2]int64{{from, first}, {last, to}} {
		if err == nil && end[0] < end[1] {
			var more int64
			more, err = eventsBetween(tx, end[0], end[1])
			n += more
		}
	}
	return n, err
}

// eventsBetween counts the events from one stamp to before another.
func eventsBetween(tx *db.Tx, from, to int64) (n int64, err error) {
	const within = "SELECT count(*) FROM events WHERE tenant_id = $1 AND stamp >= $2 AND stamp < $3"
	return n, count(tx, &n, "SELECT ("+within+") - ("+within+" AND endpoint_id IS NOT NULL)", from, to)
}

// eventsInHours counts the events of the hours from one to before another, all of them over.
func eventsInHours(tx *db.Tx, from, to int64) (n int64, err error) {
	kept, _ := tx.Memo().LoadOrStore(hoursOf(tx.Tenant), &countedHours{events: map[int64]int64{}})
	c := kept.(*countedHours)
	n, missing, end := c.sum(from, to)
	if missing >= end {
		return n, nil
	}
	counted, err := eventsByHour(tx, missing, end)
	if err != nil {
		return 0, err
	}
	c.keep(counted)
	n, _, _ = c.sum(from, to)
	return n, nil
}

// sum adds up the events of the hours from one to before another, and returns the first that is not remembered, and
// the end of the last.
func (c *countedHours) sum(from, to int64) (n, missing, end int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	missing, end = to, from
	for h := from; h < to; h += hour {
		events, known := c.events[h]
		if n += events; !known {
			missing, end = min(missing, h), h+hour
		}
	}
	return n, missing, end
}

func (c *countedHours) keep(counted map[int64]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.events, counted)
}

// eventsByHour counts the events of each hour from one to before another.
func eventsByHour(tx *db.Tx, from, to int64) (map[int64]int64, error) {
	counted := map[int64]int64{}
	for h := from; h < to; h += hour {
		counted[h] = 0
	}
	const within = "SELECT stamp / 3600000000 * 3600000000 AS h, "
	return counted, tx.Each(func(r db.Rows) error {
		var h, events int64
		err := r.Scan(&h, &events)
		counted[h] = events
		return err
	}, "SELECT h, sum(n)::BIGINT FROM ("+within+"count(*) AS n FROM events WHERE tenant_id = $1 AND stamp >= $2 AND stamp < $3 GROUP BY 1"+
		" UNION ALL "+within+"-count(*) FROM events WHERE tenant_id = $1 AND stamp >= $2 AND stamp < $3 AND endpoint_id IS NOT NULL GROUP BY 1"+
		") AS counted GROUP BY h", tx.Tenant, from, to)
}
