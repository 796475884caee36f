package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// service answers like the bulk stock update: SKUs that begin with "NO-" are unknown.
func service(t *testing.T, before func(request int, w http.ResponseWriter) (handled bool)) (*httptest.Server, *[]string) {
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPatch || r.URL.Path != "/api/v1/sdk/inventory/bulk-update" || r.Header.Get("X-API-Key") != "pk_live_test" {
			t.Errorf("unexpected %s %s with key %q", r.Method, r.URL.Path, r.Header.Get("X-API-Key"))
		}
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if before != nil && before(len(keys), w) {
			return
		}
		var in struct{ Updates []level }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Updates) > maxItems {
			t.Errorf("%d updates, %v", len(in.Updates), err)
		}
		var out outcome
		for i, l := range in.Updates {
			if strings.HasPrefix(l.SKU, "NO-") {
				out.NotFound++
				out.Errors = append(out.Errors, itemError{SKU: l.SKU, Error: "unknown SKU", Index: i})
			} else {
				out.Updated++
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": out})
	}))
	t.Cleanup(server.Close)
	return server, &keys
}

func TestRun(t *testing.T) {
	server, _ := service(t, nil)
	env := map[string]string{"ENTREPOT_URL": server.URL, "ENTREPOT_KEY": "pk_live_test"}
	var out, rejected strings.Builder
	err := run(t.Context(), strings.NewReader("MUG,3\nNO-SUCH,1,EAST\n"), func(k string) string { return env[k] }, &out, &rejected)
	if err == nil || out.String() != "2 lines: 1 updated, 1 rejected\n" || rejected.String() != "line 2, NO-SUCH: unknown SKU\n" {
		t.Fatalf("error %v\nout %q\nrejected %q", err, out.String(), rejected.String())
	}
}

// A long export goes out in several requests with different keys; error indexes count over all of it.
func TestPushInParts(t *testing.T) {
	server, keys := service(t, nil)
	levels := make([]level, maxItems+2)
	for i := range levels {
		levels[i] = level{SKU: fmt.Sprint("SKU-", i)}
	}
	levels[maxItems+1].SKU = "NO-SUCH"
	total, err := pusher{base: server.URL, key: "pk_live_test", run: "r", http: server.Client()}.push(t.Context(), levels)
	if err != nil || total.Updated != maxItems+1 || len(total.Errors) != 1 || total.Errors[0].Index != maxItems+1 {
		t.Fatalf("%+v, %v", total, err)
	}
	if len(*keys) != 2 || (*keys)[0] == (*keys)[1] {
		t.Fatalf("keys %q", *keys)
	}
}

// Temporary errors are retried under the same key, after the pause the service asks for.
func TestTriesAgain(t *testing.T) {
	server, keys := service(t, func(request int, w http.ResponseWriter) bool {
		switch request {
		case 1:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return request < 3
	})
	var pauses []time.Duration
	p := pusher{base: server.URL, key: "pk_live_test", run: "r", http: server.Client(),
		pause: func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }}
	total, err := p.push(t.Context(), []level{{SKU: "MUG", Quantity: 1}})
	if err != nil || total.Updated != 1 {
		t.Fatalf("%+v, %v", total, err)
	}
	if k := *keys; len(k) != 3 || k[0] != k[1] || k[1] != k[2] || pauses[0] != 7*time.Second {
		t.Fatalf("keys %q, pauses %v", k, pauses)
	}
}

// A refusal is final.
func TestRefused(t *testing.T) {
	server, keys := service(t, func(_ int, w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"statusCode":403,"message":"needs write:inventory","code":"missing_scope","requestId":"r1"}`)
		return true
	})
	_, err := pusher{base: server.URL, key: "pk_live_test", http: server.Client()}.push(t.Context(), []level{{SKU: "MUG"}})
	if err == nil || !strings.Contains(err.Error(), "missing_scope: needs write:inventory (request r1)") || len(*keys) != 1 {
		t.Fatalf("%v after %d requests", err, len(*keys))
	}
}

func TestReadLevels(t *testing.T) {
	got, err := readLevels(strings.NewReader("A,1\n\"B,1\", 2, EAST\n"))
	if err != nil || len(got) != 2 || got[1] != (level{SKU: "B,1", WarehouseCode: "EAST", Quantity: 2}) {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, bad := range []string{"A\n", "A,1,B,C\n", "A,1.5\n", "A,1\nB,many\n"} {
		if _, err := readLevels(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
