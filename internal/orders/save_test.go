package orders

import (
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// two returns an order of two lines, stored.
func two(t *testing.T, store *db.DB, tenant id.Tenant) Order {
	t.Helper()
	o := Order{ID: id.New[id.Order](), Number: 1, Status: Pending, Currency: "EUR", CreatedAt: 1_700_000_000_000_000,
		History: []Entry{{Status: Pending, Source: FromAPI}}, Totals: Totals{Total: 30 * money.Scale},
		Lines: []Line{{ID: id.New[id.Line](), SKU: "A", Quantity: 3, Total: 20 * money.Scale},
			{ID: id.New[id.Line](), SKU: "B", Quantity: 1, Total: 10 * money.Scale}}}
	if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { Insert(tx, &o); return nil }); err != nil {
		t.Fatal(err)
	}
	return o
}

// The version of an order's buckets grows when what it sold changes, and only then: the sums that were made from them stay valid
// otherwise (package sales).
func TestVersionsGrowWithWhatIsSold(t *testing.T) {
	for name, c := range map[string]struct {
		change func(o *Order)
		grows  bool
	}{
		"nothing":       {func(*Order) {}, false},
		"note":          {func(o *Order) { o.Notes = "later" }, false},
		"total":         {func(o *Order) { o.ShippingAmount, o.Total = money.Scale, 31*money.Scale }, false},
		"shipped":       {func(o *Order) { o.Lines[0].Shipped = 3 }, false},
		"status":        {func(o *Order) { o.Status = Processing }, false},
		"cancelled":     {func(o *Order) { o.Status = Cancelled }, true},
		"quantity":      {func(o *Order) { o.Lines[0].Quantity = 4 }, true},
		"sku":           {func(o *Order) { o.Lines[1].SKU = "C" }, true},
		"line's total":  {func(o *Order) { o.Lines[1].Total += money.Scale }, true},
		"line added":    {func(o *Order) { o.Lines = append(o.Lines, Line{ID: id.New[id.Line](), SKU: "C", Quantity: 1}) }, true},
		"line removed":  {func(o *Order) { o.Lines = o.Lines[:1] }, true},
		"sold and sent": {func(o *Order) { o.Status, o.Lines[0].Quantity = Processing, 2 }, true},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Engines(t, func(t *testing.T, store *db.DB) {
				tenant := dbtest.Account(t, store)
				before := two(t, store, tenant)
				// Buckets add up: each has as many versions as changes of an order in it, in whichever state it is.
				versions := func() (n int64) {
					err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
						return tx.Row("SELECT sum(version)::BIGINT FROM order_figures WHERE tenant_id = $1", []any{tx.Tenant}, &n)
					})
					if err != nil {
						t.Fatal(err)
					}
					return n
				}
				was := versions()
				after := before
				after.Lines = slices.Clone(before.Lines)
				if c.change(&after); after.Status != before.Status {
					after.History = append(after.History, Entry{ID: id.New[id.History](), Previous: before.Status, Status: after.Status, Source: FromAPI})
				}
				if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { Save(tx, &before, &after); return nil }); err != nil {
					t.Fatal(err)
				}
				if is := versions(); is > was != c.grows {
					t.Errorf("the versions add up to %d, before to %d", is, was)
				}
			})
		})
	}
}

// recorder notes the writes that are queued.
type recorder struct {
	*db.Tx
	writes []func(t *testing.T) (sql, plan string)
}

func (r *recorder) Queue(sql string, args ...any) *db.Step {
	r.writes = append(r.writes, func(t *testing.T) (string, string) { return sql, dbtest.Plan(t, r.Tx, sql, args...) })
	return r.Tx.Queue(sql, args...)
}

// Whatever of an order is changed or deleted is found by its whole key, so that it costs as much in an account of a million orders.
func TestRowsOfAnOrderAreFoundByTheirKeys(t *testing.T) {
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	tenant := dbtest.Account(t, store)
	before := two(t, store, tenant)
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		w := &recorder{Tx: tx}
		after := before
		after.Notes, after.Lines = "later", slices.Clone(before.Lines[:1])
		after.Lines[0].Quantity = 2
		Save(w, &before, &after)
		InsertShipment(w, after.ID, Shipment{ID: id.New[id.Shipment](), Lines: []ShipmentLine{{Line: after.Lines[0].ID, Quantity: 1}}})
		found := map[string]int{}
		for _, write := range w.writes {
			sql, plan := write(t)
			if strings.HasPrefix(sql, "INSERT") {
				continue
			}
			table := strings.Fields(strings.NewReplacer("UPDATE ", "", "DELETE FROM ", "").Replace(sql))[0]
			want := map[string]string{"orders": "(tenant_id=? AND id=?)",
				"order_lines": "PRIMARY KEY (tenant_id=? AND order_id=? AND id=?)"}[table]
			if want == "" || !strings.Contains(plan, want) {
				t.Errorf("%s\n%s", sql, plan)
			}
			found[table]++
		}
		if found["orders"] != 1 || found["order_lines"] != 2 {
			t.Errorf("writes of %v", found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
