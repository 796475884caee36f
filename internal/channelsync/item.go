package channelsync

import (
	"encoding/json"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Item is what is known of one SKU on a channel's platform.
type Item struct {
	Channel         id.Channel
	SKU             string
	Product         id.Product
	Variant         id.Variant
	ExternalProduct string // "" until the platform has it
	ExternalVariant string // "" for a product without variants
	Other           string // JSON object: further ids
	Images          string // JSON object: our image id to the platform's
	Content         string // hash of what was pushed of the product; "" for variants
	Quantity        *int64 // what the platform shows as far as we know
	Price           string // as pushed, with its reduction
	Operation       string // what the platform is asked for while it works on it
	StockDue        bool   // stock or price may differ from what is here
	CheckDue        bool   // the platform's number may have changed: read it first
	ContentDue      bool   // the product changed since it was pushed
	Marks           int64  // how often anything became due
	Error           string // why the last push of stock or price was refused
	fresh           bool   // not stored yet
}

var items = db.NewTable("channel_items",
	db.Col("channel_id", func(i *Item) any { return &i.Channel }).Fixed(),
	db.Col("sku", func(i *Item) any { return &i.SKU }).Fixed(),
	db.Col("product_id", func(i *Item) any { return &i.Product }),
	db.Col("variant_id", func(i *Item) any { return &i.Variant }).Null(),
	db.Col("external_product", func(i *Item) any { return &i.ExternalProduct }),
	db.Col("external_variant", func(i *Item) any { return &i.ExternalVariant }),
	db.Col("other", func(i *Item) any { return &i.Other }),
	db.Col("images", func(i *Item) any { return &i.Images }),
	db.Col("content", func(i *Item) any { return &i.Content }),
	db.Col("quantity", func(i *Item) any { return &i.Quantity }),
	db.Col("price", func(i *Item) any { return &i.Price }),
	db.Col("operation", func(i *Item) any { return &i.Operation }),
	db.Col("stock_due", func(i *Item) any { return &i.StockDue }),
	db.Col("check_due", func(i *Item) any { return &i.CheckDue }),
	db.Col("content_due", func(i *Item) any { return &i.ContentDue }),
	db.Col("marks", func(i *Item) any { return &i.Marks }),
	db.Col("error", func(i *Item) any { return &i.Error }).Null(),
)

// NewItem is an item of which nothing is known.
func NewItem(channel id.Channel, sku string, product id.Product, variant id.Variant) Item {
	return Item{Channel: channel, SKU: sku, Product: product, Variant: variant, Other: "{}", Images: "{}", fresh: true}
}

// Put queues items as they are now, new or known. What became due since an item was read stays due.
func Put(tx db.Writer, list ...Item) {
	for _, i := range list {
		if i.fresh {
			items.Insert(tx, i)
			continue
		}
		tx.Queue(
			`UPDATE channel_items SET product_id = $4, variant_id = $5, external_product = $6, external_variant = $7, other = $8, images = $9,
				content = $10,
			quantity = $11, price = $12, operation = $13, error = $14,
			stock_due = CASE WHEN marks = $15 THEN $16 ELSE stock_due OR $16 END,
				check_due = CASE WHEN marks = $15 THEN $17 ELSE check_due OR $17 END,
			content_due = CASE WHEN marks = $15 THEN $18 ELSE content_due OR $18 END
			WHERE tenant_id = $1 AND channel_id = $2::UUID AND sku = $3`,
			tx.TenantID(),
			i.Channel,
			i.SKU,
			i.Product,
			db.Null(i.Variant),
			i.ExternalProduct,
			i.ExternalVariant,
			i.Other,
			i.Images,
			i.Content,
			i.Quantity,
			i.Price,
			i.Operation,
			db.Null(i.Error),
			i.Marks,
			i.StockDue,
			i.CheckDue,
			i.ContentDue,
		)
	}
}

const fromItems = " FROM channel_items WHERE tenant_id = $1 AND channel_id = $2::UUID"

// StockDue lists items whose stock or price is due, those of one product of the platform beside each other. What the platform still works
// on is not due: it may do the later of two changes first.
func StockDue(tx *db.Tx, channel id.Channel, limit int) ([]Item, error) {
	return db.List(tx, items.Scanner(), "SELECT "+items.Columns("")+fromItems+
		" AND (stock_due OR check_due) AND external_product <> '' AND operation = '' ORDER BY external_product, sku LIMIT $3::BIGINT",
		tx.Tenant, channel, limit)
}

// OfProducts reads the items of products.
func OfProducts(tx *db.Tx, channel id.Channel, products []id.Product) (list []Item, err error) {
	for len(products) > 0 {
		piece := products[:min(256, len(products))]
		products = products[len(piece):]
		args := append([]any{tx.Tenant, channel}, db.Padded(piece)...)
		found, err := db.List(
			tx,
			items.Scanner(),
			"SELECT "+items.Columns("")+fromItems+" AND product_id IN "+db.In(len(args)-2, 3),
			args...)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// ContentDue lists products that changed since they were pushed.
func ContentDue(tx *db.Tx, channel id.Channel, limit int) ([]id.Product, error) {
	return db.List(tx, func(r db.Rows) (p id.Product, err error) { return p, r.Scan(&p) },
		"SELECT DISTINCT product_id"+fromItems+" AND content_due ORDER BY product_id LIMIT $3::BIGINT", tx.Tenant, channel, limit)
}

// Operations lists what the platform still works on, after a given one.
func Operations(tx *db.Tx, channel id.Channel, after string, limit int) ([]string, error) {
	return db.List(tx, func(r db.Rows) (o string, err error) { return o, r.Scan(&o) },
		"SELECT DISTINCT operation"+fromItems+" AND operation <> '' AND operation > $3 ORDER BY operation LIMIT $4::BIGINT", tx.Tenant, channel,
		after, limit)
}

// OfOperation lists the items on which the platform works in one operation.
func OfOperation(tx *db.Tx, channel id.Channel, operation string) ([]Item, error) {
	return db.List(tx, items.Scanner(), "SELECT "+items.Columns("")+fromItems+" AND operation = $3 ORDER BY sku", tx.Tenant, channel,
		operation)
}

// Counts says how much of a channel is due.
type Counts struct{ Stock, Content, Publications, Operations, Orders int64 }

// CountDue counts what of a channel is due, each up to a thousand.
func CountDue(tx *db.Tx, channel id.Channel) (c Counts, err error) {
	for sql, into := range map[string]*int64{
		"SELECT 1 AS one" + fromItems + " AND (stock_due OR check_due) AND external_product <> '' AND operation = ''":            &c.Stock,
		"SELECT 1 AS one" + fromItems + " AND operation <> ''":                                                                   &c.Operations,
		"SELECT 1 AS one" + fromItems + " AND content_due":                                                                       &c.Content,
		"SELECT 1 AS one FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID AND status IN ('pending', 'removing')": &c.Publications,
		"SELECT 1 AS one FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID AND channel_sync = 'pending'":                &c.Orders,
	} {
		if err := tx.Row("SELECT count(*) FROM ("+sql+" LIMIT 1000) AS due", []any{tx.Tenant, channel}, into); err != nil {
			return c, err
		}
	}
	return c, nil
}

// MarkChanges marks what changed in the account after a stamp of its clock: stock and prices of SKUs, content of products.
func MarkChanges(tx *db.Tx, channel id.Channel, since int64) error {
	for _, sql := range []string{
		`UPDATE channel_items SET stock_due = TRUE, marks = marks + 1 WHERE tenant_id = $1 AND channel_id = $2::UUID AND sku IN
			(SELECT sku FROM stock_levels WHERE tenant_id = $1 AND changed_at > $3)`,
		`UPDATE channel_items SET stock_due = TRUE, content_due = (variant_id IS NULL), marks = marks + 1
			WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id IN
			(SELECT id FROM products WHERE tenant_id = $1 AND changed_at > $3)`,
	} {
		if _, err := tx.Exec(sql, tx.Tenant, channel, since); err != nil {
			return err
		}
	}
	return nil
}

// MarkCheck queues that the platform's numbers of some SKUs may have changed.
func MarkCheck(tx db.Writer, channel id.Channel, skus []string) {
	for len(skus) > 0 {
		piece := skus[:min(256, len(skus))]
		skus = skus[len(piece):]
		args := append([]any{tx.TenantID(), channel}, db.Padded(piece)...)
		tx.Queue(
			"UPDATE channel_items SET check_due = TRUE, marks = marks + 1 WHERE tenant_id = $1 AND channel_id = $2::UUID AND sku IN "+db.In(
				len(args)-2,
				3,
			),
			args...)
	}
}

// MarkCheckExternal queues the same for whatever the platform calls by an id, product or variant.
func MarkCheckExternal(tx db.Writer, channel id.Channel, external string) {
	tx.Queue(`UPDATE channel_items SET check_due = TRUE, marks = marks + 1 WHERE tenant_id = $1 AND channel_id = $2::UUID
		AND (external_product = $3 OR external_variant = $3)`, tx.TenantID(), channel, external)
}

// MarkAll queues that everything of a channel is to be compared with the platform.
func MarkAll(tx db.Writer, channel id.Channel, stock, content bool) {
	tx.Queue(
		"UPDATE channel_items SET marks = marks + 1, check_due = check_due OR $3, content_due = content_due OR ($4 AND variant_id IS NULL) "+
			"WHERE tenant_id = $1 AND channel_id = $2::UUID",
		tx.TenantID(),
		channel,
		stock,
		content,
	)
}

// Forget queues that nothing of a product is on the platform any more.
func Forget(tx db.Writer, channel id.Channel, product id.Product) {
	tx.Queue(
		"DELETE FROM channel_items WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id = $3::UUID",
		tx.TenantID(),
		channel,
		product,
	)
}

// SKUOf finds the SKU that a platform calls by its ids; "" when it is not known.
func SKUOf(tx *db.Tx, channel id.Channel, product, variant string) (sku string, err error) {
	err = tx.Row(
		"SELECT coalesce(min(sku), '')"+fromItems+" AND external_product = $3 AND external_variant = $4",
		[]any{tx.Tenant, channel, product, variant},
		&sku,
	)
	return sku, err
}

// Texts of an item that are JSON objects.
func decode(text string) map[string]string {
	all := map[string]string{}
	_ = json.Unmarshal([]byte(text), &all)
	return all
}

// OtherIDs are the further ids of an item.
func (i Item) OtherIDs() map[string]string { return decode(i.Other) }

// ImageIDs are the platform's ids of the images of an item.
func (i Item) ImageIDs() map[string]string { return decode(i.Images) }

// SetOther and SetImages keep them.
func (i *Item) SetOther(all map[string]string) { i.Other = encode(all) }

// SetImages keeps the platform's ids of the images.
func (i *Item) SetImages(all map[string]string) { i.Images = encode(all) }

// Drop queues that a SKU is not on the platform any more.
func Drop(tx db.Writer, i Item) {
	tx.Queue("DELETE FROM channel_items WHERE tenant_id = $1 AND channel_id = $2::UUID AND sku = $3", tx.TenantID(), i.Channel, i.SKU)
}

// BySKU reads one item; nil when there is none.
func BySKU(tx *db.Tx, channel id.Channel, sku string) (*Item, error) {
	list, err := db.List(tx, items.Scanner(), "SELECT "+items.Columns("")+fromItems+" AND sku = $3", tx.Tenant, channel, sku)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}
