package audit

import "entrepot/internal/db"

// Forget empties the details of entries that match one of the patterns (db.Where.AndLike). Details contain no personal
// data; this is a safeguard in case an operation ever adds some.
func Forget(tx *db.Tx, patterns []string) {
	if len(patterns) == 0 {
		return
	}
	w := db.NewWhere(tx, "").AndLike([]string{"details"}, patterns)
	tx.Queue("UPDATE audit_log SET details = '{}' WHERE "+w.String(), w.Args()...)
}
