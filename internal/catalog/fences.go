package catalog

import (
	"context"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// A deep page by creation is found by fences: the ids of every so many rows of product_sorts, with how many rows of each status are before
// them. A node keeps them in memory. The rows change only together with the stamp up to which they have all changes, or in a repair,
// which is counted, so fences hold in every transaction that reads the stamp and the count with which they were made. Products that
// changed since are corrected as in lists by name (sorts.go). Writes of products do nothing for it (decision 9).

// Bounds of fences. Tests lower the first two.
var (
	fencedFrom   = 10_000 // the offset from which fences are worth looking for
	fenceEvery   = int64(512)
	mostLate     = 2000        // changed products from which on a page is read without fences
	fencesAgain  = time.Minute // between two times that an account's fences are made
	fencesUnused = time.Hour   // after which they are forgotten
)

// byStatus counts rows, in the order of Statuses.
type byStatus [8]int64

// of is the sum over some statuses, or over all if none is named.
func (n *byStatus) of(statuses []Status) (sum int64) {
	for i, status := range Statuses {
		if len(statuses) == 0 || slices.Contains(statuses, status) {
			sum += n[i]
		}
	}
	return sum
}

// fence is a row of product_sorts, and how many there are before it.
type fence struct {
	id     id.Product
	before byStatus
}

// rowsAt says which rows product_sorts has: the stamp up to which it has all changes, and how many rows repairs have written.
type rowsAt struct{ until, repaired int64 }

func readRowsAt(tx *db.Tx) (at rowsAt, err error) {
	err = tx.Row("SELECT coalesce(max(stamp), 0), (SELECT coalesce(max(n), 0) FROM tallies WHERE tenant_id = $1 AND name = $2 AND key = $3)"+
		" FROM product_sorts_until WHERE tenant_id = $1", []any{tx.Tenant, db.Repairs, repeatedSorts}, &at.until, &at.repaired)
	return at, err
}

// fences are those of one account for some rows.
type fences struct {
	rows rowsAt
	list []fence
	all  byStatus
}

// fenced is what a node knows of one account.
type fenced struct {
	asked atomic.Int64 // when a page wanted fences last, in microseconds
	made  atomic.Int64 // when they were made last
	now   atomic.Pointer[fences]
}

// fencesOf is the key of an account's fenced in the memo of the store.
type fencesOf id.Tenant

// FencesTopic is woken when a page wants fences that a node has not had yet: FollowSorts makes them.
const FencesTopic = "fences of products"

// pageByFences reads a page by creation by the fences, unless there are none that hold.
func (f Filter) pageByFences(tx *db.Tx) (page []id.Product, found bool, err error) {
	kept, _ := tx.Memo().LoadOrStore(fencesOf(tx.Tenant), new(fenced))
	own := kept.(*fenced)
	own.asked.Store(tx.Micros())
	if own.made.Load() == 0 {
		tx.WakeNow(FencesTopic)
	}
	rows, err := readRowsAt(tx)
	at := own.now.Load()
	if err != nil || at == nil || at.rows != rows {
		return nil, false, err
	}
	late, stale, many, err := f.changedByID(tx, rows.until)
	if err != nil || many {
		return nil, false, err
	}
	from := max(0, f.Offset-len(late)) // as in walkSorts
	w := db.NewWhere(tx, "s")
	f.andStatuses(w, inSorts)
	skip := at.skip(w, f, int64(from))
	list, err := db.List(tx, scanID, "SELECT s.product_id FROM product_sorts s WHERE "+w.String()+" ORDER BY s.product_id"+f.direction()+
		" LIMIT "+w.Bind(f.Limit+len(late)+len(stale))+"::BIGINT OFFSET "+w.Bind(skip)+"::BIGINT", w.Args()...)
	if err != nil {
		return nil, false, err
	}
	return f.mergePage(byID(list), stale, late, from), true, nil
}

// skip adds where to begin, so that from of the matching rows come before, and returns how many of these are still to be skipped.
func (at *fences) skip(w *db.Where, f Filter, from int64) int64 {
	if !f.Descending {
		next := sort.Search(len(at.list), func(i int) bool { return at.list[i].before.of(f.Statuses) > from })
		if next == 0 {
			return from
		}
		begin := &at.list[next-1]
		w.And("s.product_id >= ?::UUID", begin.id)
		return from - begin.before.of(f.Statuses)
	}
	rest := at.all.of(f.Statuses) - from // how many are left, which are the first ones in the order of the fences
	end := sort.Search(len(at.list), func(i int) bool { return at.list[i].before.of(f.Statuses) >= rest })
	if end == len(at.list) {
		return from
	}
	w.And("s.product_id < ?::UUID", at.list[end].id)
	return at.list[end].before.of(f.Statuses) - max(0, rest)
}

// changedByID reads the matching products that changed since a stamp, and the matching rows of product_sorts of all that did, in the
// order of the page; more than mostLate are not read to the end, and many is true. The order of the stamps and the ids lead both engines to
// the indexes of these: PostgreSQL, which expects a third of all products, would look through all of them.
func (f Filter) changedByID(tx *db.Tx, until int64) (late, stale []chosen, many bool, err error) {
	var changed []id.Product
	fits := func(status Status) bool { return len(f.Statuses) == 0 || slices.Contains(f.Statuses, status) }
	err = tx.Each(func(r db.Rows) error {
		var product id.Product
		var status Status
		var deleted int64
		err := r.Scan(&product, &status, &deleted)
		changed = append(changed, product)
		if deleted == 0 && fits(status) {
			late = append(late, chosen{id: product})
		}
		return err
	}, `SELECT p.id, p.status, coalesce(p.deleted_at, 0) FROM products p WHERE p.tenant_id = $1 AND p.changed_at > $2
		ORDER BY p.changed_at LIMIT $3::BIGINT`, tx.Tenant, until, mostLate+1)
	if err != nil || len(changed) > mostLate {
		return nil, nil, true, err
	}
	err = each(tx, changed, &sortedText, "SELECT s.product_id, s.status FROM product_sorts s WHERE s.tenant_id = $1 AND s.product_id IN ", "",
		func(r db.Rows) error {
			var product id.Product
			var status Status
			err := r.Scan(&product, &status)
			if fits(status) {
				stale = append(stale, chosen{id: product})
			}
			return err
		})
	slices.SortFunc(late, f.compare)
	slices.SortFunc(stale, f.compare)
	return late, stale, false, err
}

var sortedText db.Text

// followFences makes the fences that pages have wanted since they were made, and forgets those that none wants any more.
func followFences(ctx context.Context, store *db.DB) (err error) {
	now := store.Now()
	store.Memo().Range(func(key, kept any) bool {
		tenant, is := key.(fencesOf)
		if !is {
			return true
		}
		own := kept.(*fenced)
		asked, made := time.UnixMicro(own.asked.Load()), time.UnixMicro(own.made.Load())
		switch {
		case now.Sub(asked) > fencesUnused:
			store.Memo().Delete(key)
		case asked.After(made) && (own.now.Load() == nil || now.Sub(made) >= fencesAgain):
			err = FollowFences(ctx, store, id.Tenant(tenant))
		}
		return err == nil
	})
	return err
}

// FollowFences makes the fences of an account for the rows that product_sorts has now, unless they are.
func FollowFences(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	kept, _ := store.Memo().LoadOrStore(fencesOf(tenant), new(fenced))
	own := kept.(*fenced)
	var at *fences
	err := store.ReadWide(ctx, tenant, func(tx *db.Tx) error {
		there, err := readRowsAt(tx)
		at = &fences{rows: there}
		if was := own.now.Load(); err != nil || was != nil && was.rows == there {
			at = was
			return err
		}
		number := map[Status]int{}
		for i, status := range Statuses {
			number[status] = i
		}
		rows := int64(0)
		return tx.Each(func(r db.Rows) error {
			var product id.Product
			var status Status
			if err := r.Scan((*string)(&product), (*string)(&status)); err != nil {
				return err
			}
			if rows%fenceEvery == 0 {
				at.list = append(at.list, fence{product, at.all})
			}
			rows++
			at.all[number[status]]++
			return nil
		}, "SELECT s.product_id, s.status FROM product_sorts s WHERE s.tenant_id = $1 ORDER BY s.product_id", tx.Tenant)
	})
	if err == nil {
		own.made.Store(store.Now().UnixMicro())
		own.now.Store(at)
	}
	return err
}
