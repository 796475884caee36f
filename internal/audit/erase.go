package audit

import (
	"strconv"
	"strings"

	"entrepot/internal/db"
)

// Forget empties the details of the entries in which one of the patterns, as for LIKE with \ as escape, is found. Details hold no
// personal data by themselves; this is for the day when somebody forgets that.
func Forget(tx *db.Tx, patterns []string) {
	if len(patterns) == 0 {
		return
	}
	args := []any{tx.Tenant}
	var any []string
	for _, p := range patterns {
		args = append(args, p)
		any = append(any, "details LIKE $"+strconv.Itoa(len(args))+` ESCAPE '\'`)
	}
	tx.Queue("UPDATE audit_log SET details = '{}' WHERE tenant_id = $1 AND ("+strings.Join(any, " OR ")+")", args...)
}
