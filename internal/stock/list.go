package stock

import (
	"errors"
	"slices"

	"entrepot/internal/db"
)

// Row is a level as lists and feeds show it (interface §2.7.5).
type Row struct {
	Level
	ChangedAt int64 // stamp of the tenant's change clock
	DeletedAt int64 // 0 unless deleted
}

// rowScanner reads rows of levelTable.
func rowScanner() func(db.Rows) (Row, error) {
	scan := levelTable.Scanner()
	return func(r db.Rows) (Row, error) {
		row, err := scan(r)
		row.Deleted = row.DeletedAt != 0
		return row, err
	}
}

// Filter selects the levels of a list, and the page.
type Filter struct {
	SKU       string
	Warehouse string
	Low       bool   // only levels below their threshold
	Oversold  bool   // only levels with more reserved than on hand
	Search    string // part of the product's SKU or name, in any case, or any whole SKU
	After     *Place // the last level of the page before, in place of Offset
	Limit     int
	Offset    int
}

// List reads a page of levels by SKU and warehouse, without deleted ones, and how many match in all.
func List(tx *db.Tx, f Filter) (list []Row, total int64, err error) {
	if f.Search != "" {
		return f.pageOfFound(tx)
	}
	const order = "l.sku, l.warehouse_code"
	w := f.where(tx)
	if f.Low || f.Oversold {
		w.And("l.sku > ''") // as their indexes begin (see analytics.living)
	}
	if f.SKU != "" || f.Oversold {
		return levelTable.PageFrom(tx, w, f.behind, order, f.Limit, f.Offset)
	}
	total, only, err := f.counted(tx)
	if err != nil || int64(f.Offset) >= total {
		return []Row{}, total, err
	}
	read := levelTable.Rows
	if only != "" && !f.Low && f.Offset >= deep { // a page skips rows twice as fast in the index of a warehouse, which has only its keys
		db.AndGiven(w, "l.warehouse_code = ?", only)
		read = keysFirst(only)
	}
	f.behind(w)
	if int64(f.Offset) <= total/2 {
		list, err = read(tx, w, order, f.Limit, f.Offset)
		return list, total, err
	}
	limit := int(min(int64(f.Limit), total-int64(f.Offset))) // the page is closer to the end
	list, err = read(tx, w, "l.sku DESC, l.warehouse_code DESC", limit, int(total)-f.Offset-limit)
	slices.SortFunc(list, func(a, b Row) int { return a.key().compare(b.key()) })
	return list, total, err
}

// deep is the offset from which on the keys of a page are read before its levels.
var deep = 1000

// keysFirst reads a page of a warehouse's levels: first their SKUs, in the index of the warehouse, and afterwards these
// levels.
func keysFirst(warehouse string) func(tx *db.Tx, w *db.Where, order string, limit, offset int) ([]Row, error) {
	return func(tx *db.Tx, w *db.Where, order string, limit, offset int) ([]Row, error) {
		keys, err := db.List(tx, func(r db.Rows) (levelKey, error) {
			key := levelKey{warehouse: warehouse}
			err := r.Scan(&key.sku)
			return key, err
		}, "SELECT l.sku FROM stock_levels l WHERE "+w.String()+" ORDER BY "+order+" LIMIT "+w.Bind(limit)+"::BIGINT OFFSET "+
			w.Bind(offset)+"::BIGINT", w.Args()...)
		if err != nil {
			return nil, err
		}
		return readRows(tx, keys)
	}
}

// behind adds the condition that levels come after the page before.
func (f Filter) behind(w *db.Where) {
	if f.After != nil {
		w.And("(l.sku, l.warehouse_code) > (?, ?)", f.After.SKU, f.After.Warehouse)
	}
}

// where returns all conditions but the search.
func (f Filter) where(tx *db.Tx) *db.Where {
	w := db.NewWhere(tx, "l").And("l.deleted_at IS NULL")
	db.AndGiven(w, "l.sku = ?", f.SKU)
	if !f.Low && !f.Oversold {
		db.AndGiven(w, "l.warehouse_code = ?", f.Warehouse)
		return w
	}
	db.AndGiven(w, "l.warehouse_code || '' = ?", f.Warehouse) // few are low or oversold: the index of warehouses must not lead
	if f.Low {
		w.And("l.low = TRUE")
	}
	if f.Oversold {
		w.And("CASE WHEN l.on_hand < l.reserved THEN 1 ELSE 0 END = 1") // written as in its index
	}
	return w
}

// counted returns how many levels match a filter by warehouse and low, from the maintained counts. only is the warehouse of
// all these levels, "" if they are in several.
func (f Filter) counted(tx *db.Tx) (total int64, only string, err error) {
	counts, err := prefetchCounts(tx)()
	warehouses := 0
	for warehouse, c := range counts {
		if c.Levels == 0 || f.Warehouse != "" && f.Warehouse != warehouse {
			continue
		}
		if warehouses++; f.Low {
			total += c.Low
		} else {
			total += c.Levels
		}
		only = warehouse
	}
	if warehouses > 1 {
		only = ""
	}
	return total, only, err
}

// Changes reads up to limit levels with the stamp since or a later one, oldest change first; deleted ones only on
// request (interface §4.3). It passes each to show as it is read, valid until show returns, with the columns that the
// feed shows, and returns how many they were, whether there are more, and the last one's stamp.
func Changes(tx *db.Tx, since int64, limit int, deleted bool, show func(*Row)) (count int, more bool, last int64, err error) {
	var row Row
	places := feedTable.Places(&row)
	err = tx.Each(func(r db.Rows) error {
		if count == limit {
			more = true
			return nil
		}
		if err := r.Scan(places...); err != nil {
			return err
		}
		count, last = count+1, row.ChangedAt
		show(&row)
		return nil
	}, feedTable.Select("l")+" WHERE l.tenant_id = $1 AND l.changed_at >= $2"+living(deleted)+
		" ORDER BY l.changed_at LIMIT $3::BIGINT", tx.Tenant, since, limit+1)
	return count, more, last, err
}

// Newest returns the newest stamp of a level, tombstones included; 0 when there is none.
func Newest(tx *db.Tx) (newest int64, err error) {
	err = tx.Row("SELECT changed_at FROM stock_levels WHERE tenant_id = $1 ORDER BY changed_at DESC LIMIT 1", []any{tx.Tenant}, &newest)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return newest, err
}

// Count counts the levels with a stamp from since to before until, without deleted ones.
func Count(tx *db.Tx, since, until int64) (n int64, err error) {
	err = tx.Row("SELECT count(*) FROM stock_levels WHERE tenant_id = $1 AND changed_at >= $2 AND changed_at < $3 AND deleted_at IS NULL",
		[]any{tx.Tenant, since, until}, &n)
	return n, err
}

// All returns how many levels there are, without deleted ones.
func All(tx *db.Tx) (n int64, err error) {
	n, _, err = Filter{}.counted(tx)
	return n, err
}

// Tombstones counts the deleted levels with the stamp since or a later one. The query must not use the index by stamp,
// because that has every level.
func Tombstones(tx *db.Tx, since int64) (n int64, err error) {
	err = tx.Row("SELECT count(*) FROM stock_levels WHERE tenant_id = $1 AND deleted_at > 0 AND changed_at + 0 >= $2",
		[]any{tx.Tenant, since}, &n)
	return n, err
}

func living(deleted bool) string {
	if deleted {
		return ""
	}
	return " AND l.deleted_at IS NULL"
}

// DeleteTombstones removes up to limit tombstones that were deleted before a time, have nothing reserved, and add
// nothing to the view of the stock's value (package stockvalue). It serves every tenant.
func DeleteTombstones(tx *db.Tx, before int64, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM stock_levels WHERE (tenant_id, sku, warehouse_code) IN (SELECT tenant_id, sku, warehouse_code FROM stock_levels
		WHERE deleted_at < $1 AND reserved = 0 AND on_hand = 0 AND NOT EXISTS (SELECT 1 FROM stock_level_values k
			WHERE k.tenant_id = stock_levels.tenant_id AND k.sku = stock_levels.sku AND k.warehouse_code = stock_levels.warehouse_code) ORDER BY deleted_at LIMIT $2)`, before, limit)
}
