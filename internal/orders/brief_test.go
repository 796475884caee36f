package orders

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
	"entrepot/internal/money"
)

// Callers who read orders of two accounts at the same moment each get their own order, with everything that belongs to it.
func TestOrdersReadTogether(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		const each = 12
		tenants := []id.Tenant{dbtest.Account(t, store), dbtest.Account(t, store)}
		var all [2][each]id.Order
		for i, tenant := range tenants {
			for n := range all[i] {
				all[i][n] = storeWhole(t, store, tenant, n)
			}
		}
		read := func(how func(*db.DB, id.Tenant, func(*db.Tx) error) error, tenant id.Tenant, order id.Order) (o *Order, err error) {
			err = how(store, tenant, func(tx *db.Tx) (err error) {
				o, err = ByID(tx, order)
				return err
			})
			return o, err
		}
		alone := func(d *db.DB, tenant id.Tenant, run func(*db.Tx) error) error {
			return d.Read(t.Context(), tenant, run)
		}
		together := func(d *db.DB, tenant id.Tenant, run func(*db.Tx) error) error {
			return d.ReadBrief(t.Context(), tenant, run)
		}
		var callers sync.WaitGroup
		for i, tenant := range tenants {
			for _, order := range all[i] {
				want, err := read(alone, tenant, order)
				if err != nil || len(want.Lines) == 0 {
					t.Fatal(want, err)
				}
				callers.Go(func() {
					for range 5 {
						got, err := read(together, tenant, order)
						if err != nil || !reflect.DeepEqual(got, want) {
							t.Errorf("got\n%+v, %v, not\n%+v", got, err, want)
						}
						if _, err := read(together, tenants[1-i], order); !apperr.Is(err, apperr.NotFound) {
							t.Errorf("another account's order: %v", err)
						}
					}
				})
			}
		}
		callers.Wait()
	})
}

// storeWhole stores an order; every second one comes from a platform, and the larger n is, the more has happened to it.
func storeWhole(t *testing.T, store *db.DB, tenant id.Tenant, n int) id.Order {
	t.Helper()
	o := Order{ID: id.New[id.Order](), Number: int64(n + 1), Status: Processing, Currency: "EUR", CreatedAt: 1_700_000_000_000_000,
		CustomerName: fmt.Sprint("buyer ", n), History: []Entry{{Status: Processing, Source: FromAPI}}, Totals: Totals{Total: 30 * money.Scale}}
	for i := range 1 + n%4 {
		o.Lines = append(o.Lines, Line{ID: id.New[id.Line](), SKU: fmt.Sprint("SKU-", n, i), Quantity: 3})
	}
	if n%2 == 1 {
		o.Channel, o.PlatformID = shop, fmt.Sprint(n)
	}
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { Insert(tx, &o); return nil })
	for range n / 3 {
		if err != nil {
			break
		}
		err = store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			is, err := Lock(tx, o.ID)
			if err != nil {
				return err
			}
			before := *is
			before.Lines = append([]Line(nil), is.Lines...)
			parcel, err := is.Ship(ShipmentDraft{TrackingNumber: fmt.Sprint("T", n), Lines: []DraftLine{{Line: is.Lines[0].ID, Quantity: 1}}},
				tx.Micros())
			if err != nil {
				return err
			}
			InsertShipment(tx, o.ID, parcel)
			if is.PlatformID != "" {
				is.Refund(tx, Refund{ID: string(id.New[id.Line]()), ExternalID: parcel.TrackingNumber, Amount: money.Scale, CreatedAt: tx.Micros(),
					Lines: []RefundLine{{Line: is.Lines[0].ID, Amount: money.Scale}}})
				Flag(tx, is, "conflict", fmt.Sprint(len(is.Shipments)), "changed there")
			}
			if is.Status != before.Status {
				is.History = append(is.History, Entry{ID: id.New[id.History](), Previous: before.Status, Status: is.Status, Source: FromShipment,
					At: tx.Micros()})
			}
			is.UpdatedAt = tx.Micros()
			Save(tx, &before, is)
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return o.ID
}
