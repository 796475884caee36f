package db_test

import (
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A database that lacks letters is refused before anything is stored; one without an encoding stores UTF-8.
func TestEncodingsOfDatabases(t *testing.T) {
	_, err := db.Open(t.Context(), db.Config{URL: dbtest.EncodedURL(t, "LATIN1")})
	if err == nil || !strings.Contains(err.Error(), "LATIN1") || !strings.Contains(err.Error(), "ENCODING 'UTF8'") {
		t.Errorf("LATIN1: %v", err)
	}
	store := dbtest.Open(t, db.Config{URL: dbtest.EncodedURL(t, "SQL_ASCII")})
	text, got := "Tōkyō 東京 🚚", ""
	err = store.Write(t.Context(), id.Tenant(1), func(tx *db.Tx) error {
		tx.Queue("INSERT INTO tallies (tenant_id, name, key, n) VALUES ($1, $2, '', 1)", tx.Tenant, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Read(t.Context(), id.Tenant(1), func(tx *db.Tx) error {
		return tx.Row("SELECT name FROM tallies WHERE tenant_id = $1 AND name LIKE '%東%'", []any{tx.Tenant}, &got)
	})
	if err != nil || got != text {
		t.Errorf("%q came back as %q, %v", text, got, err)
	}
}

// What a server does not force to the disk is named.
func TestLaxSettings(t *testing.T) {
	for _, setting := range []string{"on", "off"} {
		store := dbtest.Open(t, db.Config{URL: dbtest.URL(t) + "&synchronous_commit=" + setting})
		lax, err := store.Lax(t.Context())
		if err != nil || slices.Contains(lax, "synchronous_commit = off") != (setting == "off") {
			t.Errorf("%s: %q, %v", setting, lax, err)
		}
	}
}

func TestPlacesOfAServer(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.URL(t), Pool: 7})
	if accepted, used, err := store.Places(t.Context()); err != nil || accepted < 10 || used != 7 {
		t.Errorf("%d accepted, %d used, %v", accepted, used, err)
	}
}
