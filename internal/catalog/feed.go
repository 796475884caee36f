package catalog

import (
	"errors"

	"entrepot/internal/db"
)

// Changes reads up to limit products with the stamp since or a later one, oldest change first; deleted ones only on
// request (interface §4.3). It reads only the columns that the feed shows, and passes the products to show in order:
// one at a time while they are read, valid until show returns, and from the first one with variants or categories on
// all together. It returns how many they were, whether there are more, and the last one's stamp.
func Changes(tx *db.Tx, since int64, limit int, deleted bool, show func([]*Product) error) (count int, more bool, last int64, err error) {
	c := newCollector(feedTable, 0)
	one := []*Product{&c.row.Product}
	err = tx.Each(func(r db.Rows) error {
		if count == limit {
			more = true
			return nil
		}
		if err := r.Scan(c.places...); err != nil {
			return err
		}
		count, last = count+1, c.row.ChangedAt
		if len(c.list) > 0 || c.row.variants+c.row.links > 0 {
			c.keep()
			return nil
		}
		return show(one)
	}, feedTable.Select("p")+" WHERE p.tenant_id = $1 AND p.changed_at >= $2"+living("p", deleted)+
		" ORDER BY p.changed_at LIMIT $3::BIGINT", tx.Tenant, since, limit+1)
	if err == nil && len(c.list) > 0 {
		if err = c.fetch(tx); err == nil {
			err = show(c.list)
		}
	}
	return count, more, last, err
}

// CategoryChanges is Changes for categories.
func CategoryChanges(tx *db.Tx, since int64, limit int, deleted bool) (list []Category, more bool, err error) {
	list, err = db.List(tx, categoryTable.Scanner(), categoryTable.Select("c")+" WHERE c.tenant_id = $1 AND c.changed_at >= $2"+
		living("c", deleted)+" ORDER BY c.changed_at LIMIT $3::BIGINT", tx.Tenant, since, limit+1)
	more = len(list) > limit
	return list[:min(limit, len(list))], more, err
}

func living(table string, deleted bool) string {
	if deleted {
		return ""
	}
	return " AND " + table + ".deleted_at IS NULL"
}

// Feed is a table whose rows carry stamps.
type Feed string

// The feeds of this package.
const (
	Products   Feed = "products"
	Categories Feed = "categories"
)

// Newest returns the newest stamp in a feed, tombstones included; 0 when the feed is empty. While it is unchanged, all
// counts of the feed are unchanged, too.
func (f Feed) Newest(tx *db.Tx) (newest int64, err error) {
	err = tx.Row("SELECT changed_at FROM "+string(f)+" WHERE tenant_id = $1 ORDER BY changed_at DESC LIMIT 1", []any{tx.Tenant}, &newest)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return newest, err
}

// Count counts the rows with a stamp from since to before until, without deleted ones.
func (f Feed) Count(tx *db.Tx, since, until int64) (n int64, err error) {
	err = tx.Row("SELECT count(*) FROM "+string(f)+" WHERE tenant_id = $1 AND changed_at >= $2 AND changed_at < $3 AND deleted_at IS NULL",
		[]any{tx.Tenant, since, until}, &n)
	return n, err
}

// All returns how many rows there are, without deleted ones.
func (f Feed) All(tx *db.Tx) (n int64, err error) {
	if f != Products {
		err = tx.Row("SELECT count(*) FROM "+string(f)+" WHERE tenant_id = $1 AND deleted_at IS NULL", []any{tx.Tenant}, &n)
		return n, err
	}
	counts, err := Counts(tx)
	for _, of := range counts {
		n += of
	}
	return n, err
}

// Tombstones counts the deleted rows with the stamp since or a later one. The query must not start from the stamps,
// because their index has every row.
func (f Feed) Tombstones(tx *db.Tx, since int64) (n int64, err error) {
	err = tx.Row("SELECT count(*) FROM "+string(f)+" WHERE tenant_id = $1 AND deleted_at > 0 AND changed_at + 0 >= $2",
		[]any{tx.Tenant, since}, &n)
	return n, err
}

// DeleteTombstones removes up to limit tombstones of products and categories deleted before a time. It serves every tenant.
func DeleteTombstones(tx *db.Tx, before int64, limit int) (deleted int64, err error) {
	for _, f := range []Feed{Products, Categories} {
		held := ""
		if f == Products { // lists by name and price leave a deleted product out because of its tombstone
			held = " AND NOT EXISTS (SELECT 1 FROM product_sorts s WHERE s.tenant_id = products.tenant_id AND s.product_id = products.id)"
		}
		n, err := tx.Exec("DELETE FROM "+string(f)+" WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM "+string(f)+
			" WHERE deleted_at < $1"+held+" ORDER BY deleted_at LIMIT $2)", before, limit)
		if err != nil {
			return deleted, err
		}
		deleted += n
	}
	return deleted, nil
}
