package api

import (
	"net/http"

	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/wire"
)

// bulkCategoryRoutes are the category import of interface §4.2.
var bulkCategoryRoutes = []*route{
	{method: "POST", path: "/api/v1/sdk/categories/bulk-import", name: "bulkImportCategories", section: "4.2", summary: "Import categories", access: keyHeader, scope: "write:categories",
		rate: &limits.Rate{Name: "bulk:categories", PerMinute: 10}, body: func(o *wire.Object) { readCategoryImport(o) },
		answer: data(func(w *wire.Writer) {
			writeImportedCategories(w, commerce.ImportedCategories{Created: 2, Updated: 1, Faults: sampleFaults()})
		}), serve: (*API).importCategories},
}

// readCategoryImport reads the body: the items that can be applied and those that cannot.
func readCategoryImport(o *wire.Object) (in commerce.CategoryImport) {
	o.Record("ImportCategories")
	o.List("categories", wire.List{Required: true, Min: 1, Max: maxImport, Apart: true}, func(i int, item *wire.Object) {
		d := readCategory(item, false, true)
		d.Index = i
		if faults := item.Faults(); len(faults) > 0 {
			in.Faults = append(in.Faults, itemFault(i, item.Said("externalId"), faults))
			return
		}
		in.Drafts = append(in.Drafts, d)
	})
	return in
}

// importCategories serves POST /api/v1/sdk/categories/bulk-import: 200; 400.
func (a *API) importCategories(r *request) (answer, error) {
	body := r.object()
	in := readCategoryImport(body)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		out, err := a.Commerce.ImportCategories(tx, r.caller, in)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusOK, "", func(w *wire.Writer) { writeImportedCategories(w, out) }), nil
	})
}

func writeImportedCategories(w *wire.Writer, out commerce.ImportedCategories) {
	w.Record("CategoriesImported", "data")
	w.Int("created", int64(out.Created))
	w.Int("updated", int64(out.Updated))
	commerce.WriteItemFaults(w, "errors", out.Faults, true)
	w.End()
}
