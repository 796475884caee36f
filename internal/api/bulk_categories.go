package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// bulkCategoryRoutes are the category import of interface §4.2.
var bulkCategoryRoutes = []*route{
	{method: "POST", path: "/api/v1/sdk/categories/bulk-import", name: "bulkImportCategories", section: "4.2", summary: "Import categories",
		access: keyHeader, scope: "write:categories",
		rate: &limits.BulkCategories, body: func(o *apijson.Object) { drafts.ReadCategoryImport(o) },
		answer: data(func(w *apijson.Writer) {
			writeImportedCategories(w, commerce.ImportedCategories{Created: 2, Updated: 1, Errors: sampleItemErrors()})
		}), serve: (*API).bulkImportCategories},
}

// bulkImportCategories serves POST /api/v1/sdk/categories/bulk-import: 200; 400.
func (a *API) bulkImportCategories(r *request) (answer, error) {
	body := r.object()
	in := drafts.ReadCategoryImport(body)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.finishCategories(r, func() (answer, error) {
		return a.write(r, func(tx *db.Tx) (answer, error) {
			out, err := a.Commerce.ImportCategories(tx, in)
			return one(http.StatusOK, "", func(w *apijson.Writer) { writeImportedCategories(w, out) }), err
		})
	})
}

func writeImportedCategories(w *apijson.Writer, out commerce.ImportedCategories) {
	w.Record("CategoriesImported", "data")
	w.Int("created", int64(out.Created))
	w.Int("updated", int64(out.Updated))
	records.WriteItemErrors(w, "errors", out.Errors, true)
	w.End()
}
