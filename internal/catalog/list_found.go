package catalog

import (
	"cmp"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// fewProducts is how many products a search looks at one by one, whatever else is asked for.
const fewProducts = 1000

// lookUpCost is about how many entries of an index are read while one product is looked up.
const lookUpCost = 4

// pageOfFound reads a page of a search.
func (f Filter) pageOfFound(tx *db.Tx) ([]id.Product, int64, error) {
	f, of, counts, err := f.narrowed(tx)
	if err != nil {
		return nil, 0, err
	}
	if f.Sort == ByCreation && len(of) == 0 && len(f.Statuses) == 0 { // the index of searches answers the filter
		page := f.newPage()
		err := search.Find(tx, search.Products, f.Search, func(id search.ID, _ int64) error {
			page.Add(search.Hit{ID: id})
			return nil
		})
		return productsOf(page), page.Total, err
	}
	if few, known, err := f.fewest(tx, of, counts); known || err != nil {
		chosen := &choice{filter: f}
		if err == nil {
			err = chosen.look(tx, few)
		}
		return chosen.page(), chosen.total, err
	}
	found, err := search.FindSet(tx, search.Products, f.Search, nil)
	left := f // what is still to be looked at
	left.Search = ""
	if err == nil && found.Len() > fewProducts {
		found, left, err = left.settle(tx, found, of, counts)
	}
	if err != nil {
		return nil, 0, err
	}
	n := found.Len()
	if len(left.Statuses) == 0 && left.Category == "" && left.Channel == "" {
		if f.Sort == ByCreation {
			page := f.newPage()
			page.AddSet(found)
			return productsOf(page), n, nil
		}
		// The page ends before as many are passed.
		if len(of) == 0 && float64(f.Offset+f.Limit)*float64(sumOf(counts)) < float64(n)*float64(n) {
			list, err := f.walk(tx, func(w *db.Where, s subject) {
				f.andStatuses(w, s)
				f.containing(w, s)
			})
			return list, n, err
		}
	}
	chosen := &choice{filter: left}
	ids := make([]id.Product, n)
	for i, product := range found.IDs() {
		ids[i] = id.Product(product.String())
	}
	err = chosen.look(tx, ids)
	return chosen.page(), chosen.total, err
}

// fewest are the products of the category or the channel that has fewer, or with the statuses of the filter, if looking at each of them is
// less work than reading the texts of all products, as a search for a common term does.
func (f Filter) fewest(tx *db.Tx, of []members, counts map[Status]int64) (list []id.Product, known bool, err error) {
	var sql string
	var w *db.Where
	few := func(n int64) bool { return n == 0 || n <= fewProducts && n*search.TextsPerLook <= sumOf(counts) }
	switch {
	case len(of) > 0 && few(of[0].size):
		w = of[0].where(tx)
		sql = "SELECT m.product_id FROM " + of[0].table + " m WHERE " + w.String()
	case len(f.Statuses) > 0 && few(f.asked(counts)):
		w = withStatuses(tx, f.Statuses)
		sql = "SELECT p.id FROM products p WHERE " + w.String()
	default:
		return nil, false, nil
	}
	list, err = db.List(tx, func(r db.Rows) (product id.Product, err error) { return product, r.Scan(&product) }, sql, w.Args()...)
	return list, true, err
}

// withStatuses are the conditions of living products p with some statuses.
func withStatuses(tx *db.Tx, statuses []Status) *db.Where {
	return db.AndIn(db.NewWhere(tx, "p").And("p.deleted_at IS NULL"), "p.status", statuses)
}

// settle leaves those of very many products that have the filter's statuses and are in its category and channel, as far as an index says so
// for less than looking at each of them, and takes these conditions out of the filter.
func (f Filter) settle(tx *db.Tx, found *search.Set, of []members, counts map[Status]int64) (_ *search.Set, left Filter, err error) {
	for _, m := range of {
		if err == nil && m.size < lookUpCost*found.Len() {
			w := m.where(tx)
			found, err = found.Keep(tx, "SELECT m.product_id FROM "+m.table+" m WHERE "+w.String(), w.Args()...)
			f = f.without(m)
		}
	}
	if len(f.Statuses) == 0 || err != nil {
		return found, f, err
	}
	others := slices.DeleteFunc(slices.Clone(Statuses), func(s Status) bool { return slices.Contains(f.Statuses, s) })
	with := func(statuses []Status) (string, []any) {
		w := withStatuses(tx, statuses)
		return "SELECT p.id FROM products p WHERE " + w.String(), w.Args()
	}
	asked := f.asked(counts)
	rest := sumOf(counts) - asked
	if min(asked, rest) >= lookUpCost*found.Len() {
		return found, f, nil
	}
	if asked <= rest {
		sql, args := with(f.Statuses)
		found, err = found.Keep(tx, sql, args...)
	} else if rest > 0 {
		sql, args := with(others)
		found, err = found.Drop(tx, sql, args...)
	}
	f.Statuses = nil
	return found, f, err
}

// without is the filter without a category or a channel.
func (f Filter) without(m members) Filter {
	if m.of == any(f.Channel) {
		f.Channel = ""
	} else {
		f.Category = ""
	}
	return f
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
		f = f.without(m)
		return true
	})
	return f, of, counts, err
}

// containing is the condition that a product is found, for a list that walks in the order of its sort: set aside, and not an EXISTS, for
// which PostgreSQL would find all of these first.
func (f Filter) containing(w *db.Where, of subject) {
	w.And(aside("(SELECT x.search FROM products x WHERE x.tenant_id = $1 AND x.id = "+of.id+`) LIKE ? ESCAPE '\'`),
		db.Containing(search.Fold(f.Search)))
}

// newPage is the page of a list by creation, empty.
func (f Filter) newPage() *search.Page {
	page := &search.Page{Offset: f.Offset, Limit: f.Limit, Ascending: !f.Descending}
	if f.After != "" {
		page.After = &search.Hit{ID: search.ParseID(f.After)}
	}
	return page
}

// productsOf are the products of a page.
func productsOf(page *search.Page) []id.Product {
	hits := page.Hits()
	list := make([]id.Product, len(hits))
	for i, h := range hits {
		list[i] = id.Product(h.ID.String())
	}
	return list
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
