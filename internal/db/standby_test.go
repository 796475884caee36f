package db_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Connections that lead to a server which only reads, as a standby does, are given up once they have refused a write: later ones may
// lead to the primary.
func TestConnectionsToAStandbyAreGivenUp(t *testing.T) {
	_, address := twoNodes(t)
	admin, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	newConnections := func(may string) {
		t.Helper()
		name := address[strings.LastIndex(address, "/")+1 : strings.Index(address, "?")]
		if _, err := admin.Exec(t.Context(), "ALTER DATABASE "+name+" SET default_transaction_read_only = "+may); err != nil {
			t.Fatal(err)
		}
	}
	newConnections("on")
	store, err := db.Open(t.Context(), db.Config{URL: address, MinWait: dbtest.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	shownAs(t, "a write to a standby", store.Write(t.Context(), 1, raise), "unavailable")
	newConnections("off")
	if err := store.Write(t.Context(), 1, raise); err != nil {
		t.Errorf("once the address leads to the primary: %v", err)
	}
}
