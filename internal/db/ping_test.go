package db_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A server that answers and takes no writes is no store that is ready, whether it may only read or has no room.
func TestAStoreThatTakesNoWritesIsNotReady(t *testing.T) {
	_, address := twoNodes(t)
	admin, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	do := func(sql string) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	pings := func(when, want string) {
		t.Helper()
		store, err := db.Open(t.Context(), db.Config{URL: address, MinWait: dbtest.Timeout})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		for range 2 { // the second time by another connection
			err := store.Ping(t.Context())
			f, _ := apperr.As(err)
			if want == "" && err != nil || want != "" && (f == nil || f.Code != want) {
				t.Errorf("%s: %v, want %q", when, err, want)
			}
		}
	}
	pings("at first", "")
	name := address[strings.LastIndex(address, "/")+1 : strings.Index(address, "?")]
	do("ALTER DATABASE " + name + " SET default_transaction_read_only = on")
	pings("read-only", "read_only")
	do("ALTER DATABASE " + name + " RESET default_transaction_read_only")
	do(`CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`)
	do("CREATE TRIGGER no_room BEFORE INSERT ON probes FOR EACH STATEMENT EXECUTE FUNCTION no_room()")
	pings("without room", "disk_full")
	do("DROP TRIGGER no_room ON probes")
	pings("with room again", "")

	do("CREATE TRIGGER no_room BEFORE INSERT ON warehouses FOR EACH STATEMENT EXECUTE FUNCTION no_room()")
	store, err := db.Open(t.Context(), db.Config{URL: address, MinWait: dbtest.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	shownAs(t, "a write without room", store.Write(t.Context(), 1, func(tx *db.Tx) error {
		tx.Queue("INSERT INTO warehouses (tenant_id, id, code, name, is_default, created_at) VALUES ($1,$2,'X','X',FALSE,0)", tx.Tenant,
			"019a1c41-0000-7000-8000-000000000001")
		return nil
	}), "unavailable")
	if f, _ := apperr.As(store.Ping(t.Context())); f == nil || f.Code != "disk_full" {
		t.Errorf("after a write without room: %v", f)
	}
	var left int
	if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM probes").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows are left of trying: %v", left, err)
	}
}
