package catalog

import (
	"slices"

	"entrepot/internal/apijson"
)

// FieldChange is one field of a product before and after, as JSON; From is null on a product that is new.
type FieldChange struct{ Field, From, To string }

// Changes lists, field by field, what a change does, for a dry run (interface §4.2).
func (r *Change) Changes() []FieldChange {
	fields := r.Fields
	if r.IsNew() {
		fields = r.After.filled()
	}
	list := make([]FieldChange, 0, len(fields))
	for _, f := range fields {
		c := FieldChange{Field: f, From: "null", To: r.After.text(f)}
		if r.Before != nil {
			c.From = r.Before.text(f)
		}
		list = append(list, c)
	}
	return list
}

// filled names the fields of a new product that hold something.
func (p *Product) filled() []string {
	all := []string{"sku", "name", "slug", "description", "status", "price", "compareAtPrice", "attributes", "categoryIds",
		"images", "variants"}
	return slices.DeleteFunc(all, func(f string) bool {
		text := p.text(f)
		return text == "null" || text == "[]" || text == "{}"
	})
}

// text is a field as JSON.
func (p *Product) text(field string) string {
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
		for _, i := range p.images() {
			w.Object("")
			w.Text("url", i.url)
			w.Int("position", i.position)
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
			w.Raw("attributes", v.Attributes)
			w.End()
		}
		w.EndList()
	}
	return string(w.Bytes())
}
