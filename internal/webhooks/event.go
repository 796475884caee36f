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
	"strconv"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Topic is the topic on which the store wakes loops when events are committed.
const Topic = "events"

// Event is a change that endpoints are notified of.
type Event struct {
	Name     string // order.received, stock.updated …
	Resource string // id of the order, product, customer, SKU … it is about: the ordering key of ordered endpoints

	// Body returns the bytes of every attempt (interface §6.1), for the event's id and its time in microseconds.
	Body func(event id.Event, at int64) string
}

// Record writes events into the outbox in their order, in the caller's transaction, and gives them their ids.
func Record(w db.GuardedWriter, events ...Event) {
	if len(events) == 0 {
		return
	}
	offset := w.Stamps(len(events))
	db.Chunks(events, func(piece []Event) error {
		if len(piece) >= manyEvents && equalNames(piece) {
			recordMany(w, offset, piece)
			offset += int64(len(piece)) * db.StampStep
			return nil
		}
		args := append(make([]any, 0, 1+6*len(piece)), w.TenantID())
		for _, e := range piece {
			event := id.New[id.Event]()
			args = append(args, event, offset, e.Name, e.Resource, e.Body(event, w.Micros()), w.Micros())
			offset += db.StampStep
		}
		w.PutRowsStamped(db.Unique(), eventRows, args...)
		return nil
	})
	w.Wake(Topic)
}

// manyEvents is from how many events of one name on they have a statement of their own.
const manyEvents = 64

func equalNames(events []Event) bool {
	for i := range events {
		if events[i].Name != events[0].Name {
			return false
		}
	}
	return true
}

// recordMany queues many events of one name, such as those of a bulk operation: what all have in common is an argument once.
func recordMany(w db.GuardedWriter, offset int64, events []Event) {
	args := append(make([]any, 0, 4+3*len(events)), w.TenantID(), offset, events[0].Name, w.Micros())
	for _, e := range events {
		event := id.New[id.Event]()
		args = append(args, event, e.Resource, e.Body(event, w.Micros()))
	}
	w.PutStamped(db.Unique(), manyText.For(len(events), func(n int) string {
		var rows strings.Builder
		rows.WriteString("($::UUID,$::TEXT,$::TEXT,0)")
		for i := 1; i < n; i++ {
			rows.WriteString(",($,$,$," + strconv.Itoa(i*db.StampStep) + ")")
		}
		return "WITH v(id, resource_id, payload, at) AS (VALUES " + db.Repeat(1, 5, rows.String()) + `)
			INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at)
			SELECT $1::BIGINT, id, ` + db.Clock + ` + $2::BIGINT + at, $3::TEXT, resource_id, payload, $4::BIGINT FROM v`
	}), args...)
}

var manyText db.Text

var eventRows = &db.Form{Head: 1, Width: 6, Stamps: []int{1}, Mixed: mixedEvents, Build: func(n int) string {
	if n <= 8 { // a VALUES list would cost more than separate rows
		return `INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at) VALUES ` +
			db.Repeat(n, 2, "($1,$,"+db.Clock+" + $::BIGINT,$,$,$,$)")
	}
	// With many rows the clock is read once: a subquery in each row would keep a cursor open until the statement's end, and SQLite searches
	// all open cursors to open another.
	return `WITH v(id, at, event, resource_id, payload, created_at) AS (VALUES ` + db.Values(n, 6, 2, "::UUID", "::BIGINT", "::TEXT",
		"::TEXT", "::TEXT", "::BIGINT") + `)
		INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at)
		SELECT $1::BIGINT, id, ` + db.Clock + ` + at, event, resource_id, payload, created_at FROM v`
}}

// mixedEvents is the statement for events of several accounts.
func mixedEvents(n int) string {
	return `WITH v(tenant, id, at, event, resource_id, payload, created_at) AS (VALUES ` + db.Values(n, 7, 1, "::BIGINT", "::UUID", "::BIGINT",
		"::TEXT", "::TEXT", "::TEXT", "::BIGINT") + `)
		INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at)
		SELECT tenant, id, ` + db.ClockOf("v.tenant") + ` + at, event, resource_id, payload, created_at FROM v`
}
