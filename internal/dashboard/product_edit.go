package dashboard

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
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

// updateProduct serves POST /products/{id}: the whole product by its one form. A button with the name "then" stores
// nothing: the form comes back with more rows of variants, its images in another order, or a preview.
func (d *Dashboard) updateProduct(r *request) (answer, error) {
	p, err := r.readProductPage()
	if err != nil {
		return answer{}, err
	}
	picture, err := r.receivePicture()
	if err != nil {
		return answer{}, err
	}
	if r.http.PostForm.Get("then") != "" {
		return d.arrangeProduct(r, p, picture)
	}
	return r.submit(p.form(r), d.showProduct, func(f *form) (answer, error) {
		if f.sent.Get(pictureName) != "" {
			return answer{}, apperr.At(pictureName, "is not uploaded yet: press Upload, then Save")
		}
		draft, rows, err := p.readForm(r, f)
		if err != nil {
			return answer{}, placedIn("variants", err, rows)
		}
		out, err := d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateProduct(tx, r.caller(), p.product.ID, commerce.Expected{}, draft)
			return redirect(p.path(""), "Saved the product"), err
		})
		return out, placedIn("variants", err, rows)
	})
}

// arrangeProduct shows the form again as one of its buttons arranges it. What the form was filled from stays as it was,
// so that a change of somebody else is still noticed when the form is saved.
func (d *Dashboard) arrangeProduct(r *request, p productPage, picture []byte) (answer, error) {
	sent := r.http.PostForm
	seen := sent.Get(seenName)
	sent.Del(seenName)
	wrong := p.arrange(sent)
	if sent.Get("then") == "upload" {
		wrong = d.addPicture(r, sent, picture)
	}
	f := p.form(r)
	for _, one := range strings.Fields(f.Seen) {
		name, _, _ := strings.Cut(one, "=")
		if !strings.Contains(" "+seen, " "+name+"=") { // an input that is new
			seen += " " + one
		}
	}
	f.Seen = seen
	return r.submit(f, d.showProduct, func(f *form) (answer, error) {
		if wrong != nil {
			return answer{}, wrong
		}
		r.refused = f // the page shows this form
		return d.showProduct(r)
	})
}

// arrange changes what was typed into the form as the button says. Errors: Invalid.
func (p productPage) arrange(sent url.Values) error {
	switch act, which, _ := strings.Cut(sent.Get("then"), "-"); act {
	case "rows":
		return p.addRows(sent)
	case "up", "down", "drop":
		moveImage(sent, act, which)
	}
	return nil
}

// readForm reads the form; rows are the rows of the variants of the draft.
func (p productPage) readForm(r *request, f *form) (draft catalog.Draft, rows []int, err error) {
	rows = p.givenRows(f)
	o := f.Object()
	draft = drafts.ReadProduct(o, drafts.ToUpdate)
	if err := o.Err(); err != nil {
		return draft, rows, err
	}
	if !draft.Images.Set && f.sent.Has(imageName(0)) { // all entries are blank
		draft.Images = patch.To([]catalog.ImageDraft{})
	}
	if err := p.readOptions(f, &draft, rows); err != nil {
		return draft, nil, err // the path is that of its input
	}
	if err := p.readAttributes(f, &draft); err != nil {
		return draft, nil, err
	}
	return draft, rows, r.addCategory(f, &draft)
}

// addCategory adds the category that was named to those that are ticked.
func (r *request) addCategory(f *form, draft *catalog.Draft) error {
	said := strings.TrimSpace(f.Value("add"))
	if said == "" || f.find("add") == nil {
		return nil
	}
	return r.readWide(func(tx *db.Tx) error {
		which, err := categoryNamed(tx, "add", said)
		draft.Categories.Value = append(slices.Clone(draft.Categories.Value), string(which))
		return err
	})
}

// readAttributes reads the inputs of attributes: blank ones are removed, and those that the form does not have stay.
func (p productPage) readAttributes(f *form, draft *catalog.Draft) error {
	values, changed := attributesOf(p.product.Attributes), false
	for _, in := range f.Fields {
		code, ours := strings.CutPrefix(in.Name, "value-")
		if !ours || !f.sent.Has(in.Name) || f.Value(in.Name) == in.shown { // an unchanged value keeps its type
			continue
		}
		value, err := attributeValue(p.typeOf(code), strings.TrimSpace(f.Value(in.Name)), f.point)
		if err != nil {
			return apperr.At(in.Name, "%s", err.Error())
		}
		if changed = true; value == nil {
			delete(values, code)
		} else {
			values[code] = value
		}
	}
	if !changed {
		return nil
	}
	whole, err := json.Marshal(values)
	draft.Attributes = patch.To(string(whole))
	return err
}

// typeOf is the type that the account gives an attribute, "" for none.
func (p productPage) typeOf(code string) catalog.AttributeType {
	for _, a := range p.attributes {
		if a.Code == code {
			return a.Type
		}
	}
	return ""
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

// form is the one form of the product.
func (p productPage) form(r *request) *form {
	currency, sent := r.caller().Currency, r.sentTo(p.path(""))
	fields := []field{
		{Name: "name", Label: "Name", Value: p.product.Name, Required: true, Max: limits.MaxProductName},
		{Name: "price", Label: r.say("Price in %s", currency), Kind: "decimal", Digits: money.Digits(currency),
			Value: amountText(&p.product.Price, currency), Required: true},
		{Name: "compareAtPrice", Label: "Price before", Kind: "decimal", Digits: money.Digits(currency),
			Value: amountText(p.product.CompareAt, currency), ClearBlank: true, Hint: "shown crossed out; blank for none"},
		{Name: "slug", Label: "Slug", Value: p.product.Slug, Mono: true},
		{Name: "description", Label: "Description", Kind: "textarea", Value: p.product.Description, ClearBlank: true,
			Max: limits.MaxDescription, Hint: "HTML, or plain text"},
	}
	fields = append(fields, r.tradeFields("", p.product.Trade, currency, true)...)
	fields = append(fields, p.imageFields(r)...)
	fields = append(fields, pictureField(r))
	fields = append(fields, p.variantFields(r, sent, currency)...)
	fields = append(fields, p.categoryFields(r)...)
	return r.editing(p.path(""), append(fields, p.attributeFields(r)...)...)
}

// sentTo is what was sent to an action below the prefix, nil if it is not the one that is served.
func (r *request) sentTo(action string) url.Values {
	if r.http.Method == http.MethodPost && r.http.URL.EscapedPath() == prefix+action {
		return r.http.PostForm
	}
	return nil
}

// tradeFields are the inputs of what trade needs to know of a product, or of a variant at a place of the form. A blank
// one clears what is stored.
func (r *request) tradeFields(at string, t catalog.Trade, currency string, stored bool) []field {
	weight, blank := "", "none"
	if t.Weight != nil {
		weight = t.Weight.String()
	}
	if at != "" {
		blank = "as product"
	}
	list := []field{
		{Name: at + "gtin", Label: "GTIN", Value: t.GTIN, Mono: true, Max: 14, Placeholder: "none",
			Hint: "EAN or UPC: the digits below the bars"},
		{Name: at + "weight", Label: "Weight in kg", Kind: "decimal", Digits: 3, Value: weight, Placeholder: blank,
			Hint: "of one unit with its packing"},
		{Name: at + "cost", Label: r.say("Cost in %s", currency), Kind: "decimal", Digits: money.Digits(currency),
			Value: amountText(t.Cost, currency), Placeholder: blank, Hint: "what one unit costs you; buyers never see it"},
		{Name: at + "taxClass", Label: "Tax class", Value: t.TaxClass, Max: limits.MaxTaxClass, Placeholder: blank,
			Hint: "as your shop calls it, such as reduced-rate"},
		{Name: at + "countryOfOrigin", Label: "Country of origin", Value: t.Origin, Max: 2, Placeholder: blank,
			Hint: "two letters, such as FR"},
	}
	for i := range list {
		if list[i].ClearBlank = stored; at != "" {
			list[i].Hint = "" // the product's inputs have it
		}
	}
	return list
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

// categoryFields are all categories with those of the product ticked, or, of very many, only these, and an input to add
// one.
func (p productPage) categoryFields(r *request) []field {
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
			in.Options = append(in.Options, option{Value: value, Label: r.say("%s (not here yet)", l.Reference)})
		}
	}
	if !p.many {
		return []field{in}
	}
	return []field{in, {Name: "add", Label: "Add a category", Hint: namedBy}}
}

// attributesOf are the attributes of a product or variant by code, each as JSON.
func attributesOf(stored string) map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(stored), &values) // it was checked when it was stored
	return values
}

// attributeFields are the attributes that the account defines, and the product's others if they are plain values.
func (p productPage) attributeFields(r *request) (fields []field) {
	values := attributesOf(p.product.Attributes)
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
				in.Options = append(in.Options, option{Value: in.Value, Label: r.say("%s (not among the options)", in.Value)})
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
	return fields
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
