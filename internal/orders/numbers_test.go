package orders_test

import (
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// failCommits makes every commit fail that has taken a block of numbers, until the function it gives is called.
func failCommits(t *testing.T, store *db.DB, tenant id.Tenant) (restore func()) {
	t.Helper()
	do := func(list ...string) {
		t.Helper()
		if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			for _, sql := range list {
				if _, err := tx.Exec(sql); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	do("CREATE TABLE failing (tenant BIGINT REFERENCES tenants (tenant_id) DEFERRABLE INITIALLY DEFERRED)")
	if store.Engine() == "sqlite" {
		do("CREATE TRIGGER fail AFTER UPDATE ON order_numbers BEGIN INSERT INTO failing VALUES (-1); END")
		return func() { do("DROP TRIGGER fail") }
	}
	do("CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO failing VALUES (-1); RETURN NULL; END'",
		"CREATE TRIGGER fail AFTER UPDATE ON order_numbers FOR EACH ROW EXECUTE FUNCTION fail()")
	return func() { do("DROP TRIGGER fail ON order_numbers") }
}

// A block of numbers whose commit failed is not handed out: another node gets the same one.
func TestNumbersAfterAFailedCommit(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		here, there := orders.NewNumbers(), orders.NewNumbers()
		seen := map[int64]bool{}
		take := func(n *orders.Numbers) {
			t.Helper()
			number, err := n.Take(t.Context(), store, tenant)
			if err != nil {
				t.Fatal(err)
			}
			if seen[number] {
				t.Fatalf("the number %d was given out twice", number)
			}
			seen[number] = true
		}
		take(here)
		restore := failCommits(t, store, tenant)
		for range 3 {
			if number, err := here.Take(t.Context(), store, tenant); err == nil {
				t.Fatalf("gave out %d, though its commit failed", number)
			}
		}
		restore()
		for range 100 {
			take(here)
			take(there)
		}
	})
}
