package server_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
)

// Every start looks at row-level security: a role that it does not hold for is named, and so are the tables on which it does not
// stand, with the statements that put it back.
func TestEveryStartLooksAtRowLevelSecurity(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		_, stop := start(t, c)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(said.String(), "role=postgres"); warned != (c.URL != "") {
			t.Errorf("a superuser: %s", said)
		}
		if c.URL == "" {
			return
		}
		c.URL, c.Dir = dbtest.PlainURL(t), t.TempDir()
		begin := func() (added string) {
			t.Helper()
			before := len(said.String())
			_, stop := start(t, c)
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			return said.String()[before:]
		}
		if text := begin(); strings.Contains(text, "row-level") {
			t.Errorf("a plain role on a sound store: %s", text)
		}
		conn, err := pgx.Connect(t.Context(), c.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		if _, err := conn.Exec(t.Context(), "ALTER TABLE orders DISABLE ROW LEVEL SECURITY; DROP POLICY tenant ON customers; ALTER TABLE users "+
			"NO FORCE ROW LEVEL SECURITY"); err != nil {
			t.Fatal(err)
		}
		if text := begin(); !strings.Contains(text, `tables="customers, orders, users"`) {
			t.Errorf("three open tables: %s", text)
		}
		store, err := server.OpenStore(t.Context(), c.StoreConfig)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		found, err := store.DB.Security(t.Context())
		if err != nil || len(found.Open) != 3 {
			t.Fatalf("%+v %v", found, err)
		}
		if _, err := conn.Exec(t.Context(), found.Repair()); err != nil {
			t.Fatal(err)
		}
		if found, err = store.DB.Security(t.Context()); err != nil || len(found.Open) != 0 || found.AllPower {
			t.Errorf("after the statements were run: %+v %v", found, err)
		}
	})
}
