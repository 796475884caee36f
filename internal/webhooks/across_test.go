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
			endpoint, counts := id.New[id.Endpoint](), Counts{}
			for i := range n {
				d := Delivery{ID: id.New[id.Delivery](), Endpoint: endpoint, Position: int64(1000 + 10*i + random.IntN(2)*3), Event: id.New[id.Event](),
					Name: []string{OrderReceived, OrderShipped, StockUpdated}[random.IntN(3)], Resource: fmt.Sprint("r", random.IntN(5)),
					State: States[min(random.IntN(8), 2)], StatusCode: []int64{0, 200, 500, 503}[random.IntN(4)], Attempts: 1}
				d.EventStamp = d.Position
				var lane any
				if d.State == Pending {
					if d.DueAt = 5_000; random.IntN(2) == 0 {
						d.DueAt, d.Ordered, lane = 0, true, d.Resource
					}
				}
				counts.add(d.State, 1)
				all = append(all, d)
				tx.Queue(`INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, lane,
					by_hand, state, attempts, due_at, status_code) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,FALSE,$11,1,$12,$13)`, tx.Tenant, d.Endpoint,
					d.Position, d.ID, d.Event, d.EventStamp, d.Name, d.Resource, d.Ordered, lane, d.State, db.Null(d.DueAt), db.Null(d.StatusCode))
			}
			tx.Queue(newQueue, tx.Tenant, endpoint, counts.Pending, counts.Delivered, counts.Failed)
		}
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

// fits is what a program would choose that looks at every delivery.
func (f *AcrossFilter) fits(d *Delivery) bool {
	return (f.Endpoint == "" || d.Endpoint == f.Endpoint) && (f.State == "" || d.State == f.State) && (f.Event == "" || d.Name == f.Event) &&
		(f.Resource == "" || d.Resource == f.Resource) && (f.StatusCode == 0 || d.StatusCode == f.StatusCode) && d.Position >= f.From &&
		(f.To == 0 || d.Position <= f.To)
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

// Following the cursor shows what fits, each once, newest first, also where a page ends because it has looked at enough.
func TestPagesOfDeliveriesOverAllEndpoints(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant, other := dbtest.Account(t, store), dbtest.Account(t, store)
		all := fillDeliveries(t, store, tenant, 40)
		fillDeliveries(t, store, other, 5)
		for _, f := range acrossFilters(all[7].Endpoint) {
			var want []id.Delivery
			for i := range all {
				if f.fits(&all[i]) {
					want = append(want, all[i].ID)
				}
			}
			f.Limit, f.Look = 9, 11
			var got []id.Delivery
			name := fmt.Sprintf("%+v", f)
			for pages := 0; ; pages++ {
				var page DeliveryPage
				if err := store.Read(t.Context(), tenant, func(tx *db.Tx) (err error) { page, err = Across(tx, f); return err }); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if len(page.Deliveries) > f.Limit || pages > 60 {
					t.Fatalf("%s: %d deliveries on page %d", name, len(page.Deliveries), pages)
				}
				for _, d := range page.Deliveries {
					got = append(got, d.ID)
				}
				if page.Next == nil {
					break
				}
				f.After, _ = ParseDeliveryCursor(page.Next.String())
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d deliveries, not %d", name, len(got), len(want))
			}
		}
	})
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
