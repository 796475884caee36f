package webhooks

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Test queues an event that only one endpoint receives and that is not part of the log. The caller has made sure that
// the endpoint exists.
func Test(tx db.Writer, e *Endpoint, event Event) *Delivery {
	d := Delivery{ID: id.New[id.Delivery](), Endpoint: e.ID, Event: id.New[id.Event](),
		Name: event.Name, Resource: event.Resource, State: Pending, DueAt: tx.Micros()}
	d.Position = tx.Stamps(1)
	d.EventStamp = d.Position
	tx.Change(`INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, endpoint_id, created_at)
		VALUES ($1,$2,`+db.Clock+` + $3::BIGINT,$4,$5,$6,$7,$8)`,
		tx.TenantID(), d.Event, d.Position, event.Name, event.Resource, event.Body(d.Event, tx.Micros()), e.ID, tx.Micros())
	enqueue(tx, tx.Change, []Delivery{d}, insertBoth)
	d.Position, d.EventStamp = tx.Micros(), 0 // an estimate: the stamp is not known before the commit
	return &d
}
