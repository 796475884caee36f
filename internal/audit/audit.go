// Package audit keeps who did what to an account: keys, users, channels, endpoints, settings, erasures (interface §4.5).
// It holds ids and names of fields, never personal data of customers.
package audit

import (
	"encoding/json"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Entry is one operation. Details is a JSON object of texts.
type Entry struct {
	ID           id.Audit
	Actor        string // "user:<id>", "key:<id>" or "system"
	Action       string // "api_key.created"
	ResourceType string // "api_key"
	ResourceID   string
	Details      string
	CreatedAt    int64 // microseconds since 1970 UTC
}

// Record notes an operation in the transaction that does it.
func Record(tx *db.Tx, actor, action, resourceType, resourceID string, details map[string]string) {
	text := "{}"
	if len(details) > 0 {
		b, err := json.Marshal(details)
		if err != nil {
			panic(err) // a map of texts
		}
		text = string(b)
	}
	tx.Queue(`INSERT INTO audit_log (tenant_id, id, actor, action, resource_type, resource_id, details, created_at)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8)`, tx.Tenant, id.New[id.Audit](), actor, action, resourceType, resourceID, text, tx.Micros())
}

// Filter says which entries are wanted. From and To are microseconds, both included; 0 leaves a bound out.
type Filter struct {
	From, To      int64
	Limit, Offset int
}

// forever is an upper bound beyond every time of the store.
const forever = 1 << 62

// List reads a page of entries, newest first, and how many match.
func List(tx *db.Tx, f Filter) (list []Entry, total int64, err error) {
	if f.To == 0 {
		f.To = forever
	}
	const where = " FROM audit_log WHERE tenant_id = $1 AND created_at >= $2 AND created_at <= $3"
	if err := tx.Row("SELECT count(*)"+where, []any{tx.Tenant, f.From, f.To}, &total); err != nil {
		return nil, 0, err
	}
	list, err = db.List(tx, func(r db.Rows) (e Entry, err error) {
		err = r.Scan(&e.ID, &e.Actor, &e.Action, &e.ResourceType, &e.ResourceID, &e.Details, &e.CreatedAt)
		return e, err
	}, "SELECT id, actor, action, resource_type, resource_id, details, created_at"+where+" ORDER BY id DESC LIMIT $4 OFFSET $5",
		tx.Tenant, f.From, f.To, f.Limit, f.Offset)
	return list, total, err
}
