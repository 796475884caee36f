package dbtest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/dbtest"
)

// What a primary has acknowledged is there after its failure, after the failure of the one that took its place, and both take writes.
func TestPair(t *testing.T) {
	dbtest.Long(t, "PostgreSQL is started five times")
	pair := dbtest.NewPair(t)
	address := pair.URL() + "&target_session_attrs=read-write"
	add := func(n int) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		var before int
		if _, err = conn.Exec(t.Context(), "CREATE TABLE IF NOT EXISTS seen (n INT PRIMARY KEY)"); err == nil {
			err = conn.QueryRow(t.Context(), "SELECT count(*) FROM seen").Scan(&before)
		}
		if err == nil {
			_, err = conn.Exec(t.Context(), "INSERT INTO seen VALUES ($1)", n)
		}
		if err != nil || before != n {
			t.Fatalf("%d rows before row %d was added: %v", before, n, err)
		}
	}
	add(0)
	pair.Kill()
	pair.Promote()
	add(1)
	pair.Rebuild()
	add(2)
	pair.Kill()
	pair.Promote()
	add(3)
}
