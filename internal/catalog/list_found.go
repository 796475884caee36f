package catalog

import (
	"cmp"
	"slices"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/search"
)

// pageOfFound reads a page of a search. If the filter selects fewer products than the search finds, these are looked through.
func (f Filter) pageOfFound(tx *db.Tx) ([]id.Product, int64, error) {
	f, of, counts, err := f.narrowed(tx)
	if err != nil {
		return nil, 0, err
	}
	alone := len(of) == 0 && len(f.Statuses) == 0 // the index of searches answers the filter
	if alone && f.Sort == ByCreation {
		return f.pageOfNewest(tx)
	}
	var found []id.Product
	err = search.Find(tx, search.Products, f.Search, func(product search.ID, _ int64) error {
		found = append(found, id.Product(product.String()))
		return nil
	})
	n := int64(len(found))
	switch {
	case err != nil:
		return nil, 0, err
	case len(of) > 0 && of[0].size < n:
		return f.pageOfLooked(tx, "m.product_id FROM "+of[0].table+" m", of[0].where(tx))
	case len(f.Statuses) > 0 && f.asked(counts) < n:
		w := db.AndIn(db.NewWhere(tx, "p").And("p.deleted_at IS NULL"), "p.status", f.Statuses)
		return f.pageOfLooked(tx, "p.id FROM products p", w)
	case alone && float64(f.Offset+f.Limit)*float64(sumOf(counts)) < float64(n)*float64(n): // the page ends before as many are passed
		list, err := f.walk(tx, f.containing)
		return list, n, err
	}
	chosen := &choice{filter: f}
	chosen.filter.Search = "" // applied already
	err = chosen.look(tx, found)
	return chosen.page(), chosen.total, err
}

// narrowed is the filter without a category or a channel that has every product, its other memberships, and the kept counts.
func (f Filter) narrowed(tx *db.Tx) (Filter, []members, map[Status]int64, error) {
	if f.Sort == ByCreation && len(f.Statuses) == 0 && f.Category == "" && f.Channel == "" {
		return f, nil, nil, nil
	}
	counts, err := Counts(tx)
	if err != nil {
		return f, nil, nil, err
	}
	of, err := f.memberships(tx)
	of = slices.DeleteFunc(of, func(m members) bool {
		if m.size != sumOf(counts) {
			return false
		}
		if m.of == any(f.Channel) {
			f.Channel = ""
		} else {
			f.Category = ""
		}
		return true
	})
	return f, of, counts, err
}

// containing is the condition that a product is found, for a list that walks in the order of its sort.
func (f Filter) containing(w *db.Where, of subject) {
	w.And("EXISTS (SELECT 1 FROM products x WHERE x.tenant_id = $1 AND x.id = "+of.id+` AND x.search LIKE ? ESCAPE '\')`,
		db.Containing(search.Fold(f.Search)))
}

// pageOfNewest reads a page of a search by creation, without another condition.
func (f Filter) pageOfNewest(tx *db.Tx) ([]id.Product, int64, error) {
	page := &search.Page{Offset: f.Offset, Limit: f.Limit, Ascending: !f.Descending}
	if f.After != "" {
		page.After = &search.Hit{ID: search.ParseID(string(f.After))}
	}
	err := search.Find(tx, search.Products, f.Search, func(id search.ID, _ int64) error {
		page.Add(search.Hit{ID: id})
		return nil
	})
	hits := page.Hits()
	list := make([]id.Product, len(hits))
	for i, h := range hits {
		list[i] = id.Product(h.ID.String())
	}
	return list, page.Total, err
}

// pageOfLooked reads a page of a search by looking at each product whose id a statement selects.
func (f Filter) pageOfLooked(tx *db.Tx, selection string, w *db.Where) ([]id.Product, int64, error) {
	among, err := db.List(tx, scanID, "SELECT "+selection+" WHERE "+w.String(), w.Args()...)
	if err != nil {
		return nil, 0, err
	}
	chosen := &choice{filter: f}
	err = chosen.look(tx, among)
	return chosen.page(), chosen.total, err
}

// LastRecorded finds the newest products that contain a term, at most n; searches of everything show these.
func LastRecorded(tx *db.Tx, term string, n int) ([]id.Product, error) {
	found, err := search.Newest(tx, search.Products, term, n, nil)
	list := make([]id.Product, len(found))
	for i := range found {
		list[i] = id.Product(found[i].String())
	}
	return list, err
}

// choice selects, from any number of products examined, those of one page and of the pages before it.
type choice struct {
	filter Filter
	total  int64 // how many match
	best   []chosen
}

// chosen is a product with its sort value.
type chosen struct {
	id     id.Product
	text   string // of ByName and BySKU
	number int64  // of ByPrice and ByUpdate
}

// look examines some products and adds those that match the filter, without its search and ids.
func (c *choice) look(tx *db.Tx, ids []id.Product) error {
	f := c.filter
	for len(ids) > 0 {
		piece := ids[:min(256, len(ids))]
		ids = ids[len(piece):]
		w := db.NewWhere(tx, "p").And("p.deleted_at IS NULL")
		db.AndIn(w, "p.id", db.Padded(piece))
		f.andStatuses(w, inProducts)
		if f.Category != "" {
			w.And(members{table: "product_categories", column: "category_id", of: f.Category}.has(w, inProducts.id))
		}
		if f.Channel != "" {
			w.And(members{table: "publications", column: "channel_id", of: f.Channel}.has(w, inProducts.id))
		}
		if f.Search != "" {
			w.AndContains("p.search", search.Fold(f.Search))
		}
		err := tx.Each(func(r db.Rows) error {
			var p chosen
			var name, sku string
			var price, changed int64
			err := r.Scan((*string)(&p.id), &name, &sku, &price, &changed)
			switch f.Sort {
			case ByName:
				p.text = name
			case BySKU:
				p.text = sku
			case ByPrice:
				p.number = price
			case ByUpdate:
				p.number = changed
			}
			c.add(p)
			return err
		}, "SELECT p.id, p.name, p.sku, p.price, p.changed_at FROM products p WHERE "+w.String(), w.Args()...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *choice) add(p chosen) {
	c.total++
	if f := c.filter; f.After != "" && f.compare(chosen{id: f.After}, p) >= 0 {
		return
	}
	reach := c.filter.Offset + c.filter.Limit
	if c.best = append(c.best, p); len(c.best) >= 2*reach+1000 {
		slices.SortFunc(c.best, c.filter.compare)
		c.best = c.best[:reach]
	}
}

// compare sorts products as the pages of the filter do.
func (f Filter) compare(a, b chosen) int {
	by := cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id))
	if f.Descending {
		return -by
	}
	return by
}

// page returns the products of the page, in order.
func (c *choice) page() []id.Product {
	slices.SortFunc(c.best, c.filter.compare)
	from, to := min(c.filter.Offset, len(c.best)), min(c.filter.Offset+c.filter.Limit, len(c.best))
	list := make([]id.Product, 0, to-from)
	for _, p := range c.best[from:to] {
		list = append(list, p.id)
	}
	return list
}
