package audit

import (
	"strings"

	"entrepot/internal/db"
)

// Forget empties the details of the entries in which one of the patterns, as for LIKE with \ as escape, is found. Details hold no
// personal data by themselves; this is for the day when an operation puts some there.
func Forget(tx *db.Tx, patterns []string) {
	if len(patterns) == 0 {
		return
	}
	w := db.NewWhere(tx, "")
	found := make([]string, len(patterns))
	for i, p := range patterns {
		found[i] = "details LIKE " + w.Bind(p) + ` ESCAPE '\'`
	}
	tx.Queue("UPDATE audit_log SET details = '{}' WHERE "+w.And("("+strings.Join(found, " OR ")+")").String(), w.Args()...)
}
