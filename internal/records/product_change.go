package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/catalog"
)

// WriteFieldChanges writes the entries of a dry run for the fields of one product (interface §4.2).
func WriteFieldChanges(w *apijson.Writer, r *catalog.Change) {
	for _, field := range r.Named() {
		WriteFieldChange(w, field, func(name string) { w.Raw(name, fieldText(r.Before, field)) },
			func(name string) { w.Raw(name, fieldText(&r.After, field)) })
	}
}

// WriteFieldChange writes the old and new value of a field in a dry run; each function gets the member's name.
func WriteFieldChange(w *apijson.Writer, field string, from, to func(name string)) {
	w.Record("FieldChange", "")
	w.Text("field", field)
	from("from")
	to("to")
	w.End()
}

// fieldText is a product's field as JSON, null without a product.
func fieldText(p *catalog.Product, field string) string {
	if p == nil {
		return "null"
	}
	w := apijson.NewWriter(128)
	switch field {
	case "sku":
		w.Text("", p.SKU)
	case "name":
		w.Text("", p.Name)
	case "slug":
		w.Text("", p.Slug)
	case "description":
		w.TextOrNull("", p.Description)
	case "status":
		apijson.Word(w, "", p.Status)
	case "price":
		w.Money("", p.Price)
	case "compareAtPrice":
		w.MoneyOrNull("", p.CompareAt)
	case "gtin":
		w.TextOrNull("", p.GTIN)
	case "weight":
		w.MoneyOrNull("", p.Weight)
	case "cost":
		w.MoneyOrNull("", p.Cost)
	case "taxClass":
		w.TextOrNull("", p.TaxClass)
	case "countryOfOrigin":
		w.TextOrNull("", p.Origin)
	case "attributes":
		w.Raw("", p.Attributes)
	case "categoryIds":
		w.List("")
		for _, l := range p.Links {
			w.Text("", l.Reference)
		}
		w.EndList()
	case "images":
		w.List("")
		for _, i := range p.Images() {
			w.Object("")
			w.Text("url", i.URL)
			w.Int("position", i.Position)
			w.End()
		}
		w.EndList()
	case "variants":
		w.List("")
		for _, v := range p.Variants {
			w.Object("")
			w.Text("sku", v.SKU)
			w.Text("name", v.Name)
			w.MoneyOrNull("price", v.Price)
			w.MoneyOrNull("compareAtPrice", v.CompareAt)
			writeTrade(w, &v.Trade)
			w.Raw("attributes", v.Attributes)
			w.End()
		}
		w.EndList()
	}
	return string(w.Bytes())
}
