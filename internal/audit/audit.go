// Package audit records who did what in an account, and which requests were refused.
//
//	Entry    one change of keys, users, channels, endpoints, warehouses, attributes, segments or settings, or an erasure
//	         (interface §4.5.10); it holds ids and names of fields, never personal data of customers
//	Refused  refused requests of one kind, counted over some seconds (refused.go)
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

// Record records an operation in the operation's transaction.
func Record(tx db.GuardedWriter, actor, action, resourceType, resourceID string, details map[string]string) {
	text := "{}"
	if len(details) > 0 {
		b, err := json.Marshal(details)
		if err != nil {
			panic(err) // a map of strings always encodes
		}
		text = string(b)
	}
	table.Insert(tx, Entry{id.At[id.Audit](tx.Micros()), actor, action, resourceType, resourceID, text, tx.Micros()})
}

var table = db.NewTable("audit_log",
	db.Col("id", func(e *Entry) any { return &e.ID }),
	db.Col("actor", func(e *Entry) any { return &e.Actor }),
	db.Col("action", func(e *Entry) any { return &e.Action }),
	db.Col("resource_type", func(e *Entry) any { return &e.ResourceType }),
	db.Col("resource_id", func(e *Entry) any { return &e.ResourceID }),
	db.Col("details", func(e *Entry) any { return &e.Details }),
	db.Col("created_at", func(e *Entry) any { return &e.CreatedAt }),
)

// Newest is when the newest entry was recorded, in microseconds since 1970 UTC; 0 if there is none.
func Newest(tx *db.Tx) (at int64, err error) {
	return at, tx.Row("SELECT coalesce((SELECT created_at FROM audit_log WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1), 0)",
		[]any{tx.Tenant}, &at)
}

// newestTypes limits the entries that TypesSince reads.
const newestTypes = 200

// TypesSince returns the types of resources of the entries after a time, each once; if there are very many entries, those of the newest.
func TypesSince(tx *db.Tx, after int64) ([]string, error) {
	return db.List(tx, func(r db.Rows) (name string, err error) { return name, r.Scan(&name) },
		"SELECT DISTINCT e.resource_type FROM "+
			"(SELECT resource_type, created_at FROM audit_log WHERE tenant_id = $1 ORDER BY id DESC LIMIT $3) e "+
			"WHERE e.created_at > $2 ORDER BY 1", tx.Tenant, after, newestTypes)
}

// Filter selects entries; zero values leave a condition out.
type Filter struct {
	Actor         string // "user:<id>"
	Action        string
	ResourceType  string
	ResourceID    string
	From, To      int64 // microseconds, both included
	Limit, Offset int
}

// List reads a page of entries, newest first, and how many match.
func List(tx *db.Tx, f Filter) ([]Entry, int64, error) {
	w := db.NewWhere(tx, "")
	db.AndGiven(w, "actor = ?", f.Actor)
	db.AndGiven(w, "action = ?", f.Action)
	db.AndGiven(w, "resource_type = ?", f.ResourceType)
	db.AndGiven(w, "resource_id = ?", f.ResourceID)
	db.AndWithin[id.Audit](w, "", f.From, f.To)
	return table.Page(tx, w, "id DESC", f.Limit, f.Offset)
}
