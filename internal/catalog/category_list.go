package catalog

import (
	"cmp"
	"maps"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// CategoryFilter selects categories; zero values select all.
type CategoryFilter struct {
	ExternalID    string
	Parent        id.Category
	Search        string         // part of name, slug or external id, in any case
	After         *CategoryPlace // the last category of the page before, in place of Offset
	Limit, Offset int
}

// CategoryPlace is the sort key of a category in lists.
type CategoryPlace struct {
	Name string
	ID   id.Category
}

// behind adds the condition that categories come after the page before.
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
	pending := db.PrefetchTallies(tx, countedCategories)
	f.behind(w)
	page, err := categoryTable.Rows(tx, w, byName, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, err
	}
	counts, err := pending.Wait()
	return page, counts[countedCategories][""], err
}

const (
	countedCategories = "categories" // name of the maintained count
	byName            = `c.name COLLATE "C", c.id`
)

// fewFound is the largest number of found categories that are read to be sorted. For more, the page is found by reading
// all categories in their order, walkStep of them at a time. Tests lower both.
var fewFound, walkStep = 2000, 2048

// findCategories is ListCategories for a search.
func findCategories(tx *db.Tx, w *db.Where, f CategoryFilter) (page []Category, total int64, err error) {
	found := map[search.ID]bool{}
	err = search.Find(tx, search.Categories, f.Search, func(category search.ID, _ int64) error {
		found[category] = true
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	places, total := []CategoryPlace{}, int64(len(found))
	switch {
	case f.ExternalID != "" || f.Parent != "":
		err = eachPlace(tx, w, "", func(p CategoryPlace) {
			if found[search.ParseID(string(p.ID))] {
				places = append(places, p)
			}
		})
		total = int64(len(places))
	case f.Offset >= len(found):
	case len(found) <= fewFound:
		err = db.Chunks(slices.Collect(maps.Keys(found)), func(piece []search.ID) error {
			w := db.NewWhere(tx, "c")
			ids := make([]id.Category, len(piece))
			for i := range piece {
				ids[i] = id.Category(piece[i].String())
			}
			return eachPlace(tx, db.AndIn(w, "c.id", db.Padded(ids)), "", func(p CategoryPlace) { places = append(places, p) })
		})
	default:
		places, err = walkFound(tx, f, found)
	}
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(places, CategoryPlace.compare)
	if f.After != nil {
		places = slices.DeleteFunc(places, func(p CategoryPlace) bool { return p.compare(*f.After) <= 0 })
	}
	places = places[min(f.Offset, len(places)):]
	page, err = categoriesAt(tx, places[:min(f.Limit, len(places))])
	return page, total, err
}

// walkFound reads categories in their order after the page before, until it has those of the page and of the pages
// before it.
func walkFound(tx *db.Tx, f CategoryFilter, found map[search.ID]bool) (places []CategoryPlace, err error) {
	for more := true; more && len(places) < f.Offset+f.Limit; {
		w := db.NewWhere(tx, "c").And("c.deleted_at IS NULL")
		f.behind(w)
		read := 0
		err = eachPlace(tx, w, " ORDER BY "+byName+" LIMIT "+w.Bind(walkStep)+"::BIGINT", func(p CategoryPlace) {
			f.After = &p
			if read++; found[search.ParseID(string(p.ID))] {
				places = append(places, p)
			}
		})
		more = err == nil && read == walkStep
	}
	return places, err
}

func eachPlace(tx *db.Tx, w *db.Where, end string, each func(CategoryPlace)) error {
	return tx.Each(func(r db.Rows) error {
		var p CategoryPlace
		err := r.Scan(&p.ID, &p.Name)
		each(p)
		return err
	}, "SELECT c.id, c.name FROM categories c WHERE "+w.String()+end, w.Args()...)
}

// categoriesAt reads categories by their places, in this order.
func categoriesAt(tx *db.Tx, places []CategoryPlace) ([]Category, error) {
	if len(places) == 0 {
		return []Category{}, nil
	}
	ids := make([]id.Category, len(places))
	for i := range places {
		ids[i] = places[i].ID
	}
	args := db.Padded(ids)
	page, err := categoryTable.All(tx, "AND id IN "+db.In(len(args), 2), args...)
	slices.SortFunc(page, func(a, b Category) int { return CategoryPlace{a.Name, a.ID}.compare(CategoryPlace{b.Name, b.ID}) })
	return page, err
}
