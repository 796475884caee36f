package channelsync

import (
	"encoding/json"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Item is what is known about one SKU on a channel's platform.
type Item struct {
	Channel         id.Channel
	SKU             string
	Product         id.Product
	Variant         id.Variant
	ExternalProduct string // "" until the platform has it
	ExternalVariant string // "" for a product without variants
	Other           string // JSON object: further ids
	ExternalItem    string // the one of them that notifications name, "" for none
	Images          string // JSON object: from this service's image ids to the platform's
	Content         string // hash of the product as last pushed; "" for variants
	Quantity        *int64 // what the platform shows, as far as is known
	Price           string // as pushed, with its reduction
	Operation       string // the platform's operation that is still processing the item
	Review          string // the platform's review of a change while the item is on sale
	StockDue        bool   // stock or price may differ between the platform and the service
	CheckDue        bool   // the platform's stock may have changed and must be read before a push
	ContentDue      bool   // the product changed since it was pushed
	Marks           int64  // how often the item became due
	Error           string // why the platform refused the last push of stock or price
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
	db.Col("external_item", func(i *Item) any { return &i.ExternalItem }),
	db.Col("images", func(i *Item) any { return &i.Images }),
	db.Col("content", func(i *Item) any { return &i.Content }),
	db.Col("quantity", func(i *Item) any { return &i.Quantity }),
	db.Col("price", func(i *Item) any { return &i.Price }),
	db.Col("operation", func(i *Item) any { return &i.Operation }),
	db.Col("review", func(i *Item) any { return &i.Review }),
	db.Col("stock_due", func(i *Item) any { return &i.StockDue }).Set(unlessMarked("stock_due")),
	db.Col("check_due", func(i *Item) any { return &i.CheckDue }).Set(unlessMarked("check_due")),
	db.Col("content_due", func(i *Item) any { return &i.ContentDue }).Set(unlessMarked("content_due")),
	db.Col("marks", func(i *Item) any { return &i.Marks }).Fixed(),
	db.Col("error", func(i *Item) any { return &i.Error }).Null(),
)

// unlessMarked replaces a column by what the item says or, if the row was marked after the item was read ($4), adds
// it to the column.
func unlessMarked(column string) string {
	return "CASE WHEN marks = $4 THEN ? ELSE " + column + " OR ? END"
}

// NewItem is an item about which nothing is known.
func NewItem(channel id.Channel, sku string, product id.Product, variant id.Variant) Item {
	return Item{Channel: channel, SKU: sku, Product: product, Variant: variant, Other: "{}", Images: "{}", fresh: true}
}

// Put queues items as they are now, new or existing. What became due since an item was read stays due.
func Put(tx db.Writer, list ...Item) {
	for _, i := range list {
		if i.fresh {
			items.Insert(tx, i)
			continue
		}
		items.Update(tx, &i, "channel_id = $2::UUID AND sku = $3", i.Channel, i.SKU, i.Marks)
	}
}

// decode decodes a JSON object of strings; for anything else the result is empty.
func decode(text string) map[string]string {
	var all map[string]string
	if json.Unmarshal([]byte(text), &all) != nil || all == nil {
		all = map[string]string{}
	}
	return all
}

// OtherIDs are the further ids of an item.
func (i Item) OtherIDs() map[string]string { return decode(i.Other) }

// ImageIDs are the platform's ids of the images of an item.
func (i Item) ImageIDs() map[string]string { return decode(i.Images) }

// SetOther sets the further ids; notified is the name of the one that notifications name.
func (i *Item) SetOther(all map[string]string, notified string) {
	i.Other, i.ExternalItem = encode(all), all[notified]
}

// SetImages sets the platform's ids of the images.
func (i *Item) SetImages(all map[string]string) { i.Images = encode(all) }

// Drop queues the deletion of an item: its SKU is not on the platform any more.
func Drop(tx db.Writer, i Item) {
	tx.Queue("DELETE FROM channel_items WHERE tenant_id = $1 "+ofChannel+" AND sku = $3", tx.TenantID(), i.Channel, i.SKU)
}
