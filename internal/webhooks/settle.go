package webhooks

import (
	"slices"

	"entrepot/internal/db"
)

// The statements of this file serve every tenant: outcomes for many endpoints share a commit.

// Outcome is the result of an attempt.
type Outcome struct {
	Queue
	Position int64
	Event    int64 // the event's stamp
	Name     string
	Resource string
	Ordered  bool
	State    State // state of the delivery after the attempt
	DueAt    int64 // of the next attempt, when still pending
	Attempt
}

// MostOutcomes is the largest number of outcomes of one call of Settle.
const MostOutcomes = 256

// Settle stores at most MostOutcomes outcomes in one message. It drops outcomes of deliveries that were deleted, or
// that another node settled after this node's lease had ended: if there are such, the transaction runs again and first
// reads which they are.
func Settle(tx *db.Tx, outcomes []Outcome) error {
	slices.SortStableFunc(outcomes, func(a, b Outcome) int { return a.Queue.compare(b.Queue) })
	lockAll(tx, outcomes)
	if tx.Try() > 0 {
		var err error
		if outcomes, err = stillPending(tx, outcomes); err != nil {
			return err
		}
	}
	countOutcomes(tx, outcomes)
	for len(outcomes) > 0 {
		n := 1
		for n < len(outcomes) && outcomes[n].Queue == outcomes[0].Queue {
			n++
		}
		settleQueue(tx, outcomes[:n])
		outcomes = outcomes[n:]
	}
	return nil
}

// countOutcomes updates the figures, account by account. The queues are locked.
func countOutcomes(tx db.Writer, outcomes []Outcome) {
	moved := figures{}
	for i := range outcomes {
		o := &outcomes[i]
		moved.move(o.Endpoint, o.Position, o.Name, o.counts(), 1)
		if i+1 == len(outcomes) || outcomes[i+1].Tenant != o.Tenant {
			moved.store(tx, tx.Queue, o.Tenant)
			clear(moved)
		}
	}
}

// lockAll locks the queues of the outcomes, in one order for all nodes.
func lockAll(tx db.Writer, outcomes []Outcome) {
	var queues []Queue
	for _, o := range outcomes {
		if len(queues) == 0 || queues[len(queues)-1] != o.Queue {
			queues = append(queues, o.Queue)
		}
	}
	args := make([]any, 0, 2*len(queues))
	for _, q := range padded(queues) {
		args = append(args, q.Tenant, q.Endpoint)
	}
	tx.LockRows("SELECT pending FROM queues WHERE (tenant_id, endpoint_id) IN (VALUES "+
		db.Values(len(args)/2, 2, 1, "::BIGINT", "::UUID")+") ORDER BY tenant_id, endpoint_id FOR UPDATE", args...)
}

// stillPending leaves out outcomes of deliveries that changed since the attempt. The queues are locked.
func stillPending(tx *db.Tx, outcomes []Outcome) (kept []Outcome, err error) {
	for _, o := range outcomes {
		found, err := exists(tx, "SELECT 1 FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND position = $3 "+
			"AND state = 'pending' AND attempts = $4",
			o.Tenant, o.Endpoint, o.Position, o.Number-1)
		if err != nil {
			return nil, err
		}
		if found {
			kept = append(kept, o)
		}
	}
	return kept, nil
}

// settleQueue queues the writes for the outcomes of one queue.
func settleQueue(tx db.Writer, outcomes []Outcome) {
	db.Chunks(outcomes, func(piece []Outcome) error {
		settle(tx, piece)
		keepAttempts(tx, piece)
		return nil
	})
	var c Counts
	for i := range outcomes {
		c.add(outcomes[i].State, 1)
	}
	if q := outcomes[0].Queue; c.Delivered+c.Failed > 0 {
		tx.Queue("UPDATE queues SET pending = pending - $3, delivered = delivered + $4, failed = failed + $5 "+
			"WHERE tenant_id = $1 AND endpoint_id = $2",
			q.Tenant, q.Endpoint, c.Delivered+c.Failed, c.Delivered, c.Failed)
	}
	unblockNext(tx, outcomes)
}

// padded repeats the last element of a list up to the next power of two, so that a few SQL texts serve every length
// and each list takes one statement.
func padded[T any](list []T) []T {
	size := 1
	for size < len(list) {
		size *= 2
	}
	return append(list[:len(list):len(list)], slices.Repeat(list[len(list)-1:], size-len(list))...)
}

var settleText, attemptText db.Text

// settle writes the new state of deliveries of one queue. Their positions are in the statement twice, so that
// PostgreSQL uses the key whatever its statistics say: for a small table it would read all rows, and keep that plan
// while the table grows.
func settle(tx db.Writer, outcomes []Outcome) {
	args := append(make([]any, 0, 2+8*len(outcomes)), outcomes[0].Tenant, outcomes[0].Endpoint)
	for _, o := range outcomes {
		args = append(args, o.Position, o.State, o.Number, db.Null(o.DueAt), o.At, db.Null(o.StatusCode), db.Null(o.Error))
	}
	for _, o := range outcomes {
		args = append(args, o.Position)
	}
	tx.Queue(settleText.For(len(outcomes), func(n int) string {
		return `WITH v(position, state, number, due_at, at, status_code, error) AS (VALUES ` +
			db.Values(n, 7, 3, "::BIGINT", "::TEXT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::TEXT") + `)
			UPDATE deliveries SET state = v.state, lane = CASE WHEN v.state = 'pending' THEN lane END, attempts = v.number, due_at = v.due_at,
				attempted_at = v.at, status_code = v.status_code, error = v.error
			FROM v WHERE deliveries.tenant_id = $1 AND deliveries.endpoint_id = $2 AND deliveries.position = v.position
				AND deliveries.state = 'pending' AND deliveries.attempts = v.number - 1 AND deliveries.position IN ` + db.In(n, 3+7*n)
	}), args...).Rows(int64(len(outcomes)), nil)
}

// keepAttempts writes the attempts themselves. If a person's data was removed from the payload after it was sent, the
// answer is not stored, because it may repeat the payload.
func keepAttempts(tx db.Writer, outcomes []Outcome) {
	args := append(make([]any, 0, 2+8*len(outcomes)), outcomes[0].Tenant, outcomes[0].Endpoint)
	for _, o := range outcomes {
		args = append(args, o.Position, o.Event, o.Number, o.At, db.Null(o.StatusCode), o.Duration, db.Null(o.Error), db.Null(o.Response))
	}
	tx.Queue(attemptText.For(len(outcomes), func(n int) string {
		return `WITH v(position, stamp, ` + triedTable.Columns("") + `, response_body) AS (VALUES ` +
			db.Values(n, 8, 3, "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::TEXT", "::TEXT") + `)
			INSERT INTO attempts (tenant_id, endpoint_id, position, ` + attemptTable.Columns("") + `)
			SELECT $1::BIGINT, $2::UUID, v.position, ` + triedTable.Columns("v") + `,
				CASE WHEN v.response_body IS NOT NULL AND NOT EXISTS
				(SELECT 1 FROM events e WHERE e.tenant_id = $1 AND e.stamp = v.stamp AND e.edited_at >= v.at) THEN v.response_body END FROM v`
	}), args...)
}

// unblockNext makes the next waiting delivery due for each ordering key whose earlier delivery is settled.
func unblockNext(tx db.Writer, outcomes []Outcome) {
	for _, o := range outcomes {
		if o.Ordered && o.State != Pending {
			tx.Queue(`UPDATE deliveries SET due_at = $4 WHERE tenant_id = $1 AND endpoint_id = $2 AND due_at IS NULL AND position =
				(SELECT min(position) FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND lane = $3)`,
				o.Tenant, o.Endpoint, o.Resource, tx.Micros())
		}
	}
}
