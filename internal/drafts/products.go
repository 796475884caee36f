package drafts

import (
	"net/url"
	"slices"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/gtin"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/customers"
	"entrepot/internal/limits"
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
		Trade:       readTrade(o),
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
	d.Stock = readProductStock(o)
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
		Trade:      readTrade(o),
		Attributes: o.Free("attributes", true),
		Follows:    o.IsNull("ownPrice"),
	}
	levels, bounds := readLevels(o, "levels"), apijson.Int{Max: limits.MaxStock}
	if levels.read {
		bounds = onHandBounds
	}
	quantity := o.Int("stock", bounds)
	switch v.Stock = levels.given; {
	case !quantity.Given(), levels.read && (len(levels.given) > 0 || quantity.Value == levels.onHand):
	case len(levels.given) > 0:
		o.AddError("levels", "must not be given together with stock")
	case len(levels.at) > 1:
		o.AddError("stock", "is the sum of several warehouses: give quantity in levels")
	case quantity.Value < 0 || quantity.Value > limits.MaxStock:
		o.AddError("stock", "must be from 0 to %d", limits.MaxStock)
	case len(levels.at) == 1:
		v.Stock = []catalog.StockDraft{{Warehouse: levels.at[0], Quantity: quantity.Value, Listed: true}}
	default:
		v.Stock = []catalog.StockDraft{{Quantity: quantity.Value}}
	}
	return v
}

// readTrade reads what scanners, carriers, tax, customs and accounting need to know of a product or variant.
func readTrade(o *apijson.Object) catalog.TradeDraft {
	d := catalog.TradeDraft{
		GTIN:     o.Text("gtin", apijson.Text{Max: 14}),
		Weight:   o.Money("weight", apijson.Money{Max: limits.MaxWeight * money.Scale}),
		Cost:     o.Money("cost", apijson.Money{}),
		TaxClass: o.Text("taxClass", apijson.Text{Max: limits.MaxTaxClass}),
		Origin:   o.Text("countryOfOrigin", apijson.Text{}),
	}
	o.Describe("gtin", apijson.Like(`^\s*([0-9]{8}|[0-9]{12,14})?\s*$`))
	o.Describe("weight", func(s *apijson.Schema) { s.Description = "of one unit, in kilograms; " + s.Description })
	o.Describe("countryOfOrigin", apijson.Like(`^\s*([A-Za-z]{2})?\s*$`))
	if d.GTIN.Value != "" {
		if wrong := gtin.Check(d.GTIN.Value); wrong != "" {
			o.AddError("gtin", "%s", wrong)
		}
	}
	if d.Origin.Value != "" {
		code, ok := customers.Country(d.Origin.Value)
		if !ok {
			o.AddError("countryOfOrigin", "%s", customers.BadCountry)
		}
		d.Origin.Value = code
	}
	return d
}

// readProductStock reads the stock of a product's own SKU: stock in one warehouse or levels in several. Reads show
// stock as a list of levels, which is passed over.
func readProductStock(o *apijson.Object) []catalog.StockDraft {
	var one []catalog.StockDraft
	if o.IsList("stock") {
		one = readLevels(o, "stock").given
	} else {
		o.Object("stock", func(s *apijson.Object) {
			s.Record("StockInput")
			one = append(one, readStockInput(s, false))
		})
	}
	o.Describe("stock", func(s *apijson.Schema) {
		given := *s
		*s = apijson.Schema{AnyOf: []*apijson.Schema{&given, {Type: "array", Items: &apijson.Schema{},
			Description: "levels as reads show them: passed over"}}}
	})
	several := readLevels(o, "levels").given
	if len(one) > 0 && len(several) > 0 {
		o.AddError("levels", "must not be given together with stock")
	}
	return append(one, several...)
}

// levelsRead is a list of levels: those that are set, and what a read has shown.
type levelsRead struct {
	given  []catalog.StockDraft
	read   bool     // the list comes from a read: it has onHand, or nothing
	onHand int64    // the sum of what was shown
	at     []string // in which warehouses
}

// onHandBounds are wider than those of stock that is set: what was shipped and never received makes on-hand negative.
var onHandBounds = apijson.Int{Min: -1 << 50, Max: 1 << 50}

// readLevels reads the stock of a SKU in several warehouses. A level with onHand and without quantity comes from a
// read and sets nothing.
func readLevels(o *apijson.Object, name string) (r levelsRead) {
	var seen []string
	list := o.List(name, apijson.List{Max: limits.MaxLevels}, func(_ int, l *apijson.Object) {
		l.Record("LevelInput")
		if l.Has("onHand") {
			r.read = true
			r.onHand += l.Int("onHand", onHandBounds).Value
			r.at = append(r.at, l.Said("warehouseCode"))
			if !l.Has("quantity") {
				return
			}
		}
		d := readStockInput(l, true)
		if slices.Contains(seen, d.Warehouse) && d.Warehouse != "" {
			l.AddError("warehouseCode", "must be another one than those before it")
		}
		seen = append(seen, d.Warehouse)
		r.given = append(r.given, d)
	})
	r.read = r.read || list.Given() && list.Value == 0
	return r
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
