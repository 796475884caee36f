package api

import (
	"net/http"
	"slices"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// productRoutes are interface §4.5.1.
var productRoutes = []*route{
	{method: "GET", path: "/api/v1/products", name: "listProducts", section: "4.5.1", summary: "List products", scope: "read:products",
		query: func(q *apijson.Query) { readProductFilter(q) }, answer: sampleProductList, serve: (*API).listProducts},
	{method: "POST", path: "/api/v1/products", name: "createProduct", section: "4.5.1", summary: "Create a product", scope: "write:products",
		status: http.StatusCreated,
		body:   func(o *apijson.Object) { drafts.ReadProduct(o, drafts.ToCreate) }, answer: sampleProductAnswer, serve: (*API).createProduct},
	{method: "GET", path: "/api/v1/products/{id}", name: "getProduct", section: "4.5.1", summary: "Read a product", scope: "read:products",
		answer: sampleProductAnswer, serve: (*API).getProduct},
	{method: "PATCH", path: "/api/v1/products/{id}", name: "updateProduct", put: "putProduct", ifMatch: true, section: "4.5.1",
		summary: "Change a product",
		scope:   "write:products",
		body:    func(o *apijson.Object) { drafts.ReadProduct(o, drafts.ToUpdate) }, answer: sampleProductAnswer, serve: (*API).updateProduct},
	{method: "DELETE", path: "/api/v1/products/{id}", name: "deleteProduct", ifMatch: true, section: "4.5.1", summary: "Delete a product",
		scope:  "write:products",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleProduct().ID, nil) }), serve: (*API).deleteProduct},
}

// getProduct serves GET /api/v1/products/{id}: 200; 404.
func (a *API) getProduct(r *request) (answer, error) {
	which, err := pathID[id.Product](r, "id", "product")
	if err != nil {
		return answer{}, err
	}
	var p *catalog.Product
	var shown records.Products
	err = a.read(r, func(tx *db.Tx) (err error) {
		tx.Last()
		p, shown, err = commerce.ReadProduct(tx, r.caller.Currency, which)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return one(http.StatusOK, string(p.ID), func(w *apijson.Writer) { shown.Write(w, "data", p) }), nil
}

// productAnswer is the answer with one product as it is now.
func productAnswer(tx *db.Tx, r *request, status int, p *catalog.Product) (answer, error) {
	shown, err := commerce.ProductRecords(tx, r.caller.Currency, []*catalog.Product{p})
	if err != nil {
		return answer{}, err
	}
	return one(status, string(p.ID), func(w *apijson.Writer) { shown.Write(w, "data", p) }), nil
}

// createProduct serves POST /api/v1/products: 201; 400, 409.
func (a *API) createProduct(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadProduct(body, drafts.ToCreate)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		p, err := a.Commerce.CreateProduct(tx, r.caller, draft)
		if err != nil {
			return answer{}, err
		}
		return productAnswer(tx, r, http.StatusCreated, p)
	})
}

// updateProduct serves PATCH and PUT /api/v1/products/{id}: 200; 400, 404, 409, 412.
func (a *API) updateProduct(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadProduct(body, drafts.ToUpdate)
	return change(a, r, "product", body, func(tx *db.Tx, product id.Product, expected commerce.Expected) (answer, error) {
		p, err := a.Commerce.UpdateProduct(tx, r.caller, product, expected, draft)
		if err != nil {
			return answer{}, err
		}
		return productAnswer(tx, r, http.StatusOK, p)
	})
}

// deleteProduct serves DELETE /api/v1/products/{id}: 200; 404, 412.
func (a *API) deleteProduct(r *request) (answer, error) {
	return change(a, r, "product", nil, func(tx *db.Tx, product id.Product, expected commerce.Expected) (answer, error) {
		return deleted(product, nil), a.Commerce.DeleteProduct(tx, r.caller, product, expected)
	})
}

// readProductFilter reads the parameters of the product list.
func readProductFilter(q *apijson.Query) (catalog.Filter, page) {
	p := readPage(q, 20, 250)
	f := drafts.ReadProductFilter(q)
	f.Limit, f.Offset = p.Limit, p.Offset()
	if last := q.Cursor("products", 2); last != nil {
		f.Sort, f.Descending, f.Offset = catalog.ByCreation, last[0] == descending, 0
		f.After = cursorID[id.Product](q, last[1])
	}
	return f, p
}

// descending is the first text of a cursor of products, newest first.
const descending = "desc"

// productCursor is the cursor of what comes behind a page; only a list by creation has one, since no change moves a
// product in it.
func productCursor(f catalog.Filter, list []id.Product, p page) string {
	if f.Sort != catalog.ByCreation {
		return ""
	}
	return behind("products", list, p, func(last *id.Product) []string {
		return []string{choose(f.Descending, descending, "asc"), string(*last)}
	})
}

// listProducts serves GET /api/v1/products: 200; 400.
func (a *API) listProducts(r *request) (answer, error) {
	q := r.query()
	f, p := readProductFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.cursorList(r, p, func(tx *db.Tx, w *apijson.Writer) (int64, string, error) {
		list, total, err := catalog.Page(tx, f)
		if err != nil {
			return 0, "", err
		}
		return total, productCursor(f, list, p), inPieces(w, list, func(piece []id.Product) error {
			products, err := catalog.ByIDs(tx, piece)
			if err != nil {
				return err
			}
			shown, err := commerce.ProductRecords(tx, r.caller.Currency, products)
			if err != nil {
				return err
			}
			slices.SortFunc(products, func(a, b *catalog.Product) int { return slices.Index(piece, a.ID) - slices.Index(piece, b.ID) })
			return writeRows(r, w, products, func(product **catalog.Product) { shown.Write(w, "", *product) })
		})
	})
}
