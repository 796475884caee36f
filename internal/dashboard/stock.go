package dashboard

import (
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/stock"
)

// stockRoutes are the levels of all SKUs; sku.go has the page of one, warehouses.go the warehouses.
var stockRoutes = slices.Concat([]*route{
	{method: "GET", path: "/stock", scope: "read:inventory", serve: (*Dashboard).listStock},
	{method: "POST", path: "/stock/thresholds", scope: "write:inventory", serve: (*Dashboard).setThresholds},
}, skuRoutes, warehouseRoutes)

// stockView is what templates/stock.html shows.
type stockView struct {
	Tabs       []tab
	Filter     filterBar
	Thresholds *form // the inputs of the rows
	Back       string
	Rows       []levelRow
	Pager      pager

	Empty    *empty
	Transfer string // the page to transfer stock, "" for nobody or with one warehouse
}

// levelRow is one SKU in one warehouse.
type levelRow struct {
	ID, SKU, To, Name, Warehouse string
	OnHand, Reserved, Available  string
	Badge                        *badge
	Short                        bool   // available is negative
	Threshold                    *field // nil where nobody may set it
	Limit                        string // the threshold in words
}

// stockPath is the page of a SKU. Two addresses below /stock are pages of their own: SKUs of these names stand elsewhere.
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

// listStock serves GET /stock.
func (d *Dashboard) listStock(r *request) (answer, error) {
	q := r.query()
	l := r.listing("/stock")
	view := q.Text("view")
	f := stock.Filter{
		Search:    strings.TrimSpace(q.Text("search")),
		Warehouse: q.Text("warehouse"),
		Low:       view == "low",
		Oversold:  view == "oversold",
		Limit:     perPage,
		Offset:    l.offset(),
	}
	if view != "" && !f.Low && !f.Oversold {
		q.AddError("view", "must be low or oversold")
	}
	return d.stockScreen(r, l, f, q)
}

func (d *Dashboard) stockScreen(r *request, l listing, f stock.Filter, q *apijson.Query) (answer, error) {
	var view stockView
	wrong, status := wrongFilter(q)
	err := r.readWide(func(tx *db.Tx) error {
		var list []stock.Row
		var total int64
		var err error
		if wrong == "" {
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
		view.Filter = stockFilters(l, f, warehouses)
		if len(warehouses) > 1 {
			view.Transfer = r.page("/stock/transfer", "/stock/transfer")
		}
		view.Thresholds = thresholdForm(r, l, list)
		for i := range list {
			row := r.levelRow(list[i].Level)
			row.Name, row.Threshold = names[list[i].Product], view.Thresholds.At("threshold-"+string(list[i].ID))
			view.Rows = append(view.Rows, row)
		}
		view.Pager = l.pager(r.format, len(list), total, "level", "levels").of(len(list), wrong, noMatch(l.path, "level", "levels"))
		if total == 0 && wrong == "" && f == (stock.Filter{Limit: f.Limit}) {
			view.Empty, err = r.firstStock(tx)
			return err
		}
		return nil
	})
	view.Tabs = []tab{l.tab("All", "view", ""), l.tab("Low", "view", "low"), l.tab("Oversold", "view", "oversold")}
	out := show(screen{Template: "stock", Title: "Stock", Section: "/stock", Data: view})
	out.status = status
	return view.Pager.after(out), err
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
		e.Text, e.Label = "Open a product and receive some of it, or send levels with an API key.", "Receive some of "+newest.SKU
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

func stockFilters(l listing, f stock.Filter, warehouses []stock.Warehouse) filterBar {
	bar := filterBar{Action: prefix + l.path, Search: f.Search, Label: "Search stock", Placeholder: "Name or SKU",
		Hidden: l.hidden("search", "warehouse")}
	var places []option
	for _, w := range warehouses {
		places = append(places, option{Value: w.Code, Label: w.Name})
	}
	if f.Warehouse != "" && !slices.ContainsFunc(places, func(o option) bool { return o.Value == f.Warehouse }) {
		places = append(places, option{Value: f.Warehouse, Label: "a warehouse that is gone"})
	}
	if len(places) > 1 {
		bar.Selects = append(bar.Selects, filterSelect("warehouse", "Warehouse", "Any warehouse", f.Warehouse, places))
	}
	if l.narrowed("view") {
		bar.Chips = []chip{{Label: "Clear filters", On: true, To: l.with("search", "", "warehouse", "")}}
	}
	return bar
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
