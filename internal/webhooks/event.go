// Package webhooks notifies endpoints of changes (interface §6). It has rules and SQL; package worker sends.
//
//	Event     one row of the outbox, in the commit of its change; Logged is the same in the event log
//	Endpoint  where an account wants events sent
//	Delivery  one event on its way to one endpoint; Attempt is one try to deliver it
//	Step      a range of events and the deliveries made from them (dispatch.go)
//	Queue     an endpoint's pending deliveries, held by one node at a time (serve.go, nodes.go)
//	Outcome   the result of an attempt; Settle stores many in one message
//	Replay    past events or failed deliveries, delivered again
package webhooks

import (
	"cmp"
	"strconv"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Topic is the topic on which the store wakes loops when events are committed.
const Topic = "events"

// Event is a change that endpoints are notified of.
type Event struct {
	Name     string     // order.received, stock.updated …
	Resource string     // id of the order, product, customer, SKU … it is about: the ordering key of ordered endpoints
	Author   *db.Author // who caused it; nil: the author of the transaction

	// Body returns the bytes of every attempt (interface §6.1), for the event's id and its time in microseconds.
	Body func(event id.Event, at int64) string
}

// Record writes events into the outbox in their order, in the caller's transaction, and gives them their ids.
func Record(w db.Writer, events ...Event) {
	if len(events) == 0 {
		return
	}
	offset := w.Stamps(len(events))
	db.Chunks(events, func(piece []Event) error {
		if len(piece) >= manyEvents && alike(piece) {
			recordMany(w, offset, piece)
			offset += int64(len(piece)) * db.StampStep
			return nil
		}
		args := append(make([]any, 0, 1+10*len(piece)), w.TenantID())
		for _, e := range piece {
			event := id.New[id.Event]()
			body, by := e.Body(event, w.Micros()), e.author(w)
			args = append(args, event, offset, e.Name, e.Resource, body, db.Checksum(body), w.Micros(), by.Actor, by.Name, origin(by))
			offset += db.StampStep
		}
		w.Change(eventText.For(len(piece), insertEvents), args...)
		return nil
	})
	w.Wake(Topic)
}

// System is the actor of what the service does itself.
const System = "system"

// author is who emits the event, as it is recorded.
func (e *Event) author(w db.Writer) db.Author {
	by := w.Author()
	if e.Author != nil {
		by = *e.Author
	}
	by.Actor = cmp.Or(by.Actor, System)
	return by
}

// origin is what the column request_id holds of an author: the request's id, which has no blank, and after a blank the
// traceparent of its span if that is sampled. So deliveries belong to the trace of their request, whichever node
// makes them.
func origin(by db.Author) string {
	if by.Trace == "" {
		return by.Request
	}
	return by.Request + " " + by.Trace
}

// manyEvents is from how many events of one name on they have a statement of their own.
const manyEvents = 64

// alike reports whether events have one name and one author.
func alike(events []Event) bool {
	for i := range events {
		if events[i].Name != events[0].Name || events[i].Author != events[0].Author {
			return false
		}
	}
	return true
}

// recordMany queues many events of one name, such as those of a bulk operation: values that all have in common are
// one argument.
func recordMany(w db.Writer, offset int64, events []Event) {
	by := events[0].author(w)
	args := append(make([]any, 0, 7+4*len(events)), w.TenantID(), offset, events[0].Name, w.Micros(), by.Actor, by.Name, origin(by))
	for _, e := range events {
		event := id.New[id.Event]()
		body := e.Body(event, w.Micros())
		args = append(args, event, e.Resource, body, db.Checksum(body))
	}
	w.Change(manyText.For(len(events), func(n int) string {
		var rows strings.Builder
		rows.WriteString("($::UUID,$::TEXT,$::TEXT,$::BIGINT,0)")
		for i := 1; i < n; i++ {
			rows.WriteString(",($,$,$,$," + strconv.Itoa(i*db.StampStep) + ")")
		}
		return "WITH v(id, resource_id, payload, checksum, at) AS (VALUES " + db.Repeat(1, 8, rows.String()) + `)
			INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, checksum, created_at, actor, actor_name, request_id)
			SELECT $1::BIGINT, id, ` + db.Clock + ` + $2::BIGINT + at, $3::TEXT, resource_id, payload, checksum, $4::BIGINT, $5::TEXT, $6::TEXT,
				$7::TEXT FROM v`
	}), args...)
}

var manyText db.Text

// eventColumns are the columns of a new row behind its stamp.
const eventColumns = "event, resource_id, payload, checksum, created_at, actor, actor_name, request_id"

// eventCasts are the types of a new row.
var eventCasts = []string{"::UUID", "::BIGINT", "::TEXT", "::TEXT", "::TEXT", "::BIGINT", "::BIGINT", "::TEXT", "::TEXT", "::TEXT"}

var eventText db.Text

func insertEvents(n int) string {
	if n <= 8 { // a VALUES list would cost more than separate rows
		return `INSERT INTO events (tenant_id, id, stamp, ` + eventColumns + `) VALUES ` +
			db.Repeat(n, 2, "($1,$,"+db.Clock+" + $::BIGINT,$,$,$,$,$,$,$,$)")
	}
	// With many rows the clock is read once: a subquery in each row would keep a cursor open until the statement's
	// end, and SQLite searches all open cursors to open another.
	return `WITH v(id, at, ` + eventColumns + `) AS (VALUES ` + db.Values(n, 10, 2, eventCasts...) + `)
		INSERT INTO events (tenant_id, id, stamp, ` + eventColumns + `)
		SELECT $1::BIGINT, id, ` + db.Clock + ` + at, ` + eventColumns + ` FROM v`
}
