package webhooks

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Retry makes a delivery due now (interface §4.5.9): a delivered or failed one gets exactly one more attempt, a
// pending one its next. One that waits for an earlier delivery of its ordering key keeps waiting. Errors: NotFound
// when its endpoint was deleted.
func Retry(tx *db.Tx, delivery id.Delivery) (*Delivery, error) {
	d, err := DeliveryByID(tx, delivery)
	if err != nil {
		return nil, err
	}
	switch {
	case d.State != Pending:
		blocked := false
		if d.Ordered {
			if blocked, err = exists(tx, "SELECT 1 FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND lane = $3 "+
				"AND position < $4 LIMIT 1",
				tx.Tenant, d.Endpoint, d.Resource, d.Position); err != nil {
				return nil, err
			}
		}
		again(tx, d.Endpoint, []Delivery{*d})
		if d.State, d.ByHand, d.DueAt = Pending, true, tx.Micros(); blocked {
			d.DueAt = 0
		}
	case d.DueAt != 0:
		d.DueAt = tx.Micros()
		lockQueues(tx, tx.Change, []id.Endpoint{d.Endpoint})
		tx.Change(`UPDATE deliveries SET due_at = $4 WHERE tenant_id = $1 AND endpoint_id = $2 AND position = $3 AND due_at IS NOT NULL`,
			tx.Tenant, d.Endpoint, d.Position, d.DueAt).Rows(1, nil)
		schedule(tx, tx.Change, d.Endpoint)
	}
	return d, nil
}

// again makes settled deliveries of one endpoint pending for one attempt each. If one of them has changed since it was
// read, the transaction runs again.
func again(tx db.Writer, endpoint id.Endpoint, deliveries []Delivery) {
	lockQueues(tx, tx.Change, []id.Endpoint{endpoint})
	var c Counts
	var ordered []int64
	for state, list := range byState(deliveries) {
		c.add(state, int64(len(list)))
		db.Chunks(list, func(piece []*Delivery) error {
			args := []any{tx.TenantID(), endpoint, tx.Micros(), state}
			for _, d := range piece {
				args = append(args, d.Position)
			}
			tx.Change(`UPDATE deliveries SET state = 'pending', by_hand = TRUE, lane = CASE WHEN ordered THEN resource_id END,
				due_at = CASE WHEN ordered THEN NULL ELSE $3::BIGINT END WHERE tenant_id = $1 AND endpoint_id = $2 AND state = $4 AND position IN `+
				db.In(len(piece), 5), args...).Rows(int64(len(piece)), nil)
			return nil
		})
	}
	moved := figures{}
	for i := range deliveries {
		moved.move(endpoint, deliveries[i].Position, deliveries[i].Name, in(deliveries[i].State), -1)
		moved.move(endpoint, deliveries[i].Position, deliveries[i].Name, in(Pending), 1)
		if deliveries[i].Ordered {
			ordered = append(ordered, deliveries[i].Position)
		}
	}
	moved.store(tx.Change, tx.TenantID())
	// The first pending delivery of each ordering key is due, the others wait for it.
	db.Chunks(ordered, func(piece []int64) error {
		args := append([]any{tx.TenantID(), endpoint, tx.Micros()}, db.Padded(piece)...)
		tx.Change(`UPDATE deliveries SET due_at = $3 WHERE tenant_id = $1 AND endpoint_id = $2 AND position IN `+db.In(len(args)-3, 4)+`
			AND NOT EXISTS (SELECT 1 FROM deliveries b WHERE b.tenant_id = $1 AND b.endpoint_id = $2 AND b.lane = deliveries.lane
				AND b.position < deliveries.position)`, args...)
		return nil
	})
	tx.Change("UPDATE queues SET pending = pending + $3, delivered = delivered - $4, failed = failed - $5, due_at = $6 "+
		"WHERE tenant_id = $1 AND endpoint_id = $2",
		tx.TenantID(), endpoint, c.Delivered+c.Failed, c.Delivered, c.Failed, tx.Micros())
	tx.Wake(Due)
}

// byState groups deliveries by their state.
func byState(deliveries []Delivery) map[State][]*Delivery {
	lists := map[State][]*Delivery{}
	for i := range deliveries {
		lists[deliveries[i].State] = append(lists[deliveries[i].State], &deliveries[i])
	}
	return lists
}

// With returns the account's endpoints that have deliveries in a state, failed or pending.
func With(tx *db.Tx, state State) ([]id.Endpoint, error) {
	count := "failed"
	if state == Pending {
		count = "pending"
	}
	return db.List(tx, scanEndpointID,
		"SELECT endpoint_id FROM queues WHERE tenant_id = $1 AND "+count+" > 0 ORDER BY endpoint_id", tx.Tenant)
}

// MostHurried is how many pending deliveries one request makes due.
const MostHurried = 5_000

// Hurry makes pending deliveries of an endpoint in a range of positions due now, at most limit: the earliest due
// first. It returns how many. Errors: NotFound for the endpoint.
func Hurry(tx *db.Tx, endpoint id.Endpoint, from, to, limit int64) (int64, error) {
	if _, err := Tally(tx, endpoint); err != nil {
		return 0, err
	}
	positions, err := db.List(tx, func(r db.Rows) (position int64, err error) { return position, r.Scan(&position) },
		"SELECT position FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND due_at > $3 AND position >= $4 AND position <= $5 "+
			"ORDER BY due_at, position LIMIT $6::BIGINT", tx.Tenant, endpoint, tx.Micros(), from, to, limit)
	if err != nil || len(positions) == 0 {
		return 0, err
	}
	lockQueues(tx, tx.Change, []id.Endpoint{endpoint})
	hurry(tx, endpoint, positions)
	schedule(tx, tx.Change, endpoint)
	return int64(len(positions)), nil
}

// hurry makes deliveries due that wait for a time. With a plain condition on it, SQLite would go through all that
// wait for one, for each piece of the positions.
func hurry(tx db.Writer, endpoint id.Endpoint, positions []int64) {
	for piece := range db.Pieces(positions) {
		args := []any{tx.TenantID(), endpoint, tx.Micros()}
		for _, position := range piece {
			args = append(args, position)
		}
		tx.Change("UPDATE deliveries SET due_at = $3 WHERE tenant_id = $1 AND endpoint_id = $2 AND coalesce(due_at, 0) <> 0 AND position IN "+
			db.In(len(piece), 4), args...)
	}
}
