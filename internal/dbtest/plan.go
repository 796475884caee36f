package dbtest

import (
	"strings"
	"testing"

	"entrepot/internal/db"
)

// Plan is SQLite's plan of a statement, a line for each step. The statement is not run.
func Plan(t testing.TB, tx *db.Tx, sql string, args ...any) string {
	t.Helper()
	var plan strings.Builder
	err := tx.Each(func(r db.Rows) error {
		var step, parent, unused int64
		var line string
		err := r.Scan(&step, &parent, &unused, &line)
		plan.WriteString(line + "\n")
		return err
	}, "EXPLAIN QUERY PLAN "+sql, args...)
	if err != nil {
		t.Fatalf("the plan of %s: %v", sql, err)
	}
	return plan.String()
}
