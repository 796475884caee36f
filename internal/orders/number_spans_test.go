package orders

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
	"entrepot/internal/search"
)

// Lists by number within a time are those of looking at every order, without spans of numbers, with them, and when orders have come
// since or were deleted; with spans that hold they are read in the numbers that orders of the time have.
func TestListsByNumberWithinATime(t *testing.T) {
	few, size, late := fewRows, numbersInSpan, mostLate
	fewRows, numbersInSpan, mostLate = 40, 16, 30
	defer func() { fewRows, numbersInSpan, mostLate = few, size, late }()
	now := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		read := &dbtest.Statements{}
		config.Trace, config.Now = read.Add, func() time.Time { return now }
		store := dbtest.Open(t, config)
		tenant := dbtest.Account(t, store)
		s := &numbered{T: t, store: store, tenant: tenant, read: read, all: sample(t, store, tenant, 700)}
		follow := func() {
			t.Helper()
			now = now.Add(spansAgain)
			if err := FollowNumbers(t.Context(), store); err != nil {
				t.Fatal(err)
			}
		}
		woken := store.Woken(ListsTopic)
		if s.compare("without spans", false); len(woken) == 0 {
			t.Error("the worker does not hear that spans are wanted")
		}
		follow()
		s.compare("with spans", true)
		s.receive(20)
		s.compare("with new orders", true)
		s.receive(20)
		s.compare("with too many new orders", false)
		follow()
		s.compare("with spans of these", true)
		s.drop(10)
		s.compare("after a deletion", false)
		follow()
		s.compare("with spans without them", true)
		now = now.Add(spansHold + time.Second)
		s.compare("an hour later", false)
		now = now.Add(spansHold + time.Second)
		if err := FollowNumbers(t.Context(), store); err != nil {
			t.Fatal(err)
		}
		if _, kept := store.Memo().Load(spansOf(tenant)); kept {
			t.Error("spans that no list wants are kept")
		}
	})
}

// numbered is an account with all its orders.
type numbered struct {
	*testing.T
	store  *db.DB
	tenant id.Tenant
	read   *dbtest.Statements
	all    []Order
}

func (s *numbered) write(run func(tx *db.Tx) error) {
	s.Helper()
	if err := s.store.Write(s.Context(), s.tenant, run); err != nil {
		s.Fatal(err)
	}
}

// receive adds orders with their events, of all times.
func (s *numbered) receive(n int) {
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
func (s *numbered) drop(n int) {
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

// compare compares pages of lists, and says whether they are read by ranges of numbers.
func (s *numbered) compare(when string, bySpans bool) {
	s.Helper()
	start := int64(1_700_000_000_000_000)
	for _, f := range []Filter{
		{CountedFilter: CountedFilter{From: start + 5*day, To: start + 20*day}},
		{CountedFilter: CountedFilter{From: start + 5*day, To: start + 20*day}, Offset: 60},
		{CountedFilter: CountedFilter{To: start + 15*day}, Offset: 130},
		{CountedFilter: CountedFilter{From: start + 22*day}, Ascending: true},
		{CountedFilter: CountedFilter{From: start + 10*day, To: start + 26*day, Statuses: []Status{Delivered, Cancelled}, Channel: erp}},
	} {
		f.Sort, f.Limit = ByNumber, 15
		var want []Order
		for _, o := range s.all {
			if o.CreatedAt >= f.From && (f.To == 0 || o.CreatedAt <= f.To) && (len(f.Statuses) == 0 || slices.Contains(f.Statuses, o.Status)) &&
				(f.Channel == "" || f.Channel == o.Channel) {
				want = append(want, o)
			}
		}
		slices.SortFunc(want, func(a, b Order) int {
			if f.Ascending {
				return cmp.Compare(a.Number, b.Number)
			}
			return cmp.Compare(b.Number, a.Number)
		})
		name := fmt.Sprintf("%s: %+v", when, f)
		cursor := f.CursorOf(&want[f.Offset+4])
		behind := f
		behind.After, behind.Offset = &cursor, 0
		err := s.store.Read(s.Context(), s.tenant, func(tx *db.Tx) error {
			s.read.Reset()
			list, total, err := List(tx, f, nil)
			same(s.T, name, list, want[f.Offset:f.Offset+f.Limit])
			if total != int64(len(want)) {
				s.Errorf("%s: %d orders, not %d", name, total, len(want))
			}
			s.bounded(tx, name, bySpans)
			if err == nil {
				s.read.Reset()
				list, _, err = List(tx, behind, nil)
				s.begins(name, cursor)
				same(s.T, name+" behind a cursor", list, want[f.Offset+5:f.Offset+5+f.Limit])
			}
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
	}
}

// begins says that the first range of numbers that was read begins at the end of the page before.
func (s *numbered) begins(name string, cursor Cursor) {
	s.Helper()
	for _, one := range s.read.List() {
		if strings.Contains(one.SQL, "o.number >= ") {
			if !slices.Contains(one.Args[:len(one.Args)-2], any(cursor.Value)) {
				s.Errorf("%s: no bound is %d: %s %v", name, cursor.Value, one.SQL, one.Args)
			}
			return
		}
	}
}

// bounded says whether the list was read by ranges of numbers, of which SQLite makes bounds in their index.
func (s *numbered) bounded(tx *db.Tx, name string, want bool) {
	s.Helper()
	ranges := 0
	for _, one := range s.read.List() {
		if !strings.Contains(one.SQL, "o.number >= ") {
			continue
		}
		ranges++
		if s.store.Engine() == "sqlite" && !strings.Contains(one.Plan(s, tx), "orders_tenant_id_number (tenant_id=? AND number>? AND number<?)") {
			s.Errorf("%s: %s", name, one.Plan(s, tx))
		}
	}
	if ranges > 0 != want {
		s.Errorf("%s: %d ranges of numbers", name, ranges)
	}
}
