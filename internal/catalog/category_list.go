package catalog

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/search"
)

// CategoryFilter selects categories; zero values select all.
type CategoryFilter struct {
	ExternalID    string
	Parent        id.Category
	Search        string         // part of name, slug or external id, in any case
	After         *CategoryPlace // the last one of the page before, in place of Offset
	Limit, Offset int
}

// CategoryPlace is what lists of categories are sorted by.
type CategoryPlace struct {
	Name string
	ID   id.Category
}

// behind adds the condition that categories come behind the page before.
func (f CategoryFilter) behind(w *db.Where) {
	if f.After != nil {
		w.And(`(c.name COLLATE "C", c.id) > (?, ?::UUID)`, f.After.Name, f.After.ID)
	}
}

func (p CategoryPlace) compare(other CategoryPlace) int {
	return cmp.Or(cmp.Compare(p.Name, other.Name), cmp.Compare(p.ID, other.ID))
}

// ListCategories reads a page of categories by name, and how many there are.
func ListCategories(tx *db.Tx, f CategoryFilter) ([]Category, int64, error) {
	w := db.NewWhere(tx, "c").And("c.deleted_at IS NULL")
	db.AndGiven(w, "c.external_id = ?", f.ExternalID)
	db.AndGiven(w, "c.parent_id = ?::UUID", f.Parent)
	if f.Search != "" {
		return findCategories(tx, w, f)
	}
	if f.ExternalID != "" || f.Parent != "" {
		return categoryTable.PageFrom(tx, w, f.behind, byName, f.Limit, f.Offset)
	}
	kept := db.PrefetchTallies(tx, countedCategories)
	f.behind(w)
	page, err := categoryTable.Rows(tx, w, byName, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, err
	}
	counts, err := kept.Wait()
	return page, counts[countedCategories][""], err
}

const (
	countedCategories = "categories" // name of their kept count
	byName            = `c.name COLLATE "C", c.id`
)

// findCategories is ListCategories for a search. It compares in Go, because SQLite folds the case of ASCII letters only. It reads every
// category in the order of the ids, which is that of their rows: in the order of the names, SQLite would look up each of them.
func findCategories(tx *db.Tx, w *db.Where, f CategoryFilter) (page []Category, total int64, err error) {
	term, best := search.Fold(f.Search), []CategoryPlace{}
	reach := f.Offset + f.Limit
	cut := func() {
		slices.SortFunc(best, CategoryPlace.compare)
		best = best[:min(reach, len(best))]
	}
	err = tx.Each(func(r db.Rows) error {
		var p CategoryPlace
		var slug, external string
		if err := r.Scan((*string)(&p.ID), &p.Name, &slug, &external); err != nil || !namedLike(term, p.Name, slug, external) {
			return err
		}
		if total++; f.After == nil || p.compare(*f.After) > 0 {
			if best = append(best, p); len(best) >= 2*reach+1000 {
				cut()
			}
		}
		return nil
	}, "SELECT c.id, c.name, c.slug, coalesce(c.external_id, '') FROM categories c WHERE "+w.String()+" ORDER BY c.id", w.Args()...)
	if err != nil {
		return nil, 0, err
	}
	cut()
	if best = best[min(f.Offset, len(best)):]; len(best) == 0 {
		return []Category{}, total, nil
	}
	ids := make([]id.Category, len(best))
	for i := range best {
		ids[i] = best[i].ID
	}
	args := db.Padded(ids)
	page, err = categoryTable.All(tx, "AND id IN "+db.In(len(args), 2), args...)
	slices.SortFunc(page, func(a, b Category) int { return CategoryPlace{a.Name, a.ID}.compare(CategoryPlace{b.Name, b.ID}) })
	return page, total, err
}

// namedLike reports whether one of the texts contains the term, which is folded.
func namedLike(term string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(search.Fold(text), term) })
}
