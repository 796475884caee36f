package audit

import (
	"strings"

	"entrepot/internal/db"
)

// Forget empties the details of entries that match one of the patterns (LIKE in either case, with \ as escape). Details contain no
// personal data; this is a safeguard in case an operation ever adds some.
func Forget(tx *db.Tx, patterns []string) {
	if len(patterns) == 0 {
		return
	}
	w := db.NewWhere(tx, "")
	found := make([]string, len(patterns))
	for i, p := range patterns {
		found[i] = "lower(details) LIKE lower(" + w.Bind(p) + `::TEXT) ESCAPE '\'`
	}
	tx.Queue("UPDATE audit_log SET details = '{}' WHERE "+w.And("("+strings.Join(found, " OR ")+")").String(), w.Args()...)
}
