package harness

import (
	"testing"

	"entrepot/internal/db/dbtest"
)

// Engine names the kind of store a server keeps its data in.
type Engine string

// The two engines every test runs on.
const (
	SQLite   Engine = dbtest.SQLite
	Postgres Engine = dbtest.Postgres
)

// Engines lists the engines to run on, see dbtest.EngineNames.
func Engines() (engines []Engine) {
	for _, name := range dbtest.EngineNames() {
		engines = append(engines, Engine(name))
	}
	return engines
}

// Each runs f once per engine as subtests "sqlite" and "postgres".
func Each(t *testing.T, f func(t *testing.T, engine Engine)) {
	for _, engine := range Engines() {
		t.Run(string(engine), func(t *testing.T) { f(t, engine) })
	}
}

// newStore returns a data folder and the URL of a database, "" for SQLite, whose store is in the folder. The store has
// its tables and nothing else; that of a plain role is empty. Package server tests how an empty store gets its tables.
func newStore(t testing.TB, engine Engine, plain bool) (dir, database string) {
	switch {
	case engine == Postgres && plain:
		return t.TempDir(), dbtest.PlainURL(t)
	case engine == Postgres:
		return t.TempDir(), dbtest.StoreURL(t)
	}
	return dbtest.StoreDir(t), ""
}
