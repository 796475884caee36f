package dashboard

import (
	"cmp"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// oneProductRoutes are the page of a product and what is done there.
var oneProductRoutes = []*route{
	{method: "GET", path: "/products/{id}", scope: "read:products", serve: (*Dashboard).showProduct},
	{method: "POST", path: "/products/{id}", scope: "write:products", serve: (*Dashboard).updateProduct},
	{method: "POST", path: "/products/{id}/variants", scope: "write:products", serve: (*Dashboard).updateVariants},
	{method: "POST", path: "/products/{id}/images", scope: "write:products", serve: (*Dashboard).updateImages},
	{method: "POST", path: "/products/{id}/categories", scope: "write:products", serve: (*Dashboard).updateCategories},
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
	Facts        []pair        // for those who may only read
	VariantFacts []variantFact // likewise
	Moves        []formButton  // to other statuses
	Delete       ask
	Pairs        []pair
	History      history
}

// variantRow are the inputs of one variant.
type variantRow struct {
	SKU, Name, Price, CompareAt *field
	To                          string // its stock
}

// variantFact is a variant for those who may only read.
type variantFact struct{ SKU, Name, Price, To string }

// publicationRow is a channel, and the product's state there.
type publicationRow struct {
	Channel, To, URL, Error string
	Badge                   badge
	Since                   stamp
	On                      bool
	Act                     *formButton // publish or unpublish, nil when neither can be done
}

// formButton is one button with its form.
type formButton struct {
	Form        *form
	Label, Tone string
	About       string // what follows the label for those who do not see the row: "on Own shop"
}

// productPage is the data of all forms of the page.
type productPage struct {
	product    *catalog.Product
	shown      records.Products
	channels   []channels.Channel
	categories []catalog.Category               // the first ones by name
	many       bool                             // there are more
	linked     map[id.Category]catalog.Category // those of the product, and their ancestors
	attributes []catalog.Attribute
	history    history
}

// readProductPage reads the product of the path. Errors: NotFound.
func (r *request) readProductPage() (p productPage, err error) {
	which, err := pathID[id.Product](r, "product")
	if err != nil {
		return p, err
	}
	return p, r.read(func(tx *db.Tx) error {
		return tx.Together(func(tx *db.Tx) (err error) {
			if p.product, err = catalog.ByID(tx, which); err != nil {
				return err
			}
			return tx.Together(func(tx *db.Tx) (err error) {
				p.shown, err = commerce.ProductRecords(tx, r.caller().Currency, []*catalog.Product{p.product})
				return err
			}, func(tx *db.Tx) (err error) {
				p.linked, err = catalog.WithParents(tx, linkedTo(p.product))
				return err
			})
		}, func(tx *db.Tx) (err error) {
			p.channels, _, err = channels.List(tx, maxChoices, 0)
			return err
		}, func(tx *db.Tx) (err error) {
			var all int64
			p.categories, all, err = catalog.ListCategories(tx, catalog.CategoryFilter{Limit: maxChoices})
			p.many = all > int64(len(p.categories))
			return err
		}, func(tx *db.Tx) (err error) {
			p.attributes, _, err = catalog.ListAttributes(tx, maxChoices, 0)
			return err
		}, func(tx *db.Tx) (err error) {
			p.history, err = r.readHistory(tx, string(which))
			return err
		})
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
		Publications: p.publications(r), History: p.history,
		Pairs: []pair{{Name: "Id", Value: string(p.product.ID), Mono: true}, {Name: "Created", At: r.format.Stamp(p.product.CreatedAt)},
			{Name: "Changed", At: r.format.Stamp(p.product.UpdatedAt)}},
		Delete: newAsk("delete-product", "Delete "+p.product.SKU+"?", "The product goes with its variants, its stock and its publications. "+
			"Lines of orders keep its SKU and name. To stop selling it, archive it instead.", "Delete the product",
			r.form(p.path("/delete"), field{Name: "typed", Label: "Type the SKU to delete it", Required: true, Mono: true})),
	}
	for _, image := range p.product.Images() {
		if at := r.image(image.URL); at != "" {
			view.Thumbs = append(view.Thumbs, at)
		}
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
		// a draft is not for sale yet
		if to != p.product.Status && (to != catalog.Inactive || p.product.Status != catalog.DraftStatus) {
			view.Moves = append(view.Moves, formButton{Label: statusMoves[to], Form: r.form(p.path("/status"), hiddenField("status", string(to)))})
		}
	}
	if !r.caller().May("write:products") {
		view.Facts, view.VariantFacts = p.facts(r, view.Categories)
	}
	return show(
		screen{Template: "product", Title: p.product.Name, Section: "/products", Crumbs: []crumb{{"Products", "/products"}}, Data: view},
	)
}

// facts are the product's values in words, and those of its variants; the categories are those that are ticked in
// their form.
func (p productPage) facts(r *request, categories *form) (list []pair, variants []variantFact) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, pair{Name: name, Value: value})
		}
	}
	price := func(a *money.Amount) string {
		if a == nil {
			return ""
		}
		return r.format.Money(*a, r.caller().Currency)
	}
	add("Name", p.product.Name)
	add("Price", price(&p.product.Price))
	add("Price before", price(p.product.CompareAt))
	if categories != nil {
		for _, o := range categories.At("categoryIds").Options {
			if o.On {
				add("Category", o.Label)
			}
		}
	}
	add("Slug", p.product.Slug)
	add("Description", p.product.Description)
	for _, v := range p.product.Variants {
		fact := variantFact{SKU: v.SKU, Name: v.Name, Price: cmp.Or(price(v.Price), price(&p.product.Price))}
		if r.d.opens(r, "/stock/{sku}") {
			fact.To = stockPath(v.SKU)
		}
		variants = append(variants, fact)
	}
	return list, variants
}

// statusMoves are the words of the buttons that change a status.
var statusMoves = map[catalog.Status]string{catalog.Active: "Put on sale", catalog.Inactive: "Take off sale", catalog.Archived: "Archive"}

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
		row := publicationRow{Channel: c.Name, To: r.page("/channels/{id}", "/channels/"+string(c.ID))}
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
			row.Act = &formButton{Label: "Unpublish", About: "from " + c.Name, Form: r.form(p.path("/unpublish"), channel)}
		case !on && c.Receives():
			row.Act = &formButton{Label: "Publish", About: "on " + c.Name, Form: r.form(p.path("/publish"), channel)}
		}
		rows = append(rows, row)
	}
	return rows
}
