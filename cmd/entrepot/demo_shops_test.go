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

	"entrepot/internal/dbtest"
)

// The demo's simulated shops sell: their channels are connected and orders come in by themselves. A second run on the same folder has
// shops of its own, and nothing of the first run's.
func TestDemoSellsOnSimulatedShops(t *testing.T) {
	dbtest.Long(t, "it seeds a sample shop")
	dir := filepath.Join(t.TempDir(), "demo")
	var former []any // channels
	for round := range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
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
		for _, channel := range readList(ctx, t, printed[1]+"/api/v1/channels", printed[2]) {
			former = append(former, channel["id"])
		}
		cancel()
		if code := <-ended; code != done {
			t.Errorf("exit %d: %s", code, said.complaint.String())
		}
	}
}

// sold says what is missing until each of the simulated shops has sold something through a channel of its own; "" for nothing.
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

// readList reads a list with a key.
func readList(ctx context.Context, t *testing.T, address, key string) []map[string]any {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil // the time is over
	}
	defer answer.Body.Close()
	var out struct{ Data []map[string]any }
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil || answer.StatusCode != 200 {
		t.Fatalf("%s: %d %v", address, answer.StatusCode, err)
	}
	return out.Data
}
