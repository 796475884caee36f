package drafts

import (
	"net/url"
	"slices"

	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/limits"
	"entrepot/internal/patch"
)

// ReadProduct reads a product (interface §2.7.1). Of a change every member is optional.
func ReadProduct(o *apijson.Object, to Purpose) catalog.Draft {
	o.Record(to.named("ProductInput", "UpdateProduct"))
	d := catalog.Draft{
		SKU:         o.Text("sku", apijson.Text{Required: to.makes(), Filled: true}).Value,
		Name:        o.Text("name", apijson.Text{Required: to.makes(), Filled: true, Max: limits.MaxProductName}),
		Price:       o.Money("price", apijson.Money{Required: to.makes() || o.Has("price")}),
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
	if to == ToUpdate {
		d.Replace = o.Bool("replaceVariants").Value
	}
	o.Object("stock", func(s *apijson.Object) {
		s.Record("StockInput")
		d.Stock = append(d.Stock, readStockInput(s, false))
	})
	d.Stock = append(d.Stock, readLevels(o)...)
	levels := len(d.Stock)
	for i := range d.Variants {
		levels += len(d.Variants[i].Stock)
	}
	if levels > limits.MaxLevels {
		o.AddError("levels", "must be at most %d of a product with its variants, not %d", limits.MaxLevels, levels)
	}
	o.NotNull("sku", "name", "price")
	return d
}

func readVariant(o *apijson.Object) catalog.VariantDraft {
	o.Record("VariantInput")
	v := catalog.VariantDraft{
		SKU:        o.Text("sku", apijson.Text{Required: true}).Value,
		Name:       o.Text("name", apijson.Text{Max: limits.MaxProductName}),
		Price:      o.Money("price", apijson.Money{}),
		CompareAt:  o.Money("compareAtPrice", apijson.Money{}),
		Attributes: o.Free("attributes", true),
	}
	if quantity := o.Int("stock", apijson.Int{Max: limits.MaxStock}); quantity.Given() {
		v.Stock = append(v.Stock, catalog.StockDraft{Quantity: quantity.Value})
	}
	v.Stock = append(v.Stock, readLevels(o)...)
	return v
}

// readLevels reads the stock of a SKU in several warehouses, which takes the place of stock.
func readLevels(o *apijson.Object) (list []catalog.StockDraft) {
	given := o.List("levels", apijson.List{Max: limits.MaxLevels}, func(i int, l *apijson.Object) {
		l.Record("LevelInput")
		d := readStockInput(l, true)
		if slices.ContainsFunc(list, func(other catalog.StockDraft) bool { return other.Warehouse == d.Warehouse }) && d.Warehouse != "" {
			l.AddError("warehouseCode", "must be another one than those before it")
		}
		list = append(list, d)
	})
	if given.Given() && o.Has("stock") {
		o.AddError("levels", "must not be given together with stock")
	}
	return list
}

// readStockInput reads the stock in one warehouse; named says that it does not leave the warehouse to the default.
func readStockInput(o *apijson.Object, named bool) catalog.StockDraft {
	return catalog.StockDraft{
		Warehouse: o.Text("warehouseCode", apijson.Text{Required: named, Max: limits.MaxWarehouseCode}).Value,
		Quantity:  o.Int("quantity", apijson.Int{Required: true, Max: limits.MaxStock}).Value,
		Listed:    named,
	}
}

// readImages reads the whole list of images; an image without a position gets its index in the list.
func readImages(o *apijson.Object) (f patch.Field[[]catalog.ImageDraft]) {
	var list []catalog.ImageDraft
	given := o.List("images", apijson.List{Max: limits.MaxImages}, func(i int, one *apijson.Object) {
		one.Record("ImageInput")
		address := one.Text("url", apijson.Text{Required: true, Max: limits.MaxImageURL, Format: "uri"}).Value
		one.Describe("url", apijson.Like(`^\s*[Hh][Tt][Tt][Pp][Ss]?://`))
		if address != "" && !isWebAddress(address) {
			one.AddError("url", "must be an absolute http or https URL")
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
