package webhooks

import (
	"slices"

	"entrepot/internal/base/id"
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
	EditedAt int64 // when a person had been taken out of what was sent last, 0 for never
	Attempt
}

// MostOutcomes is the largest number of outcomes of one call of Settle.
const MostOutcomes = 512

// Settle stores at most MostOutcomes outcomes in one message, account by account. It drops outcomes of deliveries
// that were deleted, alone or with their endpoint, or that another node settled after this node's lease had ended: if
// there are such, the transaction runs again and first reads which they are.
func Settle(tx *db.Tx, outcomes []Outcome) error {
	slices.SortStableFunc(outcomes, func(a, b Outcome) int { return a.Queue.compare(b.Queue) })
	lockAll(tx, outcomes)
	if tx.Try() > 0 {
		var err error
		if outcomes, err = stillPending(tx, outcomes); err != nil {
			return err
		}
	}
	for len(outcomes) > 0 {
		n := 1
		for n < len(outcomes) && outcomes[n].Tenant == outcomes[0].Tenant {
			n++
		}
		settleAccount(tx, outcomes[:n])
		outcomes = outcomes[n:]
	}
	return nil
}

// settleAccount queues the writes for the outcomes of one account. Their queues are locked.
func settleAccount(tx db.Writer, outcomes []Outcome) {
	moved := figures{}
	for i := range outcomes {
		o := &outcomes[i]
		moved.move(o.Endpoint, o.Position, o.Name, o.counts(), 1)
	}
	moved.store(tx.Queue, outcomes[0].Tenant)
	for piece := range db.Pieces(outcomes) {
		settle(tx, piece)
		keepAttempts(tx, piece)
	}
	countSettled(tx, outcomes)
	unblockNext(tx, outcomes)
}

// lockAll locks the queues of the outcomes, in one order for all nodes. If one is gone with its endpoint, the first
// try ends: a transaction that deletes the deliveries of such an endpoint waits for no queue.
func lockAll(tx *db.Tx, outcomes []Outcome) {
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
	lock := "SELECT pending FROM queues WHERE (tenant_id, endpoint_id) IN (VALUES " + db.Values(len(args)/2, 2, 1, "::BIGINT", "::UUID") +
		") ORDER BY tenant_id, endpoint_id FOR UPDATE"
	if tx.Try() > 0 {
		tx.LockRows(lock, args...)
	} else {
		tx.Require(int64(len(queues)), nil, lock, args...)
	}
}

// stillPending leaves out outcomes of deliveries that changed since the attempt. The queues are locked.
func stillPending(tx *db.Tx, outcomes []Outcome) (kept []Outcome, err error) {
	for _, o := range outcomes {
		found, err := exists(tx, "SELECT 1 FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND position = $3 "+
			"AND state = 'pending' AND attempts = $4 AND EXISTS (SELECT 1 FROM queues WHERE tenant_id = $1 AND endpoint_id = $2)",
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

// padded repeats the last element of a list up to the next power of two, so that a few SQL texts serve every length
// and each list takes one statement.
func padded[T any](list []T) []T {
	size := 1
	for size < len(list) {
		size *= 2
	}
	return append(list[:len(list):len(list)], slices.Repeat(list[len(list)-1:], size-len(list))...)
}

var settleText, attemptText, settledText, nextText db.Text

// fromKeys is a condition for a statement that joins a table with a short list v of keys: the planner expects one row
// of v, begins with it, and finds each record by its key. Without it PostgreSQL compares each record with each row of
// the list, or reads all records of the account if it assumes that there are few. For SQLite, the columns are
// compared by CASE, of which it makes no index for the list.
const fromKeys = " v.at = v.at + 0 AND deliveries.tenant_id = $1 AND deliveries.endpoint_id = CASE WHEN v.at > 0 THEN v.endpoint_id END " +
	"AND deliveries.position = CASE WHEN v.at > 0 THEN v.position END "

// settle writes the new state of deliveries of one account.
func settle(tx db.Writer, outcomes []Outcome) {
	args := append(make([]any, 0, 1+8*len(outcomes)), outcomes[0].Tenant)
	for i := range outcomes {
		o := &outcomes[i]
		args = append(args, o.Endpoint, o.Position, o.State, o.Number, db.Null(o.DueAt), o.At, db.Null(o.StatusCode), db.Null(o.Error))
	}
	tx.Queue(settleText.For(len(outcomes), func(n int) string {
		return `WITH v(endpoint_id, position, state, number, due_at, at, status_code, error) AS (VALUES ` +
			db.Values(n, 8, 2, "::UUID", "::BIGINT", "::TEXT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::TEXT") + `)
			UPDATE deliveries SET state = v.state, lane = CASE WHEN v.state = 'pending' THEN lane END, attempts = v.number, due_at = v.due_at,
				attempted_at = v.at, status_code = v.status_code, error = v.error
			FROM v WHERE` + fromKeys + `AND deliveries.state = 'pending' AND deliveries.attempts = v.number - 1`
	}), args...).Rows(int64(len(outcomes)), nil)
}

// keepAttempts writes the attempts themselves. If a person's data was removed from the payload after it was read, the
// answer is not stored, because it may repeat the payload. No times are compared: the clocks of two nodes differ.
func keepAttempts(tx db.Writer, outcomes []Outcome) {
	args := append(make([]any, 0, 1+10*len(outcomes)), outcomes[0].Tenant)
	for i := range outcomes {
		o := &outcomes[i]
		args = append(args, o.Endpoint, o.Position, o.Event, o.EditedAt, o.Number, o.At, db.Null(o.StatusCode), o.Duration, db.Null(o.Error),
			db.Null(o.Response))
	}
	tx.Queue(attemptText.For(len(outcomes), func(n int) string {
		return `WITH v(endpoint_id, position, stamp, edited_at, ` + triedTable.Columns("") + `, response_body) AS (VALUES ` +
			db.Values(n, 10, 2, "::UUID", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::TEXT",
				"::TEXT") + `)
			INSERT INTO attempts (tenant_id, endpoint_id, position, ` + attemptTable.Columns("") + `)
			SELECT $1::BIGINT, v.endpoint_id, v.position, ` + triedTable.Columns("v") + `,
				CASE WHEN v.response_body IS NOT NULL AND NOT EXISTS
				(SELECT 1 FROM events e WHERE e.tenant_id = $1 AND e.stamp = v.stamp AND e.edited_at <> v.edited_at) THEN v.response_body END FROM v`
	}), args...)
}

// countSettled moves what the queues of one account count as pending to what is settled. Outcomes come queue by queue.
func countSettled(tx db.Writer, outcomes []Outcome) {
	var endpoints []id.Endpoint
	var counts []Counts
	for i := range outcomes {
		o := &outcomes[i]
		if o.State == Pending {
			continue
		}
		if last := len(endpoints) - 1; last < 0 || endpoints[last] != o.Endpoint {
			endpoints, counts = append(endpoints, o.Endpoint), append(counts, Counts{})
		}
		counts[len(counts)-1].add(o.State, 1)
	}
	for piece := range db.Pieces(endpoints) {
		args := append(make([]any, 0, 1+3*len(piece)), outcomes[0].Tenant)
		for i, endpoint := range piece {
			args = append(args, endpoint, counts[i].Delivered, counts[i].Failed)
		}
		counts = counts[len(piece):]
		tx.Queue(settledText.For(len(piece), func(n int) string {
			return "WITH v(endpoint_id, delivered, failed) AS (VALUES " + db.Values(n, 3, 2, "::UUID", "::BIGINT", "::BIGINT") + `)
				UPDATE queues SET pending = pending - v.delivered - v.failed, delivered = queues.delivered + v.delivered,
					failed = queues.failed + v.failed
				FROM v WHERE queues.tenant_id = $1 AND queues.endpoint_id = v.endpoint_id`
		}), args...)
	}
}

// unblockNext makes the next waiting delivery due for each ordering key whose earlier delivery is settled.
func unblockNext(tx db.Writer, outcomes []Outcome) {
	var settled []*Outcome
	for i := range outcomes {
		if o := &outcomes[i]; o.Ordered && o.State != Pending {
			settled = append(settled, o)
		}
	}
	for piece := range db.Pieces(settled) {
		args := append(make([]any, 0, 2+2*len(piece)), outcomes[0].Tenant, tx.Micros())
		for _, o := range piece {
			args = append(args, o.Endpoint, o.Resource)
		}
		tx.Queue(nextText.For(len(piece), func(n int) string {
			return "WITH k(endpoint_id, lane) AS (VALUES " + db.Values(n, 2, 3, "::UUID", "::TEXT") + `),
				v(endpoint_id, at, position) AS MATERIALIZED (SELECT k.endpoint_id, $2::BIGINT, (SELECT min(b.position) FROM deliveries b
					WHERE b.tenant_id = $1 AND b.endpoint_id = k.endpoint_id AND b.lane = k.lane COLLATE "C") FROM k)
				UPDATE deliveries SET due_at = v.at FROM v WHERE` + fromKeys + `AND deliveries.due_at IS NULL`
		}), args...)
	}
}
