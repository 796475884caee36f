package drafts

import (
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
)

// Bounds of the price change of a bulk change, in percent.
const (
	leastPercent = -100 * money.Scale
	mostPercent  = 1000 * money.Scale
)

// ReadProductBulk reads a bulk change of products and which products it is for (interface §4.5.1); preview asks only what it
// would do.
func ReadProductBulk(o *apijson.Object) (c commerce.ProductChange, choice commerce.ProductChoice, preview bool) {
	o.Record("ChangeProducts")
	c = ReadProductChange(o)
	choice.IDs = readChosenIDs(o)
	filtered := o.Object("filter", func(f *apijson.Object) { choice.Filter = readChosenFilter(f) })
	if !o.Describing() && !o.HasError("productIds") && !o.HasError("filter") && (choice.IDs != nil) == filtered.Given() {
		o.AddError("productIds", "must be given, or else filter")
	}
	return c, choice, o.Bool("preview").Value
}

// ReadProductChange reads what a bulk change does. Members of other actions are passed over.
func ReadProductChange(o *apijson.Object) (c commerce.ProductChange) {
	c.Action = apijson.Enum(o, "action", true, commerce.ProductActions...).Value
	c.Channels = distinct(apijson.UUIDs[id.Channel](o, "channelIds", false, limits.MaxBulkChannels).Value)
	c.Status = apijson.Enum(o, "status", false, catalog.Statuses...).Value
	c.Add = distinct(apijson.UUIDs[id.Category](o, "addCategoryIds", false, limits.MaxBulkCategories).Value)
	c.Remove = distinct(apijson.UUIDs[id.Category](o, "removeCategoryIds", false, limits.MaxBulkCategories).Value)
	percent := o.Money("percent", apijson.Money{Negative: true})
	amount := o.Money("amount", apijson.Money{Negative: true})
	if c.By = amount.Value; percent.Given() {
		c.By, c.Percent = percent.Value, true
	}
	if o.Describing() {
		return c
	}
	missing := func(name, text string) {
		if !o.HasError(name) {
			o.AddError(name, "%s", text)
		}
	}
	switch c.Action {
	case commerce.PublishProduct, commerce.WithdrawProduct:
		if len(c.Channels) == 0 {
			missing("channelIds", "must name at least one channel")
		}
	case commerce.ProductStatus:
		if c.Status == "" {
			missing("status", "is required")
		}
	case commerce.ProductCategories:
		if len(c.Add)+len(c.Remove) == 0 {
			missing("addCategoryIds", "or removeCategoryIds must name at least one category")
		}
	case commerce.ProductPrice:
		switch {
		case percent.Given() == amount.Given():
			missing("percent", "must be given, or else amount")
		case c.Percent && c.By < leastPercent:
			missing("percent", "must be at least "+strconv.Itoa(leastPercent/money.Scale))
		case c.Percent && c.By > mostPercent:
			missing("percent", "must be at most "+strconv.Itoa(mostPercent/money.Scale))
		}
	}
	return c
}

func readChosenIDs(o *apijson.Object) []id.Product {
	list := apijson.UUIDs[id.Product](o, "productIds", false, limits.MaxBulkChosen)
	if !list.Given() {
		return nil
	}
	if len(list.Value) == 0 && !o.HasError("productIds") && !o.Describing() {
		o.AddError("productIds", "must name at least one product")
	}
	return append([]id.Product{}, distinct(list.Value)...)
}

// readChosenFilter reads a filter of the list of products.
func readChosenFilter(o *apijson.Object) (f catalog.Filter) {
	o.Record("ProductFilter")
	f.Search, f.SKU = o.Text("search", apijson.Text{}).Value, o.Text("sku", apijson.Text{}).Value
	for i, status := range o.Texts("status", false, len(catalog.Statuses), apijson.Text{}).Value {
		if !slices.Contains(catalog.Statuses, catalog.Status(status)) {
			o.AddError("status["+strconv.Itoa(i)+"]", "must be one of %s", words(catalog.Statuses))
		}
		f.Statuses = append(f.Statuses, catalog.Status(status))
	}
	o.Describe("status", func(s *apijson.Schema) {
		for _, status := range catalog.Statuses {
			s.Items.Enum = append(s.Items.Enum, status)
		}
	})
	f.Category = apijson.UUID[id.Category](o, "categoryId", false).Value
	f.Channel = apijson.UUID[id.Channel](o, "channelId", false).Value
	return f
}

// words joins some words by commas.
func words[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, word := range list {
		texts[i] = string(word)
	}
	return strings.Join(texts, ", ")
}

// distinct removes the entries of a list that stood in it before.
func distinct[T comparable](list []T) (out []T) {
	for _, one := range list {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}
