package bench

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestMistakesInOptions(t *testing.T) {
	for says, o := range map[string]Options{
		"nothing to measure":      {},
		"--key is missing":        {URL: "http://127.0.0.1:1"},
		"not this machine":        {URL: "http://192.0.2.1", Keys: []string{"k"}},
		"is not an address":       {URL: "127.0.0.1:8080", Keys: []string{"k"}},
		"--clients 2000":          {Clients: 2000, Baseline: "sqlite"},
		"--skus 2":                {SKUs: 2, Baseline: "sqlite"},
		"--duration 2h0m0s":       {Duration: 2 * time.Hour, Baseline: "sqlite"},
		`--baseline "mysql"`:      {Baseline: "mysql"},
		"needs --database":        {Baseline: "postgres"},
		`unknown scenario "feed"`: {Scenarios: []string{"feed"}, Baseline: "sqlite"},
	} {
		_, err := Run(t.Context(), o)
		var call *CallError
		if !errors.As(err, &call) || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", o, err, says)
		}
	}
}

// A service that refuses is no figure, and the report says what it answered.
func TestRefusalsAreReported(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			http.Error(w, "no", http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	report, err := Run(t.Context(), Options{URL: server.URL, Keys: []string{"k"}, Scenarios: []string{"bulk-import"}, Duration: time.Second})
	if err != nil || !report.Failed() || !strings.Contains(report.Results[0].Failure, "ENTREPOT_RATE_LIMITS=off") {
		t.Errorf("%+v, %v", report, err)
	}
	var table strings.Builder
	if err := report.WriteTable(&table); err != nil || !strings.Contains(table.String(), "bulk-import FAILED") {
		t.Errorf("%s, %v", table.String(), err)
	}
}
