package catalog

import (
	"encoding/json"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// productRow is a product's own row. It counts the product's rows in other tables, so that readers skip empty ones.
type productRow struct {
	Product
	variants int64
	links    int64
}

// rowOf returns a product's row with its present parts.
func rowOf(p *Product) productRow { return productRow{*p, int64(len(p.Variants)), int64(len(p.Links))} }

// Columns of products: those that a feed and a change of prices have in common, those written when only prices change, those that a feed
// shows, and all.
var (
	sharedTable = db.NewTable("products",
		db.Col("id", func(p *productRow) any { return &p.ID }).Key(),
		db.Col("price", func(p *productRow) any { return &p.Price }),
		db.Col("compare_at_price", func(p *productRow) any { return &p.CompareAt }),
		db.Col("variant_count", func(p *productRow) any { return &p.variants }),
		db.Col("changed_at", func(p *productRow) any { return &p.ChangedAt }).Stamp(),
	).Of("product")
	updatedAt  = db.Col("updated_at", func(p *productRow) any { return &p.UpdatedAt }).Now()
	priceTable = sharedTable.Plus(updatedAt)
	feedTable  = sharedTable.Plus(
		db.Col("sku", func(p *productRow) any { return &p.SKU }).Fixed(),
		db.Col("name", func(p *productRow) any { return &p.Name }),
		db.Col("status", func(p *productRow) any { return &p.Status }),
		db.Col("media", func(p *productRow) any { return &p.Media }),
		db.Col("gtin", func(p *productRow) any { return &p.GTIN }).Null(),
		db.Col("weight", func(p *productRow) any { return &p.Weight }),
		db.Col("cost", func(p *productRow) any { return &p.Cost }),
		db.Col("tax_class", func(p *productRow) any { return &p.TaxClass }).Null(),
		db.Col("country_of_origin", func(p *productRow) any { return &p.Origin }).Null(),
		db.Col("category_count", func(p *productRow) any { return &p.links }),
		db.Col("deleted_at", func(p *productRow) any { return &p.DeletedAt }).Null().ReadOnly(),
	)
	productTable = feedTable.Plus(
		updatedAt,
		db.Col("slug", func(p *productRow) any { return &p.Slug }),
		db.Col("description", func(p *productRow) any { return &p.Description }),
		db.Col("attributes", func(p *productRow) any { return &p.Attributes }),
		db.Derived("search", func(p *productRow) any { return p.search() }),
		db.Col("created_at", func(p *productRow) any { return &p.CreatedAt }).Fixed().Now(),
	)
)

type variantRow struct {
	product id.Product
	Variant
}

var variantTable = db.NewTable("variants",
	db.Col("product_id", func(v *variantRow) any { return &v.product }).Key(),
	db.Col("id", func(v *variantRow) any { return &v.ID }).Key(),
	db.Col("position", func(v *variantRow) any { return &v.Position }),
	db.Col("sku", func(v *variantRow) any { return &v.SKU }).Fixed(),
	db.Col("name", func(v *variantRow) any { return &v.Name }),
	db.Col("price", func(v *variantRow) any { return &v.Price }),
	db.Col("compare_at_price", func(v *variantRow) any { return &v.CompareAt }),
	db.Col("gtin", func(v *variantRow) any { return &v.GTIN }).Null(),
	db.Col("weight", func(v *variantRow) any { return &v.Weight }),
	db.Col("cost", func(v *variantRow) any { return &v.Cost }),
	db.Col("tax_class", func(v *variantRow) any { return &v.TaxClass }).Null(),
	db.Col("country_of_origin", func(v *variantRow) any { return &v.Origin }).Null(),
	db.Col("attributes", func(v *variantRow) any { return &v.Attributes }),
)

// skuRow says which product or variant has a SKU of the account.
type skuRow struct {
	sku     string
	product id.Product
	variant id.Variant // "" when it is the product's own
}

var skuTable = db.NewTable("skus",
	db.Col("sku", func(s *skuRow) any { return &s.sku }),
	db.Col("product_id", func(s *skuRow) any { return &s.product }),
	db.Col("variant_id", func(s *skuRow) any { return &s.variant }).Null(),
)

type linkRow struct {
	product  id.Product
	position int64
	Link
}

var linkTable = db.NewTable("product_categories",
	db.Col("product_id", func(l *linkRow) any { return &l.product }),
	db.Col("position", func(l *linkRow) any { return &l.position }),
	db.Col("reference", func(l *linkRow) any { return &l.Reference }),
	db.Col("category_id", func(l *linkRow) any { return &l.Category }).Null(),
)

var categoryTable = db.NewTable("categories",
	db.Col("id", func(c *Category) any { return &c.ID }).Key(),
	db.Col("external_id", func(c *Category) any { return &c.ExternalID }).Null(),
	db.Col("name", func(c *Category) any { return &c.Name }),
	db.Col("slug", func(c *Category) any { return &c.Slug }),
	db.Col("parent_id", func(c *Category) any { return &c.Parent }).Null(),
	db.Col("parent_external_id", func(c *Category) any { return &c.ParentExternal }).Null(),
	db.Col("created_at", func(c *Category) any { return &c.CreatedAt }).Fixed().Now(),
	db.Col("updated_at", func(c *Category) any { return &c.UpdatedAt }).Now(),
	db.Col("changed_at", func(c *Category) any { return &c.ChangedAt }).Stamp(),
	db.Col("deleted_at", func(c *Category) any { return &c.DeletedAt }).Null().ReadOnly(),
).Of("category")

var attributeTable = db.NewTable("attributes",
	db.Col("id", func(a *Attribute) any { return &a.ID }).Fixed(),
	db.Col("code", func(a *Attribute) any { return &a.Code }),
	db.Col("label", func(a *Attribute) any { return &a.Label }),
	db.Col("type", func(a *Attribute) any { return &a.Type }),
	db.Coded("options", (*Attribute).options,
		func(a *Attribute, text string) error {
			a.Options = nil
			return json.Unmarshal([]byte(text), &a.Options)
		}),
	db.Col("created_at", func(a *Attribute) any { return &a.CreatedAt }).Fixed(),
).Of("attribute")

// Columns of publications; and together with the product's columns, for the list of a channel's publications.
var (
	publicationTable = db.NewTable("publications",
		db.Col("product_id", func(p *ChannelPublication) any { return &p.Product }),
		db.Col("channel_id", func(p *ChannelPublication) any { return &p.Channel }),
		db.Col("status", func(p *ChannelPublication) any { return &p.Status }),
		db.Col("external_id", func(p *ChannelPublication) any { return &p.ExternalID }).Null(),
		db.Col("published_at", func(p *ChannelPublication) any { return &p.PublishedAt }).Null(),
		db.Col("error", func(p *ChannelPublication) any { return &p.Error }).Null(),
		db.Col("external_url", func(p *ChannelPublication) any { return &p.ExternalURL }).Null(),
	).Of("publication")
	channelTable = publicationTable.Plus(
		db.Joined("p.sku", func(p *ChannelPublication) any { return &p.SKU }),
		db.Joined("p.name", func(p *ChannelPublication) any { return &p.Name }),
	)
)
