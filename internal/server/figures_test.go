package server_test

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"entrepot/internal/server"
)

// promtool is Prometheus' checker. Where it is missing, the test says so, and `make promtool` installs it.
func promtool(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: make promtool")
	}
	return path
}

// value is the value of a series of /metrics, by its name and the beginning of its labels.
func value(t *testing.T, metrics, series string) float64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(series) + `[^ ]* (\S+)$`).FindStringSubmatch(metrics)
	if m == nil {
		t.Fatalf("no %s in\n%s", series, metrics)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// /metrics shows what a merchant has sold and what waits, in the form that Prometheus' checker wants.
func TestMetricsOfTheBusiness(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		c.Admin = server.Admin{Email: "seen@shop.example", Password: "a long enough password", Plan: "enterprise"}
		s, stop := start(t, c)
		defer stop()
		shop := openShop(t, s.URL())
		of := `{account="` + shop.call("GET", "/api/v1/account", "")["data"].(map[string]any)["id"].(string) + `"`
		shop.call("POST", "/api/v1/orders", strings.Replace(order, `{`, `{"createdAt":"2026-01-02T03:04:05Z",`, 1))
		shop.call("POST", "/api/v1/orders", order)
		shop.call("POST", "/api/v1/orders", strings.Replace(order, "PROCESSING", "PENDING", 1))
		<-shop.hook
		_, metrics := get(t, s.URL()+"/metrics")
		for series, want := range map[string]float64{
			`entrepot_orders` + of + `,channel="none",status="PROCESSING"}`: 2,
			`entrepot_orders` + of + `,channel="none",status="PENDING"}`:    1,
			`entrepot_jobs_failed{type="order_pull"}`:                       0,
			`entrepot_jobs_overdue_seconds`:                                 0,
		} {
			if got := value(t, metrics, series); got != want {
				t.Errorf("%s is %v, want %v", series, got, want)
			}
		}
		created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		if age := value(t, metrics, `entrepot_order_oldest_to_ship_seconds`+of); age < time.Since(created).Seconds()-60 || age > time.Since(created).Seconds() {
			t.Errorf("the oldest order is %v s old", age)
		}
		if size := value(t, metrics, "entrepot_store_size_bytes"); size < 100_000 {
			t.Errorf("the store has %v bytes", size)
		}
		if most, used := value(t, metrics, "entrepot_store_connections_max"), value(t, metrics, "entrepot_store_connections_in_use"); most < 1 || used > most {
			t.Errorf("%v of %v connections are in use", used, most)
		}
		shop.call("POST", "/api/v1/orders", order)
		if _, again := get(t, s.URL()+"/metrics"); value(t, again, `entrepot_orders`+of+`,channel="none",status="PROCESSING"}`) != 2 {
			t.Error("a second scrape read the store again")
		}
		check := exec.Command(promtool(t), "check", "metrics")
		check.Stdin = strings.NewReader(metrics)
		if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("promtool: %v\n%s", err, out)
		}
	})
}

// However many accounts and channels there are, the number of series is bounded, and what has no series of its own is
// counted under "other".
func TestSeriesAreBounded(t *testing.T) {
	series := server.CollectMany(300)
	count, rest := map[string]int{}, map[string]float64{}
	for _, s := range series {
		count[s.Name]++
		if s.Other {
			rest[s.Name] += s.Value
		}
	}
	for name, want := range map[string]float64{"entrepot_orders": 200, "entrepot_stock_levels_low": 200, "entrepot_order_oldest_to_ship_seconds": 300,
		"entrepot_channel_pull_age_seconds": 300} {
		if count[name] != 101 || rest[name] != want {
			t.Errorf("%s: %d series, and %v under other, want %v", name, count[name], rest[name], want)
		}
	}
}
