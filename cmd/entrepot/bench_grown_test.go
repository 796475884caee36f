package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"entrepot/internal/bench"
	"entrepot/internal/dbtest"
)

// A store is filled once, a service is started on it, and each request of the table is answered; another run uses the same store.
func TestBenchGrownFillsAndAsks(t *testing.T) {
	dbtest.Long(t, "it fills a store and measures a service")
	t.Setenv(actVariable, "1")
	t.Setenv("ENTREPOT_DATABASE", "postgres://127.0.0.1:1/nobody") // must not reach the service that is measured
	p := &program{t: t}
	folder := filepath.Join(t.TempDir(), "filled")
	var made os.FileInfo
	for _, run := range []struct {
		flags    []string
		requests int // at least
	}{{nil, 30}, {[]string{"--changes"}, 44}} {
		call := append([]string{"bench", "grown", "--data", folder, "--rows", "1000", "--times", "2", "--json"}, run.flags...)
		code, out, complaint := p.call(call...)
		var report bench.GrownReport
		if err := json.Unmarshal([]byte(out), &report); code != done || err != nil {
			t.Fatalf("exit %d, %v: %s %s", code, err, out, complaint)
		}
		if len(report.Requests) < run.requests || report.Failed() || report.Records["orders"] != 1000 || report.Records["customers"] != 87 {
			t.Errorf("%+v", report)
		}
		store, err := os.Stat(folder)
		if err != nil || made != nil && !os.SameFile(made, store) {
			t.Errorf("another store: %v", err)
		}
		made = store
	}
	for _, wrongCall := range [][]string{{}, {"--data", folder, "--key", "k"}, {"--data", folder, "--url", "http://127.0.0.1:1"},
		{"--data", folder, "--rows", "1"}} {
		if code, _, _ := p.call(append([]string{"bench", "grown"}, wrongCall...)...); code != calledWrong {
			t.Errorf("%v: exit %d", wrongCall, code)
		}
	}
}
