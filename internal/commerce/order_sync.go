package commerce

import (
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// pushToPlatform queues sending an order's change to its platform (interface §1). Changes that came from the platform
// are not sent back, and an order without a platform is not sent. Call it before the order is saved.
func pushToPlatform(tx db.Writer, o *orders.Order, source orders.Source) {
	if o.PlatformID == "" || o.Channel == "" {
		return
	}
	if source == orders.FromChannel {
		if o.Sync.State != orders.SyncPending {
			o.Sync = orders.Sync{State: orders.Synced, UpdatedAt: tx.Micros()}
		}
		return
	}
	o.Sync = orders.Sync{State: orders.SyncPending, UpdatedAt: tx.Micros()}
	jobs.InsertOnce(tx, jobs.StatusPush, o.Channel, unasked)
}
