package dashboard

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/stock"
)

// productRoutes are the catalog's pages; product_page.go has those of one product.
var productRoutes = slices.Concat([]*route{
	{method: "GET", path: "/products", scope: "read:products", serve: (*Dashboard).listProducts},
	{method: "GET", path: "/products/new", scope: "write:products", serve: (*Dashboard).newProduct},
	{method: "POST", path: "/products/new", scope: "write:products", serve: (*Dashboard).createProduct},
}, productBulkRoutes, oneProductRoutes)

// productRow is a product in the list.
type productRow struct {
	ID, Name, SKU, To, Image string
	More                     string // "4 variants"
	Badge                    badge
	Stock                    string
	Short                    bool // less than nothing is available
	Channels                 string
	Failed                   bool // a channel refused it
	Price, Was               string
	Changed                  stamp
}

// maxChoices bounds the channels and categories that are offered to choose from.
const maxChoices = 250

// productsView is what templates/products.html shows.
type productsView struct {
	listView[productRow]
	List     string // the parameters of the list, as a query
	Total    int64
	Count    string
	Channels []option // on which products can be published at once, at most mostInMenu
	Bulk     bool     // the user may change many
}

// productList is the list of products that the address is about, and what it is to show.
func (r *request) productList() (l *listing, f catalog.Filter) {
	return r.productListOf(r.http.URL.Query())
}

// productListOf is productList for given parameters.
func (r *request) productListOf(given url.Values) (l *listing, f catalog.Filter) {
	l = r.listingOf(given, "/products", "product", "products", "search", "status", "categoryId", "channelId", "sort")
	l.search("search", "Search products", "Name, SKU or GTIN")
	q := l.query
	f = catalog.Filter{Search: q.Text("search"), Statuses: apijson.QueryEnums(q, "status", catalog.Statuses...),
		Category: apijson.QueryID[id.Category](q, "categoryId"), Channel: apijson.QueryID[id.Channel](q, "channelId"),
		Limit: l.size, Offset: l.offset(), Sort: catalog.ByCreation, Descending: true}
	if field, direction, _ := strings.Cut(q.Text("sort"), ":"); slices.Contains(catalog.Sorts, catalog.Sort(field)) {
		f.Sort, f.Descending = catalog.Sort(field), direction == "desc"
	}
	l.columns(string(f.Sort), f.Descending, "asc", head{Label: "Image", Out: true}, head{Label: "Product", By: string(catalog.ByName)},
		head{Label: "SKU", By: string(catalog.BySKU)}, head{Label: "Status"}, head{Label: "Available", Num: true},
		head{Label: "Channels", Drop: 2}, head{Label: "Changed", By: string(catalog.ByUpdate), Drop: 1}, head{Label: "Price", By: string(catalog.ByPrice), Num: true})
	return l, f
}

// productsOf reads the products of a page, in its order.
func productsOf(tx *db.Tx, page []id.Product) ([]*catalog.Product, error) {
	list, err := catalog.ByIDs(tx, page)
	slices.SortFunc(list, func(a, b *catalog.Product) int { return slices.Index(page, a.ID) - slices.Index(page, b.ID) })
	return list, err
}

// listProducts serves GET /products.
func (d *Dashboard) listProducts(r *request) (answer, error) {
	l, f := r.productList()
	if r.chooses("channelId", "categoryId") {
		return d.choose(r, l, "Products")
	}
	view := productsView{listView: listView[productRow]{listing: l}, Bulk: r.caller().May("write:products")}
	if view.Bulk {
		l.Swap, l.Ticks = "products bulk", "bulk"
	}
	err := r.readWide(func(tx *db.Tx) error {
		return tx.Together(func(tx *db.Tx) error {
			if l.wrong() {
				return nil
			}
			ids, total, err := catalog.Page(tx, f)
			if err != nil {
				return err
			}
			list, err := productsOf(tx, ids)
			if err != nil {
				return err
			}
			shown, err := commerce.ProductRecords(tx, r.caller().Currency, list)
			for _, p := range list {
				view.Rows = append(view.Rows, r.productRow(shown, p))
			}
			view.Total, view.Count = total, r.format.Count(total)
			l.rows(len(list), total)
			return err
		}, func(tx *db.Tx) (err error) {
			view.Channels, err = productFilters(tx, l, f)
			return err
		}, func(tx *db.Tx) error {
			counts, err := catalog.Counts(tx)
			r.productTabs(l, counts)
			return err
		})
	})
	view.List = l.values.Encode()
	return l.show(screen{Template: "products", Title: "Products", Section: "/products", Data: view}), err
}

// productTabs are the views by status; without a product, the list says how to begin.
func (r *request) productTabs(l *listing, counts map[catalog.Status]int64) {
	sum := int64(0)
	for _, n := range counts {
		sum += n
	}
	if sum == 0 {
		l.Empty = firstProduct(r)
	}
	l.countTab("All", "status", "", sum)
	for _, s := range []catalog.Status{catalog.Active, catalog.DraftStatus, catalog.Inactive, catalog.Archived} {
		if counts[s] > 0 || l.values.Get("status") == string(s) {
			l.countTab(productBadges[s].Word, "status", string(s), counts[s])
		}
	}
}

// firstProduct is the list of an account that has no product yet.
func firstProduct(r *request) *empty {
	return new(r.firstStep("write:products", empty{Icon: "tag", Head: "No products yet",
		Text:  "Enter the first one, import the list that you have, or send one with an API key.",
		Label: "New product", To: prefix + "/products/new", File: prefix + importsPath,
		Curl: r.curl("write:products", "POST", "/sdk/products/bulk-import", productBody)}))
}

// productFilters offers the account's channels and categories. It returns the channels on which products can be
// published, none if they are too many for a menu.
func productFilters(tx *db.Tx, l *listing, f catalog.Filter) (open []option, err error) {
	var places []channels.Channel
	var categories []catalog.Category
	err = tx.Together(func(tx *db.Tx) (err error) {
		places, _, err = channels.List(tx, mostInSelect+1, 0)
		return err
	}, func(tx *db.Tx) (err error) {
		categories, _, err = catalog.ListCategories(tx, catalog.CategoryFilter{Limit: mostInSelect + 1})
		return err
	})
	if err != nil {
		return nil, err
	}
	var byChannel, byCategory []option
	for _, c := range places {
		byChannel = append(byChannel, option{Value: string(c.ID), Label: c.Name})
		if c.Receives() {
			open = append(open, option{Value: string(c.ID), Label: c.Name})
		}
	}
	for _, c := range categories {
		byCategory = append(byCategory, option{Value: string(c.ID), Label: c.Name})
	}
	if f.Category != "" && !slices.ContainsFunc(byCategory, func(o option) bool { return o.Value == string(f.Category) }) {
		c, err := catalog.CategoryByID(tx, f.Category)
		if err := ignoreMissing(err); err != nil {
			return nil, err
		}
		byCategory = append(byCategory, option{Value: string(f.Category), Label: cmp.Or(c.Name, "a category that is gone")})
	}
	if f.Channel != "" && !slices.ContainsFunc(byChannel, func(o option) bool { return o.Value == string(f.Channel) }) {
		c, err := channels.ByID(tx, f.Channel)
		if err := ignoreMissing(err); err != nil {
			return nil, err
		}
		byChannel = append(byChannel, option{Value: string(f.Channel), Label: cmp.Or(c.Name, "a channel that is gone")})
	}
	l.choiceOfMany("categoryId", "Category", "Any category", byCategory)
	l.choiceOfMany("channelId", "Channel", "Any channel", byChannel)
	l.clear("status")
	if len(open) > mostInMenu {
		open = nil
	}
	return open, nil
}

// productBadges are the statuses of products.
var productBadges = map[catalog.Status]badge{
	catalog.Active: {"good", "ok", "For sale"}, catalog.DraftStatus: {"warn", "wait", "Draft"},
	catalog.Inactive: {"", "pending", "Inactive"}, catalog.Archived: {"", "cancelled", "Archived"},
}

func (r *request) productRow(shown records.Products, p *catalog.Product) productRow {
	row := productRow{
		ID:      string(p.ID),
		Name:    p.Name,
		SKU:     p.SKU,
		To:      prefix + "/products/" + string(p.ID),
		Badge:   productBadges[p.Status],
		Price:   r.format.Money(p.Price, shown.Currency),
		Changed: r.format.Stamp(p.UpdatedAt),
	}
	if p.CompareAt != nil {
		row.Was = r.format.Money(*p.CompareAt, shown.Currency)
	}
	if n := len(p.Variants); n > 0 {
		row.More = r.format.plural(int64(n), "variant", "variants")
	}
	if images := p.Images(); len(images) > 0 {
		row.Image = r.image(images[0].URL)
	}
	var levels []stock.Level
	for _, sku := range p.SKUs() {
		levels = append(levels, shown.Levels[sku]...)
	}
	available := int64(0)
	for _, l := range levels {
		available += l.Available()
	}
	if len(levels) > 0 {
		row.Stock, row.Short = r.format.Count(available), available < 0
	}
	published, failed := 0, 0
	for _, place := range shown.Publications[p.ID] {
		switch place.Status {
		case catalog.PublicationPublished:
			published++
		case catalog.PublicationFailed:
			failed++
		}
	}
	switch all := len(shown.Publications[p.ID]); {
	case failed > 0:
		row.Channels, row.Failed = r.format.plural(int64(failed), "refused it", "refused it"), true
	case all > published:
		row.Channels = r.say("%s of %s", r.format.Count(int64(published)), r.format.Count(int64(all)))
	case all > 0:
		row.Channels = r.format.Count(int64(all))
	}
	return row
}
