package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"entrepot/internal/dbtest"
)

func smallOptions(f *fakeService, scenarios ...string) Options {
	return Options{
		URL: f.server.URL, Keys: []string{"pk_live_a"}, Scenarios: scenarios, Count: 40, Clients: 4, SKUs: 1_500, SeedOrders: 130,
		Idempotency: true, DeliveryTimeout: dbtest.Patience,
	}
}

// anyNumber replaces a number that depends on which client was quicker.
const anyNumber = -1

func TestEveryScenarioAgainstAServiceAndTheBaselineDriver(t *testing.T) {
	dbtest.Long(t, "it measures")
	f := newFakeService(t)
	options := smallOptions(f, "all")
	options.Count, options.Baseline, options.BaselineFolder = 12, "sqlite", t.TempDir()
	report, err := Run(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	wantItems := map[string]int{
		"orders": 12, "order-read": 12, "order-list": 12, "bulk-import": 12_000, "prices": 12 * 1_500, "stock": 12 * 1_500,
		"feed-products": anyNumber, "feed-inventory": anyNumber, "deliveries": 1_500,
	}
	for _, result := range report.Results {
		if result.Failure != "" {
			t.Errorf("%s failed: %s", result.Scenario, result.Failure)
			continue
		}
		want := wantItems[result.Scenario]
		if result.Service == nil || result.Service.Items != want && (want != anyNumber || result.Service.Items == 0) {
			t.Errorf("%s: %+v, want %d items", result.Scenario, result.Service, want)
			continue
		}
		s := result.Service
		if s.Failures != 0 || s.ItemsPerSecond <= 0 || s.Latency.P50 > s.Latency.P99 || s.Latency.P99 > s.Latency.Max {
			t.Errorf("%s: figures do not fit together: %+v", result.Scenario, s)
		}
		if result.Scenario != "deliveries" && (result.Baseline == nil || result.Baseline.ItemsPerSecond <= 0 || result.Ratio <= 0) {
			t.Errorf("%s: no comparison: %+v", result.Scenario, result.Baseline)
		}
		delete(wantItems, result.Scenario)
	}
	if len(wantItems) > 0 {
		t.Errorf("not measured: %v", wantItems)
	}
	if f.unchanged > 0 {
		t.Errorf("%d updates changed nothing", f.unchanged)
	}
	if len(f.endpoints) > 0 {
		t.Errorf("%d endpoints were left behind", len(f.endpoints))
	}
	var table, encoded bytes.Buffer
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"bulk-import", "service ÷ baseline", "1500 of 1500 arrived", "p99 ms"} {
		if !strings.Contains(table.String(), word) {
			t.Errorf("the table lacks %q:\n%s", word, table.String())
		}
	}
	if err := json.NewEncoder(&encoded).Encode(report); err != nil {
		t.Fatal(err)
	}
}

// One client that reads the feed of 2,500 entries sees 1,000, 1,000, 500 and starts again.
func TestFeedIsWalkedToItsEnd(t *testing.T) {
	options := smallOptions(newFakeService(t), "feed")
	options.Clients, options.Count = 1, 7
	report, err := Run(context.Background(), options)
	if err != nil || report.Failed() {
		t.Fatal(err, report)
	}
	for _, result := range report.Results {
		if result.Service.Items != 2*2_500+1_000 {
			t.Errorf("%s: %d entries in 7 requests", result.Scenario, result.Service.Items)
		}
	}
}

// Every tenth event comes twice and counts once; two endpoints each get all.
func TestDeliveriesCountOnceEach(t *testing.T) {
	dbtest.Long(t, "it measures")
	for _, events := range []string{"prices", "stock", "orders"} {
		f := newFakeService(t)
		options := smallOptions(f, "deliveries")
		options.Events, options.Endpoints = events, 2
		report, err := Run(context.Background(), options)
		if err != nil {
			t.Fatal(err)
		}
		d := report.Results[0].Deliveries
		if report.Failed() || d == nil || d.Received != d.Expected || d.Expected%2 != 0 || d.Duplicates == 0 || d.BadSignatures != 0 {
			t.Errorf("%s: %+v %s", events, d, report.Results[0].Failure)
		}
	}
}

// Deliveries to the others are counted whole while one endpoint is slow and one is not there.
func TestOutages(t *testing.T) {
	dbtest.Long(t, "it measures")
	f := newFakeService(t)
	options := smallOptions(f, "outages")
	options.Endpoints = 3
	report, err := Run(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	result := report.Results[0]
	d, o := result.Deliveries, result.Outages
	if report.Failed() || o == nil || o.Beside == nil || d.Received != d.Expected || o.Alone.Items != o.Beside.Items || o.Share <= 0 {
		t.Errorf("%+v %+v %s", d, o, result.Failure)
	}
	if f.endpointsMade != 5 || len(f.endpoints) != 0 {
		t.Errorf("%d endpoints were made, %d are left", f.endpointsMade, len(f.endpoints))
	}
}

func TestClientsAreDealtOutOverAccounts(t *testing.T) {
	f := newFakeService(t)
	options := smallOptions(f, "orders")
	options.Keys = []string{"pk_live_a", "pk_live_b", "pk_live_c"}
	options.Clients, options.Count = 6, 60
	report, err := Run(context.Background(), options)
	if err != nil || report.Failed() {
		t.Fatal(err, report)
	}
	if len(f.byKey) != 3 || len(f.orders) != 60 || report.Results[0].Accounts != 3 {
		t.Errorf("keys %v, %d orders", f.byKey, len(f.orders))
	}
}

func TestTimeBoundsARun(t *testing.T) {
	f := newFakeService(t)
	options := smallOptions(f, "orders")
	options.Count, options.Duration, options.Warmup = 0, 150*time.Millisecond, 50*time.Millisecond
	start := time.Now()
	report, err := Run(context.Background(), options)
	if err != nil || report.Failed() {
		t.Fatal(err, report)
	}
	s := report.Results[0].Service
	if s.Seconds < 0.15 || time.Since(start) > dbtest.Patience {
		t.Errorf("measured %.3f s, took %s", s.Seconds, time.Since(start))
	}
	if int(s.Requests) >= len(f.orders) {
		t.Errorf("%d requests were counted of %d made: the warm-up does not count", s.Requests, len(f.orders))
	}
}

// An open loop offers its rate, however slow the answers are: what finds no connection is counted and not sent.
func TestRateIsOffered(t *testing.T) {
	dbtest.Long(t, "it measures")
	f := newFakeService(t)
	options := smallOptions(f, "orders")
	options.Rate, options.Count, options.Clients, options.Warmup = 1000, 200, 64, 0
	report, err := Run(context.Background(), options)
	if err != nil || report.Failed() {
		t.Fatal(err, report)
	}
	s := report.Results[0].Service
	if s.OfferedPerSecond != 1000 || int(s.Requests)+s.Failures != 200 || len(f.orders) != int(s.Requests) || s.Seconds < 0.19 {
		t.Errorf("%+v, %d orders", s, len(f.orders))
	}
	f.slow = time.Second
	options.Count, options.Clients = 100, 8
	if report, err = Run(context.Background(), options); err != nil || report.Failed() {
		t.Fatal(err, report)
	}
	if s = report.Results[0].Service; s.Requests < 8 || s.Statuses["not sent"] != 100-int(s.Requests) || s.Requests > 50 ||
		s.Latency.Max < 1000 || s.HealthLatency == nil {
		t.Errorf("%+v: 8 connections take one request each while the others are due", s)
	}
	options.Scenarios = []string{"deliveries"}
	if report, err = Run(context.Background(), options); err != nil || !strings.Contains(report.Results[0].Failure, "--rate") {
		t.Errorf("deliveries at a rate: %v %+v", err, report)
	}
}

func TestRefusalsAreToldApart(t *testing.T) {
	f := newFakeService(t)
	options := smallOptions(f, "order-read")
	options.Keys = []string{"wrong"}
	report, err := Run(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	if failure := report.Results[0].Failure; !strings.Contains(failure, "401") || !strings.Contains(failure, "is the key right") {
		t.Errorf("failure %q does not say that the key is wrong", failure)
	}
}
