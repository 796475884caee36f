package orders

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/search"
	"entrepot/internal/spans"
)

// A list by number within a time would pass all orders with later numbers. Numbers grow with time, but not strictly: nodes give out blocks
// of them, and history is moved in. So a node keeps in memory, for every so many numbers, when the first and the last of their orders were
// created, which never changes; orders that are newer than these spans are found in the event log, as searches do, and deleted ones are
// noticed by the kept counts. Writes of orders do nothing for it (decision 9).

// Bounds of spans of numbers. Tests lower the first two.
var (
	numbersInSpan int64 = 4096
	mostLate            = 2000        // new orders from which on a list is read without spans
	spansAgain          = time.Minute // between two times that an account's spans are made
	spansHold           = time.Hour   // so long they are used; the event log keeps everything for longer
)

// creations are when the first and the last of some orders were created.
type creations struct{ first, last int64 }

// numberSpans are those of one account.
type numberSpans struct {
	until  int64               // the stamp up to which they have all orders
	orders int64               // how many these are
	spans  map[int64]creations // by number / numbersInSpan
}

// add adds an order.
func (s *numberSpans) add(number, created int64) {
	at, known := s.spans[number/numbersInSpan]
	if !known {
		at = creations{created, created}
	}
	s.spans[number/numbersInSpan] = creations{min(at.first, created), max(at.last, created)}
	s.orders++
}

// numberRange are the numbers from low to high, both included.
type numberRange struct{ low, high int64 }

// within are the ranges of numbers that have all orders created from one moment to before another, lowest first.
func (s *numberSpans) within(from, to int64) (ranges []numberRange) {
	for _, span := range slices.Sorted(maps.Keys(s.spans)) {
		if at := s.spans[span]; at.last < from || at.first >= to {
			continue
		}
		low, high := span*numbersInSpan, (span+1)*numbersInSpan-1
		if last := len(ranges) - 1; last >= 0 && ranges[last].high == low-1 {
			ranges[last].high = high
		} else {
			ranges = append(ranges, numberRange{low, high})
		}
	}
	return ranges
}

// behind is the part of a range behind the page before, with its last number: as bounds of the index, SQLite would take those of the range.
func (n numberRange) behind(last *Cursor) numberRange {
	switch {
	case last == nil:
	case last.Ascending:
		n.low = max(n.low, last.Value)
	default:
		n.high = min(n.high, last.Value)
	}
	return n
}

// keptSpans is what a node knows of one account.
type keptSpans struct {
	asked atomic.Int64 // when a list wanted spans last, in microseconds
	made  atomic.Int64 // when they were made last
	now   atomic.Pointer[numberSpans]
}

// spansOf is the key of an account's spans in the memo of the store.
type spansOf id.Tenant

func spansIn(memo *sync.Map, tenant id.Tenant) *keptSpans {
	kept, _ := memo.LoadOrStore(spansOf(tenant), new(keptSpans))
	return kept.(*keptSpans)
}

// followed are the spans with the orders that are new since, unless there are too many of these, or some that they have were deleted: nil.
func (s *numberSpans) followed(tx *db.Tx) (*numberSpans, error) {
	if s == nil {
		return nil, nil
	}
	now := &numberSpans{orders: s.orders, spans: maps.Clone(s.spans)}
	clock := tx.Prefetch(func(r db.Rows) error { return r.Scan(&now.until) }, "SELECT last FROM change_clocks WHERE tenant_id = $1", tx.Tenant)
	all := prefetchTotal(tx, CountedFilter{})
	late, err := search.PrefetchLogged(tx, search.Orders, s.until, mostLate+1).Wait()
	if err == nil {
		err = clock.Wait()
	}
	if err != nil || len(late.IDs) > mostLate {
		return nil, err
	}
	err = db.Chunks(late.IDs, func(piece []string) error {
		w := db.AndIn(db.NewWhere(tx, "o"), "o.id", piece)
		return tx.Each(now.read, "SELECT o.number, o.created_at FROM orders o WHERE "+w.String(), w.Args()...)
	})
	if err != nil {
		return nil, err
	}
	if n, err := all.Wait(); err != nil || n != now.orders {
		return nil, err
	}
	return now, nil
}

// read adds the order of a row with its number and creation.
func (s *numberSpans) read(r db.Rows) error {
	var number, created int64
	err := r.Scan(&number, &created)
	s.add(number, created)
	return err
}

// numbersWithin are the ranges of numbers that have all orders of the filter's time, if the node has spans that hold.
func (f CountedFilter) numbersWithin(tx *db.Tx) (ranges []numberRange, known bool, err error) {
	own := spansIn(tx.Memo(), tx.Tenant)
	own.asked.Store(tx.Micros())
	if own.made.Load() == 0 {
		tx.WakeNow(ListsTopic)
	}
	if tx.Micros()-own.made.Load() > spansHold.Microseconds() {
		return nil, false, nil
	}
	at, err := own.now.Load().followed(tx)
	if err != nil || at == nil {
		return nil, false, err
	}
	from, to := f.bounds()
	return at.within(from, to), true, nil
}

// listByNumbers reads a page of a list by number whose orders have numbers in some ranges, one range after the other.
func (f Filter) listByNumbers(tx *db.Tx, ranges []numberRange) (list []Order, err error) {
	if !f.Ascending {
		ranges = slices.Clone(ranges)
		slices.Reverse(ranges)
	}
	var page []search.ID
	step, skip := f, f.Offset
	step.Offset = 0
	for _, numbers := range ranges {
		if step.numbers = numbers.behind(f.After); step.numbers.low > step.numbers.high {
			continue
		}
		step.Limit = skip + f.Limit - len(page)
		w := db.NewWhere(tx, "o")
		keys := step.keys(w, bySort)
		err = tx.Each(func(r db.Rows) error {
			var k int64
			var order string
			err := r.Scan(&k, &order)
			if skip--; skip < 0 {
				page = append(page, search.ParseID(order))
			}
			return err
		}, keys, w.Args()...)
		if skip = max(skip, 0); err != nil || len(page) == f.Limit {
			break
		}
	}
	return inOrder(tx, page, err)
}

// FollowNumbers makes the spans that lists have wanted since they were made, and forgets those that none wants any more. It serves every
// tenant.
func FollowNumbers(ctx context.Context, store *db.DB) (err error) {
	now := store.Now()
	store.Memo().Range(func(key, kept any) bool {
		tenant, is := key.(spansOf)
		if !is {
			return true
		}
		own := kept.(*keptSpans)
		asked, made := time.UnixMicro(own.asked.Load()), time.UnixMicro(own.made.Load())
		switch {
		case now.Sub(asked) > spansHold:
			store.Memo().Delete(key)
		case !asked.Before(made) && (own.now.Load() == nil || now.Sub(made) >= spansAgain):
			err = followNumbers(ctx, store, id.Tenant(tenant))
		}
		return err == nil
	})
	return err
}

// followNumbers makes the spans of an account.
func followNumbers(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	own := spansIn(store.Memo(), tenant)
	var at *numberSpans
	began := store.Now().UnixMicro()
	err := store.ReadWide(ctx, tenant, func(tx *db.Tx) (err error) {
		if at, err = own.now.Load().followed(tx); at != nil || err != nil {
			return err
		}
		at = &numberSpans{spans: map[int64]creations{}}
		if err := tx.Row("SELECT coalesce(max(last), 0) FROM change_clocks WHERE tenant_id = $1", []any{tx.Tenant}, &at.until); err != nil {
			return err
		}
		return tx.Each(at.read, "SELECT o.number, o.created_at FROM orders o WHERE o.tenant_id = $1 ORDER BY o.number", tx.Tenant)
	})
	if err == nil {
		own.made.Store(began)
		own.now.Store(at)
	}
	return err
}

// passesLater reports whether a list by number is bounded in time.
func (f Filter) passesLater() bool {
	from, to := f.bounds()
	return f.Sort == ByNumber && (from > 0 || to < spans.Last)
}
