package analytics

import (
	"sync"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/spans"
)

// Events are only added behind the newest stamp of the log, and only taken away at its beginning. So an hour that is over and not yet
// touched by the end of the log's keeping has as many events as when they were last counted, which is remembered here: counting a
// million events takes a tenth of a second.

const hour = 3_600_000_000

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

// eventsInHours counts the events of the hours from one to before another, all of them over. Those that are not remembered are counted
// together, from the first of them to the last.
func eventsInHours(tx *db.Tx, from, to int64) (n int64, err error) {
	kept, _ := tx.Memo().LoadOrStore(hoursOf(tx.Tenant), &countedHours{events: map[int64]int64{}})
	c := kept.(*countedHours)
	c.mu.Lock()
	defer c.mu.Unlock()
	missing, end := to, from
	for h := from; h < to; h += hour {
		if _, known := c.events[h]; !known {
			missing, end = min(missing, h), h+hour
		}
	}
	if missing < end {
		for h := missing; h < end; h += hour {
			c.events[h] = 0
		}
		const within = "SELECT stamp / 3600000000 * 3600000000 AS h, "
		err = tx.Each(func(r db.Rows) error {
			var h, events int64
			err := r.Scan(&h, &events)
			c.events[h] = events
			return err
		}, "SELECT h, sum(n)::BIGINT FROM ("+within+"count(*) AS n FROM events WHERE tenant_id = $1 AND stamp >= $2 AND stamp < $3 GROUP BY 1"+
			" UNION ALL "+within+"-count(*) FROM events WHERE tenant_id = $1 AND stamp >= $2 AND stamp < $3 AND endpoint_id IS NOT NULL GROUP BY 1"+
			") AS counted GROUP BY h", tx.Tenant, missing, end)
		if err != nil {
			clear(c.events)
			return 0, err
		}
	}
	for h := range c.events {
		if h >= from && h < to {
			n += c.events[h]
		}
	}
	return n, nil
}
