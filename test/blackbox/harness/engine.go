package harness

import (
	"testing"

	"entrepot/internal/dbtest"
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

// newDatabase returns the URL of a fresh database, or "" for SQLite, whose store is the data folder.
func newDatabase(t testing.TB, engine Engine, plain bool) string {
	if engine == Postgres && plain {
		return dbtest.PlainURL(t)
	}
	if engine == Postgres {
		return dbtest.URL(t)
	}
	return ""
}
