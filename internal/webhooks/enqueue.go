package webhooks

import (
	"cmp"
	"maps"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// queueing queues a write: Tx.Queue, or Tx.Change after the account's clock. A transaction that takes the clock writes
// to queues and deliveries only after it, and one that does not never waits for the clock: so a queue is locked for no
// longer than one message takes.
type queueing func(sql string, args ...any) *db.Step

// lockQueues locks the queues of some endpoints until the end of the transaction: no other transaction changes the
// deliveries that the following statements see. A transaction that writes to queues locks all that it needs, once, in
// the order of their endpoints.
func lockQueues(tx db.Writer, write queueing, endpoints []id.Endpoint) {
	endpoints = slices.Sorted(slices.Values(endpoints))
	db.Chunks(endpoints, func(piece []id.Endpoint) error {
		args := append([]any{tx.TenantID()}, db.Padded(piece)...)
		write("SELECT pending FROM queues WHERE tenant_id = $1 AND endpoint_id IN "+db.In(len(args)-1, 2)+" ORDER BY endpoint_id FOR UPDATE",
			args...).Reads = true
		return nil
	})
}

// schedule makes a node read an endpoint's queue now.
func schedule(tx db.Writer, write queueing, endpoint id.Endpoint) {
	write("UPDATE queues SET due_at = $3 WHERE tenant_id = $1 AND endpoint_id = $2", tx.TenantID(), endpoint, tx.Micros())
	tx.Wake(Due)
}

// newDeliveries says how new deliveries are inserted: SQL for their position and the stamp of their event.
type newDeliveries struct {
	position, stamp string
	behind          string // which pending deliveries of its ordering key a new one waits for; "": all of them
	placed          bool   // the positions are known before they are stored
	text, counts    *db.Text
}

var (
	// New events of the log. A replay that was queued before may have later positions.
	insertPlaced = newDeliveries{"position", "event_stamp", " AND b.position < v.position", true, new(db.Text), new(db.Text)}
	// Repeated events, positioned after everything that is committed.
	insertStamped = newDeliveries{db.Clock + " + position", "event_stamp", "", false, new(db.Text), new(db.Text)}
	insertBoth    = newDeliveries{db.Clock + " + position", db.Clock + " + event_stamp", "", false, new(db.Text), new(db.Text)}
)

// enqueue stores new deliveries in their order and has their queues read. A delivery of an ordered endpoint is due
// only if no earlier one of its ordering key is pending.
func enqueue(tx db.Writer, write queueing, deliveries []Delivery, how newDeliveries) {
	counts := map[id.Endpoint]int64{}
	for i := range deliveries {
		counts[deliveries[i].Endpoint]++
	}
	if len(counts) == 0 {
		return
	}
	endpoints := make([]id.Endpoint, 0, len(counts))
	for endpoint := range counts {
		endpoints = append(endpoints, endpoint)
	}
	slices.Sort(endpoints)
	lockQueues(tx, write, endpoints)
	waits := behindOthers(deliveries)
	db.Chunks(deliveries, func(piece []Delivery) error {
		args := append(make([]any, 0, 2+9*len(piece)), tx.TenantID(), tx.Micros())
		for i := range piece {
			d := &piece[i]
			args = append(args, d.Endpoint, d.Position, d.ID, d.Event, d.EventStamp, d.Name, d.Resource, d.Ordered, waits[i])
		}
		waits = waits[len(piece):]
		write(how.text.For(len(piece), how.insert), args...)
		return nil
	})
	countNew(tx, write, deliveries, how)
	countPending(tx, write, endpoints, counts)
	tx.Wake(Due)
}

// countPending adds new deliveries to the counts of their queues and makes these due: endpoints with the same number of
// them, which most have, share a statement. The queues are locked.
func countPending(tx db.Writer, write queueing, endpoints []id.Endpoint, counts map[id.Endpoint]int64) {
	equal := map[int64][]id.Endpoint{}
	for _, endpoint := range endpoints {
		equal[counts[endpoint]] = append(equal[counts[endpoint]], endpoint)
	}
	for _, n := range slices.Sorted(maps.Keys(equal)) {
		args := append([]any{tx.TenantID(), n, tx.Micros()}, db.Padded(equal[n])...)
		write("UPDATE queues SET pending = pending + $2, due_at = $3 WHERE tenant_id = $1 AND endpoint_id IN "+db.In(len(args)-3, 4), args...)
	}
}

// behindOthers reports which new deliveries follow another new one with the same endpoint and ordering key.
func behindOthers(deliveries []Delivery) []bool {
	type key struct {
		endpoint id.Endpoint
		resource string
	}
	seen, behind := map[key]bool{}, make([]bool, len(deliveries))
	for i := range deliveries {
		if d := &deliveries[i]; d.Ordered {
			k := key{d.Endpoint, d.Resource}
			behind[i], seen[k] = seen[k], true
		}
	}
	return behind
}

func (n newDeliveries) insert(rows int) string {
	return `WITH v(endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, waits) AS (VALUES ` +
		db.Values(rows, 9, 3, "::UUID", "::BIGINT", "::UUID", "::UUID", "::BIGINT", "::TEXT", "::TEXT", "::BOOLEAN", "::BOOLEAN") + `)
		INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, lane, by_hand, state,
			attempts, due_at)
		SELECT $1::BIGINT, endpoint_id, ` + n.position + `, id, event_id, ` + n.stamp + `, event, resource_id, ordered,
			CASE WHEN ordered THEN resource_id END, FALSE, 'pending', 0, CASE WHEN NOT waits AND NOT (ordered AND EXISTS (SELECT 1 FROM deliveries b
				WHERE b.tenant_id = $1 AND b.endpoint_id = v.endpoint_id AND b.lane = v.resource_id COLLATE "C"` + n.behind + `))
			THEN $2::BIGINT END FROM v`
}

// Queue identifies an endpoint's queue.
type Queue struct {
	Tenant   id.Tenant
	Endpoint id.Endpoint
}

// compare sorts queues in the order in which every transaction locks them.
func (q Queue) compare(other Queue) int {
	return cmp.Or(cmp.Compare(q.Tenant, other.Tenant), cmp.Compare(q.Endpoint, other.Endpoint))
}

func scanQueue(r db.Rows) (q Queue, err error) { return q, r.Scan(&q.Tenant, &q.Endpoint) }
