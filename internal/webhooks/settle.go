package webhooks

import (
	"maps"
	"slices"

	"entrepot/internal/db"
)

// The statements of this file serve every tenant: the outcomes of many endpoints share a commit.

// Outcome is what an attempt brought.
type Outcome struct {
	Queue
	Position int64
	Event    int64 // its stamp
	Resource string
	Ordered  bool
	State    State // what the delivery is now
	DueAt    int64 // of the next attempt, when still pending
	Attempt
}

// place names a delivery among all.
type place struct {
	Queue
	position int64
}

// MostOutcomes bounds the outcomes of one call of Settle.
const MostOutcomes = 256

// Settle stores outcomes, at most MostOutcomes of them. Those of deliveries that are gone, or that another node settled when this one's lease had run out,
// are dropped.
func Settle(tx *db.Tx, outcomes []Outcome) error {
	if err := lockAll(tx, outcomes); err != nil {
		return err
	}
	settled, err := settle(tx, outcomes)
	if err != nil {
		return err
	}
	kept := make([]Outcome, 0, len(outcomes))
	for _, o := range outcomes {
		if settled[place{o.Queue, o.Position}] {
			kept = append(kept, o)
		}
	}
	keepAttempts(tx, kept)
	count(tx, kept)
	unblockNext(tx, kept)
	return nil
}

// lockAll locks the queues concerned, in one order for all nodes.
func lockAll(tx *db.Tx, outcomes []Outcome) error {
	seen := map[Queue]bool{}
	var queues []Queue
	for _, o := range outcomes {
		if !seen[o.Queue] {
			seen[o.Queue] = true
			queues = append(queues, o.Queue)
		}
	}
	slices.SortFunc(queues, Queue.compare)
	args := make([]any, 0, 2*len(queues))
	for _, q := range padded(queues) {
		args = append(args, q.Tenant, q.Endpoint)
	}
	return tx.Each(func(r db.Rows) error { return r.Scan(new(int64)) }, "SELECT pending FROM queues WHERE (tenant_id, endpoint_id) IN (VALUES "+
		db.Values(len(args)/2, 2, 1, "::BIGINT", "::UUID")+") ORDER BY tenant_id, endpoint_id FOR UPDATE", args...)
}

// padded repeats the last of a list up to the next power of two, so that few texts serve every length and one statement a list.
func padded[T any](list []T) []T {
	size := 1
	for size < len(list) {
		size *= 2
	}
	return append(list[:len(list):len(list)], slices.Repeat(list[len(list)-1:], size-len(list))...)
}

var settleText, attemptText db.Text

// settle moves deliveries on and reports which were still where the attempt had found them.
func settle(tx *db.Tx, outcomes []Outcome) (map[place]bool, error) {
	all := padded(outcomes) // a row that is updated twice by equal values is updated once
	args := make([]any, 0, 9*len(all))
	for _, o := range all {
		args = append(args, o.Tenant, o.Endpoint, o.Position, o.State, o.Number, db.Null(o.DueAt), o.At, db.Null(o.StatusCode), db.Null(o.Error))
	}
	settled := make(map[place]bool, len(outcomes))
	err := tx.Each(func(r db.Rows) error {
		var p place
		err := r.Scan(&p.Tenant, &p.Endpoint, &p.position)
		settled[p] = true
		return err
	}, settleText.For(len(all), func(n int) string {
		return `WITH v(tenant_id, endpoint_id, position, state, number, due_at, at, status_code, error) AS (VALUES ` +
			db.Values(n, 9, 1, "::BIGINT", "::UUID", "::BIGINT", "::TEXT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::TEXT") + `)
			UPDATE deliveries SET state = v.state, lane = CASE WHEN v.state = 'pending' THEN lane END, attempts = v.number, due_at = v.due_at, attempted_at = v.at, status_code = v.status_code, error = v.error
			FROM v WHERE deliveries.tenant_id = v.tenant_id AND deliveries.endpoint_id = v.endpoint_id AND deliveries.position = v.position
				AND deliveries.state = 'pending' AND deliveries.attempts = v.number - 1
			RETURNING deliveries.tenant_id, deliveries.endpoint_id, deliveries.position`
	}), args...)
	return settled, err
}

// keepAttempts writes the attempts themselves. An answer to a payload from which a person has been taken out since is dropped: it
// may repeat the payload.
func keepAttempts(tx *db.Tx, outcomes []Outcome) {
	db.Chunks(outcomes, func(piece []Outcome) error {
		args := make([]any, 0, 10*len(piece))
		for _, o := range piece {
			args = append(args, o.Tenant, o.Endpoint, o.Position, o.Event, o.Number, o.At, db.Null(o.StatusCode), o.Duration, db.Null(o.Error), db.Null(o.Response))
		}
		tx.Queue(attemptText.For(len(piece), func(n int) string {
			return `WITH v(tenant_id, endpoint_id, position, stamp, number, at, status_code, duration_ms, error, response_body) AS (VALUES ` +
				db.Values(n, 10, 1, "::BIGINT", "::UUID", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::TEXT", "::TEXT") + `)
				INSERT INTO attempts (tenant_id, endpoint_id, position, number, at, status_code, duration_ms, error, response_body)
				SELECT v.tenant_id, v.endpoint_id, v.position, v.number, v.at, v.status_code, v.duration_ms, v.error, CASE WHEN v.response_body IS NOT NULL AND
					EXISTS (SELECT 1 FROM events e WHERE e.tenant_id = v.tenant_id AND e.stamp = v.stamp AND e.edited_at >= v.at) THEN NULL ELSE v.response_body END FROM v`
		}), args...)
		return nil
	})
}

// count moves the queues' counts.
func count(tx *db.Tx, outcomes []Outcome) {
	counts := map[Queue]*Counts{}
	for _, o := range outcomes {
		if counts[o.Queue] == nil {
			counts[o.Queue] = &Counts{}
		}
		switch o.State {
		case Delivered:
			counts[o.Queue].Delivered++
		case Failed:
			counts[o.Queue].Failed++
		}
	}
	for _, q := range slices.SortedFunc(maps.Keys(counts), Queue.compare) {
		c := counts[q]
		if c.Delivered+c.Failed > 0 {
			tx.Queue("UPDATE queues SET pending = pending - $3, delivered = delivered + $4, failed = failed + $5 WHERE tenant_id = $1 AND endpoint_id = $2",
				q.Tenant, q.Endpoint, c.Delivered+c.Failed, c.Delivered, c.Failed)
		}
	}
}

// unblockNext makes the first waiting delivery of each lane due whose earlier one is settled now.
func unblockNext(tx *db.Tx, outcomes []Outcome) {
	for _, o := range outcomes {
		if o.Ordered && o.State != Pending {
			tx.Queue(`UPDATE deliveries SET due_at = $4 WHERE tenant_id = $1 AND endpoint_id = $2 AND due_at IS NULL AND position =
				(SELECT min(position) FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND lane = $3)`,
				o.Tenant, o.Endpoint, o.Resource, tx.Micros())
		}
	}
}
