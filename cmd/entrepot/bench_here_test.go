package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/bench"
	"entrepot/internal/dbtest"
)

// actVariable makes this test binary be the program: bench --here starts its own executable.
const actVariable = "TEST_ACTS_AS_ENTREPOT"

func TestBenchHereMeasuresAServiceOfItsOwn(t *testing.T) {
	dbtest.Long(t, "it measures a service")
	t.Setenv(actVariable, "1")
	t.Setenv("ENTREPOT_DATABASE", "postgres://127.0.0.1:1/nobody") // must not reach the service that is measured
	t.Setenv("ENTREPOT_RATE_LIMITS", "on")
	dir, profile := t.TempDir(), filepath.Join(t.TempDir(), "cpu.pprof")
	p := &program{t: t}
	code, out, complaint := p.call("bench", "feed-products", "orders", "--here", "--baseline-dir", dir, "--tenants", "2", "--rest", "0s",
		"--duration",
		"200ms", "--warmup", "0", "--skus", "50", "--cpu-profile", profile, "--json")
	var report bench.Report
	if err := json.Unmarshal([]byte(out), &report); code != done || err != nil {
		t.Fatalf("exit %d, %v: %s %s", code, err, out, complaint)
	}
	if len(report.Results) != 2 || report.Failed() {
		t.Fatalf("%+v", report)
	}
	for _, r := range report.Results {
		if r.Accounts != 2 || r.Service == nil || r.Service.ItemsPerSecond <= 0 || len(r.Refusals) > 0 {
			t.Errorf("%+v", r)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if file, err := os.Stat(profile); err != nil || file.Size() == 0 {
		t.Errorf("the service wrote no profile: %v", err)
	}
}

// What one account's requests take is measured alone and beside another one's, and one account is not enough for it.
func TestBenchNeighbours(t *testing.T) {
	dbtest.Long(t, "it measures a service")
	t.Setenv(actVariable, "1")
	p := &program{t: t}
	for tenants, measured := range map[string]bool{"1": false, "2": true} {
		_, out, complaint := p.call("bench", "neighbours", "--here", "--baseline-dir", t.TempDir(), "--tenants", tenants, "--rest", "0s",
			"--duration", "300ms", "--skus", "50", "--seed-orders", "30", "--json")
		var report bench.Report
		if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Results) != 1 || report.Failed() == measured {
			t.Fatalf("%s accounts: %v: %s %s", tenants, err, out, complaint)
		}
		if !measured {
			continue
		}
		r := report.Results[0]
		if r.Neighbours == nil || r.Service == nil || r.Service.Requests == 0 || len(r.Refusals) > 0 {
			t.Fatalf("%s", out)
		}
		for what, n := range map[string]bench.NeighbourLatency{"reads alone": r.Neighbours.ReadsAlone, "reads beside": r.Neighbours.ReadsBeside,
			"writes alone": r.Neighbours.WritesAlone, "writes beside": r.Neighbours.WritesBeside} {
			if n.Requests == 0 || n.Failures > 0 || n.P99 <= 0 {
				t.Errorf("%s: %+v", what, n)
			}
		}
	}
}

// Orders are measured alone and beside each kind of bulk request.
func TestBenchBeside(t *testing.T) {
	dbtest.Long(t, "it measures a service")
	t.Setenv(actVariable, "1")
	p := &program{t: t}
	_, out, complaint := p.call("bench", "beside", "--here", "--baseline-dir", t.TempDir(), "--rest", "0s",
		"--duration", "300ms", "--skus", "50", "--json")
	var report bench.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Results) != 1 || report.Failed() {
		t.Fatalf("%v: %s %s", err, out, complaint)
	}
	kinds := report.Results[0].Beside
	if len(kinds) != 3 {
		t.Fatalf("%d kinds of bulk requests: %s", len(kinds), out)
	}
	for _, k := range kinds {
		if k.Alone.Requests == 0 || k.Beside.Requests == 0 || k.Share <= 0 || k.BulkPerSecond <= 0 ||
			k.Alone.Failures+k.Beside.Failures+k.BulkFailures > 0 {
			t.Errorf("%+v", k)
		}
	}
}

func TestBenchHereEndsWithItsCaller(t *testing.T) {
	dbtest.Long(t, "it measures a service")
	t.Setenv(actVariable, "1")
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var out, complaint strings.Builder
	run(ctx, []string{"bench", "orders", "--here", "--baseline-dir", dir, "--rest", "0s", "--duration", "1m", "--skus", "50"},
		func(string) string { return "" }, strings.NewReader(""), &out, &complaint)
	if ctx.Err() == nil {
		t.Fatalf("it ended before it was asked to: %s", complaint.String())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v; %s", left, err, complaint.String())
	}
}

func TestBenchHereTakesNoOtherService(t *testing.T) {
	p := &program{t: t, vars: map[string]string{}}
	for _, more := range [][]string{{"--url", "http://127.0.0.1:1"}, {"--key", "pk_live_x"}, {"--store", "x"}, {"--server-pid", "1"}} {
		if code, out, complaint := p.call(slices.Concat([]string{"bench", "--here"}, more)...); code != calledWrong || out != "" ||
			!strings.Contains(complaint, more[0]) {
			t.Errorf("%v: exit %d, printed %q, complained %q", more, code, out, complaint)
		}
	}
}

// The names that flags had in earlier versions still work.
func TestBenchTakesOlderFlags(t *testing.T) {
	p := &program{t: t}
	for _, args := range [][]string{{"--bare", "mysql"}, {"--baseline", "mysql", "--bare-dir", t.TempDir()}} {
		if code, _, complaint := p.call(append([]string{"bench", "orders"}, args...)...); code != calledWrong ||
			!strings.Contains(complaint, `--baseline "mysql"`) {
			t.Errorf("%v: exit %d: %s", args, code, complaint)
		}
	}
	if _, help, _ := p.call("bench", "--help"); strings.Contains(help, "--bare") {
		t.Errorf("the help shows an older name: %s", help)
	}
}
