// Package audit records who did what in an account, and which requests were refused.
//
//	Entry    one change of keys, users, channels, endpoints, warehouses, attributes, segments or settings, or an erasure
//	         (interface §4.5.10); it holds ids, names and changed values, never personal data of customers
//	Chain    the hashes by which an entry follows from the one before it (chain.go)
//	Refused  refused requests of one kind, counted over some seconds (refused.go)
package audit

import (
	"encoding/json"
	"maps"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Entry is one operation.
type Entry struct {
	ID           id.Audit
	Actor        string // "user:<id>", "key:<id>" or "system"
	Action       string // "api_key.created"
	ResourceType string // "api_key"
	ResourceID   string
	CreatedAt    int64 // microseconds since 1970 UTC
	Texts

	Number    int64  // its position in the account's chain, from 1
	Digest    string // of its texts as they were recorded
	Hash      string
	EmptiedAt int64 // when an erasure removed its texts, 0 for never
}

// Texts are the parts of an entry that an erasure removes.
type Texts struct {
	Details   string // JSON object of texts
	Changes   string // JSON array of Change
	ActorName string // what the key or the user was called then
	RequestID string
	Address   string // of the client
}

// Change is a value that an operation replaced.
type Change struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Diff returns the changes between two states of a record, by the names of its fields.
func Diff(before, after map[string]string) (list []Change) {
	names := map[string]string{}
	maps.Copy(names, before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before[name] != after[name] {
			list = append(list, Change{name, before[name], after[name]})
		}
	}
	return list
}

// Record records an operation in the operation's transaction, at its end.
func Record(tx db.Writer, actor, action, resourceType, resourceID string, details map[string]string, changes ...Change) {
	if details == nil {
		details = map[string]string{}
	}
	if changes == nil {
		changes = []Change{}
	}
	by := tx.Author()
	e := Entry{ID: id.At[id.Audit](tx.Micros()), Actor: actor, Action: action, ResourceType: resourceType, ResourceID: resourceID,
		CreatedAt: tx.Micros(),
		Texts:     Texts{Details: encoded(details), Changes: encoded(changes), RequestID: by.Request, Address: by.Address}}
	if by.Actor == actor {
		e.ActorName = by.Name
	}
	tx.AtEnd(e.append)
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(text)
}

var table = db.NewTable("audit_log",
	db.Col("id", func(e *Entry) any { return &e.ID }),
	db.Col("actor", func(e *Entry) any { return &e.Actor }),
	db.Col("action", func(e *Entry) any { return &e.Action }),
	db.Col("resource_type", func(e *Entry) any { return &e.ResourceType }),
	db.Col("resource_id", func(e *Entry) any { return &e.ResourceID }),
	db.Col("details", func(e *Entry) any { return &e.Details }),
	db.Col("created_at", func(e *Entry) any { return &e.CreatedAt }),
	db.Col("changes", func(e *Entry) any { return &e.Changes }),
	db.Col("actor_name", func(e *Entry) any { return &e.ActorName }),
	db.Col("request_id", func(e *Entry) any { return &e.RequestID }),
	db.Col("address", func(e *Entry) any { return &e.Address }),
	db.Col("number", func(e *Entry) any { return &e.Number }).Null(),
	db.Col("digest", func(e *Entry) any { return &e.Digest }),
	db.Col("hash", func(e *Entry) any { return &e.Hash }),
	db.Col("emptied_at", func(e *Entry) any { return &e.EmptiedAt }).Null(),
)

// Newest is when the newest entry was recorded, in microseconds since 1970 UTC; 0 if there is none.
func Newest(tx *db.Tx) (at int64, err error) {
	return at, tx.Row("SELECT coalesce((SELECT created_at FROM audit_log WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1), 0)",
		[]any{tx.Tenant}, &at)
}

// newestTypes limits the entries that TypesSince reads.
const newestTypes = 200

// TypesSince returns the types of resources of the entries after a time, each once; if there are very many entries,
// those of the newest.
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
