package webhooks

import (
	"errors"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// The statements from here to Depth serve every tenant: a node serves queues of all accounts.

// HeldQueue is a queue that its holder must read, and since when it is due.
type HeldQueue struct {
	Queue
	DueAt int64
}

// DueQueues returns the queues to be read: free are due and have no holder; held belong to this holder and became due
// after since. next is when the first of the other queues is due, 0 for none.
func DueQueues(tx *db.Tx, holder string, since int64, limit int) (free []Queue, held []HeldQueue, next int64, err error) {
	now := tx.Micros()
	tx.Last()
	err = db.WaitAll([]*db.PendingRead{
		tx.Prefetch(func(r db.Rows) error {
			q, err := scanQueue(r)
			free = append(free, q)
			return err
		}, "SELECT tenant_id, endpoint_id FROM queues WHERE due_at <= $1 AND holder = '' ORDER BY due_at LIMIT $2", now, limit),
		tx.Prefetch(func(r db.Rows) error {
			var h HeldQueue
			err := r.Scan(&h.Tenant, &h.Endpoint, &h.DueAt)
			held = append(held, h)
			return err
		}, "SELECT tenant_id, endpoint_id, due_at FROM queues WHERE due_at > $1 AND due_at <= $2 AND holder = $3", since, now, holder),
		tx.Prefetch(func(r db.Rows) error { return r.Scan(db.Opt(&next)) }, "SELECT min(due_at) FROM queues WHERE due_at > $1", now),
	})
	return free, held, next, err
}

// Claim assigns free queues that are due to a holder, and counts as a beat of it. first says that the holder has no
// row yet; alive is false if it had one and the other nodes have declared it dead.
func Claim(tx *db.Tx, holder string, first bool, limit int) (claimed []Queue, alive bool, err error) {
	if first {
		tx.Queue("INSERT INTO nodes (id, beat) VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET beat = nodes.beat + 1", holder)
	} else if alive, err := Beat(tx, holder); err != nil || !alive {
		return nil, false, err
	}
	claimed, err = db.List(tx, scanQueue, `UPDATE queues SET holder = $1 WHERE (tenant_id, endpoint_id) IN
		(SELECT tenant_id, endpoint_id FROM queues WHERE due_at <= $2 AND holder = '' ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
		RETURNING tenant_id, endpoint_id`, holder, tx.Micros(), limit)
	return claimed, true, err
}

// Depth returns how many deliveries are pending, and since when a due queue has waited for a node to take it, 0 if
// none waits.
func Depth(tx *db.Tx) (pending, since int64, err error) {
	if err := tx.Row("SELECT coalesce(sum(pending), 0)::BIGINT FROM queues", nil, &pending); err != nil {
		return 0, 0, err
	}
	err = tx.Row("SELECT min(due_at) FROM queues WHERE due_at <= $1 AND holder = ''", []any{tx.Micros()}, db.Opt(&since))
	return pending, since, err
}

// Release frees a queue, which becomes due with its next delivery.
func Release(tx *db.Tx, endpoint id.Endpoint, holder string) error {
	var held int64
	err := tx.Row("SELECT 1 FROM queues WHERE tenant_id = $1 AND endpoint_id = $2 AND holder = $3 FOR UPDATE",
		[]any{tx.Tenant, endpoint, holder}, &held)
	if errors.Is(err, db.ErrNoRow) {
		return nil
	}
	if err != nil {
		return err
	}
	// Read after the lock: a transaction that adds a delivery also makes the queue due, and either waits for this one
	// or is seen by it.
	var due int64
	var e *Endpoint
	if err := prefetchEndpoint(tx, endpoint, &e).Wait(); err != nil {
		return err
	}
	if e != nil && e.State() == Active {
		err = tx.Row(`SELECT d.due_at FROM deliveries d WHERE d.tenant_id = $1 AND d.endpoint_id = $2 AND d.due_at IS NOT NULL AND `+itsTurn+`
			ORDER BY d.due_at, d.position LIMIT 1`, []any{tx.Tenant, endpoint}, &due)
		if err != nil && !errors.Is(err, db.ErrNoRow) {
			return err
		}
	}
	tx.Queue("UPDATE queues SET holder = '', due_at = $4 WHERE tenant_id = $1 AND endpoint_id = $2 AND holder = $3",
		tx.Tenant, endpoint, holder, db.Null(due))
	tx.Wake(Due)
	return nil
}

// itsTurn is true for a delivery d unless an earlier one of its ordering key is pending.
const itsTurn = `(d.lane IS NULL OR NOT EXISTS (SELECT 1 FROM deliveries b WHERE b.tenant_id = d.tenant_id AND b.endpoint_id = d.endpoint_id
	AND b.lane = d.lane AND b.position < d.position))`

// Ready is a delivery that may be attempted.
type Ready struct {
	Delivery
	Size int64 // bytes to send, 0 when the event was deleted after its retention
	Payload
}

// Payload is the content of an event's deliveries.
type Payload struct {
	Text     string // "" if it is longer than ShortPayload and was not read separately
	EditedAt int64  // when a person was taken out of it last, 0 for never
	Origin   string // see Request and Trace
}

// Request is the id of the request that made the change, "" without one.
func (p *Payload) Request() string {
	request, _, _ := strings.Cut(p.Origin, " ")
	return request
}

// Trace is the traceparent of that request's span, "" unless that was sampled.
func (p *Payload) Trace() string {
	_, parent, _ := strings.Cut(p.Origin, " ")
	return parent
}

// ShortPayload is the length in bytes up to which a payload is read together with its delivery.
const ShortPayload = 4 << 10

// Mark is a position in the order in which deliveries became due.
type Mark struct{ DueAt, Position int64 }

// Mark is the delivery's position in that order.
func (r *Ready) Mark() Mark { return Mark{r.DueAt, r.Position} }

// Backlog is what a node that holds a queue must know to serve it.
type Backlog struct {
	Endpoint *Endpoint // nil if it was deleted
	Ready    []Ready   // due, in the order in which they became due
	Next     int64     // when the first later delivery is due, 0 for none; only known if Ready has fewer than the limit
}

// ReadBacklog reads, in one message, an endpoint and at most limit of its due deliveries: those after a mark, or all
// but those at the positions taken. Of each ordering key it reads the first pending one only.
func ReadBacklog(tx *db.Tx, endpoint id.Endpoint, after Mark, taken []int64, limit int) (b Backlog, err error) {
	tx.Last()
	reads := []*db.PendingRead{prefetchEndpoint(tx, endpoint, &b.Endpoint)}
	if limit > 0 {
		reads = append(reads, prefetchReady(tx, endpoint, after, taken, limit, &b.Ready),
			tx.Prefetch(func(r db.Rows) error { return r.Scan(db.Opt(&b.Next)) }, "SELECT min(due_at) FROM deliveries "+
				"WHERE tenant_id = $1 AND endpoint_id = $2 AND due_at IS NOT NULL AND due_at > $3", tx.Tenant, endpoint, tx.Micros()))
	}
	return b, db.WaitAll(reads)
}

// prefetchReady reads the due deliveries of ReadBacklog. The positions taken are a list of VALUES, which PostgreSQL
// hashes.
func prefetchReady(tx *db.Tx, endpoint id.Endpoint, after Mark, taken []int64, limit int, into *[]Ready) *db.PendingRead {
	args := []any{tx.Tenant, endpoint, tx.Micros(), limit}
	where := ""
	switch {
	case after != Mark{}:
		where = " AND (d.due_at, d.position) > ($5::BIGINT, $6::BIGINT)"
		args = append(args, after.DueAt, after.Position)
	case len(taken) > 0:
		taken = padded(taken)
		where = " AND d.position NOT IN (VALUES " + db.Values(len(taken), 1, len(args)+1, "::BIGINT") + ")"
		for _, position := range taken {
			args = append(args, position)
		}
	}
	scan := readyTable.Scanner()
	return tx.Prefetch(func(r db.Rows) error {
		d, err := scan(r)
		*into = append(*into, d)
		return err
	}, "SELECT "+readyTable.Columns("d")+` FROM deliveries d LEFT JOIN events e ON e.tenant_id = d.tenant_id AND e.stamp = d.event_stamp
		WHERE d.tenant_id = $1 AND d.endpoint_id = $2 AND d.due_at IS NOT NULL AND d.due_at <= $3`+where+`
		AND `+itsTurn+` ORDER BY d.due_at, d.position LIMIT $4`, args...)
}

// Payloads reads the payloads of events by their stamps. It leaves out events that were deleted after their retention.
func Payloads(tx *db.Tx, stamps []int64) (map[int64]Payload, error) {
	tx.Last()
	payloads := make(map[int64]Payload, len(stamps))
	args := append([]any{tx.Tenant}, db.Padded(stamps)...)
	return payloads, tx.Each(func(r db.Rows) error {
		var stamp int64
		var p Payload
		err := r.Scan(&stamp, &p.Text, &p.EditedAt, &p.Origin)
		payloads[stamp] = p
		return err
	}, "SELECT stamp, payload, coalesce(edited_at, 0), request_id FROM events WHERE tenant_id = $1 AND stamp IN "+db.In(len(args)-1, 2), args...)
}
