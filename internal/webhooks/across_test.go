package webhooks

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// newQueue is an endpoint's queue with its counts.
const newQueue = `INSERT INTO queues (tenant_id, endpoint_id, due_at, holder, pending, delivered, failed)
	VALUES ($1, $2, NULL, '', $3, $4, $5)`

// fillDeliveries gives an account three endpoints with n deliveries each, of a few events and resources and in every state.
func fillDeliveries(t *testing.T, store *db.DB, tenant id.Tenant, n int) (all []Delivery) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		all = nil
		for range 3 {
			endpoint := id.New[id.Endpoint]()
			for i := range n {
				d := Delivery{ID: id.New[id.Delivery](), Endpoint: endpoint, Position: int64(1000 + 10*i + random.IntN(2)*3), Event: id.New[id.Event](),
					Name: []string{OrderReceived, OrderShipped, StockUpdated}[random.IntN(3)], Resource: fmt.Sprint("r", random.IntN(5)),
					State: States[min(random.IntN(8), 2)], StatusCode: []int64{0, 200, 500, 503}[random.IntN(4)], Attempts: 1}
				d.EventStamp = d.Position
				if d.State == Pending && random.IntN(2) == 0 {
					d.Ordered = true
				} else if d.State == Pending {
					d.DueAt = 5_000
				}
				all = append(all, d)
			}
		}
		storeDeliveries(tx, all)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b Delivery) int {
		if a.Position != b.Position {
			return int(b.Position - a.Position)
		}
		return strings.Compare(string(b.Endpoint), string(a.Endpoint))
	})
	return all
}

// acrossFilters are the filters by themselves and combined.
func acrossFilters(endpoint id.Endpoint) (list []AcrossFilter) {
	for _, e := range []id.Endpoint{"", endpoint} {
		for _, state := range append([]State{""}, States...) {
			for _, event := range []string{"", OrderShipped} {
				for _, resource := range []string{"", "r2"} {
					for _, code := range []int64{0, 503} {
						list = append(list, AcrossFilter{Endpoint: e, State: state, Event: event, Resource: resource, StatusCode: code},
							AcrossFilter{Endpoint: e, State: state, Event: event, Resource: resource, StatusCode: code, From: 1100, To: 1250})
					}
				}
			}
		}
	}
	return list
}

// SQLite finds each page by an index, for every filter: it never reads all deliveries of an endpoint.
func TestPlansOfDeliveriesOverAllEndpoints(t *testing.T) {
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	tenant := dbtest.Account(t, store)
	all := fillDeliveries(t, store, tenant, 200)
	for _, analysed := range []bool{false, true} {
		if analysed {
			if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { _, err := tx.Exec("ANALYZE"); return err }); err != nil {
				t.Fatal(err)
			}
		}
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			for _, f := range acrossFilters(all[0].Endpoint) {
				rows, _ := f.of(tx, all[0].Endpoint, Counts{Pending: 30, Delivered: 200, Failed: 20})
				plan := dbtest.Plan(t, tx, rows.text, rows.args...)
				ordered := regexp.MustCompile(`SEARCH d USING (COVERING |PRIMARY |)(INDEX \w+|KEY) \(tenant_id=\? AND endpoint_id=\?`).MatchString(plan)
				few := f.State == Pending && strings.Contains(plan, "deliveries_due_at") && strings.Contains(plan, "deliveries_lane") &&
					strings.Contains(plan, "AND position=?)")
				if !ordered || f.State == Pending && !few || strings.Contains(plan, "SCAN deliveries") || strings.Contains(plan, "SCAN d\n") &&
					!strings.Contains(rows.text, ") d WHERE") {
					t.Fatalf("%+v (statistics: %v):\n%s\n%s", f, analysed, rows.text, plan)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What one record or one event led to is found without going through the other deliveries of an endpoint.
func TestDeliveriesOfOneRecordAreFew(t *testing.T) {
	store, read := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	all := fillDeliveries(t, store, tenant, 200)
	read.Reset()
	var found int
	err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
		of, err := OfResource(tx, all[0].Resource, 10)
		if err != nil {
			return err
		}
		first, err := FirstOf(tx, all[0].Position)
		if err != nil {
			return err
		}
		page, err := Across(tx, AcrossFilter{Resource: all[0].Resource, Limit: 10})
		found = min(len(of), len(first), len(page.Deliveries))
		return err
	})
	if err != nil || found == 0 {
		t.Fatalf("%d are found: %v", found, err)
	}
	many := regexp.MustCompile(`(?m)SEARCH \w+ USING PRIMARY KEY \(tenant_id=\?( AND endpoint_id=\?( AND position[<>].*)?)?\)|SCAN d`)
	err = store.Read(t.Context(), tenant, func(tx *db.Tx) error {
		for _, s := range read.List() {
			plan := strings.ReplaceAll(s.Plan(t, tx), "SEARCH q ", "")
			if strings.Contains(s.SQL, "deliveries ") && many.MatchString(plan) {
				t.Errorf("%s\n%s", s.SQL, plan)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
