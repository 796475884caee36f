package webhooks

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Heard is one delivery of an event about a resource, with the time of the event.
type Heard struct {
	Delivery
	EventAt int64 // the time of the event and so of its change
}

// heardTable also reads when the event was created.
var heardTable = db.NewTable("deliveries", append(deliveryColumns(func(h *Heard) *Delivery { return &h.Delivery }),
	db.Joined("e.created_at", func(h *Heard) any { return &h.EventAt }))...)

// OfResource reads the newest deliveries of the events of one resource over all endpoints, up to limit, newest event
// first.
func OfResource(tx *db.Tx, resource string, limit int) ([]Heard, error) {
	// Positions first, which the index has: without statistics SQLite reads every delivery of the account.
	return db.List(tx, heardTable.Scanner(), "SELECT "+heardTable.Columns("d")+`
		FROM queues q CROSS JOIN deliveries r CROSS JOIN deliveries d
		LEFT JOIN events e ON e.tenant_id = $1 AND e.stamp = d.event_stamp
		WHERE q.tenant_id = $1 AND r.tenant_id = $1 AND r.endpoint_id = q.endpoint_id AND r.resource_id = $2
			AND d.tenant_id = $1 AND d.endpoint_id = q.endpoint_id AND d.position = r.position
		ORDER BY d.event_stamp DESC, d.endpoint_id LIMIT $3::BIGINT`,
		tx.Tenant, resource, limit)
}

// Addresses are the endpoints of the account by id, with description and URL.
func Addresses(tx *db.Tx) (map[id.Endpoint]string, error) {
	list := map[id.Endpoint]string{}
	return list, tx.Each(func(r db.Rows) error {
		var endpoint id.Endpoint
		var name string
		err := r.Scan(&endpoint, &name)
		list[endpoint] = name
		return err
	}, "SELECT id, CASE WHEN description = '' THEN url ELSE description END FROM endpoints WHERE tenant_id = $1 AND deleted_at IS NULL",
		tx.Tenant)
}
