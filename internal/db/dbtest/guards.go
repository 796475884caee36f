package dbtest

import (
	"errors"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// errAgain ends a transaction that runs a second time.
var errAgain = errors.New("the transaction ran again")

// RunsAgain checks that a transaction detects a change of what it read: meanwhile is committed between its reads and
// its writes, and the transaction must then run a second time. It may neither lock nor read what it has written.
func RunsAgain(t *testing.T, store *db.DB, tenant id.Tenant, run, meanwhile func(tx *db.Tx) error) {
	t.Helper()
	if err := overtake(t, store, tenant, run, meanwhile); !errors.Is(err, errAgain) {
		t.Errorf("the transaction did not run again: %v", err)
	}
}

// Fails is RunsAgain for a transaction that must fail instead; it returns the error.
func Fails(t *testing.T, store *db.DB, tenant id.Tenant, run, meanwhile func(tx *db.Tx) error) error {
	t.Helper()
	err := overtake(t, store, tenant, run, meanwhile)
	if err == nil || errors.Is(err, errAgain) {
		t.Errorf("the transaction did not fail: %v", err)
	}
	return err
}

func overtake(t *testing.T, store *db.DB, tenant id.Tenant, run, meanwhile func(tx *db.Tx) error) error {
	t.Helper()
	runs := 0
	return Overtaken(t, store, tenant, func(tx *db.Tx) error {
		if runs++; runs > 1 {
			return errAgain
		}
		return run(tx)
	}, func() error { return store.Write(t.Context(), tenant, meanwhile) })
}

// Overtaken runs a transaction, has meanwhile commit what it likes, and only then sends what the transaction has queued to write. If that
// does not hold any more, the transaction runs again.
func Overtaken(t *testing.T, store *db.DB, tenant id.Tenant, run func(tx *db.Tx) error, meanwhile func() error) error {
	t.Helper()
	var queued func(*db.Tx)
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		queued = tx.Postpone()
		return run(tx)
	})
	if err == nil {
		err = meanwhile()
	}
	if err != nil {
		return err
	}
	return store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		if tx.Try() > 0 {
			return run(tx)
		}
		queued(tx)
		return nil
	})
}

// RowsOf is the rows of an account in some tables, as text.
func RowsOf(t *testing.T, store *db.DB, tenant id.Tenant, tables ...string) string {
	t.Helper()
	columns := "SELECT name FROM pragma_table_info($1)"
	if store.Engine() == "postgres" {
		columns = "SELECT column_name::TEXT FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 ORDER BY " +
			"ordinal_position"
	}
	var out strings.Builder
	err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
		for _, table := range tables {
			var texts []string
			err := tx.Each(func(r db.Rows) error {
				var name string
				err := r.Scan(&name)
				texts = append(texts, "coalesce(CAST("+name+" AS TEXT), 'NULL')")
				return err
			}, columns, table)
			if err != nil {
				return err
			}
			out.WriteString(table + "\n")
			err = tx.Each(func(r db.Rows) error {
				var row string
				err := r.Scan(&row)
				out.WriteString(row + "\n")
				return err
			}, "SELECT "+strings.Join(texts, " || ' | ' || ")+" FROM "+table+" WHERE tenant_id = $1 ORDER BY 1", tenant)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
