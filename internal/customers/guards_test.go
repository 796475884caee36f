package customers

import (
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func newCustomer(email string) Customer {
	return Customer{ID: id.New[id.Customer](), Email: email, Phone: "1", Metadata: "{}", Status: Active, Tags: []string{"a", "b"},
		Addresses: []Address{{ID: id.New[id.Address](), Line1: "l", City: "c", Zip: "z", Country: "FR"}}, OrdersCount: 2, TotalSpent: 30}
}

// commit writes what must be there.
func commit(t *testing.T, store *db.DB, tenant id.Tenant, run func(tx *db.Tx)) {
	t.Helper()
	if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { run(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

func readCustomer(t *testing.T, store *db.DB, tenant id.Tenant, customer id.Customer) (c *Customer) {
	t.Helper()
	err := store.Read(t.Context(), tenant, func(tx *db.Tx) (err error) {
		c, err = Read(tx, customer)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A transaction whose customer was merged, erased, removed or taken by another writer since it was read notices it at its write.
func TestWritersOfCustomersNoticeEachOther(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		remove := func(which id.Customer) func(tx *db.Tx) error {
			return func(tx *db.Tx) error {
				tx.Queue("DELETE FROM customers WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, which)
				return nil
			}
		}
		merge := func(from, into Customer) func(tx *db.Tx) error {
			return func(tx *db.Tx) error {
				before := into.Copy()
				into.Absorb(tx.Micros(), []Customer{from})
				SaveMerge(tx, before, &into, []Customer{from})
				return nil
			}
		}
		erase := func(c Customer) func(tx *db.Tx) error {
			return func(tx *db.Tx) error { c.Erase(tx, 1); return nil }
		}
		for name, race := range map[string]func(a, b Customer) (run, meanwhile func(tx *db.Tx) error){
			"order and merge": func(a, b Customer) (run, meanwhile func(tx *db.Tx) error) {
				return func(tx *db.Tx) error { Ordered(tx, a.ID, 1, "", 5, OrderCountry{}); return nil }, merge(a, b)
			},
			"order and erasure": func(a, _ Customer) (run, meanwhile func(tx *db.Tx) error) {
				return func(tx *db.Tx) error { Ordered(tx, a.ID, 1, "", 5, OrderCountry{}); return nil }, erase(a)
			},
			"totals": func(a, _ Customer) (run, meanwhile func(tx *db.Tx) error) {
				return func(tx *db.Tx) error { Spend(tx, a.ID, 1, 5); return nil }, remove(a.ID)
			},
			"save": func(a, _ Customer) (run, meanwhile func(tx *db.Tx) error) {
				return func(tx *db.Tx) error { Save(tx, a.Copy(), &a); return nil }, remove(a.ID)
			},
			"erase":             func(a, _ Customer) (run, meanwhile func(tx *db.Tx) error) { return erase(a), remove(a.ID) },
			"merge and erasure": func(a, b Customer) (run, meanwhile func(tx *db.Tx) error) { return merge(a, b), erase(a) },
			"one e-mail twice": func(Customer, Customer) (run, meanwhile func(tx *db.Tx) error) {
				insert := func(email string) func(tx *db.Tx) error {
					return func(tx *db.Tx) error { Insert(tx, newCustomer(email)); return nil }
				}
				return insert("New@shop.example"), insert("new@SHOP.example")
			},
		} {
			t.Run(name, func(t *testing.T) {
				a, b := newCustomer(name+" a@shop.example"), newCustomer(name+" b@shop.example")
				commit(t, store, tenant, func(tx *db.Tx) { Insert(tx, a); Insert(tx, b) })
				run, meanwhile := race(a, b)
				dbtest.RunsAgain(t, store, tenant, run, meanwhile)
			})
		}
		s := Segment{ID: id.New[id.Segment](), Name: "s"}
		commit(t, store, tenant, func(tx *db.Tx) { s.Insert(tx) })
		gone := func(tx *db.Tx) error { s.Delete(tx); return nil }
		dbtest.RunsAgain(t, store, tenant, func(tx *db.Tx) error { s.Save(tx); return nil }, gone)
		commit(t, store, tenant, func(tx *db.Tx) { s.Insert(tx) })
		if err := dbtest.Fails(t, store, tenant, gone, gone); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("a segment that was removed twice: %v", err)
		}
	})
}

// Nothing that an account does with the ids, e-mail addresses and words of another one finds or changes anything there.
func TestCustomersStayInTheirAccount(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		home, other := dbtest.Account(t, store), dbtest.Account(t, store)
		a, b, merged := newCustomer("a@shop.example"), newCustomer("b@shop.example"), newCustomer("c@shop.example")
		s := Segment{ID: id.New[id.Segment](), Name: "s"}
		commit(t, store, home, func(tx *db.Tx) {
			for _, c := range []Customer{a, b, merged} {
				InsertUnreported(tx, c)
			}
			s.Insert(tx)
		})
		commit(t, store, home, func(tx *db.Tx) {
			SaveMerge(tx, a.Copy(), &a, []Customer{merged})
		})
		tables := []string{"customers", "customer_tags", "customer_addresses", "segments"}
		before := dbtest.RowsOf(t, store, home, tables...)
		err := store.Read(t.Context(), other, func(tx *db.Tx) error {
			if c, err := ByID(tx, a.ID); c != nil || err != nil {
				t.Errorf("by id: %+v, %v", c, err)
			}
			if c, err := ByEmail(tx, a.Email); c != nil || err != nil {
				t.Errorf("by e-mail: %+v, %v", c, err)
			}
			if c, err := Read(tx, a.ID); !apperr.Is(err, apperr.NotFound) {
				t.Errorf("read: %+v, %v", c, err)
			}
			if list, err := MergedInto(tx, a.ID); len(list) != 0 || err != nil {
				t.Errorf("merged into: %v, %v", list, err)
			}
			for _, f := range []Filter{{}, {Tag: "a"}, {Search: "shop"}, {Email: a.Email},
				{Segment: &Segment{Rules: Rules{TagsAny: []string{"a"}}}}} {
				f.Limit, f.IncludeInactive = 9, true
				if list, total, err := List(tx, f); len(list) != 0 || total != 0 || err != nil {
					t.Errorf("list of %+v: %d of %d, %v", f, len(list), total, err)
				}
			}
			strange := []Customer{{ID: a.ID}}
			if err := load(tx, strange); err != nil || len(strange[0].Tags)+len(strange[0].Addresses) != 0 {
				t.Errorf("parts: %+v, %v", strange, err)
			}
			if list, total, err := SegmentPage(tx, 9, 0); len(list) != 0 || total != 0 || err != nil {
				t.Errorf("segments: %v of %d, %v", list, total, err)
			}
			if list, err := Segments(tx); len(list) != 0 || err != nil {
				t.Errorf("segments: %v, %v", list, err)
			}
			if _, err := SegmentByID(tx, s.ID); !apperr.Is(err, apperr.NotFound) {
				t.Errorf("segment: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, write := range map[string]func(tx *db.Tx){
			"order":   func(tx *db.Tx) { Ordered(tx, a.ID, 1, "", 5, OrderCountry{"FR", 1}) },
			"totals":  func(tx *db.Tx) { Spend(tx, a.ID, 1, 5) },
			"country": func(tx *db.Tx) { _ = MoveOrder(tx, a.ID, 1, "", `{"country":"FR"}`, nil) },
			"erase":   func(tx *db.Tx) { c := a; c.Erase(tx, 1) },
			"merge":   func(tx *db.Tx) { c := b; SaveMerge(tx, b.Copy(), &c, []Customer{a}) },
			"save":    func(tx *db.Tx) { c := a; c.Tags, c.Addresses = nil, nil; Save(tx, &a, &c) },
			"segment": func(tx *db.Tx) { c := s; c.Name = "changed"; c.Save(tx) },
			"no country": func(tx *db.Tx) {
				_ = MoveOrder(tx, a.ID, 1, `{"country":"FR"}`, "", func() ([]OrderCountry, error) { return []OrderCountry{{"DE", 1}}, nil })
			},
			"no segment":   func(tx *db.Tx) { s.Delete(tx) },
			"no tags":      func(tx *db.Tx) { deleteTags(tx, a.ID) },
			"no addresses": func(tx *db.Tx) { deleteAddresses(tx, a.ID) },
			"merged":       func(tx *db.Tx) { moveMerged(tx, a.ID, b.ID) },
		} {
			_ = store.Write(t.Context(), other, func(tx *db.Tx) error { // refused or without effect
				if tx.Try() > 0 {
					return apperr.Missing("customer")
				}
				write(tx)
				return nil
			})
			if after := dbtest.RowsOf(t, store, home, tables...); after != before {
				t.Fatalf("%s changed another account:\n%s\nwas\n%s", name, after, before)
			}
		}
	})
}

// Totals move by what orders and merges say, up and down, and an order of no customer moves none.
func TestTotalsMove(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		a, b := newCustomer("a@shop.example"), newCustomer("b@shop.example")
		commit(t, store, tenant, func(tx *db.Tx) { Insert(tx, a); Insert(tx, b) })
		want := func(step string, c Customer, orders int64, spent int64) {
			t.Helper()
			if is := readCustomer(t, store, tenant, c.ID); is.OrdersCount != orders || int64(is.TotalSpent) != spent {
				t.Errorf("%s: %d orders, %d spent", step, is.OrdersCount, is.TotalSpent)
			}
		}
		commit(t, store, tenant, func(tx *db.Tx) { Ordered(tx, a.ID, 1, "", 5, OrderCountry{"DE", 7}) })
		want("order", a, 3, 35)
		country := func(step string, want OrderCountry) {
			t.Helper()
			if is := readCustomer(t, store, tenant, a.ID).OrderCountry; is != want {
				t.Errorf("%s: %v", step, is)
			}
		}
		shipped := func(at int64, before, after string, others ...OrderCountry) {
			commit(t, store, tenant, func(tx *db.Tx) {
				err := MoveOrder(tx, a.ID, at, before, after, func() ([]OrderCountry, error) { return others, nil })
				if err != nil {
					t.Error(err)
				}
			})
		}
		const fr, es = `{"country":"fr"}`, `{"country":"ES"}`
		commit(t, store, tenant, func(tx *db.Tx) { Ordered(tx, a.ID, 1, "", 0, OrderCountry{"FR", 6}); Spend(tx, a.ID, -1, 0) })
		country("an older order", OrderCountry{"DE", 7})
		commit(t, store, tenant, func(tx *db.Tx) { Ordered(tx, a.ID, 1, "", 0, OrderCountry{}); Spend(tx, a.ID, -1, 0) })
		country("an order without country", OrderCountry{"DE", 7})
		shipped(6, "", fr)
		country("an older order's address", OrderCountry{"DE", 7})
		shipped(8, "", fr)
		country("a newer order's address", OrderCountry{"FR", 8})
		shipped(8, fr, es)
		country("the same order's address", OrderCountry{"ES", 8})
		shipped(8, es, "", OrderCountry{"IT", 2}, OrderCountry{"DE", 7}, OrderCountry{"", 9}, OrderCountry{"FR", 3})
		country("no address any more", OrderCountry{"DE", 7})
		commit(t, store, tenant, func(tx *db.Tx) { Spend(tx, a.ID, 0, -4); Spend(tx, "", 1, 1) })
		want("cheaper", a, 3, 31)
		commit(t, store, tenant, func(tx *db.Tx) { Spend(tx, a.ID, -1, 0) })
		want("one less", a, 2, 31)
		one, two := readCustomer(t, store, tenant, a.ID), readCustomer(t, store, tenant, b.ID)
		one.Apply(Change{Tags: patch.Field[[]string]{Set: true, Value: []string{"b", "z"}}})
		commit(t, store, tenant, func(tx *db.Tx) { Save(tx, &a, one) })
		commit(t, store, tenant, func(tx *db.Tx) {
			before := two.Copy()
			two.Absorb(1, []Customer{*one})
			SaveMerge(tx, before, two, []Customer{*one})
		})
		want("merged, with orders", a, 2, 31)
		commit(t, store, tenant, func(tx *db.Tx) { MoveTotals(tx, a.ID, b.ID, 2, 31) })
		want("primary", b, 4, 61)
		want("secondary", a, 0, 0)
		is := readCustomer(t, store, tenant, b.ID)
		if is.OrderCountry != (OrderCountry{"DE", 7}) || len(is.Tags) != 3 || is.Tags[2] != "z" || is.Status != Active {
			t.Errorf("primary: %+v", is)
		}
		if is := readCustomer(t, store, tenant, a.ID); is.Status != Secondary || is.MergedInto != b.ID || len(is.Tags) != 0 {
			t.Errorf("secondary: %+v", is)
		}
	})
}
