package commerce

import (
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// pushToPlatform queues that an order's platform hears of what was just done to it here (interface §1). What came from the platform is not
// sent back, and an order without platform has no place to report to. It comes before the order is saved.
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
