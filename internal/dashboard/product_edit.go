package dashboard

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
)

// changeProduct runs a form of the page that changes the product by a draft; words is the message afterwards.
func (d *Dashboard) changeProduct(
	r *request,
	build func(productPage) *form,
	words string,
	read func(f *form, p productPage) (catalog.Draft, error),
) (
	answer, error) {
	p, err := r.readProductPage()
	if err != nil {
		return answer{}, err
	}
	f := build(p)
	if f == nil {
		return answer{}, apperr.New(apperr.Conflict, "conflict", "there is nothing to enter here any more")
	}
	return r.submit(f, d.showProduct, func(f *form) (answer, error) {
		draft, err := read(f, p)
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateProduct(tx, r.caller(), p.product.ID, commerce.Expected{}, draft)
			return redirect(p.path(""), words), err
		})
	})
}

func readChange(f *form, _ productPage) (catalog.Draft, error) {
	o := f.Object()
	draft := drafts.ReadProduct(o, drafts.ToUpdate)
	return draft, o.Err()
}

// updateProduct serves POST /products/{id}.
func (d *Dashboard) updateProduct(r *request) (answer, error) {
	return d.changeProduct(r, func(p productPage) *form { return p.fields(r) }, "Saved", readChange)
}

// updateCategories serves POST /products/{id}/categories: those that are ticked, and the one that was named.
func (d *Dashboard) updateCategories(r *request) (answer, error) {
	return d.changeProduct(r, func(p productPage) *form { return p.categoryForm(r) }, "Saved",
		func(f *form, p productPage) (catalog.Draft, error) {
			draft, err := readChange(f, p)
			said := strings.TrimSpace(f.Value("add"))
			if err != nil || said == "" || f.find("add") == nil {
				return draft, err
			}
			return draft, r.readWide(func(tx *db.Tx) error {
				which, err := categoryNamed(tx, "add", said)
				draft.Categories.Value = append(slices.Clone(draft.Categories.Value), string(which))
				return err
			})
		})
}

// updateVariants serves POST /products/{id}/variants.
func (d *Dashboard) updateVariants(r *request) (answer, error) {
	return d.changeProduct(r, func(p productPage) *form { return p.variants(r) }, "Variants saved", readChange)
}

// updateImages serves POST /products/{id}/images: blank entries are removed.
func (d *Dashboard) updateImages(r *request) (answer, error) {
	return d.changeProduct(
		r,
		func(p productPage) *form { return p.images(r) },
		"Images saved",
		func(f *form, p productPage) (catalog.Draft, error) {
			draft, err := readChange(f, p)
			if !draft.Images.Set {
				draft.Images = patch.To([]catalog.ImageDraft{})
			}
			return draft, err
		},
	)
}

// updateAttributes serves POST /products/{id}/attributes: blank ones are removed, and those that the form does not
// have stay.
func (d *Dashboard) updateAttributes(r *request) (answer, error) {
	return d.changeProduct(r, func(p productPage) *form { return p.attributeForm(r) }, "Attributes saved",
		func(f *form, p productPage) (catalog.Draft, error) {
			values := attributesOf(p.product)
			types := map[string]catalog.AttributeType{}
			for _, a := range p.attributes {
				types[a.Code] = a.Type
			}
			for _, in := range f.Fields {
				code := strings.TrimPrefix(in.Name, "value-")
				if f.Value(in.Name) == in.shown { // an unchanged value keeps its type
					continue
				}
				value, err := attributeValue(types[code], strings.TrimSpace(f.Value(in.Name)), f.point)
				switch {
				case err != nil:
					return catalog.Draft{}, apperr.At(in.Name, "%s", err.Error())
				case value == nil:
					delete(values, code)
				default:
					values[code] = value
				}
			}
			whole, err := json.Marshal(values)
			return catalog.Draft{Attributes: patch.To(string(whole))}, err
		})
}

// attributeValue is what was typed, as JSON of the attribute's type; nil for nothing. point is what the locale writes
// before decimals.
func attributeValue(kind catalog.AttributeType, said, point string) (json.RawMessage, error) {
	if said == "" {
		return nil, nil
	}
	switch kind {
	case "number":
		plain, unclear := typedDecimal(said, point, 3)
		if unclear != "" {
			return nil, apperr.New(apperr.Invalid, "validation_failed", "%s", unclear)
		}
		if !numeral.MatchString(plain) {
			return nil, apperr.New(apperr.Invalid, "validation_failed", "must be a number")
		}
		return json.RawMessage(plain), nil
	case "boolean":
		return json.RawMessage(strconv.FormatBool(said == "true")), nil
	}
	return text(said), nil
}

// amountText is an amount of a currency as a form shows it, "" for none. It is exact, so that sending the form again
// changes nothing.
func amountText(a *money.Amount, currency string) string {
	switch {
	case a == nil:
		return ""
	case a.Round(money.Digits(currency)) != *a:
		return a.String()
	}
	return a.Text(currency)
}

func (p productPage) fields(r *request) *form {
	currency := r.caller().Currency
	return r.editing(
		p.path(""),
		field{Name: "name", Label: "Name", Value: p.product.Name, Required: true, Max: limits.MaxProductName},
		field{Name: "price", Label: "Price in " + currency, Kind: "decimal", Digits: money.Digits(currency),
			Value: amountText(&p.product.Price, currency), Required: true},
		field{
			Name:       "compareAtPrice",
			Label:      "Price before",
			Kind:       "decimal",
			Digits:     money.Digits(r.caller().Currency),
			Value:      amountText(p.product.CompareAt, currency),
			ClearBlank: true,
			Hint:       "shown crossed out; blank for none",
		},
		field{Name: "slug", Label: "Slug", Value: p.product.Slug, Mono: true},
		field{Name: "description", Label: "Description", Kind: "textarea", Value: p.product.Description, ClearBlank: true,
			Max: limits.MaxDescription},
	)
}

// variants is the form of all variants, with a blank row for a new one.
func (p productPage) variants(r *request) *form {
	var fields []field
	for i := range len(p.product.Variants) + 1 {
		at := "variants[" + strconv.Itoa(i) + "]."
		var v catalog.Variant
		if i < len(p.product.Variants) {
			v = p.product.Variants[i]
		}
		sku := field{Name: at + "sku", Label: "SKU", Value: v.SKU, Mono: true, Placeholder: "SKU"}
		if v.SKU != "" {
			sku.Kind = "hidden"
		}
		clear := v.SKU != "" // of a blank new row nothing is sent
		fields = append(
			fields,
			sku,
			field{Name: at + "name", Label: "Name", Value: v.Name, Placeholder: "Name"},
			field{
				Name:        at + "price",
				Label:       "Price",
				Kind:        "decimal",
				Digits:      money.Digits(r.caller().Currency),
				Value:       amountText(v.Price, r.caller().Currency),
				ClearBlank:  clear,
				Placeholder: "as product",
			},
			field{
				Name:       at + "compareAtPrice",
				Label:      "Price before",
				Kind:       "decimal",
				Digits:     money.Digits(r.caller().Currency),
				Value:      amountText(v.CompareAt, r.caller().Currency),
				ClearBlank: clear, Placeholder: "none",
			},
		)
	}
	return r.editing(p.path("/variants"), fields...)
}

func (p productPage) variantRow(f *form, i int) variantRow {
	at := "variants[" + strconv.Itoa(i) + "]."
	row := variantRow{SKU: f.At(at + "sku"), Name: f.At(at + "name"), Price: f.At(at + "price"), CompareAt: f.At(at + "compareAtPrice")}
	if i < len(p.product.Variants) {
		row.To = stockPath(p.product.Variants[i].SKU)
	}
	return row
}

// moreImages are blank inputs for new images.
const moreImages = 2

func (p productPage) images(r *request) *form {
	var fields []field
	images := p.product.Images()
	for i := range min(len(images)+moreImages, limits.MaxImages) {
		f := field{Name: "images[" + strconv.Itoa(i) + "].url", Label: "Image " + strconv.Itoa(i+1), Kind: "url", Placeholder: "https://…",
			Max: limits.MaxImageURL}
		if i < len(images) {
			if f.Value = images[i].URL; r.plainImage(f.Value) {
				f.Hint = "Not shown here, because its address does not begin with https"
			}
		}
		fields = append(fields, f)
	}
	return r.editing(p.path("/images"), fields...)
}

// linkedTo are the categories of a product.
func linkedTo(p *catalog.Product) (list []id.Category) {
	for _, l := range p.Links {
		if l.Category != "" {
			list = append(list, l.Category)
		}
	}
	return list
}

// categoryForm has all categories with those of the product ticked, or, of very many, only these, and an input to add
// one.
func (p productPage) categoryForm(r *request) *form {
	if len(p.categories) == 0 {
		return nil
	}
	in := field{Name: "categoryIds", Label: "In these categories", Kind: "checks"}
	offered := map[id.Category]bool{}
	offer := func(c catalog.Category, above map[id.Category]catalog.Category) {
		offered[c.ID] = true
		in.Options = append(in.Options, option{Value: string(c.ID), Label: wholePath(c, above)})
	}
	if !p.many {
		all := byID(p.categories)
		for _, b := range treeOf(p.categories, r.format.names()) {
			offer(b.Category, all)
		}
	}
	for _, l := range p.product.Links { // links that wait for a category stay
		value := string(l.Category)
		if l.Category == "" {
			value = l.Reference
		}
		in.Values = append(in.Values, value)
		if c, ok := p.linked[l.Category]; ok && !offered[c.ID] {
			offer(c, p.linked)
		} else if !ok {
			in.Options = append(in.Options, option{Value: value, Label: l.Reference + " (not here yet)"})
		}
	}
	if !p.many {
		return r.editing(p.path("/categories"), in)
	}
	return r.editing(p.path("/categories"), in, field{Name: "add", Label: "Add a category", Hint: namedBy})
}

// attributesOf are a product's attributes by code, each as JSON.
func attributesOf(p *catalog.Product) map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(p.Attributes), &values) // it was checked when it was stored
	return values
}

// attributeForm has the attributes that the account defines, and the product's others if they are plain values.
func (p productPage) attributeForm(r *request) *form {
	values := attributesOf(p.product)
	var fields []field
	described := map[string]bool{}
	for _, a := range p.attributes {
		described[a.Code] = true
		in := field{Name: "value-" + a.Code, Label: a.Label, Value: valueText(values[a.Code])}
		switch a.Type {
		case catalog.Select:
			in.Kind, in.Options = "select", []option{{Label: "none"}}
			for _, o := range a.Options {
				in.Options = append(in.Options, option{Value: o, Label: o})
			}
			if in.Value != "" && !slices.Contains(a.Options, in.Value) {
				in.Options = append(in.Options, option{Value: in.Value, Label: in.Value + " (not among the options)"})
			}
		case "number":
			in.Kind = "decimal"
		case "date":
			in.Kind = "date"
		case "boolean":
			in.Kind, in.Options = "select", []option{{Label: "not said"}, {Value: "true", Label: "yes"}, {Value: "false", Label: "no"}}
		}
		fields = append(fields, in)
	}
	for _, code := range slices.Sorted(maps.Keys(values)) {
		if !described[code] && valueText(values[code]) != "" {
			fields = append(fields, field{Name: "value-" + code, Label: code, Value: valueText(values[code])})
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return r.editing(p.path("/attributes"), fields...)
}

// valueText is a JSON text, number or boolean as it is shown; "" for anything else.
func valueText(value json.RawMessage) string {
	text := ""
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	if len(value) > 0 && value[0] != '{' && value[0] != '[' && string(value) != "null" {
		return string(value)
	}
	return ""
}
