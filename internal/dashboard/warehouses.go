package dashboard

import (
	"cmp"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
	"entrepot/internal/stock"
)

// warehouseRoutes are the pages of warehouses. Paths about a warehouse have one part more than paths about a SKU,
// because a path is either.
var warehouseRoutes = []*route{
	{method: "GET", path: "/stock/warehouses", scope: "read:inventory", serve: (*Dashboard).listWarehouses},
	{method: "POST", path: "/stock/warehouses", scope: "write:inventory", serve: (*Dashboard).createWarehouse},
	{method: "GET", path: "/stock/warehouses/{id}", scope: "write:inventory", serve: (*Dashboard).editWarehouse},
	{method: "POST", path: "/stock/warehouses/{id}/save", scope: "write:inventory", serve: on((*request).warehouseOf, (*Dashboard).updateWarehouse)},
	{method: "POST", path: "/stock/warehouses/{id}/delete", scope: "write:inventory", serve: on((*request).warehouseOf, (*Dashboard).deleteWarehouse)},
	{method: "GET", path: "/warehouses", scope: "read:inventory", moved: true, serve: (*Dashboard).movedWarehouses},
	{method: "GET", path: "/warehouses/{id}", scope: "write:inventory", moved: true, serve: (*Dashboard).movedWarehouses},
}

// movedWarehouses serves GET /warehouses and GET /warehouses/{id}, where the warehouses were before.
func (d *Dashboard) movedWarehouses(r *request) (answer, error) {
	return redirect("/stock"+strings.TrimPrefix(r.http.URL.EscapedPath(), prefix), ""), nil
}

// editorView is the data of templates/editor.html: a list of records, with the form of a new or an existing one.
type editorView struct {
	*listing
	Rows   []editorRow
	Head   string // of the form
	Form   *form
	Label  string // of its button
	Back   string // from an existing record to the form of a new one, "" if that is shown already
	Delete *ask
	Scope  string // needed for a change
	Hint   string
	Move   *form // moves a row of a tree that is dragged onto another below it, or onto the head to the top; nil where rows stay
}

// editorRow is one record of the list.
type editorRow struct {
	ID, To string
	Depth  int // in a tree
	Name   string
	Mark   string // a word at the name
	Path   string // where it stands in a tree that is not shown
	Folded bool   // its tree is folded
	Twist  *twist // what opens or closes the branch of it, nil for none
	Cells  []string
	CellTo string // where the first cell leads, "" for nowhere
	Made   stamp  // the last cell, empty for none
	At     bool   // it is being edited
}

const warehousesPath = "/stock/warehouses"

func warehouseForm(r *request, path string, w stock.Warehouse) *form {
	code := field{Name: "code", Label: "Code", Value: w.Code, Required: true, Mono: true, Max: limits.MaxWarehouseCode, Unique: true,
		Hint: "what callers of the API name it by"}
	if w.ID != "" {
		code.Kind = "hidden"
	}
	usual := field{Name: "isDefault", Label: "Stock without a warehouse belongs here", Kind: "checkbox"}
	if w.Default {
		usual.Value = "true"
	}
	return r.editing(path, code, field{Name: "name", Label: "Name", Value: w.Name, Required: true}, usual)
}

// listWarehouses serves GET /stock/warehouses.
func (d *Dashboard) listWarehouses(r *request) (answer, error) {
	return d.warehouseScreen(
		r,
		editorView{Head: "New warehouse", Form: warehouseForm(r, warehousesPath, stock.Warehouse{}), Label: "Create"},
		"",
	)
}

func (d *Dashboard) warehouseScreen(r *request, view editorView, at id.Warehouse) (answer, error) {
	view.listing, view.Scope = r.listing(warehousesPath, "warehouse", "warehouses"), "write:inventory"
	view.Heads = []head{{Label: "Name"}, {Label: "Code"}, {Label: "Created"}}
	err := r.read(func(tx *db.Tx) error {
		list, _, err := stock.Warehouses(tx, maxChoices, 0)
		for _, w := range list {
			row := editorRow{ID: string(w.ID), To: prefix + warehousesPath + "/" + string(w.ID), Name: w.Name, At: w.ID == at,
				Cells: []string{w.Code}, Made: r.format.Stamp(w.CreatedAt)}
			if w.Default {
				row.Mark = "default"
			}
			view.Rows = append(view.Rows, row)
		}
		return err
	})
	return show(screen{Template: "editor", Title: "Warehouses", Section: "/stock", Crumbs: []crumb{{"Stock", "/stock"}}, Data: view}), err
}

// createWarehouse serves POST /stock/warehouses.
func (d *Dashboard) createWarehouse(r *request) (answer, error) {
	return r.submit(warehouseForm(r, warehousesPath, stock.Warehouse{}), d.listWarehouses, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadWarehouse(o, drafts.ToCreate)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			w, err := d.Commerce.CreateWarehouse(tx, r.caller(), draft)
			return redirect(warehousesPath, r.say("Created the warehouse %s", w.Code)), err
		})
	})
}

// warehouseOf reads the warehouse of the path. Errors: NotFound.
func (r *request) warehouseOf() (stock.Warehouse, error) {
	return recordOf(r, "warehouse", stock.WarehouseByID)
}

// editWarehouse serves GET /stock/warehouses/{id}.
func (d *Dashboard) editWarehouse(r *request) (answer, error) {
	w, err := r.warehouseOf()
	if err != nil {
		return answer{}, err
	}
	home := warehousesPath + "/" + string(w.ID)
	gone := newAsk("delete-warehouse", r.say("Delete the warehouse %s?", w.Code), "It must be empty, with nothing reserved in it. Its ledger stays.",
		"Delete it", r.form(home+"/delete"))
	return d.warehouseScreen(r, editorView{Head: w.Name, Form: warehouseForm(r, home+"/save", w), Label: "Save", Back: prefix + warehousesPath,
		Delete: &gone}, w.ID)
}

// updateWarehouse serves POST /stock/warehouses/{id}/save.
func (d *Dashboard) updateWarehouse(r *request, w stock.Warehouse) (answer, error) {
	return r.submit(warehouseForm(r, warehousesPath+"/"+string(w.ID)+"/save", w), d.editWarehouse, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadWarehouse(o, drafts.ToUpdate)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateWarehouse(tx, r.caller(), w.ID, commerce.Expected{}, draft)
			return redirect(warehousesPath, r.say("Saved %s", w.Code)), err
		})
	})
}

// deleteWarehouse serves POST /stock/warehouses/{id}/delete.
func (d *Dashboard) deleteWarehouse(r *request, w stock.Warehouse) (answer, error) {
	return r.submit(r.form(warehousesPath+"/"+string(w.ID)+"/delete"), d.editWarehouse, func(*form) (answer, error) {
		if err := d.Commerce.EmptyWarehouse(r.http.Context(), r.store(), r.caller().Tenant, w.ID, commerce.Expected{}); err != nil {
			return answer{}, err
		}
		out, err := d.write(r, func(tx *db.Tx) (answer, error) {
			return redirect(warehousesPath, r.say("Deleted %s", w.Code)), d.Commerce.DeleteWarehouse(tx, r.caller(), w.ID, commerce.Expected{})
		})
		return out, cmp.Or(err, d.Commerce.FinishWarehouse(r.http.Context(), r.store(), r.caller().Tenant, w.ID))
	})
}
