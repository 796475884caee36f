package audit

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Search finds the entries whose texts match one of the patterns (db.Where.AndLike): all of them, or those made since a
// time. Callers choose names and request ids, and a user may be a customer, too.
func Search(tx *db.Tx, since int64, patterns []string) ([]id.Audit, error) {
	w := db.NewWhere(tx, "")
	if since != 0 {
		w.And("id >= ?::UUID", id.First[id.Audit](since))
	}
	w.AndLike([]string{"details", "changes", "actor_name", "request_id"}, patterns)
	return db.List(tx, func(r db.Rows) (entry id.Audit, err error) { return entry, r.Scan(&entry) },
		"SELECT id FROM audit_log WHERE "+w.String(), w.Args()...)
}

// Empty queues the removal of the texts of entries; their positions in the chain stay.
func Empty(tx db.Writer, entries []id.Audit) {
	db.Chunks(entries, func(piece []id.Audit) error {
		args := append([]any{tx.TenantID(), tx.Micros()}, db.Padded(piece)...)
		tx.Queue("UPDATE audit_log SET details = '{}', changes = '[]', actor_name = '', request_id = '', address = '', emptied_at = $2 "+
			"WHERE tenant_id = $1 AND id IN "+db.In(len(args)-2, 3), args...)
		return nil
	})
}
