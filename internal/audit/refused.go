package audit

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Refused is a refused request, or several equal ones within a few seconds. It contains nothing of their bodies.
type Refused struct {
	ID        id.Audit
	Key       id.Key  // "" for a user
	User      id.User // "" for a key
	Method    string
	Route     string // /api/v1/orders/{id}
	Status    int64
	Code      string // of the error
	RequestID string // of the newest, "" if it is not recorded
	Times     int64
	At        int64 // of the newest, microseconds since 1970 UTC
}

// MaxRefusals is how many rows of refused requests an account has at most.
const MaxRefusals = 1000

var refusedTable = db.NewTable("refused_requests",
	db.Col("id", func(r *Refused) any { return &r.ID }),
	db.Col("key_id", func(r *Refused) any { return &r.Key }).Null(),
	db.Col("user_id", func(r *Refused) any { return &r.User }).Null(),
	db.Col("method", func(r *Refused) any { return &r.Method }),
	db.Col("route", func(r *Refused) any { return &r.Route }),
	db.Col("status", func(r *Refused) any { return &r.Status }),
	db.Col("code", func(r *Refused) any { return &r.Code }),
	db.Col("request_id", func(r *Refused) any { return &r.RequestID }),
	db.Col("times", func(r *Refused) any { return &r.Times }),
	db.Col("created_at", func(r *Refused) any { return &r.At }),
)

// RecordRefused records refused requests, and deletes the oldest beyond MaxRefusals.
func RecordRefused(tx db.Writer, list []Refused) {
	for i := range list {
		list[i].ID = id.New[id.Audit]()
	}
	refusedTable.Insert(tx, list...)
	tx.Queue(`DELETE FROM refused_requests WHERE tenant_id = $1 AND id <= (SELECT id FROM refused_requests WHERE tenant_id = $1
		ORDER BY id DESC LIMIT 1 OFFSET $2::BIGINT)`, tx.TenantID(), MaxRefusals)
}

// RefusedFilter selects refused requests; zero values leave a condition out.
type RefusedFilter struct {
	Key           id.Key
	Status        int64
	Limit, Offset int
}

// ListRefused reads a page of refused requests, newest first, and how many rows match.
func ListRefused(tx *db.Tx, f RefusedFilter) ([]Refused, int64, error) {
	w := db.NewWhere(tx, "")
	db.AndGiven(w, "key_id = ?::UUID", f.Key)
	db.AndGiven(w, "status = ?", f.Status)
	return refusedTable.Page(tx, w, "id DESC", f.Limit, f.Offset)
}
