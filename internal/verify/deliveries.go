package verify

import (
	"errors"
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// longestWrite is more than a transaction takes from its own time, that of its beginning, to its commit. An event with
// a later time than an endpoint's change may have been dispatched before the change was stored.
const longestWrite = time.Minute

// keptFor is the shortest retention of deliveries.
const keptFor = 24 * time.Hour

// deliveries checks events dispatched since an endpoint was created, or from longestWrite after its last change: before
// that change the endpoint may have been subscribed to other events.
func deliveries(c *account) error {
	var cursor int64
	err := c.Row("SELECT stamp FROM dispatch_cursors WHERE tenant_id = $1", []any{c.Tenant}, &cursor)
	if errors.Is(err, db.ErrNoRow) {
		return nil // the account never had an endpoint
	}
	if err != nil {
		return err
	}
	type endpoint struct {
		id             id.Endpoint
		events         []string
		since, changed int64
	}
	endpoints, err := db.List(c.Tx, func(r db.Rows) (e endpoint, err error) {
		var events string
		var made int64
		err = r.Scan(&e.id, &events, &e.since, &made, &e.changed)
		if e.events = strings.Fields(events); e.changed == made {
			e.changed = 0
		} else {
			e.changed += longestWrite.Microseconds()
		}
		return e, err
	}, "SELECT id, events, since, created_at, updated_at FROM endpoints WHERE tenant_id = $1 AND deleted_at IS NULL", c.Tenant)
	if err != nil {
		return err
	}
	recent := c.Now().Add(-keptFor).UnixMicro()
	for _, e := range endpoints {
		err := c.each(`SELECT e.event, e.id, d.id FROM events e
			LEFT JOIN deliveries d ON d.tenant_id = $1 AND d.endpoint_id = $2::UUID AND d.position = e.stamp
			WHERE e.tenant_id = $1 AND e.stamp > $3 AND e.stamp <= $4 AND e.created_at > $5 AND e.endpoint_id IS NULL`,
			[]any{e.id, e.since, cursor, max(e.changed, recent)}, func(r db.Rows) error {
				var event, eventID, delivery string
				err := r.Scan(&event, &eventID, db.Opt(&delivery))
				wanted := slices.Contains(e.events, "*") || slices.Contains(e.events, event)
				switch {
				case wanted && delivery == "":
					c.wrong("the event %s (%s) was dispatched, but not to the endpoint %s", eventID, event, e.id)
				case !wanted && delivery != "":
					c.wrong("the endpoint %s got the event %s (%s), which it did not want", e.id, eventID, event)
				}
				return err
			})
		if err != nil {
			return err
		}
	}
	return nil
}
