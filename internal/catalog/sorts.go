package catalog

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// The table product_sorts keeps products by name and price, with their statuses. It is updated some time after the change clock: it has all
// changes up to one stamp. A list reads the table in its order, leaves out the products that changed since, and adds
// these in their place. So a write of products costs nothing for the sorts, and a list is exact nevertheless
// (decision 9).

// Bounds of the updates of product_sorts.
const (
	sortAt    = 200 // changed products from which an update is worth its cost
	leastSort = 500 // products in one transaction
	mostSort  = 8000
)

// sortAnyway is the number of changed products from which the update does not wait for a pause. Tests lower it.
var sortAnyway = 100_000

// SortRest is how long an account's products must be unchanged before their sorts are updated, so that this does not
// happen in the middle of an import.
const SortRest = 5 * time.Second

// sortLock is the lock of the writers of product_sorts: one at a time in an account. Its holder waits for no record
// (decision 5).
const sortLock = "product sorts"

// FollowSorts updates the sorts of every account with what has changed. It serves every tenant.
func FollowSorts(ctx context.Context, store *db.DB) error {
	var behind []id.Tenant
	err := store.Peek(ctx, db.Across, func(tx *db.Tx) (err error) {
		behind, err = db.List(tx, func(r db.Rows) (t id.Tenant, err error) { return t, r.Scan(&t) },
			// The default 0 is inside the subquery: under row-level security, PostgreSQL uses no COALESCE as the bound
			// of an index.
			`SELECT t.tenant_id FROM tenants t WHERE EXISTS (SELECT 1 FROM products p WHERE p.tenant_id = t.tenant_id
				AND p.changed_at > (SELECT coalesce(max(u.stamp), 0) FROM product_sorts_until u WHERE u.tenant_id = t.tenant_id)
				ORDER BY p.changed_at LIMIT 1 OFFSET $1::BIGINT) ORDER BY t.tenant_id`, sortAt-1)
		return err
	})
	for _, tenant := range behind {
		if err == nil {
			err = FollowSort(ctx, store, tenant, SortRest)
		}
	}
	return err
}

// FollowSort updates the sorts of one account with all that has changed, if nothing changed for the time rest; 0 is at once.
func FollowSort(ctx context.Context, store *db.DB, tenant id.Tenant, rest time.Duration) error {
	stride := store.NewBatchSize(leastSort, mostSort)
	for sure := 0; ; {
		var n, left int
		var took time.Duration
		err := store.Write(ctx, tenant, func(tx *db.Tx) (err error) {
			begun := store.Now()
			if n, left, err = followSome(tx, rest, stride.Size, sure); err == nil {
				err = tx.Flush()
			}
			took = store.Now().Sub(begun)
			return err
		})
		if err != nil || n < stride.Size {
			return err
		}
		stride.Next(ctx, took)
		sure = left
	}
}

// sorted is a product with its sort values.
type sorted struct {
	id      id.Product
	name    string
	price   int64
	status  Status
	changed int64
	deleted bool
}

// followSome applies the next changes in their order, at most step of them, and returns how many. It does not ask whether
// it should wait while sure many changes are known to be enough for not waiting; left is that number after it.
func followSome(tx *db.Tx, rest time.Duration, step, sure int) (n, left int, err error) {
	if err := tx.LockName(sortLock); err != nil {
		return 0, 0, err
	}
	until, err := sortedUntil(tx)
	if err != nil {
		return 0, 0, err
	}
	if rest > 0 && sure <= 0 { // without rest whatever the clock says: stamps may be ahead of it
		wait, plenty, err := stillChanging(tx, until, tx.Micros()-rest.Microseconds())
		if err != nil || wait {
			return 0, 0, err
		}
		sure = plenty
	}
	changes, err := db.List(tx, func(r db.Rows) (s sorted, err error) {
		return s, r.Scan((*string)(&s.id), &s.name, &s.price, (*string)(&s.status), &s.changed, &s.deleted)
	}, `SELECT p.id, p.name, p.price, p.status, p.changed_at, p.deleted_at IS NOT NULL FROM products p
		WHERE p.tenant_id = $1 AND p.changed_at > $2 ORDER BY p.changed_at LIMIT $3::BIGINT`, tx.Tenant, until, step)
	if err != nil || len(changes) == 0 {
		return 0, 0, err
	}
	until = changes[len(changes)-1].changed
	saveSorts(tx, changes)
	tx.Queue(`INSERT INTO product_sorts_until (tenant_id, stamp) VALUES ($1, $2) ON CONFLICT (tenant_id) DO UPDATE SET stamp = excluded.stamp`,
		tx.Tenant, until)
	return len(changes), sure - len(changes), nil
}

// stillChanging reports whether a product has changed since a time and the changes are few enough to wait for a pause. If they are
// not, plenty of them are there: counting these costs as much as applying some of them, so it is not done for each transaction.
func stillChanging(tx *db.Tx, until, since int64) (wait bool, plenty int, err error) {
	var newest, last int64
	err = tx.Row("SELECT coalesce(max(changed_at), 0) FROM products WHERE tenant_id = $1", []any{tx.Tenant}, &newest)
	if err != nil || newest <= since {
		return false, 0, err
	}
	err = tx.Row("SELECT changed_at FROM products WHERE tenant_id = $1 AND changed_at > $2 ORDER BY changed_at LIMIT 1 OFFSET $3::BIGINT",
		[]any{tx.Tenant, until, sortAnyway}, &last)
	if errors.Is(err, db.ErrNoRow) {
		return true, 0, nil
	}
	return false, sortAnyway, err
}

// saveSorts queues the rows of products as they are now, in the order of their ids, which is the order of the table.
func saveSorts(tx *db.Tx, changes []sorted) {
	slices.SortFunc(changes, func(a, b sorted) int { return cmp.Compare(a.id, b.id) })
	var there []sorted
	var gone []id.Product
	for _, s := range changes {
		if s.deleted {
			gone = append(gone, s.id)
		} else {
			there = append(there, s)
		}
	}
	for piece := range db.Pieces(there) {
		args := append(make([]any, 0, 1+4*len(piece)), tx.Tenant)
		for _, s := range piece {
			args = append(args, s.id, s.name, s.price, string(s.status))
		}
		tx.Queue(sortsText.For(len(piece), func(n int) string {
			return "INSERT INTO product_sorts (tenant_id, product_id, name, price, status) VALUES " + db.Repeat(n, 2, "($1,$,$,$,$)") +
				` ON CONFLICT (tenant_id, product_id) DO UPDATE SET name = excluded.name, price = excluded.price, status = excluded.status
				WHERE product_sorts.name <> excluded.name OR product_sorts.price <> excluded.price OR product_sorts.status <> excluded.status`
		}), args...)
	}
	for piece := range db.Pieces(gone) {
		w := db.AndIn(db.NewWhere(tx, ""), "product_id", piece)
		tx.Queue("DELETE FROM product_sorts WHERE "+w.String(), w.Args()...)
	}
}

var sortsText db.Text

// sortedUntil is the stamp of the last change that the sorts include.
func sortedUntil(tx *db.Tx) (stamp int64, err error) {
	err = tx.Row("SELECT coalesce(max(stamp), 0) FROM product_sorts_until WHERE tenant_id = $1", []any{tx.Tenant}, &stamp)
	return stamp, err
}

// walkSorts reads a page of matching products in the order of name or price: those unchanged since the sorts were
// updated, in the index of the sort alone, merged with those changed since.
func (f Filter) walkSorts(tx *db.Tx, fit fit) ([]id.Product, error) {
	until, err := sortedUntil(tx)
	if err != nil {
		return nil, err
	}
	late, err := f.changedSince(tx, until, fit)
	if err != nil {
		return nil, err
	}
	stale, err := f.staleSince(tx, until, fit)
	if err != nil {
		return nil, err
	}
	w := db.NewWhere(tx, "s")
	fit(w, inSorts)
	from := max(0, f.Offset-len(late)) // this many of the changed products may come before
	column := "s." + string(f.Sort)
	list, err := f.listChosen(tx, "SELECT s.product_id, "+column+" FROM product_sorts s WHERE "+w.String()+
		" ORDER BY "+column+f.direction()+", s.product_id"+f.direction()+
		" LIMIT "+w.Bind(f.Limit+len(late)+len(stale))+"::BIGINT OFFSET "+w.Bind(from)+"::BIGINT", w.Args()...)
	if err != nil {
		return nil, err
	}
	return f.mergePage(list, stale, late, from), nil
}

// behindStamp is the condition that a product changed since a stamp. The stamp is part of the text: where it is an argument, PostgreSQL
// plans for any stamp, and looks through all products.
func behindStamp(until int64) string { return "p.changed_at > " + strconv.FormatInt(until, 10) }

// changedSince reads the matching products that changed since a stamp, in the order of the page.
func (f Filter) changedSince(tx *db.Tx, until int64, fit fit) ([]chosen, error) {
	w := db.NewWhere(tx, "p").And("p.deleted_at IS NULL AND " + behindStamp(until))
	fit(w, inProducts)
	late, err := f.listChosen(tx, "SELECT p.id, p."+string(f.Sort)+" FROM products p WHERE "+w.String(), w.Args()...)
	slices.SortFunc(late, f.compare)
	return late, err
}

// staleSince reads the rows of the sorts that match but whose products changed or were deleted since a stamp, in the order of the page.
func (f Filter) staleSince(tx *db.Tx, until int64, fit fit) ([]chosen, error) {
	w := db.NewWhere(tx, "p").And(behindStamp(until) + " AND s.tenant_id = $1 AND s.product_id = p.id")
	fit(w, inSorts)
	stale, err := f.listChosen(tx, "SELECT s.product_id, s."+string(f.Sort)+" FROM products p CROSS JOIN product_sorts s WHERE "+w.String(),
		w.Args()...)
	slices.SortFunc(stale, f.compare)
	return stale, err
}

// listChosen reads products with their sort values.
func (f Filter) listChosen(tx *db.Tx, sql string, args ...any) ([]chosen, error) {
	return db.List(tx, func(r db.Rows) (c chosen, err error) {
		if f.Sort == ByName {
			return c, r.Scan((*string)(&c.id), &c.text)
		}
		return c, r.Scan((*string)(&c.id), &c.number)
	}, sql, args...)
}

// mergePage merges two lists in the page's order. The first is a part of the sorts, behind from of its rows; the stale
// ones are left out. The second, late, is complete.
func (f Filter) mergePage(list, stale, late []chosen, from int) []id.Product {
	page := db.MergePage(list, stale, late, f.compare, from, f.Offset, f.Limit)
	ids := make([]id.Product, len(page))
	for i := range page {
		ids[i] = page[i].id
	}
	return ids
}

// RepeatSort queues the row of a product in product_sorts as the product is, unless the next update will do it.
func RepeatSort(tx *db.Tx, product id.Product) error {
	if err := tx.LockName(sortLock); err != nil {
		return err
	}
	until, err := sortedUntil(tx)
	if err != nil {
		return err
	}
	s := sorted{id: product, deleted: true}
	err = tx.Row("SELECT name, price, status, changed_at, deleted_at IS NOT NULL FROM products WHERE tenant_id = $1 AND id = $2::UUID",
		[]any{tx.Tenant, product}, &s.name, &s.price, (*string)(&s.status), &s.changed, &s.deleted)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	if err == nil && s.changed <= until {
		saveSorts(tx, []sorted{s})
	}
	return err
}
