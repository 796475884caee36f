package webhooks

import (
	"errors"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Logged is one event of the log.
type Logged struct {
	ID        id.Event
	Name      string
	CreatedAt int64  // microseconds since 1970 UTC; the envelope's timestamp
	Payload   string // the envelope, as delivered
}

// logBytes bounds a page of the log beside its limit.
const logBytes = 8 << 20

// Log reads up to limit events after a given one ("" from the oldest kept), in commit order, and reports whether there are more.
// Stamps grow in commit order, so a reader who goes on from the last event he got misses none. Errors: Invalid for an event that
// is not in the log.
func Log(tx *db.Tx, after id.Event, limit int) (list []Logged, more bool, err error) {
	var stamp int64
	if after != "" {
		err := tx.Row("SELECT stamp FROM events WHERE tenant_id = $1 AND id = $2 AND endpoint_id IS NULL", []any{tx.Tenant, after}, &stamp)
		if errors.Is(err, db.ErrNoRow) {
			return nil, false, apperr.At("after", "is not in the event log: it is unknown, or older than the log is kept")
		}
		if err != nil {
			return nil, false, err
		}
	}
	bytes := 0
	err = tx.Each(func(r db.Rows) error {
		var e Logged
		if more {
			return nil
		}
		if err := r.Scan(&e.ID, &e.Name, &e.CreatedAt, &e.Payload); err != nil {
			return err
		}
		if more = len(list) == limit || bytes > logBytes; !more {
			list, bytes = append(list, e), bytes+len(e.Payload)
		}
		return nil
	}, "SELECT id, event, created_at, payload FROM events WHERE tenant_id = $1 AND stamp > $2 AND endpoint_id IS NULL "+
		"ORDER BY stamp LIMIT $3", tx.Tenant, stamp, limit+1)
	return list, more, err
}
