package stock

import (
	"slices"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/search"
)

// ownedPage is a page of the levels whose products match.
type ownedPage struct {
	*current
	filter  Filter
	whole   string             // levels of this SKU match, too
	numbers *search.Set        // of products
	matches []bool             // by product; false for late ones
	late    map[search.ID]bool // of late products: whether they match
	extra   []levelKey         // matching levels that owners do not count, in the order of lists
	counts  []int              // matching levels from each fence to the next
}

// pageOwned reads a page of the levels of products that match: those given, or with but all others. It counts by the owners of levels and
// reads no more levels than lie between some fences. An error that came before is returned.
func (f Filter) pageOwned(tx *db.Tx, o *current, products []search.ID, but bool, err error) ([]Row, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	p := &ownedPage{current: o, filter: f, whole: strings.TrimSpace(f.Search), numbers: search.SetOf(o.products)}
	p.match(products, but)
	if err := p.readExtra(tx); err != nil {
		return nil, 0, err
	}
	total := p.count()
	fence, skip := p.begin()
	list, err := p.walk(tx, fence, skip)
	return list, total, err
}

// match says which products match.
func (p *ownedPage) match(products []search.ID, but bool) {
	p.matches, p.late = make([]bool, len(p.products)), map[search.ID]bool{}
	if but {
		for i := range p.matches {
			p.matches[i] = true
		}
		for product := range p.current.late {
			p.late[product] = true
		}
	}
	for _, product := range products {
		if at, there := p.numbers.Find(product); there {
			p.matches[at] = !but
		}
		if len(p.current.late) > 0 && p.current.late[product] {
			p.late[product] = !but
		}
	}
	for product := range p.current.late {
		if at, there := p.numbers.Find(product); there {
			p.matches[at] = false
		}
	}
}

// readExtra looks up the levels of late products that match, and those of the whole SKU.
func (p *ownedPage) readExtra(tx *db.Tx) error {
	var late []search.ID
	for product, matches := range p.late {
		if matches {
			late = append(late, product)
		}
	}
	slices.SortFunc(late, search.CompareIDs)
	skus, err := skusOf(tx, late)
	if err != nil {
		return err
	}
	if p.whole != "" {
		skus = append(skus, p.whole)
	}
	slices.Sort(skus)
	for piece := range db.Pieces(slices.Compact(skus)) {
		w := db.AndIn(p.filter.where(tx), "l.sku", db.Padded(piece))
		err := tx.Each(func(r db.Rows) error {
			var key levelKey
			var text id.Product
			err := r.Scan(&key.sku, &key.warehouse, &text)
			product := search.ParseID(text)
			if at, there := p.numbers.Find(product); there && p.matches[at] {
				return err // counted already
			}
			if p.late[product] || p.whole != "" && key.sku == p.whole {
				p.extra = append(p.extra, key)
			}
			return err
		}, "SELECT l.sku, l.warehouse_code, l.product_id FROM stock_levels l WHERE "+w.String(), w.Args()...)
		if err != nil {
			return err
		}
	}
	slices.SortFunc(p.extra, levelKey.compare)
	return nil
}

// count counts all levels of the page's list.
func (p *ownedPage) count() (total int64) {
	p.counts = make([]int, len(p.fences))
	only := slices.Index(p.codes, p.filter.Warehouse)
	for i := range p.counts {
		from, to, n := i*ownersEvery, min((i+1)*ownersEvery, len(p.of)), 0
		switch {
		case p.filter.Warehouse == "":
			for _, product := range p.of[from:to] {
				if p.matches[product] {
					n++
				}
			}
		case only >= 0:
			for at, product := range p.of[from:to] {
				if p.matches[product] && int(p.in[from+at]) == only {
					n++
				}
			}
		}
		p.counts[i] = n
		total += int64(n)
	}
	return total + int64(len(p.extra))
}

// extraBefore is how many of the extra levels come before a fence; all of them for the one behind the last.
func (p *ownedPage) extraBefore(fence int) int {
	switch {
	case fence == 0:
		return 0
	case fence == len(p.fences):
		return len(p.extra)
	}
	n, _ := slices.BinarySearchFunc(p.extra, p.fences[fence], levelKey.compare)
	return n
}

// begin is the fence from which the page is read, and how many levels of the list are to be skipped from there.
func (p *ownedPage) begin() (fence, skip int) {
	if p.filter.After != nil {
		return p.fence(levelKey{p.filter.After.SKU, p.filter.After.Warehouse}), 0
	}
	before := 0
	for fence = 0; fence+1 < len(p.fences); fence++ {
		next := before + p.counts[fence]
		if next+p.extraBefore(fence+1) > p.filter.Offset {
			break
		}
		before = next
	}
	return fence, p.filter.Offset - before - p.extraBefore(fence)
}

// walk reads the page, from one fence to the next where there is anything of the list.
func (p *ownedPage) walk(tx *db.Tx, fence, skip int) ([]Row, error) {
	f := p.filter
	page := make([]Row, 0, f.Limit)
	for ; fence < len(p.fences) && len(page) < f.Limit; fence++ {
		if p.counts[fence] == 0 && p.extraBefore(fence) == p.extraBefore(fence+1) {
			continue
		}
		w := f.where(tx)
		f.behind(w)
		const at = "(l.sku, l.warehouse_code) "
		if from := p.fences[fence]; fence > 0 && (f.After == nil || from.compare(levelKey{f.After.SKU, f.After.Warehouse}) > 0) {
			w.And(at+">= (?, ?)", from.sku, from.warehouse)
		}
		if fence+1 < len(p.fences) {
			w.And(at+"< (?, ?)", p.fences[fence+1].sku, p.fences[fence+1].warehouse)
		}
		scan := rowScanner()
		err := tx.Each(func(r db.Rows) error {
			row, err := scan(r)
			if err != nil || len(page) == f.Limit || !p.has(&row) {
				return err
			}
			if skip--; skip < 0 {
				page = append(page, row)
			}
			return nil
		}, levelTable.Select("l")+" WHERE "+w.String()+" ORDER BY l.sku, l.warehouse_code", w.Args()...)
		if err != nil {
			return nil, err
		}
	}
	return page, nil
}

// has reports whether a level is in the list.
func (p *ownedPage) has(r *Row) bool {
	product := search.ParseID(r.Product)
	at, there := p.numbers.Find(product)
	return there && p.matches[at] || p.late[product] || p.whole != "" && r.SKU == p.whole
}
