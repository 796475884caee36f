package orders

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/search"
)

// smallColumns lowers the bounds of columns, so that a few hundred orders are very many.
func smallColumns(t *testing.T) {
	few, from, worth, late, parts, sorted := fewRows, columnsFrom, columnsWorth, columnsLate, partsOf, sortedAtOnce
	fewRows, columnsFrom, columnsWorth, columnsLate, partsOf, sortedAtOnce = 10, 100, 50, 40, 8, 6
	t.Cleanup(func() {
		fewRows, columnsFrom, columnsWorth, columnsLate, partsOf, sortedAtOnce = few, from, worth, late, parts, sorted
	})
}

// accountOrders is an account with all its orders.
type accountOrders struct {
	*testing.T
	store  *db.DB
	tenant id.Tenant
	read   *dbtest.Statements
	all    []Order
}

func (s *accountOrders) write(run func(tx *db.Tx) error) {
	s.Helper()
	if err := s.store.Write(s.Context(), s.tenant, run); err != nil {
		s.Fatal(err)
	}
}

// receive adds orders with their events, of all times.
func (s *accountOrders) receive(n int) {
	fresh, last := make([]Order, n), s.all[len(s.all)-1].Number
	for i := range fresh {
		o := s.all[i*17]
		o.ID, o.Number, o.Customer, o.ExternalReference, o.PlatformID = id.New[id.Order](), last+1+int64(i)*3, "", "", ""
		o.Lines, o.History = []Line{{ID: id.New[id.Line](), SKU: "A", Quantity: 1}}, []Entry{{Status: o.Status, Source: FromAPI}}
		fresh[i] = o
	}
	s.all = append(s.all, fresh...)
	s.write(func(tx *db.Tx) error {
		for _, o := range fresh {
			tx.Change(`INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at)
				VALUES ($1,$2,`+db.Clock+"+$3::BIGINT,'order.received',$4,'{}',0)", tx.Tenant, id.New[id.Event](), tx.Stamps(1), string(o.ID))
		}
		InsertUnreported(tx, slices.Clone(fresh))
		return nil
	})
}

// drop deletes the last orders, as the deletion of their channel does.
func (s *accountOrders) drop(n int) {
	gone := s.all[len(s.all)-n:]
	s.all = s.all[:len(s.all)-n]
	s.write(func(tx *db.Tx) error {
		countAll(tx, slices.Clone(gone), -1)
		var ids []string
		for _, o := range gone {
			tx.Change("DELETE FROM orders WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, o.ID)
			ids = append(ids, string(o.ID))
		}
		return search.Remove(tx, search.Orders, ids)
	})
}

// change gives some orders another status, another total, or both, with the events that this has.
func (s *accountOrders) change(random *rand.Rand, n int) {
	s.Helper()
	s.write(func(tx *db.Tx) error {
		for range n {
			o := &s.all[random.IntN(len(s.all))]
			if random.IntN(3) > 0 {
				set(tx, o, "order.status_changed", func() { o.Status = Statuses[random.IntN(len(Statuses))] })
			} else {
				set(tx, o, "order.updated", func() { o.Total = money.Amount(random.IntN(200)) * money.Scale })
			}
		}
		return nil
	})
}

// set changes an order, with an event.
func set(tx *db.Tx, o *Order, event string, change func()) {
	before := *o
	change()
	count(tx, &before, o)
	tx.Change("UPDATE orders SET status = $3, total = $4 WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, o.ID, string(o.Status), o.Total)
	tx.Change(`INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at)
		VALUES ($1,$2,`+db.Clock+"+$3::BIGINT,$4,$5,'{}',0)", tx.Tenant, id.New[id.Event](), tx.Stamps(1), event, string(o.ID))
}

func (s *accountOrders) look(run func(tx *db.Tx) error) {
	s.Helper()
	if err := s.store.Read(s.Context(), s.tenant, run); err != nil {
		s.Fatal(err)
	}
}

// anyFilter is a list by one or two conditions that columns have, at any place.
func anyFilter(random *rand.Rand, all []Order) Filter {
	f := Filter{Sort: []Sort{ByCreatedAt, ByTotal, ByNumber}[random.IntN(3)], Ascending: random.IntN(2) == 0, Limit: 1 + random.IntN(20)}
	if random.IntN(2) == 0 {
		f.Statuses = Statuses[random.IntN(4):][:1+random.IntN(3)]
	}
	if random.IntN(3) == 0 {
		f.Channel = []id.Channel{erp, shop}[random.IntN(2)]
	}
	if random.IntN(3) == 0 {
		f.From = all[random.IntN(len(all)/2)].CreatedAt
	}
	if random.IntN(4) == 0 {
		f.To = all[len(all)/2+random.IntN(len(all)/2)].CreatedAt
	}
	if random.IntN(2) == 0 {
		f.MinTotal = amount(int64(random.IntN(60)))
	}
	if random.IntN(4) == 0 {
		f.MaxTotal = amount(int64(100 + random.IntN(100)))
	}
	if random.IntN(4) == 0 {
		f.Search = []string{"a", "lovelace", "ord-"}[random.IntN(3)]
	}
	switch random.IntN(4) {
	case 0:
		f.Offset = random.IntN(400)
	case 1:
		o := &all[random.IntN(len(all))]
		cursor := f.CursorOf(o)
		f.After = &cursor
	}
	return f
}

// compareLists compares some lists with what a scan of all orders in the same transaction gives, and reports how many columns served.
func (s *accountOrders) compareLists(random *rand.Rand, all []Order, what string) (served int) {
	s.Helper()
	for range 8 {
		s.look(func(tx *db.Tx) error {
			f := anyFilter(random, all)
			now, err := db.List(tx, func(r db.Rows) (o Order, err error) {
				return o, r.Scan(&o.ID, &o.Number, &o.Status, db.Opt(&o.Channel), &o.Total, &o.CreatedAt, &o.CustomerName)
			}, "SELECT id, number, status, channel_id, total, created_at, search FROM orders WHERE tenant_id = $1", tx.Tenant)
			if err != nil {
				return err
			}
			held, err := currentColumns(tx)
			if held != nil {
				served++
			}
			if err == nil {
				s.compareList(tx, f, now, what)
			}
			return err
		})
	}
	return served
}

func (s *accountOrders) compareList(tx *db.Tx, f Filter, now []Order, what string) {
	s.Helper()
	want := listed(now, f, func(o *Order) bool {
		return slices.Contains(f.states(), o.Status) && (f.Channel == "" || o.Channel == f.Channel) && o.CreatedAt >= f.From &&
			(f.To == 0 || o.CreatedAt <= f.To) && (f.MinTotal == nil || o.Total >= *f.MinTotal) &&
			(f.MaxTotal == nil || o.Total <= *f.MaxTotal) && strings.Contains(o.CustomerName, search.Fold(f.Search))
	})
	total := len(want)
	if f.After != nil {
		want = slices.DeleteFunc(want, func(o Order) bool { return !f.behind(f.CursorOf(&o).Value, search.ParseID(o.ID)) })
	} else {
		want = want[min(f.Offset, total):]
	}
	list, n, err := List(tx, f, nil)
	if err != nil || n != int64(total) {
		s.Errorf("%s: %+v: %d orders, not %d, %v", what, f, n, total, err)
	}
	same(s.T, fmt.Sprintf("%s: %+v", what, f), list, want[:min(f.Limit, len(want))])
}

// Lists are those of a scan of all orders, whatever has happened since a node made its columns.
func TestListsByColumns(t *testing.T) {
	smallColumns(t)
	now := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		config.Now = func() time.Time { return now }
		store := dbtest.Open(t, config)
		tenant := dbtest.Account(t, store)
		random := rand.New(rand.NewPCG(5, 6))
		s := &accountOrders{T: t, store: store, tenant: tenant, all: sample(t, store, tenant, 600)}
		compare := func(what string, want bool) {
			t.Helper()
			if served := s.compareLists(random, s.all, what); served > 0 != want {
				t.Errorf("%s: columns hold: %v", what, served > 0)
			}
		}
		follow := func() {
			t.Helper()
			now = now.Add(columnsAgain)
			if err := FollowColumns(t.Context(), store); err != nil {
				t.Fatal(err)
			}
		}
		woken := store.Woken(ListsTopic)
		if compare("without columns", false); len(woken) == 0 {
			t.Error("the worker does not hear that columns are wanted")
		}
		follow()
		compare("with columns", true)
		for step := range 25 {
			what, holds := fmt.Sprintf("step %d", step), true
			switch n := random.IntN(10); {
			case n < 5:
				s.change(random, 1+random.IntN(8))
			case n < 7:
				s.receive(1 + random.IntN(4))
			case n == 7:
				s.change(random, 60)
				holds = false
			case n == 8: // of orders that are in the columns
				follow()
				s.drop(1 + random.IntN(5))
				holds = false
			}
			if compare(what, holds); !holds || random.IntN(3) == 0 {
				follow()
				compare(what+", followed", true)
			}
		}
		now = now.Add(columnsHold + time.Second)
		compare("an hour later", false)
		now = now.Add(columnsHold + time.Second)
		follow()
		if _, kept := store.Memo().Load(heldOf(tenant)); kept {
			t.Error("columns that no list wants are kept")
		}
	})
}

// Lists are exact in each transaction beside writers, and while columns are made.
func TestListsByColumnsBesideWriters(t *testing.T) {
	smallColumns(t)
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		s := &accountOrders{T: t, store: store, tenant: tenant, all: sample(t, store, tenant, 400)}
		all := slices.Clone(s.all)
		s.look(func(tx *db.Tx) error {
			_, _, err := List(tx, Filter{Sort: ByTotal, Limit: 20, RowFilter: RowFilter{MinTotal: amount(50)}}, nil)
			return err
		})
		follow := func() {
			if err := FollowColumns(t.Context(), store); err != nil {
				t.Error(err)
			}
		}
		follow()
		rounds, done := make(chan bool), make(chan bool) // in each round are fewer changes than columns serve with
		var others sync.WaitGroup
		others.Go(func() {
			defer func() { // if it fails
				for range rounds {
				}
			}()
			random := rand.New(rand.NewPCG(1, 2))
			for range rounds {
				for range 5 {
					s.change(random, 1+random.IntN(6))
				}
				s.receive(3)
			}
		})
		others.Go(func() {
			for {
				follow()
				select {
				case <-done:
					return
				default:
				}
			}
		})
		served, random := 0, rand.New(rand.NewPCG(3, 4))
		for i := 0; i < 12 && !t.Failed(); i++ {
			rounds <- true
			served += s.compareLists(random, all, "beside writers")
		}
		close(rounds)
		close(done)
		others.Wait()
		if served == 0 {
			t.Error("no list was read by columns")
		}
	})
}

// A transaction that began before the columns is not served by them.
func TestColumnsAreNotForEarlierTransactions(t *testing.T) {
	smallColumns(t)
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		s := &accountOrders{T: t, store: store, tenant: tenant, all: sample(t, store, tenant, 300)}
		f := Filter{Sort: ByTotal, Limit: 20, RowFilter: RowFilter{MinTotal: amount(50)}}
		s.look(func(tx *db.Tx) error {
			_, _, err := List(tx, f, nil)
			return err
		})
		s.look(func(tx *db.Tx) error {
			was := slices.Clone(s.all)
			var n int64
			if err := tx.Row("SELECT count(*) FROM orders WHERE tenant_id = $1", []any{tx.Tenant}, &n); err != nil {
				return err
			}
			s.write(func(tx *db.Tx) error {
				for i := range 20 {
					set(tx, &s.all[i], "order.updated", func() { s.all[i].Total = 150 * money.Scale })
				}
				return nil
			})
			if err := FollowColumns(t.Context(), store); err != nil {
				return err
			}
			held, err := currentColumns(tx)
			if held != nil {
				t.Error("columns hold for a transaction before them")
			}
			s.compareList(tx, f, was, "before")
			return err
		})
		s.look(func(tx *db.Tx) error {
			held, err := currentColumns(tx)
			if held == nil {
				t.Error("they do not hold after it")
			}
			s.compareList(tx, f, s.all, "after")
			return err
		})
	})
}

// What has changed since is read in the index of events alone, each kind from the columns' stamp on.
func TestChangesAreReadInTheirIndex(t *testing.T) {
	smallColumns(t)
	store, read := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	s := &accountOrders{T: t, store: store, tenant: tenant, read: read, all: sample(t, store, tenant, 300)}
	f := Filter{Sort: ByTotal, Limit: 20, RowFilter: RowFilter{MinTotal: amount(50)}}
	for made := range 2 {
		s.look(func(tx *db.Tx) error {
			read.Reset()
			_, _, err := List(tx, f, nil)
			ranges := 0
			for _, one := range read.List() {
				if strings.Contains(one.SQL, "FROM events e") {
					ranges += strings.Count(one.Plan(t, tx), "SEARCH e USING INDEX events_tenant_id_event (tenant_id=? AND event=? AND stamp>?)")
				}
			}
			if ranges != made*len(search.ChangesOfOrders) {
				t.Errorf("%d ranges of the index", ranges)
			}
			return err
		})
		if err := FollowColumns(t.Context(), store); err != nil {
			t.Fatal(err)
		}
	}
}
