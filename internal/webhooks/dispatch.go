package webhooks

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Due is what the store wakes when deliveries are waiting.
const Due = "deliveries"

// Bounds of one step of dispatch.
const (
	stepDeliveries = 512  // enough to share a commit, few enough not to keep other writers waiting
	stepEvents     = 2000 // events nobody wants are cheap to pass
)

// ErrMeanwhile is returned by a step whose work another node did first.
var ErrMeanwhile = errors.New("webhooks: another node was first")

// Waiting names the accounts that have endpoints and changes which are not dispatched yet. It serves every tenant; those without
// endpoints are not even looked at.
func Waiting(tx *db.Tx) ([]id.Tenant, error) {
	tx.Last()
	return db.List(tx, func(r db.Rows) (t id.Tenant, err error) { return t, r.Scan(&t) },
		`SELECT q.tenant_id FROM (SELECT DISTINCT tenant_id FROM queues) q JOIN dispatch_cursors c ON c.tenant_id = q.tenant_id
		JOIN change_clocks k ON k.tenant_id = q.tenant_id WHERE k.last > c.stamp`)
}

// Step is a stretch of an account's events and the deliveries that they become.
type Step struct {
	More       bool // there are events after it
	from, to   int64
	deliveries []Delivery
}

// Len is how many deliveries the step makes.
func (s *Step) Len() int { return len(s.deliveries) }

// ReadStep reads what follows the account's cursor, on a snapshot. Stamps grow in commit order, so nothing can appear later
// below the newest stamp that the snapshot shows.
func ReadStep(tx *db.Tx) (*Step, error) {
	s := &Step{}
	err := tx.Row("SELECT c.stamp, k.last FROM dispatch_cursors c JOIN change_clocks k ON k.tenant_id = c.tenant_id WHERE c.tenant_id = $1",
		[]any{tx.Tenant}, &s.from, &s.to)
	if err != nil {
		return nil, err
	}
	endpoints, err := db.List(tx, scanEndpoint, "SELECT "+endpointColumns+" FROM endpoints WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY id", tx.Tenant)
	if err != nil || len(endpoints) == 0 {
		return s, err
	}
	start := max(s.from, endpoints[0].Since)
	for _, e := range endpoints {
		start = min(start, max(s.from, e.Since))
	}
	seen := 0
	err = tx.Each(func(r db.Rows) error {
		if s.More {
			return nil
		}
		var d Delivery
		if err := r.Scan(&d.EventStamp, &d.Event, &d.Name, &d.Resource); err != nil {
			return err
		}
		d.Position, seen = d.EventStamp, seen+1
		for i := range endpoints {
			s.add(&endpoints[i], d)
		}
		if len(s.deliveries) >= stepDeliveries || seen == stepEvents {
			s.More, s.to = true, d.EventStamp
		}
		return nil
	}, `SELECT stamp, id, event, resource_id FROM events WHERE tenant_id = $1 AND stamp > $2 AND stamp <= $3 AND endpoint_id IS NULL
		ORDER BY stamp LIMIT `+strconv.Itoa(stepEvents), tx.Tenant, start, s.to)
	return s, err
}

func (s *Step) add(e *Endpoint, d Delivery) {
	if d.EventStamp > e.Since && e.Wants(d.Name) {
		d.ID, d.Endpoint, d.Ordered = id.New[id.Delivery](), e.ID, e.Ordered && d.Resource != ""
		s.deliveries = append(s.deliveries, d)
	}
}

// Write stores a step's deliveries and moves the cursor in the same transaction. The cursor's row comes after the queues, and nothing
// that is waited for after it: a new endpoint waits for it with the account's change clock in hand. Errors: ErrMeanwhile.
func (s *Step) Write(tx *db.Tx) error {
	if err := order(tx, s.deliveries); err != nil {
		return err
	}
	incrementPending(tx, s.deliveries)
	tx.Queue("UPDATE dispatch_cursors SET stamp = $3 WHERE tenant_id = $1 AND stamp = $2", tx.Tenant, s.from, s.to).Rows(1, ErrMeanwhile)
	return db.Chunks(s.deliveries, func(piece []Delivery) error {
		tx.Queue(insertPlaced.For(len(piece), func(n int) string { return insertDeliveries(n, "position", "event_stamp") }), insertArgs(tx, piece)...)
		return nil
	})
}

// enqueueAgain stores new deliveries of past events behind everything that is committed: their positions are stamps of now.
func enqueueAgain(tx *db.Tx, deliveries []Delivery) error {
	for i := range deliveries {
		deliveries[i].Position = forever - int64(len(deliveries)) + int64(i) // for order only
	}
	if err := order(tx, deliveries); err != nil {
		return err
	}
	offset := tx.Stamps(len(deliveries))
	for i := range deliveries {
		deliveries[i].Position = offset + int64(i)*db.StampStep
	}
	db.Chunks(deliveries, func(piece []Delivery) error {
		tx.Change(insertStamped.For(len(piece), func(n int) string { return insertDeliveries(n, db.Clock+" + position", "event_stamp") }), insertArgs(tx, piece)...)
		return nil
	})
	incrementPending(tx, deliveries)
	return nil
}

// order sets when new deliveries are due: now, or, behind an earlier one of their resource, not yet.
func order(tx *db.Tx, deliveries []Delivery) error {
	waits, err := waiting(tx, deliveries)
	for i := range waits {
		deliveries[i].DueAt = tx.Micros()
		if waits[i] {
			deliveries[i].DueAt = 0
		}
	}
	return err
}

// incrementPending counts new deliveries and calls their queues, in the order of endpoints, so that two transactions never wait for each
// other.
func incrementPending(tx *db.Tx, deliveries []Delivery) {
	counts := map[id.Endpoint]int64{}
	for i := range deliveries {
		counts[deliveries[i].Endpoint]++
	}
	if len(counts) == 0 {
		return
	}
	for _, endpoint := range slices.Sorted(maps.Keys(counts)) {
		tx.Queue("UPDATE queues SET pending = pending + $3, due_at = $4 WHERE tenant_id = $1 AND endpoint_id = $2", tx.Tenant, endpoint, counts[endpoint], tx.Micros())
	}
	tx.Wake(Due)
}

var insertPlaced, insertStamped db.Text

func insertDeliveries(n int, position, stamp string) string {
	return `WITH v(endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, due_at) AS (VALUES ` +
		db.Values(n, 9, 2, "::UUID", "::BIGINT", "::UUID", "::UUID", "::BIGINT", "::TEXT", "::TEXT", "::BOOLEAN", "::BIGINT") + `)
		INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, lane, by_hand, state, attempts, due_at)
		SELECT $1::BIGINT, endpoint_id, ` + position + `, id, event_id, ` + stamp + `, event, resource_id, ordered, CASE WHEN ordered THEN resource_id END, FALSE, 'pending', 0, due_at FROM v`
}

func insertArgs(tx *db.Tx, deliveries []Delivery) []any {
	args := make([]any, 0, 1+9*len(deliveries))
	args = append(args, tx.Tenant)
	for i := range deliveries {
		d := &deliveries[i]
		args = append(args, d.Endpoint, d.Position, d.ID, d.Event, d.EventStamp, d.Name, d.Resource, d.Ordered, db.Null(d.DueAt))
	}
	return args
}

// lane is what an ordered endpoint serves one by one: the events of one resource.
type lane struct {
	endpoint id.Endpoint
	resource string
}

// waiting reports which of the new deliveries must wait: those with an earlier pending one in their lane, stored or new. If there are
// ordered ones it locks the queues of all of them, so that no delivery settles unseen between this look and the commit; the plain
// ones' too, because the queues of one transaction are locked in one order.
func waiting(tx *db.Tx, deliveries []Delivery) ([]bool, error) {
	var endpoints []id.Endpoint
	lanes := map[lane]int64{} // position of the first pending one
	resources := map[id.Endpoint][]string{}
	for i := range deliveries {
		d := &deliveries[i]
		if _, seen := resources[d.Endpoint]; !seen {
			endpoints, resources[d.Endpoint] = append(endpoints, d.Endpoint), nil
		}
		key := lane{d.Endpoint, d.Resource}
		if _, seen := lanes[key]; seen || !d.Ordered {
			continue
		}
		lanes[key] = forever
		resources[d.Endpoint] = append(resources[d.Endpoint], d.Resource)
	}
	waits := make([]bool, len(deliveries))
	if len(lanes) == 0 {
		return waits, nil
	}
	if err := lockQueues(tx, endpoints); err != nil {
		return nil, err
	}
	for _, endpoint := range endpoints {
		if err := firstPending(tx, endpoint, resources[endpoint], lanes); err != nil {
			return nil, err
		}
	}
	for i := range deliveries {
		d := &deliveries[i]
		if !d.Ordered {
			continue
		}
		key := lane{d.Endpoint, d.Resource}
		waits[i] = lanes[key] < d.Position
		lanes[key] = min(lanes[key], d.Position)
	}
	return waits, nil
}

// firstPending finds the position of the first pending delivery of each lane of an endpoint.
func firstPending(tx *db.Tx, endpoint id.Endpoint, resources []string, lanes map[lane]int64) error {
	return db.Chunks(resources, func(piece []string) error {
		args := append([]any{tx.Tenant, endpoint}, db.Padded(piece)...)
		return tx.Each(func(r db.Rows) error {
			var resource string
			var position int64
			err := r.Scan(&resource, &position)
			lanes[lane{endpoint, resource}] = position
			return err
		}, "SELECT lane, min(position) FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND lane IN "+db.In(len(args)-2, 3)+" GROUP BY lane", args...)
	})
}

// lockQueues keeps the queues of some endpoints as they are until the end of the transaction. Every transaction that needs several
// queues locks them once, in the order of their endpoints, after the endpoints' own rows and before the account's change clock.
func lockQueues(tx *db.Tx, endpoints []id.Endpoint) error {
	endpoints = slices.Sorted(slices.Values(endpoints))
	return db.Chunks(endpoints, func(piece []id.Endpoint) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		return tx.Each(func(r db.Rows) error { return r.Scan(new(int64)) },
			"SELECT pending FROM queues WHERE tenant_id = $1 AND endpoint_id IN "+db.In(len(args)-1, 2)+" ORDER BY endpoint_id FOR UPDATE", args...)
	})
}

// call has a node look at an endpoint's queue now.
func call(tx *db.Tx, endpoint id.Endpoint) {
	tx.Queue("UPDATE queues SET due_at = $3 WHERE tenant_id = $1 AND endpoint_id = $2", tx.Tenant, endpoint, tx.Micros())
	tx.Wake(Due)
}
