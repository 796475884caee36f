package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

// The demo's simulated shops sell: their channels are connected and orders arrive without further requests. A second
// run on the same folder has new shops, with no data of the first run.
func TestDemoSellsOnSimulatedShops(t *testing.T) {
	dbtest.Long(t, "it seeds a sample shop")
	dir := filepath.Join(t.TempDir(), "demo")
	var former []any // channels
	for round := range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		said, ended := startDemo(t, ctx, dir)
		said.mu.Lock()
		printed := regexp.MustCompile(`running +(http://\S+)[\s\S]*every scope +(\S+)`).FindStringSubmatch(said.all.String())
		said.mu.Unlock()
		missing := "nothing was read"
		for ; missing != "" && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
			missing = sold(readList(ctx, t, printed[1]+"/api/v1/channels", printed[2]),
				readList(ctx, t, printed[1]+"/api/v1/orders?limit=100", printed[2]), former)
		}
		if missing != "" {
			t.Errorf("round %d: %s, %s", round, missing, said.complaint.String())
		}
		for ; needs(ctx, t, printed[1], printed[2]) != "" && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		}
		if missing := needs(ctx, t, printed[1], printed[2]); missing != "" {
			t.Errorf("round %d: %s", round, missing)
		}
		for _, channel := range readList(ctx, t, printed[1]+"/api/v1/channels", printed[2]) {
			former = append(former, channel["id"])
		}
		cancel()
		if code := <-ended; code != done {
			t.Errorf("exit %d: %s", code, said.complaint.String())
		}
	}
}

// sold returns what is missing until each of the simulated shops has sold something through its own channel; "" when
// nothing is missing.
func sold(channels, orders []map[string]any, former []any) string {
	found := 0
	for _, channel := range channels {
		if name, _ := channel["name"].(string); !strings.HasSuffix(name, demoMark) {
			continue
		}
		if found++; slices.Contains(former, channel["id"]) {
			return fmt.Sprint("a channel of the run before is left: ", channel)
		}
		if !slices.ContainsFunc(orders, func(o map[string]any) bool { return o["channelId"] == channel["id"] }) {
			return fmt.Sprint("nothing was sold yet through ", channel)
		}
	}
	if found != len(demoPlatforms) {
		return fmt.Sprintf("%d simulated channels", found)
	}
	return ""
}

// needs says what is missing until the demo has all that its overview shows as waiting: orders of two months, some to ship, low stock and
// an endpoint that fails; "" for nothing.
func needs(ctx context.Context, t *testing.T, address, key string) string {
	t.Helper()
	var figures struct {
		Orders, LowStock, ToShip int64
		Previous                 struct{ Orders int64 }
	}
	var webhooks struct {
		Endpoints []struct {
			Attempts    int64
			SuccessRate *float64
		}
	}
	if !readData(ctx, t, address+"/api/v1/analytics/summary", key, &figures) ||
		!readData(ctx, t, address+"/api/v1/analytics/webhooks", key, &webhooks) {
		return "nothing was read"
	}
	failing := 0
	for _, e := range webhooks.Endpoints {
		if e.Attempts >= 3 && e.SuccessRate != nil && *e.SuccessRate == 0 {
			failing++
		}
	}
	if figures.Orders < 30 || figures.Previous.Orders < 30 || figures.LowStock == 0 || figures.ToShip == 0 || failing != 1 {
		return fmt.Sprintf("%+v, %d endpoints fail", figures, failing)
	}
	return ""
}

// readList reads a list with a key.
func readList(ctx context.Context, t *testing.T, address, key string) (list []map[string]any) {
	t.Helper()
	readData(ctx, t, address, key, &list)
	return list
}

// readData reads the data of an answer with a key; false when the time is over.
func readData(ctx context.Context, t *testing.T, address, key string, into any) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	out := struct{ Data any }{into}
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil || answer.StatusCode != 200 {
		t.Fatalf("%s: %d %v", address, answer.StatusCode, err)
	}
	return true
}
