package dashboard

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// oneProductRoutes are the page of a product and what is done there.
var oneProductRoutes = []*route{
	{method: "GET", path: "/products/{id}", scope: "read:products", serve: (*Dashboard).showProduct},
	{method: "POST", path: "/products/{id}", scope: "write:products", most: limits.MaxBody + limits.MaxPicture, serve: (*Dashboard).updateProduct},
	{method: "POST", path: "/products/{id}/status", scope: "write:products", serve: (*Dashboard).setStatus},
	{method: "POST", path: "/products/{id}/publish", scope: "write:channels", serve: (*Dashboard).publishProduct},
	{method: "POST", path: "/products/{id}/unpublish", scope: "write:channels", serve: (*Dashboard).unpublishProduct},
	{method: "POST", path: "/products/{id}/delete", scope: "write:products", serve: (*Dashboard).deleteProduct},
}

// productView is what templates/product.html shows.
type productView struct {
	ID, SKU      string
	Badge        badge
	Form         *form    // for those who may change it
	Unsaved      bool     // the form holds something that is not stored
	Trade        []*field // what trade needs to know of the product
	Images       []imageRow
	Variants     variantsView
	Categories   []*field
	Attributes   []*field
	Preview      string   // the description as HTML, "" while nobody asks for it
	Thumbs       []string // for those who may only read, as all below
	Values       []pair   // attributes
	Levels       []levelRow
	Publications []publicationRow
	Facts        []pair
	VariantFacts []variantFact
	Moves        []formButton // to other statuses
	Delete       ask
	Pairs        []pair
	Technical    []pair // its id
	History      history
}

// variantFact is a variant for those who may only read.
type variantFact struct{ SKU, Name, Price, GTIN, To string }

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
	f := p.form(r)
	view := productView{ID: string(p.product.ID), SKU: p.product.SKU, Badge: productBadges[p.product.Status], Form: f,
		Unsaved: r.http.Method == http.MethodPost, Images: r.imageRows(f), Variants: p.variantsView(f),
		Publications: p.publications(r), History: p.history,
		Pairs: []pair{{Name: "Created", At: r.format.Stamp(p.product.CreatedAt)},
			{Name: "Changed", At: r.format.Stamp(p.product.UpdatedAt)}},
		Technical: []pair{{Name: "Product id", Value: string(p.product.ID), Mono: true}},
		Delete: newAsk("delete-product", r.say("Delete %s?", p.product.SKU), "The product goes with its variants, its stock and its publications. "+
			"Lines of orders keep its SKU and name. To stop selling it, archive it instead.", "Delete the product",
			r.form(p.path("/delete"), field{Name: "typed", Label: "Type the SKU to delete it", Required: true, Mono: true})),
	}
	for _, in := range f.Fields {
		switch {
		case slices.Contains(catalog.TradeNames, in.Name):
			view.Trade = append(view.Trade, in)
		case in.Name == "categoryIds", in.Name == "add":
			view.Categories = append(view.Categories, in)
		case strings.HasPrefix(in.Name, "value-"):
			view.Attributes = append(view.Attributes, in)
		}
	}
	if r.sentTo(p.path("")).Get("then") == "preview" {
		view.Preview = f.At("description").Value
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
		view.Facts, view.VariantFacts = p.facts(r, f)
		for _, row := range view.Images {
			if row.Shown != "" {
				view.Thumbs = append(view.Thumbs, row.Shown)
			}
		}
		for _, in := range view.Attributes {
			if in.Value != "" {
				view.Values = append(view.Values, pair{Name: in.Label, Value: in.Value})
			}
		}
	}
	return show(
		screen{Template: "product", Title: p.product.Name, Section: "/products", Crumbs: []crumb{{"Products", "/products"}}, Data: view},
	)
}

// facts are the product's values in words, and those of its variants; the categories are those that are ticked in
// the form.
func (p productPage) facts(r *request, f *form) (list []pair, variants []variantFact) {
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
	add("GTIN", p.product.GTIN)
	if p.product.Weight != nil {
		add("Weight", r.say("%s kg", r.format.plain(p.product.Weight.String())))
	}
	add("Cost", price(p.product.Cost))
	add("Tax class", p.product.TaxClass)
	add("Country of origin", p.product.Origin)
	if in := f.find("categoryIds"); in != nil {
		for _, o := range in.Options {
			if o.On {
				add("Category", o.Label)
			}
		}
	}
	add("Slug", p.product.Slug)
	add("Description", p.product.Description)
	for _, v := range p.product.Variants {
		fact := variantFact{SKU: v.SKU, Name: v.Name, GTIN: v.GTIN, Price: cmp.Or(price(v.Price), price(&p.product.Price))}
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
			row.Act = &formButton{Label: "Unpublish", About: r.say("from %s", c.Name), Form: r.form(p.path("/unpublish"), channel)}
		case !on && c.Receives():
			row.Act = &formButton{Label: "Publish", About: r.say("on %s", c.Name), Form: r.form(p.path("/publish"), channel)}
		}
		rows = append(rows, row)
	}
	return rows
}
