package dbtest

import (
	"os"
	"strings"
	"testing"
)

// Names of the engines in subtests and in ENTREPOT_TEST_ENGINES.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// EngineNames are the engines that the tests run on: those in ENTREPOT_TEST_ENGINES ("sqlite,postgres"), or both; with
// -short SQLite alone.
func EngineNames() (names []string) {
	for name := range strings.SplitSeq(os.Getenv("ENTREPOT_TEST_ENGINES"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 0:
		return names
	case testing.Short():
		return []string{SQLite}
	}
	return []string{SQLite, Postgres}
}

// Long skips a test that takes seconds if the tests run with -short; why says what takes the time.
func Long(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves this out: " + why)
	}
}
