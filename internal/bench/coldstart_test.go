package bench

import (
	"context"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/dbtest"
)

// healthyVariable makes this test binary a service that becomes healthy after
// a while; its arguments are the address and the data folder.
const healthyVariable = "LOAD_TEST_HEALTHY_SERVER"

func serveHealthily() {
	address, folder := os.Args[1], os.Args[2]
	if os.Getenv(healthyVariable) == "broken" {
		os.Stderr.WriteString("the store is from the future\n")
		os.Exit(1)
	}
	if _, err := os.Stat(folder); err != nil {
		time.Sleep(50 * time.Millisecond) // the first start makes its store
		_ = os.Mkdir(folder, 0o700)
	}
	end, release := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer release()
	go func() {
		_ = http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/healthz" {
				w.WriteHeader(http.StatusNotFound)
			}
		}))
	}()
	<-end.Done()
}

func coldOptions(t *testing.T, mode string) ColdStartOptions {
	return ColdStartOptions{
		Binary: os.Args[0], Args: []string{"{addr}", "{data}"}, Env: []string{healthyVariable + "=" + mode},
		Runs: 2, Idle: 10 * time.Millisecond, Patience: dbtest.Patience, Folder: t.TempDir(),
	}
}

func TestColdStartTellsFirstFromLater(t *testing.T) {
	o := coldOptions(t, "fine")
	found, err := ColdStart(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if found.Empty.Runs != 2 || found.Empty.Ready.P50 < 50 || found.Existing.Ready.P50 <= 0 || found.IdleRSS < 1<<20 ||
		found.BinaryBytes < 1<<20 {
		t.Errorf("%+v", found)
	}
	if left, _ := filepath.Glob(filepath.Join(o.Folder, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	var table strings.Builder
	if err := found.WriteTable(&table); err != nil || !strings.Contains(table.String(), "empty folder") {
		t.Error(table.String(), err)
	}
}

func TestColdStartSaysWhyItFailed(t *testing.T) {
	_, err := ColdStart(context.Background(), coldOptions(t, "broken"))
	if err == nil || !strings.Contains(err.Error(), "the store is from the future") {
		t.Errorf("error %v does not carry the program's words", err)
	}
	o := coldOptions(t, "fine")
	o.Runs = 0
	if _, err := ColdStart(context.Background(), o); err == nil {
		t.Error("no runs were accepted")
	}
}
