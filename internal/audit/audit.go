// Package audit records who did what in an account, and which requests were refused.
//
//	Entry    one change of keys, users, channels, endpoints or settings, or an erasure (interface §4.5); it holds ids and
//	         names of fields, never personal data of customers
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
	table.Insert(tx, Entry{id.New[id.Audit](), actor, action, resourceType, resourceID, text, tx.Micros()})
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
	db.AndGiven(w, "created_at >= ?", f.From)
	db.AndGiven(w, "created_at <= ?", f.To)
	return table.Page(tx, w, "id DESC", f.Limit, f.Offset)
}
