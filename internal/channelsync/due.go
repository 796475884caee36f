package channelsync

import (
	"cmp"
	"errors"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// ofChannel is the condition for the items of a channel, after the tenant's condition.
const (
	ofChannel = "AND channel_id = $2::UUID"
	fromItems = " FROM channel_items WHERE tenant_id = $1 " + ofChannel
)

// StockDue lists items whose stock or price is due, after a given one (the zero Item for the first); items of one
// product on the platform are next to each other. Items that the platform is still processing are not due, because it
// may apply the later of two changes first.
func StockDue(tx *db.Tx, channel id.Channel, after Item, limit int) ([]Item, error) {
	return items.All(tx, ofChannel+" AND (stock_due OR check_due) AND external_product <> '' AND operation = ''"+
		" AND (external_product, sku) > ($3, $4) ORDER BY external_product, sku LIMIT $5::BIGINT",
		channel, after.ExternalProduct, after.SKU, limit)
}

// OfProducts reads the items of products.
func OfProducts(tx *db.Tx, channel id.Channel, products []id.Product) ([]Item, error) {
	return itemsBy(tx, channel, "product_id", products)
}

// OfSKUs reads the items of SKUs.
func OfSKUs(tx *db.Tx, channel id.Channel, skus []string) ([]Item, error) {
	return itemsBy(tx, channel, "sku", skus)
}

func itemsBy[T any](tx *db.Tx, channel id.Channel, column string, keys []T) (list []Item, err error) {
	for piece := range db.Pieces(keys) {
		found, err := items.All(tx, ofChannel+" AND "+column+" IN "+db.In(len(piece), 3), append([]any{channel}, db.Padded(piece)...)...)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// ContentDue lists products that changed since they were pushed, after a given one ("" for the first), by their ids.
func ContentDue(tx *db.Tx, channel id.Channel, after id.Product, limit int) ([]id.Product, error) {
	return db.List(tx, func(r db.Rows) (p id.Product, err error) { return p, r.Scan(&p) },
		"SELECT DISTINCT product_id"+fromItems+" AND content_due AND product_id > $3::UUID ORDER BY product_id LIMIT $4::BIGINT",
		tx.Tenant, channel, cmp.Or(after, id.BeforeAll), limit)
}

// Operations lists operations that the platform is still processing, after a given one.
func Operations(tx *db.Tx, channel id.Channel, after string, limit int) ([]string, error) {
	return working(tx, "operation", channel, after, limit)
}

// Reviews lists reviews of changes by the platform, after a given one.
func Reviews(tx *db.Tx, channel id.Channel, after string, limit int) ([]string, error) {
	return working(tx, "review", channel, after, limit)
}

func working(tx *db.Tx, column string, channel id.Channel, after string, limit int) ([]string, error) {
	return db.List(tx, func(r db.Rows) (o string, err error) { return o, r.Scan(&o) },
		"SELECT DISTINCT "+column+fromItems+" AND "+column+" <> '' AND "+column+" > $3 ORDER BY "+column+" LIMIT $4::BIGINT", tx.Tenant,
		channel, after, limit)
}

// OfOperation lists the items of one operation on the platform.
func OfOperation(tx *db.Tx, channel id.Channel, operation string) ([]Item, error) {
	return items.All(tx, ofChannel+" AND operation = $3 ORDER BY sku", channel, operation)
}

// OfReview lists the items of one review by the platform.
func OfReview(tx *db.Tx, channel id.Channel, review string) ([]Item, error) {
	return items.All(tx, ofChannel+" AND review <> '' AND review = $3 ORDER BY sku", channel, review)
}

// Counts is how much of a channel is due.
type Counts struct{ Stock, Content, Publications, Operations, Reviews, Orders int64 }

// CountDue counts what is due for a channel: publications by their stored counts, each other kind up to a thousand.
// Bounds that every row satisfies lead SQLite to the index of the kind: without them it would read all rows of the
// channel.
func CountDue(tx *db.Tx, channel id.Channel) (c Counts, err error) {
	for sql, into := range map[string]*int64{
		"SELECT 1 AS one" + fromItems + " AND (stock_due OR check_due) AND external_product > '' AND operation = ''": &c.Stock,
		"SELECT 1 AS one" + fromItems + " AND operation <> ''":                                                       &c.Operations,
		"SELECT 1 AS one" + fromItems + " AND review <> ''":                                                          &c.Reviews,
		"SELECT 1 AS one" + fromItems + " AND content_due AND product_id > '" + id.BeforeAll + "'":                   &c.Content,
		"SELECT 1 AS one FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID AND channel_sync = 'pending'":    &c.Orders,
	} {
		if err := tx.Row("SELECT count(*) FROM ("+sql+" LIMIT 1000) AS due", []any{tx.Tenant, channel}, into); err != nil {
			return c, err
		}
	}
	key := string(channel) + " "
	return c, tx.Row("SELECT coalesce(sum(n), 0)::BIGINT FROM tallies WHERE tenant_id = $1 AND name = 'publications' AND key IN ($2, $3)",
		[]any{tx.Tenant, key + "pending", key + "removing"}, &c.Publications)
}

// MarkChanges marks items as due whose stock, prices or product changed in the account after a stamp of its clock and
// up to another one. It comes no further than limit changes of either kind, and returns the stamp up to which it
// came.
func MarkChanges(tx *db.Tx, channel id.Channel, since, until int64, limit int) (int64, error) {
	for _, table := range []string{"stock_levels", "products"} {
		err := tx.Row("SELECT changed_at FROM "+table+" WHERE tenant_id = $1 AND changed_at > $2 AND changed_at < $3 "+
			"ORDER BY changed_at LIMIT 1 OFFSET $4::BIGINT", []any{tx.Tenant, since, until, limit - 1}, &until)
		if err != nil && !errors.Is(err, db.ErrNoRow) {
			return 0, err
		}
	}
	for _, sql := range []string{
		`UPDATE channel_items SET stock_due = TRUE, marks = marks + 1 WHERE tenant_id = $1 AND channel_id = $2::UUID AND sku IN
			(SELECT sku FROM stock_levels WHERE tenant_id = $1 AND changed_at > $3 AND changed_at <= $4)`,
		`UPDATE channel_items SET stock_due = TRUE, content_due = (variant_id IS NULL), marks = marks + 1
			WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id IN
			(SELECT id FROM products WHERE tenant_id = $1 AND changed_at > $3 AND changed_at <= $4)`,
	} {
		if _, err := tx.Exec(sql, tx.Tenant, channel, since, until); err != nil {
			return 0, err
		}
	}
	return until, nil
}

// MarkCheck queues that the platform's stock of some SKUs must be read again. The channel is locked: every other
// transaction that changes items has locked it before them.
func MarkCheck(tx db.Writer, channel id.Channel, skus []string) {
	for piece := range db.Pieces(skus) {
		tx.Queue("UPDATE channel_items SET check_due = TRUE, marks = marks + 1 WHERE tenant_id = $1 "+ofChannel+" AND sku IN "+
			db.In(len(piece), 3), append([]any{tx.TenantID(), channel}, db.Padded(piece)...)...)
	}
}

// MarkCheckExternal is MarkCheck for a product or variant by one of the platform's ids.
func MarkCheckExternal(tx db.Writer, channel id.Channel, external string) {
	tx.Queue(`UPDATE channel_items SET check_due = TRUE, marks = marks + 1 WHERE tenant_id = $1 AND channel_id = $2::UUID
		AND (external_product = $3 OR external_variant = $3 OR external_item = $3 AND external_item <> '')`, tx.TenantID(), channel, external)
}

// Change is one that is made to all items of a channel; that it is made to some of them twice makes no difference.
type Change struct{ set string }

// The changes.
var (
	// Compared: stock and prices must be compared with what the platform is known to show.
	Compared = Change{"stock_due = TRUE, marks = marks + 1"}
	// Looked: stock and prices must be compared with what the platform shows.
	Looked = Change{"check_due = TRUE, marks = marks + 1"}
	// Content: products must be compared with what was pushed.
	Content = Change{"content_due = (content_due OR variant_id IS NULL), marks = marks + 1"}
	// Forgotten clears every item after the channel was pointed at another shop, where the old ids mean other things.
	// Products are pushed again and matched by SKU.
	Forgotten = Change{`external_product = '', external_variant = '', other = '{}', external_item = '', images = '{}',
		content = '', quantity = NULL, price = '', operation = '', review = '', error = NULL,
		content_due = (content_due OR (variant_id IS NULL AND external_product <> '')), marks = marks + 1`}
)

// All queues that a change is made to all items of a channel.
func (c Change) All(tx db.Writer, channel id.Channel) {
	tx.Queue("UPDATE channel_items SET "+c.set+" WHERE tenant_id = $1 "+ofChannel, tx.TenantID(), channel)
}

// Some changes at most limit items of a channel, in the order of their SKUs behind a given one. It returns the last;
// "" if there are none left.
func (c Change) Some(tx *db.Tx, channel id.Channel, after string, limit int) (last string, err error) {
	err = tx.Row("SELECT coalesce(max(sku), '') FROM (SELECT sku"+fromItems+" AND sku > $3 ORDER BY sku LIMIT $4::BIGINT) AS piece",
		[]any{tx.Tenant, channel, after, limit}, &last)
	if err == nil && last != "" {
		tx.Queue("UPDATE channel_items SET "+c.set+" WHERE tenant_id = $1 "+ofChannel+" AND sku > $3 AND sku <= $4",
			tx.Tenant, channel, after, last)
	}
	return last, err
}

// Doubt queues that it is not known what the platform shows of some SKUs: stock and price are pushed again, and with
// content the product.
func Doubt(tx db.Writer, channel id.Channel, skus []string, content bool) {
	for piece := range db.Pieces(skus) {
		tx.Queue(`UPDATE channel_items SET quantity = NULL, price = '', stock_due = TRUE, marks = marks + 1,
			content = CASE WHEN $3 THEN '' ELSE content END, content_due = content_due OR ($3 AND variant_id IS NULL)
			WHERE tenant_id = $1 `+ofChannel+` AND sku IN `+db.In(len(piece), 4),
			append([]any{tx.TenantID(), channel, content}, db.Padded(piece)...)...)
	}
}

// Forget queues the deletion of a product's items: nothing of it is on the platform any more.
func Forget(tx db.Writer, channel id.Channel, product id.Product) {
	tx.Queue("DELETE FROM channel_items WHERE tenant_id = $1 "+ofChannel+" AND product_id = $3::UUID", tx.TenantID(), channel, product)
}

// SKUOf finds the SKU of a platform's ids; "" if they are unknown.
func SKUOf(tx *db.Tx, channel id.Channel, product, variant string) (sku string, err error) {
	err = tx.Row("SELECT coalesce(min(sku), '')"+fromItems+" AND external_product = $3 AND external_variant = $4",
		[]any{tx.Tenant, channel, product, variant}, &sku)
	return sku, err
}
