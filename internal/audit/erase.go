package audit

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Search finds the entries whose details match one of the patterns (db.Where.AndLike): all of them, or those made since a
// time. Details contain no personal data; this is a safeguard in case an operation ever adds some.
func Search(tx *db.Tx, since int64, patterns []string) ([]id.Audit, error) {
	w := db.NewWhere(tx, "")
	if since != 0 {
		w.And("id >= ?::UUID", id.First[id.Audit](since))
	}
	w.AndLike([]string{"details"}, patterns)
	return db.List(tx, func(r db.Rows) (entry id.Audit, err error) { return entry, r.Scan(&entry) },
		"SELECT id FROM audit_log WHERE "+w.String(), w.Args()...)
}

// Empty queues the removal of the details of entries.
func Empty(tx db.Writer, entries []id.Audit) {
	db.Chunks(entries, func(piece []id.Audit) error {
		args := append([]any{tx.TenantID()}, db.Padded(piece)...)
		tx.Queue("UPDATE audit_log SET details = '{}' WHERE tenant_id = $1 AND id IN "+db.In(len(args)-1, 2), args...)
		return nil
	})
}
