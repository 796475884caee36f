package dashboard

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/limits"
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

	MaxThreshold int64
	Empty        *empty
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

// stockPath is the page of a SKU.
func stockPath(sku string) string { return prefix + "/stock/" + url.PathEscape(sku) }

// levelRow shows a level.
func (r *request) levelRow(l stock.Level) levelRow {
	row := levelRow{ID: "l-" + string(l.ID), SKU: l.SKU, To: r.page("/stock/{sku}", "/stock/"+url.PathEscape(l.SKU)), Warehouse: l.Warehouse,
		OnHand: r.format.Count(l.OnHand), Reserved: r.format.Count(l.Reserved), Available: r.format.Count(l.Available()),
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
	if l.Threshold != nil {
		row.Limit = strconv.FormatInt(*l.Threshold, 10)
	}
	return row
}

// listStock serves GET /stock.
func (d *Dashboard) listStock(r *request) (answer, error) {
	q := r.query()
	l := r.listing("/stock", q)
	view := q.Text("view")
	f := stock.Filter{
		Search:    strings.TrimSpace(q.Text("search")),
		Warehouse: q.Text("warehouse"),
		Low:       view == "low",
		Oversold:  view == "oversold",
		Limit:     perPage,
		Offset:    l.offset(),
	}
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return d.stockScreen(r, l, f)
}

func (d *Dashboard) stockScreen(r *request, l listing, f stock.Filter) (answer, error) {
	view := stockView{MaxThreshold: limits.MaxStock}
	err := r.readWide(func(tx *db.Tx) error {
		list, total, err := stock.List(tx, f)
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
		view.Thresholds = thresholdForm(r, l, list)
		for i := range list {
			row := r.levelRow(list[i].Level)
			row.Name, row.Threshold = names[list[i].Product], view.Thresholds.At("threshold-"+strconv.Itoa(i))
			view.Rows = append(view.Rows, row)
		}
		view.Pager = l.pager(r.format, len(list), total, "level", "levels")
		if total == 0 && f == (stock.Filter{Limit: f.Limit}) {
			view.Empty, err = r.firstStock(tx)
			return err
		}
		return nil
	})
	view.Tabs = []tab{l.tab("All", "view", ""), l.tab("Low", "view", "low"), l.tab("Oversold", "view", "oversold")}
	return view.Pager.after(show(screen{Template: "stock", Title: "Stock", Section: "/stock", Data: view})), err
}

// firstStock is the list of an account that has no stock yet.
func (r *request) firstStock(tx *db.Tx) (*empty, error) {
	newest, err := newestProduct(tx)
	if err != nil {
		return nil, err
	}
	e := empty{Icon: "stock", Head: "No stock yet",
		Text:  "Stock is of products: enter one first, or send some with their stock with an API key.",
		Label: "New product", To: prefix + "/products/new", Curl: r.curl("POST", "/sdk/products/bulk-import", productBody)}
	if newest.SKU != "" {
		e.Text, e.Label = "Open a product and receive some of it, or send levels with an API key.", "Receive some of "+newest.SKU
		e.To = prefix + "/stock/" + url.PathEscape(newest.SKU)
		e.Curl = r.curl("PATCH", "/sdk/inventory/bulk-update", `{"updates":[{"sku":`+quote(newest.SKU)+`,"quantity":40}]}`)
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
	if len(places) > 1 {
		bar.Selects = append(bar.Selects, filterSelect("warehouse", "Warehouse", "Any warehouse", f.Warehouse, places))
	}
	if f.Search != "" || f.Warehouse != "" {
		bar.Chips = []chip{{Label: "Clear filters", On: true, To: l.with("search", "", "warehouse", "")}}
	}
	return bar
}

// thresholdForm has one input for each level of the page, with the level's name beside it.
func thresholdForm(r *request, l listing, list []stock.Row) *form {
	fields := []field{hiddenField("back", strings.TrimPrefix(l.with("page", strconv.Itoa(l.Page)), prefix))}
	for i, row := range list {
		n := strconv.Itoa(i)
		f := field{Name: "threshold-" + n, Label: "Low below, of " + row.SKU + " in " + row.Warehouse, Kind: "int"}
		if row.Threshold != nil {
			f.Value = strconv.FormatInt(*row.Threshold, 10)
		}
		fields = append(fields, f, hiddenField("sku-"+n, row.SKU), hiddenField("warehouse-"+n, row.Warehouse), hiddenField("was-"+n, f.Value))
	}
	return r.form("/stock/thresholds", fields...)
}

// thresholdRows is how many thresholds one form sends at most.
const thresholdRows = perPage

// setThresholds serves POST /stock/thresholds: those that were changed.
func (d *Dashboard) setThresholds(r *request) (answer, error) {
	sent := r.http.PostForm
	var update, before commerce.StockUpdate
	for i := range thresholdRows {
		n := strconv.Itoa(i)
		said, was := strings.TrimSpace(sent.Get("threshold-"+n)), sent.Get("was-"+n)
		if said == was || sent.Get("sku-"+n) == "" {
			continue
		}
		figure, err := strconv.ParseInt(cmp.Or(said, "0"), 10, 64) // a threshold of 0 is none
		if err != nil || figure < 0 || figure > limits.MaxStock {
			return answer{}, apperr.New(apperr.Invalid, "validation_failed", "the threshold of %s must be a whole number from 0 to %d, not %q",
				sent.Get("sku-"+n), limits.MaxStock, said)
		}
		draft := commerce.StockDraft{Index: i, SKU: sent.Get("sku-" + n), Warehouse: sent.Get("warehouse-" + n), Quantity: figure}
		update.Drafts = append(update.Drafts, draft)
		if draft.Quantity, err = strconv.ParseInt(was, 10, 64); err == nil {
			before.Drafts = append(before.Drafts, draft)
		}
	}
	back := ownAddress(sent.Get("back"), "/stock")
	if len(update.Drafts) == 0 {
		return redirect(back, "Nothing was changed"), nil
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		done, err := d.Commerce.UpdateThresholds(tx, r.caller(), update)
		if err != nil {
			return answer{}, err
		}
		if len(done.Errors) > 0 {
			return answer{}, apperr.New(apperr.Conflict, "conflict", "%s: %s", done.Errors[0].Key, done.Errors[0].Error)
		}
		out := redirect(back, r.format.plural(int64(done.Updated), "threshold", "thresholds")+" saved")
		if len(before.Drafts) == len(update.Drafts) {
			out = out.undo(undo{Action: "/stock/thresholds", Fields: thresholdFields(update, before, back)})
		}
		return out, nil
	})
}

// thresholdFields are the inputs of the form that restores the thresholds.
func thresholdFields(now, before commerce.StockUpdate, back string) map[string]string {
	fields := map[string]string{"back": back}
	for i, was := range before.Drafts {
		n := strconv.Itoa(i)
		fields["sku-"+n], fields["warehouse-"+n] = was.SKU, was.Warehouse
		fields["threshold-"+n], fields["was-"+n] = strconv.FormatInt(was.Quantity, 10), strconv.FormatInt(now.Drafts[i].Quantity, 10)
	}
	return fields
}

// ownAddress is an address below the prefix that a form sent, or another one if it leads elsewhere.
func ownAddress(sent, other string) string {
	u, err := url.Parse(sent)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(sent, other) {
		return other
	}
	return sent
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
