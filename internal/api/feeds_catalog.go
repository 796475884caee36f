package api

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/stock"
)

// catalogFeedRoutes are the change feeds of products and categories (interface §4.3).
var catalogFeedRoutes = []*route{
	{method: "GET", path: "/api/v1/sdk/products/changes", name: "listProductChanges", section: "4.3", summary: "Products that changed",
		access: keyHeader, scope: "read:products",
		query: func(q *apijson.Query) { readFeed(q) }, answer: func(w *apijson.Writer) {
			sampleFeed(w, func(w *apijson.Writer, deleted bool) {
				records.SampleProducts().WriteChanged(w, records.SampleProduct(), deleted)
			})
		}, serve: (*API).listProductChanges},
	{method: "GET", path: "/api/v1/sdk/categories/changes", name: "listCategoryChanges", section: "4.3", summary: "Categories that changed",
		access: keyHeader, scope: "read:categories",
		query: func(q *apijson.Query) { readFeed(q) }, answer: func(w *apijson.Writer) {
			sampleFeed(w, func(w *apijson.Writer, deleted bool) {
				records.WriteChangedCategory(w, records.SampleCategory(), deleted)
			})
		}, serve: (*API).listCategoryChanges},
}

// sampleFeed describes a feed's page by one item, without and with tombstones.
func sampleFeed(w *apijson.Writer, item func(w *apijson.Writer, deleted bool)) {
	w.Object("")
	w.List("data")
	item(w, false)
	item(w, true)
	w.EndList()
	for _, given := range []bool{true, false} {
		writeFeedMeta(w, feedPage{Since: 1767225600000000, Given: given},
			feedMeta{Total: 1, Count: 1, Next: 1767323045678902, Now: 1767323100000000})
	}
	w.End()
}

// feedPiece reads up to p.Limit items of a feed, writes them, and returns how many they are, whether there are more,
// and the last one's stamp.
type feedPiece func(tx *db.Tx, p feedPage, w *apijson.Writer) (count int, more bool, last int64, err error)

// A feed's page is read in pieces; the first is small and shows how large its items are. The page ends early, with
// hasMore, when it has feedBytes: callers continue from nextSince in any case.
const (
	firstPiece  = 16
	pieceGrowth = 8       // times the piece before, at most
	pieceBytes  = 1 << 20 // of a piece's items, estimated from those before it
	feedBytes   = 8 << 20
)

// readPieces reads and writes one page of a feed.
func readPieces(r *request, tx *db.Tx, p feedPage, w *apijson.Writer, read feedPiece) (count int, more bool, last int64, err error) {
	size, left, limit, began := firstPiece, p.Limit, p.Limit, w.Len()
	for {
		p.Limit = min(size, left)
		n, rest, stamp, err := read(tx, p, w)
		if err != nil {
			return 0, false, 0, err
		}
		if n > 0 {
			last = stamp
		}
		count, left, more = count+n, left-n, rest
		written := w.Len() - began
		if !more || left == 0 || written >= feedBytes {
			return count, more, last, nil
		}
		if err := r.cut(w); err != nil {
			return 0, false, 0, err
		}
		p.Since = last + 1
		size = min(nextPiece(size, count, written), limit)
	}
}

// feed answers one page: it waits for all stamps reserved before the request, so that a caller who keeps a clock of
// its own misses nothing, and then reads on one snapshot.
func (a *API) feed(r *request, name string, source feedSource, page feedPiece) (out answer, err error) {
	q := r.query()
	p := readFeed(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	asked, err := a.DB.Settle(r.ctx(), r.caller.Tenant)
	if err != nil {
		return answer{}, err
	}
	r.large = true // a feed's page ends after some megabytes
	covered := 0
	out, err = a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		w.Object("")
		w.List("data")
		count, more, last, err := readPieces(r, tx, p, w, page)
		if err != nil {
			return err
		}
		w.EndList()
		meta, err := a.feeds.readMeta(tx, name, source, p, count, more, last)
		if err != nil {
			return err
		}
		meta.Now = asked // a caller who continues from it misses nothing
		covered = writeFeedMeta(w, p, meta)
		w.End()
		return nil
	})
	out.covered = covered
	return out, err
}

// listProductChanges serves GET /api/v1/sdk/products/changes: 200; 400.
func (a *API) listProductChanges(r *request) (answer, error) {
	return a.feed(r, "products", catalog.Products, func(tx *db.Tx, p feedPage, w *apijson.Writer) (int, bool, int64, error) {
		return catalog.Changes(tx, p.Since, p.Limit, p.Deleted, func(list []*catalog.Product) (err error) {
			var skus []string
			for _, product := range list {
				for i := range product.Variants {
					skus = append(skus, product.Variants[i].SKU)
				}
			}
			var s records.Products
			if len(skus) > 0 {
				if s.Levels, err = stock.OfSKUs(tx, skus); err != nil {
					return err
				}
			}
			for _, product := range list {
				s.WriteChanged(w, product, p.Deleted)
			}
			return nil
		})
	})
}

// listCategoryChanges serves GET /api/v1/sdk/categories/changes: 200; 400.
func (a *API) listCategoryChanges(r *request) (answer, error) {
	return a.feed(r, "categories", catalog.Categories, func(tx *db.Tx, p feedPage, w *apijson.Writer) (int, bool, int64, error) {
		list, more, err := catalog.CategoryChanges(tx, p.Since, p.Limit, p.Deleted)
		if err != nil || len(list) == 0 {
			return 0, false, 0, err
		}
		for _, c := range list {
			records.WriteChangedCategory(w, c, p.Deleted)
		}
		return len(list), more, list[len(list)-1].ChangedAt, nil
	})
}
