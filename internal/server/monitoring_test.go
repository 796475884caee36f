package server_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/bucket"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
)

// monitoring is the folder with the alerts and the dashboard.
const monitoring = "../../deploy/monitoring/"

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// metricsOf are the metrics of a service that has sold and delivered something, by name, each with what it is.
func metricsOf(t *testing.T) map[string]string {
	t.Helper()
	c := config(&log{})
	c.Dir = t.TempDir()
	c.Admin = server.Admin{Email: "seen@shop.example", Password: "a long enough password", Plan: "enterprise"}
	to, err := bucket.Open(t.TempDir(), bucket.S3{})
	if err != nil {
		t.Fatal(err)
	}
	c.Backups = server.Backups{To: to, Every: time.Hour, Keep: 1}
	s, stop := start(t, c)
	shop := openShop(t, s.URL())
	shop.call("POST", "/api/v1/orders", order)
	<-shop.hook
	described := regexp.MustCompile(`(?m)^# HELP (\S+) (.*)$`)
	waitFor(t, "an attempt is counted, and a backup", func() bool {
		_, text := get(t, s.URL()+"/metrics")
		return strings.Contains(text, "entrepot_webhook_attempts_total{") && strings.Contains(text, "entrepot_backup_age_seconds ")
	})
	_, text := get(t, s.URL()+"/metrics")
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	names := server.MetricNames()
	for _, m := range described.FindAllStringSubmatch(text, -1) {
		names[m[1]] = m[2]
	}
	return names
}

// Alerts and the dashboard name metrics that the program has, and the table of docs/monitoring.md describes all of its own.
func TestMonitoringNamesMetricsThatExist(t *testing.T) {
	metrics := metricsOf(t)
	named := regexp.MustCompile(`\b(?:entrepot|process|go)_[a-z_]+`)
	for _, file := range []string{"alerts.yaml", "dashboard.json"} {
		found := named.FindAllString(strings.ReplaceAll(readFile(t, monitoring+file), "alerts_test", ""), -1)
		if len(found) < 10 {
			t.Fatalf("%s names %d metrics", file, len(found))
		}
		for _, name := range found {
			base := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
			if metrics[name] == "" && metrics[base] == "" {
				t.Errorf("%s: there is no metric %s", file, name)
			}
		}
	}
	page := readFile(t, "../../docs/monitoring.md")
	rows := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(entrepot_[a-z_]+)` \\| [^|]* \\| (.*) \\|$").FindAllStringSubmatch(page, -1) {
		rows[m[1]] = m[2]
	}
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if strings.HasPrefix(name, "entrepot_") && rows[name] != metrics[name] {
			t.Errorf("docs/monitoring.md says of %s %q, the program %q", name, rows[name], metrics[name])
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("docs/monitoring.md describes %s, which does not exist", name)
	}
}

// Each alert has a section of the runbook, which its URL names, and tests in which it fires and in which it is quiet.
func TestAlertsLeadToTheRunbook(t *testing.T) {
	rules, tests, runbook := readFile(t, monitoring+"alerts.yaml"), readFile(t, monitoring+"alerts_test.yaml"), readFile(t, "../../docs/runbook.md")
	alerts := regexp.MustCompile(`(?m)alert: (\w+)[\s\S]*?runbook_url: (\S+)`).FindAllStringSubmatch(rules, -1)
	if len(alerts) < 10 {
		t.Fatalf("%d alerts", len(alerts))
	}
	for _, a := range alerts {
		if want := "https://entrepot.example/docs/runbook.md#" + strings.ToLower(a[1]); a[2] != want {
			t.Errorf("%s leads to %s, want %s", a[1], a[2], want)
		}
		_, section, found := strings.Cut(runbook, "\n## "+a[1]+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, part := range []string{"**Means.**", "**Merchants notice.**", "**Look at.**", "**Do.**"} {
			if !found || !strings.Contains(section, part) {
				t.Errorf("the runbook has no %s of %s", part, a[1])
			}
		}
		if !regexp.MustCompile(`alertname: ` + a[1] + `\n\s+exp_alerts:\n`).MatchString(tests) {
			t.Errorf("no test has %s fire", a[1])
		}
	}
	if n := strings.Count(runbook, "\n## Entrepot"); n != len(alerts) {
		t.Errorf("the runbook has sections of %d alerts, there are %d", n, len(alerts))
	}
	if chart := readFile(t, "../../deploy/helm/entrepot/alerts.yaml"); chart != rules {
		t.Error("the chart has other alerts: cp deploy/monitoring/alerts.yaml deploy/helm/entrepot/")
	}
}

// Prometheus' checker runs the alerts on made-up series: each fires when it must, and is quiet when nothing is wrong.
func TestAlertsFire(t *testing.T) {
	tool := promtool(t)
	for _, args := range [][]string{{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts_test.yaml"}} {
		run := exec.Command(tool, args...)
		run.Dir = monitoring
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// The dashboard is one that Grafana can import: panels with numbers of their own that do not overlap, each with a query.
func TestDashboardOfGrafana(t *testing.T) {
	var board struct {
		Title  string
		Panels []struct {
			ID      int
			Type    string
			Title   string
			GridPos struct{ H, W, X, Y int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, monitoring+"dashboard.json")), &board); err != nil {
		t.Fatal(err)
	}
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range board.Panels {
		if ids[p.ID] || p.Title == "" || p.Type != "row" && (len(p.Targets) == 0 || p.Targets[0].Expr == "") {
			t.Errorf("the panel %d %q has no number of its own, or no query", p.ID, p.Title)
		}
		ids[p.ID] = true
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if taken[at] != "" || at[0] > 23 {
					t.Fatalf("%q lies on %q, or outside", p.Title, taken[at])
				}
				taken[at] = p.Title
			}
		}
	}
	if board.Title != "entrepot" || len(ids) < 20 {
		t.Errorf("%q has %d panels", board.Title, len(ids))
	}
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for late := time.Now().Add(dbtest.Timeout); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("not in time: %s", what)
		}
	}
}
