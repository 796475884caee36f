package stock

import (
	"errors"
	"strconv"
	"strings"

	"entrepot/internal/db"
)

// Row is a level as lists and feeds show it (interface §2.7).
type Row struct {
	Level
	ChangedAt int64 // stamp of the tenant's change clock
	DeletedAt int64 // 0 while it lives
}

const rowColumns = `l.id, l.sku, l.warehouse_code, l.product_id, coalesce(l.variant_id::TEXT, ''), l.on_hand, l.reserved, coalesce(l.threshold, -1), l.low,
	l.changed_at, coalesce(l.deleted_at, 0)`

// readRows reads rows of rowColumns; room says how many to expect.
func readRows(tx *db.Tx, room int, sql string, args ...any) ([]Row, error) {
	list := make([]Row, 0, room)
	var l Row
	var threshold int64
	into := []any{(*string)(&l.ID), &l.SKU, &l.Warehouse, (*string)(&l.Product), (*string)(&l.Variant), &l.OnHand, &l.Reserved, &threshold, &l.Low, &l.ChangedAt, &l.DeletedAt}
	err := tx.Each(func(r db.Rows) error {
		err := r.Scan(into...)
		l.Threshold, l.Deleted = thresholdOf(threshold), l.DeletedAt != 0
		list = append(list, l)
		return err
	}, sql, args...)
	return list, err
}

// Filter says which levels a list shows, and which part of them.
type Filter struct {
	SKU       string
	Warehouse string
	Low       bool   // only levels below their threshold
	Search    string // part of the product's SKU or name, in any case, or the whole SKU
	Limit     int
	Offset    int
}

// List reads a page of live levels by SKU and warehouse, and how many match in all.
func List(tx *db.Tx, f Filter) (list []Row, total int64, err error) {
	args := []any{tx.Tenant}
	bind := func(v any) string {
		args = append(args, v)
		return "$" + strconv.Itoa(len(args))
	}
	from, where := " FROM stock_levels l", " WHERE l.tenant_id = $1 AND l.deleted_at IS NULL"
	if f.SKU != "" {
		where += " AND l.sku = " + bind(f.SKU)
	}
	if f.Warehouse != "" {
		where += " AND l.warehouse_code = " + bind(f.Warehouse)
	}
	if f.Low {
		where += " AND l.low = TRUE"
	}
	if f.Search != "" {
		from += " JOIN products p ON p.tenant_id = $1 AND p.id = l.product_id"
		where += " AND (p.search LIKE " + bind("%"+escape.Replace(strings.ToLower(f.Search))+"%") + ` ESCAPE '\' OR l.sku = ` + bind(f.Search) + ")"
	}
	if err := tx.Row("SELECT count(*)"+from+where, args, &total); err != nil || total <= int64(f.Offset) {
		return []Row{}, total, err
	}
	limit, offset := bind(f.Limit), bind(f.Offset)
	list, err = readRows(tx, f.Limit, "SELECT "+rowColumns+from+where+" ORDER BY l.sku, l.warehouse_code LIMIT "+limit+"::BIGINT OFFSET "+offset+"::BIGINT", args...)
	return list, total, err
}

var escape = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

// Changes reads up to limit levels whose stamp is since or later, oldest change first, and reports whether there are more;
// deleted ones are among them only on request (interface §4.3).
func Changes(tx *db.Tx, since int64, limit int, deleted bool) (list []Row, more bool, err error) {
	list, err = readRows(tx, limit+1, "SELECT "+rowColumns+" FROM stock_levels l WHERE l.tenant_id = $1 AND l.changed_at >= $2"+living(deleted)+
		" ORDER BY l.changed_at LIMIT $3::BIGINT", tx.Tenant, since, limit+1)
	if len(list) > limit {
		return list[:limit], true, err
	}
	return list, false, err
}

// Newest is the newest stamp of a level, tombstones included; 0 when there is none.
func Newest(tx *db.Tx) (newest int64, err error) {
	err = tx.Row("SELECT changed_at FROM stock_levels WHERE tenant_id = $1 ORDER BY changed_at DESC LIMIT 1", []any{tx.Tenant}, &newest)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return newest, err
}

// Count counts the levels with a stamp from since to before until.
func Count(tx *db.Tx, since, until int64, deleted bool) (n int64, err error) {
	err = tx.Row("SELECT count(*) FROM stock_levels l WHERE l.tenant_id = $1 AND l.changed_at >= $2 AND l.changed_at < $3"+living(deleted),
		[]any{tx.Tenant, since, until}, &n)
	return n, err
}

func living(deleted bool) string {
	if deleted {
		return ""
	}
	return " AND l.deleted_at IS NULL"
}

// SweepTombstones drops up to limit tombstones deleted before a time that nothing is reserved on any more. It serves every
// tenant.
func SweepTombstones(tx *db.Tx, before int64, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM stock_levels WHERE (tenant_id, sku, warehouse_code) IN
		(SELECT tenant_id, sku, warehouse_code FROM stock_levels WHERE deleted_at < $1 AND reserved = 0 AND on_hand = 0 ORDER BY deleted_at LIMIT $2)`, before, limit)
}
