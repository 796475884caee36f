package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// categoryRoutes are interface §4.5.2.
var categoryRoutes = []*route{
	{method: "GET", path: "/api/v1/categories", name: "listCategories", section: "4.5.2", summary: "List categories", scope: "read:categories",
		query: func(q *apijson.Query) { readCategoryFilter(q) }, answer: func(w *apijson.Writer) {
			sampleCursorList(w, func(w *apijson.Writer) { records.WriteCategory(w, "", records.SampleCategory()) })
		}, serve: (*API).listCategories},
	{method: "POST", path: "/api/v1/categories", name: "createCategory", section: "4.5.2", errors: []int{404}, summary: "Create a category",
		scope: "write:categories", status: http.StatusCreated,
		body: func(o *apijson.Object) { drafts.ReadCategory(o, drafts.ToCreate) }, answer: sampleCategoryAnswer, serve: (*API).createCategory},
	{method: "GET", path: "/api/v1/categories/{id}", name: "getCategory", section: "4.5.2", summary: "Read a category",
		scope:  "read:categories",
		answer: sampleCategoryAnswer, serve: (*API).getCategory},
	{method: "PATCH", path: "/api/v1/categories/{id}", name: "updateCategory", put: "putCategory", ifMatch: true, section: "4.5.2",
		summary: "Change a category",
		scope:   "write:categories",
		body:    func(o *apijson.Object) { drafts.ReadCategory(o, drafts.ToUpdate) }, answer: sampleCategoryAnswer, serve: (*API).updateCategory},
	{method: "DELETE", path: "/api/v1/categories/{id}", name: "deleteCategory", ifMatch: true, section: "4.5.2", summary: "Delete a category",
		scope:  "write:categories",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleCategory().ID, nil) }), serve: (*API).deleteCategory},
}

func sampleCategoryAnswer(w *apijson.Writer) {
	data(func(w *apijson.Writer) { records.WriteCategory(w, "data", records.SampleCategory()) })(w)
}

func categoryAnswer(status int, c catalog.Category) answer {
	return one(status, string(c.ID), func(w *apijson.Writer) { records.WriteCategory(w, "data", c) })
}

// finishCategories runs a write of categories, and answers when their products are linked.
func (a *API) finishCategories(r *request, write func() (answer, error)) (answer, error) {
	out, err := write()
	if err == nil {
		err = a.Commerce.FinishCategories(r.ctx(), a.store(r), r.caller.Tenant)
	}
	return out, err
}

// createCategory serves POST /api/v1/categories: 201; 400, 404, 409.
func (a *API) createCategory(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadCategory(body, drafts.ToCreate)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.finishCategories(r, func() (answer, error) {
		return a.write(r, func(tx *db.Tx) (answer, error) {
			c, err := a.Commerce.CreateCategory(tx, draft)
			return categoryAnswer(http.StatusCreated, c), err
		})
	})
}

// getCategory serves GET /api/v1/categories/{id}: 200; 404.
func (a *API) getCategory(r *request) (answer, error) {
	return get(a, r, "category", func(tx *db.Tx, category id.Category) (answer, error) {
		c, err := catalog.CategoryByID(tx, category)
		return categoryAnswer(http.StatusOK, c), err
	})
}

// updateCategory serves PATCH and PUT /api/v1/categories/{id}: 200; 400, 404, 409, 412.
func (a *API) updateCategory(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadCategory(body, drafts.ToUpdate)
	return a.finishCategories(r, func() (answer, error) {
		return change(a, r, "category", body, func(tx *db.Tx, category id.Category, expected commerce.Expected) (answer, error) {
			c, err := a.Commerce.UpdateCategory(tx, category, expected, draft)
			return categoryAnswer(http.StatusOK, c), err
		})
	})
}

// deleteCategory serves DELETE /api/v1/categories/{id}: 200; 404, 412.
func (a *API) deleteCategory(r *request) (answer, error) {
	return a.finishCategories(r, func() (answer, error) {
		return change(a, r, "category", nil, func(tx *db.Tx, category id.Category, expected commerce.Expected) (answer, error) {
			return deleted(category, nil), a.Commerce.DeleteCategory(tx, category, expected)
		})
	})
}

// readCategoryFilter reads the parameters of the category list.
func readCategoryFilter(q *apijson.Query) (catalog.CategoryFilter, page) {
	p := readPage(q, 20, 250)
	f := catalog.CategoryFilter{
		ExternalID: q.Text("externalId"),
		Parent:     apijson.QueryID[id.Category](q, "parentId"),
		Search:     q.Text("search"),
		Limit:      p.Limit,
		Offset:     p.Offset(),
	}
	if last := q.Cursor("categories", 2); last != nil {
		f.After, f.Offset = &catalog.CategoryPlace{Name: last[0], ID: cursorID[id.Category](q, last[1])}, 0
	}
	return f, p
}

// listCategories serves GET /api/v1/categories: 200; 400.
func (a *API) listCategories(r *request) (answer, error) {
	q := r.query()
	f, p := readCategoryFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.cursorList(r, p, func(tx *db.Tx, w *apijson.Writer) (int64, string, error) {
		list, total, err := catalog.ListCategories(tx, f)
		if err != nil {
			return 0, "", err
		}
		next := behind("categories", list, p, func(last *catalog.Category) []string { return []string{last.Name, string(last.ID)} })
		return total, next, writeRows(r, w, list, func(c *catalog.Category) { records.WriteCategory(w, "", *c) })
	})
}
