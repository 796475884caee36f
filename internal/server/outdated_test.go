package server_test

import (
	"context"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
)

// A node ends when a newer version has migrated the store: what that keeps beside records, this one would not keep. It does not start
// again.
func TestOlderNodesEnd(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		s, err := server.Listen(c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), dbtest.Timeout)
		defer cancel()
		err = s.Run(ctx, func(store *server.Store) {
			if newer, err := store.DB.Newer(t.Context()); newer || err != nil {
				t.Errorf("the store is newer than the program that made it: %v", err)
			}
			if err := store.DB.Write(t.Context(), db.Across, func(tx *db.Tx) error {
				tx.Queue("INSERT INTO schema_versions (version, name, checksum) VALUES (99999, 'later.sql', 'sum')")
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
		if err == nil || !strings.Contains(err.Error(), "newer version") || !strings.Contains(said.String(), "stopped") {
			t.Errorf("the node ended with %v", err)
		}
		if s, err = server.Listen(c); err != nil {
			t.Fatal(err)
		}
		if err := s.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "use a newer entrepot") {
			t.Errorf("it started again: %v", err)
		}
	})
}
