package webhooks

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Retry gives a delivery an attempt now (interface §4.5.9): a settled one exactly one more, a pending one its next. One that
// waits for an earlier delivery of its resource keeps waiting. Errors: NotFound when its endpoint is gone.
func Retry(tx *db.Tx, delivery id.Delivery) (*Delivery, error) {
	d, err := DeliveryByID(tx, delivery)
	if err != nil {
		return nil, err
	}
	if err := lockQueues(tx, []id.Endpoint{d.Endpoint}); err != nil {
		return nil, err
	}
	if d, err = DeliveryByID(tx, delivery); err != nil { // as it is under the lock
		return nil, err
	}
	if d.State == Pending {
		if d.DueAt != 0 {
			d.DueAt = tx.Micros()
			tx.Queue("UPDATE deliveries SET due_at = $4 WHERE tenant_id = $1 AND endpoint_id = $2 AND position = $3", tx.Tenant, d.Endpoint, d.Position, d.DueAt)
		}
	} else if err := again(tx, d.Endpoint, []Delivery{*d}); err != nil {
		return nil, err
	} else if d, err = DeliveryByID(tx, delivery); err != nil {
		return nil, err
	}
	call(tx, d.Endpoint)
	return d, nil
}

// again makes settled deliveries of one endpoint pending for one attempt each. The endpoint's queue is locked.
func again(tx *db.Tx, endpoint id.Endpoint, deliveries []Delivery) error {
	var c Counts
	var ordered []int64
	db.Chunks(deliveries, func(piece []Delivery) error {
		positions := make([]int64, len(piece))
		for i := range piece {
			positions[i] = piece[i].Position
			switch piece[i].State {
			case Delivered:
				c.Delivered++
			case Failed:
				c.Failed++
			}
			if piece[i].Ordered {
				ordered = append(ordered, piece[i].Position)
			}
		}
		args := append([]any{tx.Tenant, endpoint, tx.Micros()}, db.Padded(positions)...)
		tx.Queue(`UPDATE deliveries SET state = 'pending', by_hand = TRUE, lane = CASE WHEN ordered THEN resource_id END, due_at = CASE WHEN ordered THEN NULL ELSE $3::BIGINT END
			WHERE tenant_id = $1 AND endpoint_id = $2 AND position IN `+db.In(len(args)-3, 4), args...).Rows(int64(len(piece)), nil)
		return nil
	})
	// The first pending one of each lane is due, the others wait for it.
	db.Chunks(ordered, func(piece []int64) error {
		args := append([]any{tx.Tenant, endpoint, tx.Micros()}, db.Padded(piece)...)
		tx.Queue(`UPDATE deliveries SET due_at = $3 WHERE tenant_id = $1 AND endpoint_id = $2 AND position IN `+db.In(len(args)-3, 4)+`
			AND NOT EXISTS (SELECT 1 FROM deliveries b WHERE b.tenant_id = $1 AND b.endpoint_id = $2 AND b.lane = deliveries.lane
				AND b.position < deliveries.position)`, args...)
		return nil
	})
	tx.Queue("UPDATE queues SET pending = pending + $3, delivered = delivered - $4, failed = failed - $5 WHERE tenant_id = $1 AND endpoint_id = $2",
		tx.Tenant, endpoint, c.Delivered+c.Failed, c.Delivered, c.Failed)
	return nil
}

// WithFailed names the account's endpoints that have failed deliveries.
func WithFailed(tx *db.Tx) ([]id.Endpoint, error) {
	return db.List(tx, scanEndpointID,
		"SELECT endpoint_id FROM queues WHERE tenant_id = $1 AND failed > 0 ORDER BY endpoint_id", tx.Tenant)
}
