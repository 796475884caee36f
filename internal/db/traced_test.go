package db_test

import (
	"testing"

	"entrepot/internal/db"
)

// A store without a tracer runs its transactions on the engine, with nothing in between.
func TestUntracedStoreIsNotWrapped(t *testing.T) {
	store, err := db.Open(t.Context(), db.Config{Dir: t.TempDir(), Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if store.Wrapped() {
		t.Error("an engine without a tracer is wrapped")
	}
}

func TestStatementsAreNamedInSpans(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT id, (SELECT max(n) FROM other) FROM orders WHERE id = $1":      "SELECT other",
		"SELECT name FROM products":                                            "SELECT products",
		"INSERT INTO orders (id) VALUES ($1)":                                  "INSERT orders",
		"WITH v(id) AS (VALUES ($1)) INSERT INTO events (id) SELECT id FROM v": "INSERT events",
		"UPDATE queues SET holder = $1 WHERE due_at <= $2":                     "UPDATE queues",
		"SELECT 1 FROM queues WHERE holder = $1 FOR UPDATE SKIP LOCKED":        "SELECT queues",
		"DELETE FROM nodes":                         "DELETE nodes",
		"SELECT x.n FROM (SELECT n FROM tallies) x": "SELECT tallies",
		"VALUES (1)":                                "VALUES",
		"":                                          "message",
		"INSERT INTO tallies (n) VALUES ($1) ON CONFLICT (n) DO UPDATE SET n = $1": "INSERT tallies",
	} {
		if got := db.Summary(sql); got != want {
			t.Errorf("%q: %q, want %q", sql, got, want)
		}
	}
}
