package main

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/bench"
	"entrepot/internal/db/dbtest"
)

// actVariable makes this test binary be the program: bench --here starts its own executable.
const actVariable = "TEST_ACTS_AS_ENTREPOT"

func TestBenchHereMeasuresAServiceOfItsOwn(t *testing.T) {
	dbtest.Long(t, "it measures a service")
	t.Setenv(actVariable, "1")
	t.Setenv("ENTREPOT_DATABASE", "postgres://127.0.0.1:1/nobody") // must not reach the service that is measured
	t.Setenv("ENTREPOT_RATE_LIMITS", "on")
	dir := t.TempDir()
	p := &program{t: t}
	code, out, complaint := p.call("bench", "all", "--here", "--baseline", "sqlite", "--baseline-dir", dir,
		"--duration", "200ms", "--skus", "50", "--json")
	var report bench.Report
	if err := json.Unmarshal([]byte(out), &report); code != done || err != nil {
		t.Fatalf("exit %d, %v: %s %s", code, err, out, complaint)
	}
	if len(report.Results) != 4 || report.Failed() {
		t.Fatalf("%+v", report)
	}
	for _, r := range report.Results {
		compared := r.Scenario == "orders" || r.Scenario == "bulk-import"
		if r.Service == nil || r.Service.ItemsPerSecond <= 0 || len(r.Service.Failures) > 0 || compared != (r.Ratio > 0) {
			t.Errorf("%s", out)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestBenchHereEndsWithItsCaller(t *testing.T) {
	dbtest.Long(t, "it measures a service")
	t.Setenv(actVariable, "1")
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var out, complaint strings.Builder
	run(ctx, []string{"bench", "orders", "--here", "--baseline-dir", dir, "--duration", "1m", "--skus", "50"},
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
	for _, more := range [][]string{{"--url", "http://127.0.0.1:1"}, {"--key", "pk_live_x"}, {"--server-pid", "1"}} {
		if code, out, complaint := p.call(slices.Concat([]string{"bench", "--here"}, more)...); code != calledWrong || out != "" ||
			!strings.Contains(complaint, more[0]) {
			t.Errorf("%v: exit %d, printed %q, complained %q", more, code, out, complaint)
		}
	}
}
