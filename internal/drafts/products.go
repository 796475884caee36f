package drafts

import (
	"net/url"

	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/limits"
	"entrepot/internal/patch"
)

// ReadProduct reads a product (interface §2.7.1). In a partial one every member is optional.
func ReadProduct(o *apijson.Object, partial bool) catalog.Draft {
	o.Record(named(partial, "UpdateProduct", "ProductInput"))
	d := catalog.Draft{
		SKU:         o.Text("sku", apijson.Text{Required: !partial || o.Has("sku")}).Value,
		Name:        o.Text("name", apijson.Text{Required: !partial || o.Has("name"), Max: limits.MaxProductName}),
		Price:       o.Money("price", apijson.Money{Required: !partial || o.Has("price")}),
		Description: o.Text("description", apijson.Text{Max: limits.MaxDescription, Keep: true}),
		Slug:        o.Text("slug", apijson.Text{}),
		CompareAt:   o.Money("compareAtPrice", apijson.Money{}),
		Status:      apijson.Enum(o, "status", false, catalog.Statuses...),
		Categories:  o.Texts("categoryIds", false, limits.MaxCategories, apijson.Text{}),
		Images:      readImages(o),
		Attributes:  o.Free("attributes", true),
	}
	d.VariantsSet = o.List("variants", apijson.List{Max: limits.MaxVariants}, func(_ int, v *apijson.Object) {
		d.Variants = append(d.Variants, readVariant(v))
	}).Given()
	o.Object("stock", false, func(s *apijson.Object) {
		s.Record("StockInput")
		d.Stock = &catalog.StockDraft{
			Warehouse: s.Text("warehouseCode", apijson.Text{Max: limits.MaxWarehouseCode}).Value,
			Quantity:  s.Int("quantity", apijson.Int{Required: true, Max: limits.MaxStock}).Value,
		}
	})
	o.NotNull("sku", "name", "price")
	return d
}

func readVariant(o *apijson.Object) catalog.VariantDraft {
	o.Record("VariantInput")
	return catalog.VariantDraft{
		SKU:        o.Text("sku", apijson.Text{Required: true}).Value,
		Name:       o.Text("name", apijson.Text{Max: limits.MaxProductName}),
		Price:      o.Money("price", apijson.Money{}),
		CompareAt:  o.Money("compareAtPrice", apijson.Money{}),
		Stock:      o.Int("stock", apijson.Int{Max: limits.MaxStock}).Ptr(),
		Attributes: o.Free("attributes", true),
	}
}

// readImages reads the whole list of images; an image without a position gets its index in the list.
func readImages(o *apijson.Object) (f patch.Field[[]catalog.ImageDraft]) {
	var list []catalog.ImageDraft
	given := o.List("images", apijson.List{Max: limits.MaxImages}, func(i int, one *apijson.Object) {
		one.Record("ImageInput")
		address := one.Text("url", apijson.Text{Required: true, Max: limits.MaxImageURL, Format: "uri"}).Value
		if address != "" && !isWebAddress(address) {
			one.Fault("url", "must be an absolute http or https URL")
		}
		list = append(list, catalog.ImageDraft{URL: address, Position: one.Int("position", apijson.Int{Max: 1_000_000}).Or(int64(i))})
	})
	f.Set, f.Null, f.Value = given.Set, given.Null, list
	return f
}

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}
