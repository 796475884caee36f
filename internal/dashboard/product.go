package dashboard

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/id"
	"entrepot/internal/limits"
	"entrepot/internal/money"
	"entrepot/internal/patch"
	"entrepot/internal/records"
)

// oneProductRoutes are the page of a product and what is done there.
var oneProductRoutes = []*route{
	{method: "GET", path: "/products/{id}", scope: "read:products", serve: (*Dashboard).showProduct},
	{method: "POST", path: "/products/{id}", scope: "write:products", serve: (*Dashboard).updateProduct},
	{method: "POST", path: "/products/{id}/variants", scope: "write:products", serve: (*Dashboard).updateVariants},
	{method: "POST", path: "/products/{id}/images", scope: "write:products", serve: (*Dashboard).updateImages},
	{method: "POST", path: "/products/{id}/categories", scope: "write:products", serve: (*Dashboard).updateProduct},
	{method: "POST", path: "/products/{id}/attributes", scope: "write:products", serve: (*Dashboard).updateAttributes},
	{method: "POST", path: "/products/{id}/status", scope: "write:products", serve: (*Dashboard).setStatus},
	{method: "POST", path: "/products/{id}/publish", scope: "write:channels", serve: (*Dashboard).publishProduct},
	{method: "POST", path: "/products/{id}/unpublish", scope: "write:channels", serve: (*Dashboard).unpublishProduct},
	{method: "POST", path: "/products/{id}/delete", scope: "write:products", serve: (*Dashboard).deleteProduct},
}

// productView is what templates/product.html shows.
type productView struct {
	ID, SKU      string
	Badge        badge
	Thumbs       []string
	Fields       *form
	Variants     *form
	VariantRows  []variantRow
	Images       *form
	Categories   *form // nil while the account has none
	Attributes   *form // nil while there is nothing to enter
	Levels       []levelRow
	Publications []publicationRow
	Moves        []act // to other statuses
	Delete       ask
	Pairs        []pair
}

// variantRow are the inputs of one variant.
type variantRow struct {
	SKU, Name, Price, CompareAt *field
	To                          string // its stock
}

// publicationRow is a channel, and the product's place there.
type publicationRow struct {
	Channel, To, URL, Error string
	Badge                   badge
	Since                   stamp
	On                      bool
	Act                     *act // publish or unpublish, nil when neither can be done
}

// act is one button with its form.
type act struct {
	Form        *form
	Label, Tone string
}

// productPage is what all forms of the page are made of.
type productPage struct {
	product    *catalog.Product
	shown      records.Products
	channels   []channels.Channel
	categories []catalog.Category
	attributes []catalog.Attribute
}

// readProductPage reads the product of the path. Errors: NotFound.
func (r *request) readProductPage() (p productPage, err error) {
	which, err := pathID[id.Product](r, "product")
	if err != nil {
		return p, err
	}
	return p, r.read(func(tx *db.Tx) (err error) {
		if p.product, err = catalog.ByID(tx, which); err != nil {
			return err
		}
		if p.shown, err = commerce.ProductRecords(tx, r.caller().Currency, []*catalog.Product{p.product}); err != nil {
			return err
		}
		if p.channels, _, err = channels.List(tx, maxChoices, 0); err != nil {
			return err
		}
		if p.categories, _, err = catalog.ListCategories(tx, catalog.CategoryFilter{Limit: maxChoices}); err != nil {
			return err
		}
		p.attributes, _, err = catalog.ListAttributes(tx, maxChoices, 0)
		return err
	})
}

func (p productPage) path(rest string) string { return "/products/" + string(p.product.ID) + rest }

// showProduct serves GET /products/{id}.
func (d *Dashboard) showProduct(r *request) (answer, error) {
	p, err := r.readProductPage()
	if err != nil {
		return answer{}, err
	}
	return d.productScreen(r, p), nil
}

func (d *Dashboard) productScreen(r *request, p productPage) answer {
	view := productView{ID: string(p.product.ID), SKU: p.product.SKU, Badge: productBadges[p.product.Status], Fields: p.fields(r),
		Variants: p.variants(r), Images: p.images(r), Categories: p.categoryForm(r), Attributes: p.attributeForm(r),
		Publications: p.publications(r),
		Pairs: []pair{{Name: "Id", Value: string(p.product.ID), Mono: true}, {Name: "Made", Value: r.format.Stamp(p.product.CreatedAt).Words},
			{Name: "Changed", Value: r.format.Stamp(p.product.UpdatedAt).Words}},
		Delete: newAsk("delete-product", "Delete "+p.product.SKU+"?", "The product goes with its variants, its stock and its publications. "+
			"Lines of orders keep its SKU and name. To stop selling it, archive it instead.", "Delete the product",
			r.form(p.path("/delete"), field{Name: "typed", Label: "Type the SKU to delete it", Required: true, Mono: true})),
	}
	for _, image := range p.product.Images() {
		view.Thumbs = append(view.Thumbs, image.URL)
	}
	for i := range len(p.product.Variants) + 1 {
		view.VariantRows = append(view.VariantRows, p.variantRow(view.Variants, i))
	}
	for _, sku := range p.product.SKUs() {
		for _, l := range p.shown.Levels[sku] {
			view.Levels = append(view.Levels, r.levelRow(l))
		}
	}
	for _, to := range []catalog.Status{catalog.Active, catalog.Inactive, catalog.Archived} {
		if to != p.product.Status {
			view.Moves = append(view.Moves, act{Label: statusMoves[to], Form: r.form(p.path("/status"), hiddenField("status", string(to)))})
		}
	}
	return show(
		screen{Template: "product", Title: p.product.Name, Section: "/products", Crumbs: []crumb{{"Products", "/products"}}, Data: view},
	)
}

// statusMoves are the words of the buttons that change a status.
var statusMoves = map[catalog.Status]string{catalog.Active: "Put on sale", catalog.Inactive: "Take off sale", catalog.Archived: "Archive"}

func hiddenField(name, value string) field { return field{Name: name, Kind: "hidden", Value: value} }

// amountText is an amount of a currency as a form shows it, "" for none.
func amountText(a *money.Amount, currency string) string {
	if a == nil {
		return ""
	}
	return a.Text(currency)
}

func (p productPage) fields(r *request) *form {
	currency := r.caller().Currency
	return r.form(
		p.path(""),
		field{Name: "name", Label: "Name", Value: p.product.Name, Required: true, Max: limits.MaxProductName},
		field{Name: "price", Label: "Price in " + currency, Kind: "decimal", Value: amountText(&p.product.Price, currency), Required: true},
		field{
			Name:       "compareAtPrice",
			Label:      "Compare-at price",
			Kind:       "decimal",
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
				Value:       amountText(v.Price, r.caller().Currency),
				ClearBlank:  clear,
				Placeholder: "as the product",
			},
			field{
				Name:       at + "compareAtPrice",
				Label:      "Compare-at price",
				Kind:       "decimal",
				Value:      amountText(v.CompareAt, r.caller().Currency),
				ClearBlank: clear,
			},
		)
	}
	return r.form(p.path("/variants"), fields...)
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
			f.Value = images[i].URL
		}
		fields = append(fields, f)
	}
	return r.form(p.path("/images"), fields...)
}

func (p productPage) categoryForm(r *request) *form {
	if len(p.categories) == 0 {
		return nil
	}
	in := field{Name: "categoryIds", Label: "In these categories", Kind: "checks"}
	known := map[id.Category]bool{}
	for _, c := range p.categories {
		known[c.ID] = true
		in.Options = append(in.Options, option{Value: string(c.ID), Label: c.Name})
	}
	for _, l := range p.product.Links { // what waits, or is beyond the ones offered, stays
		value := string(l.Category)
		if l.Category == "" {
			value = l.Reference
		}
		in.Values = append(in.Values, value)
		if !known[l.Category] {
			in.Options = append(in.Options, option{Value: value, Label: l.Reference})
		}
	}
	return r.form(p.path("/categories"), in)
}

// attributesOf are a product's attributes by code, each as JSON.
func attributesOf(p *catalog.Product) map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(p.Attributes), &values) // it was checked when it was stored
	return values
}

// attributeForm asks for the attributes that the account describes, and for those that the product has besides, as far as they are plain
// values.
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
	return r.form(p.path("/attributes"), fields...)
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

// publicationBadges are how far a product is on a channel.
var publicationBadges = map[catalog.PublicationStatus]badge{
	catalog.PublicationPending: {"warn", "wait", "Waiting"}, catalog.PublicationPublished: {"good", "ok", "Published"},
	catalog.PublicationFailed: {"bad", "fail", "Refused"}, "removing": {"warn", "wait", "Going"},
}

func (p productPage) publications(r *request) (rows []publicationRow) {
	places := map[id.Channel]catalog.Publication{}
	for _, one := range p.shown.Publications[p.product.ID] {
		places[one.Channel] = one
	}
	for _, c := range p.channels {
		row := publicationRow{Channel: c.Name, To: prefix + "/channels/" + string(c.ID)}
		place, on := places[c.ID]
		if row.On = on; on {
			row.Badge, row.URL, row.Error = publicationBadges[place.Status], place.ExternalURL, place.Error
			if place.PublishedAt != 0 {
				row.Since = r.format.Stamp(place.PublishedAt)
			}
		}
		channel := hiddenField("channelId", string(c.ID))
		switch {
		case on && place.Status != "removing":
			row.Act = &act{Label: "Unpublish", Form: r.form(p.path("/unpublish"), channel)}
		case !on && c.Receives():
			row.Act = &act{Label: "Publish", Form: r.form(p.path("/publish"), channel)}
		}
		rows = append(rows, row)
	}
	return rows
}

// change runs a form of the page that changes the product as a draft says; words say what was done.
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
	draft := drafts.ReadProduct(o, true)
	return draft, o.Err()
}

// updateProduct serves POST /products/{id} and POST /products/{id}/categories.
func (d *Dashboard) updateProduct(r *request) (answer, error) {
	return d.changeProduct(r, func(p productPage) *form {
		if strings.HasSuffix(r.http.URL.Path, "/categories") {
			return p.categoryForm(r)
		}
		return p.fields(r)
	}, "Saved", readChange)
}

// updateVariants serves POST /products/{id}/variants.
func (d *Dashboard) updateVariants(r *request) (answer, error) {
	return d.changeProduct(r, func(p productPage) *form { return p.variants(r) }, "Variants saved", readChange)
}

// updateImages serves POST /products/{id}/images: what is blank is gone.
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

// updateAttributes serves POST /products/{id}/attributes: a blank one is taken away, others than those of the form stay.
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
				value, err := attributeValue(types[code], strings.TrimSpace(f.Value(in.Name)))
				switch {
				case err != nil:
					return catalog.Draft{}, apperr.At(in.Name, "%s", err.Error())
				case value == nil:
					delete(values, code)
				case valueText(values[code]) != f.Value(in.Name): // what was not changed keeps its type
					values[code] = value
				}
			}
			whole, err := json.Marshal(values)
			return catalog.Draft{Attributes: patch.To(string(whole))}, err
		})
}

// attributeValue is what was typed, as JSON of the attribute's type; nil for nothing.
func attributeValue(kind catalog.AttributeType, said string) (json.RawMessage, error) {
	if said == "" {
		return nil, nil
	}
	switch kind {
	case "number":
		plain := strings.Replace(said, ",", ".", 1)
		if !numeral.MatchString(plain) {
			return nil, apperr.New(apperr.Invalid, "validation_failed", "must be a number")
		}
		return json.RawMessage(plain), nil
	case "boolean":
		return json.RawMessage(strconv.FormatBool(said == "true")), nil
	}
	return text(said), nil
}

// setStatus serves POST /products/{id}/status; its undo is itself with the status before.
func (d *Dashboard) setStatus(r *request) (answer, error) {
	p, err := r.readProductPage()
	if err != nil {
		return answer{}, err
	}
	to := catalog.Status(r.http.PostForm.Get("status"))
	if !slices.Contains(catalog.Statuses, to) {
		return answer{}, apperr.New(apperr.Invalid, "validation_failed", "there is no such status")
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		_, err := d.Commerce.UpdateProduct(tx, r.caller(), p.product.ID, commerce.Expected{}, catalog.Draft{Status: patch.To(to)})
		out := redirect(p.path(""), p.product.SKU+" is now: "+productBadges[to].Word)
		return out.undo(undo{Action: p.path("/status"), Fields: map[string]string{"status": string(p.product.Status)}}), err
	})
}

// publishProduct serves POST /products/{id}/publish.
func (d *Dashboard) publishProduct(r *request) (answer, error) {
	return d.onChannel(r, func(tx *db.Tx, p productPage, c channels.Channel) (answer, error) {
		_, err := d.Commerce.PublishProducts(tx, c.ID, []id.Product{p.product.ID}, nil)
		return redirect(p.path(""), "Published on "+c.Name).undo(undo{Action: p.path("/unpublish"),
			Fields: map[string]string{"channelId": string(c.ID)}}), err
	})
}

// unpublishProduct serves POST /products/{id}/unpublish.
func (d *Dashboard) unpublishProduct(r *request) (answer, error) {
	return d.onChannel(r, func(tx *db.Tx, p productPage, c channels.Channel) (answer, error) {
		d.Commerce.UnpublishProduct(tx, c, p.product.ID)
		return redirect(p.path(""), "No longer on "+c.Name).undo(undo{Action: p.path("/publish"),
			Fields: map[string]string{"channelId": string(c.ID)}}), nil
	})
}

func (d *Dashboard) onChannel(r *request, run func(tx *db.Tx, p productPage, c channels.Channel) (answer, error)) (answer, error) {
	p, err := r.readProductPage()
	if err != nil {
		return answer{}, err
	}
	channel, ok := id.Parse[id.Channel](r.http.PostForm.Get("channelId"))
	if !ok {
		return answer{}, apperr.Missing("channel")
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		c, err := channels.ByID(tx, channel)
		if err != nil {
			return answer{}, err
		}
		return run(tx, p, c)
	})
}

// deleteProduct serves POST /products/{id}/delete.
func (d *Dashboard) deleteProduct(r *request) (answer, error) {
	p, err := r.readProductPage()
	if err != nil {
		return answer{}, err
	}
	f := r.form(p.path("/delete"), field{Name: "typed", Label: "Type the SKU to delete it", Required: true, Mono: true})
	return r.submit(f, d.showProduct, func(f *form) (answer, error) {
		if strings.TrimSpace(f.Value("typed")) != p.product.SKU {
			return answer{}, apperr.At("typed", "must be %s", p.product.SKU)
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			return redirect("/products", "Deleted "+p.product.SKU), d.Commerce.DeleteProduct(tx, r.caller(), p.product.ID, commerce.Expected{})
		})
	})
}
