// Package blackbox holds the service to its interface from the outside: every script in scripts/ and every
// case written in Go runs against the real program, on SQLite and on PostgreSQL.
//
//	go test ./test/blackbox                                               everything, both engines
//	go test ./test/blackbox -run 'TestScripts/sqlite/scripts/41-orders'  some scripts on one engine
//	ENTREPOT_TEST_ENGINES=sqlite go test ./test/blackbox                  one engine
//
// clauses.txt lists what the interface promises, sentence by sentence; TestIndex fails when a clause has no case.
package blackbox

import (
	"os"
	"testing"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

// receiver takes the webhooks of every test in this process.
var receiver *harness.Receiver

// platform replaces the addresses of the sales platforms.
var platformURL string

func TestMain(m *testing.M) {
	dbtest.Waiting() // for answers and deliveries
	harness.Patient = true
	receiver = harness.NewReceiver()
	platform := harness.NewPlatform()
	platformURL = platform.URL
	code := m.Run()
	receiver.Close()
	platform.Close()
	harness.Cleanup()
	dbtest.Stop()
	os.Exit(code)
}
