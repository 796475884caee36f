package webhooks

import (
	"errors"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Queues returns every endpoint's queue. It serves every tenant, as do Tenants and Deleted.
func Queues(tx *db.Tx) ([]Queue, error) {
	return db.List(tx, scanQueue, "SELECT tenant_id, endpoint_id FROM queues ORDER BY tenant_id, endpoint_id")
}

// Tenants returns the accounts that may have events.
func Tenants(tx *db.Tx) ([]id.Tenant, error) {
	return db.List(tx, func(r db.Rows) (t id.Tenant, err error) { return t, r.Scan(&t) },
		"SELECT tenant_id FROM change_clocks ORDER BY tenant_id")
}

// Deleted returns the endpoints that were deleted before a time.
func Deleted(tx *db.Tx, before int64) ([]Queue, error) {
	return db.List(tx, scanQueue, "SELECT tenant_id, id FROM endpoints WHERE deleted_at < $1", before)
}

// Stale reports whether an endpoint has settled deliveries from before a time.
func Stale(tx *db.Tx, endpoint id.Endpoint, before int64) (bool, error) {
	return exists(tx, "SELECT 1 FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND position < $3 AND state <> 'pending' LIMIT 1",
		tx.Tenant, endpoint, before)
}

// DeleteOldDeliveries deletes up to limit settled deliveries of an endpoint from before a time, with their attempts,
// and returns how many. Pending ones stay, however old: a paused endpoint keeps its queue.
func DeleteOldDeliveries(tx *db.Tx, endpoint id.Endpoint, before int64, limit int) (int, error) {
	lockQueues(tx, tx.Queue, []id.Endpoint{endpoint})
	var c Counts
	moved := figures{}
	positions, err := db.List(tx, func(r db.Rows) (position int64, err error) {
		var state State
		var event string
		var tried figure
		err = r.Scan(&position, &state, &event, &tried.attempts, &tried.answered, &tried.duration)
		c.add(state, 1)
		moved.move(endpoint, position, event, in(state), -1)
		moved.move(endpoint, position, event, tried, -1)
		return position, err
	}, `SELECT d.position, d.state, d.event, count(t.number), coalesce(sum(`+answered+`), 0)::BIGINT,
			coalesce(sum(t.duration_ms), 0)::BIGINT
		FROM (SELECT position, state, event FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2::UUID AND position < $3
			AND state <> 'pending' ORDER BY position LIMIT $4::BIGINT) d
		LEFT JOIN attempts t ON t.tenant_id = $1 AND t.endpoint_id = $2::UUID AND t.position = d.position
		GROUP BY d.position, d.state, d.event ORDER BY d.position`, tx.Tenant, endpoint, before, limit)
	if err != nil || len(positions) == 0 {
		return 0, err
	}
	moved.store(tx.Queue, tx.Tenant)
	dropEmptyFigures(tx, endpoint, before)
	dropDeliveries(tx, endpoint, positions)
	tx.Queue("UPDATE queues SET delivered = delivered - $3, failed = failed - $4 WHERE tenant_id = $1 AND endpoint_id = $2",
		tx.Tenant, endpoint, c.Delivered, c.Failed)
	return len(positions), nil
}

func dropDeliveries(tx db.Writer, endpoint id.Endpoint, positions []int64) {
	db.Chunks(positions, func(piece []int64) error {
		args := append([]any{tx.TenantID(), endpoint}, db.Padded(piece)...)
		of := " WHERE tenant_id = $1 AND endpoint_id = $2 AND position IN " + db.In(len(args)-2, 3)
		tx.Queue("DELETE FROM attempts"+of, args...)
		tx.Queue("DELETE FROM deliveries"+of, args...)
		return nil
	})
}

// DeleteDeadEndpoint deletes up to limit deliveries of a deleted endpoint, and the endpoint itself when none is left.
// It returns how many.
func DeleteDeadEndpoint(tx *db.Tx, endpoint id.Endpoint, limit int) (int, error) {
	if _, err := exists(tx, "SELECT 1 FROM endpoints WHERE tenant_id = $1 AND id = $2 FOR UPDATE", tx.Tenant, endpoint); err != nil {
		return 0, err
	}
	positions, err := db.List(tx, func(r db.Rows) (position int64, err error) { return position, r.Scan(&position) },
		"SELECT position FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 ORDER BY position LIMIT $3", tx.Tenant, endpoint, limit)
	if err != nil {
		return 0, err
	}
	if len(positions) == 0 {
		tx.Queue("DELETE FROM delivery_figures WHERE tenant_id = $1 AND endpoint_id = $2", tx.Tenant, endpoint)
		tx.Queue("DELETE FROM endpoints WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NOT NULL", tx.Tenant, endpoint)
	}
	dropDeliveries(tx, endpoint, positions)
	return len(positions), nil
}

// Keeps is the stamp of the oldest event that the account still needs: before, or that of the oldest pending delivery
// if it is earlier; 0, all of them, while a replay is under way.
func Keeps(tx *db.Tx, before int64) (int64, error) {
	replaying, err := exists(tx, "SELECT 1 FROM replays WHERE tenant_id = $1 LIMIT 1", tx.Tenant)
	if err != nil || replaying {
		return 0, err
	}
	endpoints, err := db.List(tx, scanEndpointID,
		"SELECT endpoint_id FROM queues WHERE tenant_id = $1 AND pending > 0", tx.Tenant)
	keeps := before
	const oldest = "SELECT min(event_stamp) FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND state = 'pending' AND "
	for _, endpoint := range endpoints {
		var own, replayed int64 // a replayed one has a position of its own, later than its event
		err = errors.Join(err, tx.Row(oldest+"position < $3", []any{tx.Tenant, endpoint, before}, db.Opt(&own)),
			tx.Row(oldest+"position <> event_stamp", []any{tx.Tenant, endpoint}, db.Opt(&replayed)))
		for _, stamp := range []int64{own, replayed} {
			if stamp > 0 {
				keeps = min(keeps, stamp)
			}
		}
	}
	return keeps, err
}

// StaleEvents reports whether the account has events from before a stamp.
func StaleEvents(tx *db.Tx, before int64) (bool, error) {
	return exists(tx, "SELECT 1 FROM events WHERE tenant_id = $1 AND stamp < $2 LIMIT 1", tx.Tenant, before)
}

// oldEvents is the lock that an account's replays share and that the deletion of its old events takes alone. It comes
// before the change clock (decision 5).
const oldEvents = "old events"

// DeleteOldEvents deletes up to limit events of the account from before a stamp that nothing needs any more, and
// returns how many. No replay takes events meanwhile. It locks them in the order of their stamps, as does an erasure
// that rewrites them.
func DeleteOldEvents(tx *db.Tx, before int64, limit int) (int64, error) {
	if err := tx.LockName(oldEvents); err != nil {
		return 0, err
	}
	before, err := Keeps(tx, before)
	if err != nil {
		return 0, err
	}
	return tx.Exec(`DELETE FROM events WHERE tenant_id = $1 AND stamp IN
		(SELECT stamp FROM events WHERE tenant_id = $1 AND stamp < $2 ORDER BY stamp LIMIT $3::BIGINT FOR UPDATE)`, tx.Tenant, before, limit)
}

func exists(tx *db.Tx, sql string, args ...any) (bool, error) {
	err := tx.Row(sql, args, new(int64))
	if errors.Is(err, db.ErrNoRow) {
		return false, nil
	}
	return err == nil, err
}
