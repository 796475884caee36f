package dashboard

import (
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/stock"
)

// stockRoutes are the levels of all SKUs; sku.go has the page of one, warehouses.go the warehouses.
var stockRoutes = slices.Concat([]*route{
	{method: "GET", path: "/stock", scope: "read:inventory", serve: (*Dashboard).listStock},
	{method: "POST", path: "/stock/levels", scope: "write:inventory", serve: (*Dashboard).saveLevels},
}, skuRoutes, warehouseRoutes)

// stockView is what templates/stock.html shows.
type stockView struct {
	*listing
	Edit     *form // the inputs of the rows
	Rows     []levelRow
	Transfer string // the page to transfer stock, "" for nobody or with one warehouse
}

// levelRow is one SKU in one warehouse.
type levelRow struct {
	ID, SKU, To, Name, Warehouse string
	OnHand, Reserved, Available  string
	Badge                        *badge
	Short                        bool   // available is negative
	Edited, Threshold            *field // inputs of what is on hand, and of the threshold
	Limit                        string // the threshold in words
}

// stockPath is the page of a SKU. Two addresses below /stock are pages of their own: SKUs of these names stand
// elsewhere.
func stockPath(sku string) string {
	if sku == "warehouses" || sku == "transfer" {
		return prefix + "/stock/-/" + sku
	}
	return prefix + "/stock/" + url.PathEscape(sku)
}

// levelRow shows a level.
func (r *request) levelRow(l stock.Level) levelRow {
	row := levelRow{ID: "l-" + string(l.ID), SKU: l.SKU, To: r.page("/stock/{sku}", strings.TrimPrefix(stockPath(l.SKU), prefix)),
		Warehouse: l.Warehouse,
		OnHand:    r.format.Count(l.OnHand), Reserved: r.format.Count(l.Reserved), Available: r.format.Count(l.Available()),
		Short: l.Available() < 0}
	switch {
	case l.Available() < 0:
		row.Badge = &badge{"bad", "fail", "Oversold"}
		if row.To != "" {
			row.To += "#held"
		}
	case l.Low:
		row.Badge = &badge{"warn", "wait", "Low"}
	}
	row.Limit = thresholdText(l)
	return row
}

// stockList is the list of levels, and what it is to show.
func (r *request) stockList() (*listing, stock.Filter) { return r.stockListOf(r.http.URL.Query()) }

// stockListOf is stockList for given parameters.
func (r *request) stockListOf(given url.Values) (*listing, stock.Filter) {
	l := r.listingOf(given, "/stock", "level", "levels", "view", "search", "warehouse")
	l.search("search", "Search stock", "Name or SKU")
	l.tab("All", "view", "")
	l.tab("Low", "view", "low")
	l.tab("Oversold", "view", "oversold")
	l.Heads = []head{{Label: "SKU"}, {Label: "Product"}, {Label: "Warehouse"}, {Label: "Status", Out: true}, {Label: "On hand", Num: true},
		{Label: "Reserved", Num: true, Drop: 2}, {Label: "Available", Num: true}, {Label: "Low below", Num: true}}
	view := l.query.Text("view")
	f := stock.Filter{Search: l.query.Text("search"), Warehouse: l.query.Text("warehouse"), Low: view == "low",
		Oversold: view == "oversold", Limit: l.size, Offset: l.offset()}
	if view != "" && !f.Low && !f.Oversold {
		l.query.AddError("view", "must be low or oversold")
	}
	return l, f
}

// listStock serves GET /stock.
func (d *Dashboard) listStock(r *request) (answer, error) {
	l, f := r.stockList()
	view := stockView{listing: l}
	err := r.readWide(func(tx *db.Tx) error {
		var list []stock.Row
		var total int64
		var err error
		if !l.wrong() {
			list, total, err = stock.List(tx, f)
		}
		if err != nil {
			return err
		}
		warehouses, _, err := stock.Warehouses(tx, maxChoices, 0)
		if err != nil {
			return err
		}
		names, err := levelNames(tx, list)
		if err != nil {
			return err
		}
		stockFilters(l, f, warehouses)
		if len(warehouses) < 2 {
			l.Heads[slices.IndexFunc(l.Heads, func(h head) bool { return h.Label == "Warehouse" })].Drop = 3
		} else {
			view.Transfer = r.page("/stock/transfer", "/stock/transfer")
		}
		view.Edit = levelsForm(r, l, list)
		for i := range list {
			row := r.levelRow(list[i].Level)
			row.Name = names[list[i].Product]
			row.Edited, row.Threshold = view.Edit.At("onHand-"+string(list[i].ID)), view.Edit.At("threshold-"+string(list[i].ID))
			view.Rows = append(view.Rows, row)
		}
		if !l.wrong() && l.rows(len(list), total) {
			l.Empty, err = r.firstStock(tx)
		}
		return err
	})
	return l.show(screen{Template: "stock", Title: "Stock", Section: "/stock", Data: view}), err
}

// firstStock is the list of an account that has no stock yet.
func (r *request) firstStock(tx *db.Tx) (*empty, error) {
	newest, err := newestProduct(tx)
	if err != nil {
		return nil, err
	}
	e := empty{Icon: "stock", Head: "No stock yet",
		Text:  "Stock belongs to a product. Enter one first, or import a list of products and their stock.",
		Label: "New product", To: prefix + "/products/new", File: prefix + importsPath,
		Curl: r.curl("write:products", "POST", "/sdk/products/bulk-import", productBody)}
	if newest.SKU != "" {
		e.Text, e.Label = "Open a product and receive some of it, or send levels with an API key.", r.say("Receive some of %s", newest.SKU)
		e.To, e.File = stockPath(newest.SKU), prefix+stockImportsPath
		e.Curl = r.curl("write:inventory", "PATCH", "/sdk/inventory/bulk-update", `{"updates":[{"sku":`+quote(newest.SKU)+`,"quantity":40}]}`)
	}
	e = r.firstStep("write:inventory", e)
	return &e, nil
}

// levelNames are the names of the products that levels belong to.
func levelNames(tx *db.Tx, list []stock.Row) (map[id.Product]string, error) {
	var ids []id.Product
	for _, l := range list {
		if !slices.Contains(ids, l.Product) {
			ids = append(ids, l.Product)
		}
	}
	products, err := catalog.ByIDs(tx, ids)
	names := make(map[id.Product]string, len(products))
	for _, p := range products {
		names[p.ID] = p.Name
	}
	return names, err
}

func stockFilters(l *listing, f stock.Filter, warehouses []stock.Warehouse) {
	var places []option
	for _, w := range warehouses {
		places = append(places, option{Value: w.Code, Label: w.Name})
	}
	if f.Warehouse != "" && !slices.ContainsFunc(places, func(o option) bool { return o.Value == f.Warehouse }) {
		places = append(places, option{Value: f.Warehouse, Label: "a warehouse that is gone"})
	}
	if len(places) > 1 {
		l.choice("warehouse", "Warehouse", "Any warehouse", places...)
	}
	l.clear("view")
}

// sellableOf finds what the SKU of the path stands for. Errors: NotFound.
func (r *request) sellableOf(tx *db.Tx) (catalog.Sellable, error) {
	sku := r.http.PathValue("sku")
	found, err := catalog.Resolve(tx, []string{sku})
	if _, ok := found[sku]; !ok && err == nil {
		err = apperr.Missing("SKU")
	}
	return found[sku], err
}
