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
	Review          string // what the platform is asked for while it examines a change of what is on sale
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
	db.Col("review", func(i *Item) any { return &i.Review }),
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
		tx.Queue(`UPDATE channel_items SET product_id = $4, variant_id = $5, external_product = $6, external_variant = $7, other = $8,
				images = $9, content = $10, quantity = $11, price = $12, operation = $13, error = $14,
				stock_due = CASE WHEN marks = $15 THEN $16 ELSE stock_due OR $16 END,
				check_due = CASE WHEN marks = $15 THEN $17 ELSE check_due OR $17 END,
				content_due = CASE WHEN marks = $15 THEN $18 ELSE content_due OR $18 END, review = $19
			WHERE tenant_id = $1 AND channel_id = $2::UUID AND sku = $3`,
			tx.TenantID(), i.Channel, i.SKU, i.Product, db.Null(i.Variant), i.ExternalProduct, i.ExternalVariant, i.Other, i.Images, i.Content,
			i.Quantity, i.Price, i.Operation, db.Null(i.Error), i.Marks, i.StockDue, i.CheckDue, i.ContentDue, i.Review)
	}
}

// decode reads a JSON object of texts; of anything else it is empty.
func decode(text string) map[string]string {
	all := map[string]string{}
	_ = json.Unmarshal([]byte(text), &all)
	return all
}

// OtherIDs are the further ids of an item.
func (i Item) OtherIDs() map[string]string { return decode(i.Other) }

// ImageIDs are the platform's ids of the images of an item.
func (i Item) ImageIDs() map[string]string { return decode(i.Images) }

// SetOther keeps the further ids.
func (i *Item) SetOther(all map[string]string) { i.Other = encode(all) }

// SetImages keeps the platform's ids of the images.
func (i *Item) SetImages(all map[string]string) { i.Images = encode(all) }

// Drop queues that a SKU is not on the platform any more.
func Drop(tx db.Writer, i Item) {
	tx.Queue("DELETE FROM channel_items WHERE tenant_id = $1 "+ofChannel+" AND sku = $3", tx.TenantID(), i.Channel, i.SKU)
}

// BySKU reads one item; nil when there is none.
func BySKU(tx *db.Tx, channel id.Channel, sku string) (*Item, error) {
	list, err := items.All(tx, ofChannel+" AND sku = $3", channel, sku)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}
