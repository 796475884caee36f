package catalog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/lists"
	"entrepot/internal/lists/liststest"
	"entrepot/internal/search"
	"entrepot/internal/view"
)

// listedProduct is a product with the channels that it is published on.
type listedProduct struct {
	*Product
	channels []id.Channel
}

func (p *listedProduct) in(category id.Category) bool {
	return slices.ContainsFunc(p.Links, func(l Link) bool { return l.Category == category })
}

// Two categories and three channels: many products, few, and nearly all.
const (
	books, atlases id.Category = "019a1c52-7c1e-7d40-9a55-0000000000c1", "019a1c52-7c1e-7d40-9a55-0000000000c2"
	web, fair      id.Channel  = "019a1c52-7c1e-7d40-9a55-0000000000d1", "019a1c52-7c1e-7d40-9a55-0000000000d2"
	outlet         id.Channel  = "019a1c52-7c1e-7d40-9a55-0000000000d3"
)

// inLists says how the lists of products are compared: a new filter is a line of Filters.
var inLists = liststest.Noun[listedProduct, Filter]{
	Filters: func(rows []listedProduct, add liststest.Add[listedProduct, Filter]) {
		some := []id.Product{rows[3].ID, rows[1].ID, id.New[id.Product](), rows[20].ID, rows[11].ID, rows[5].ID, rows[6].ID}
		contains := func(term string) func(p *listedProduct) bool {
			return func(p *listedProduct) bool { return strings.Contains(strings.ToLower(p.SKU+" "+p.Name), term) }
		}
		add("ids", func(f *Filter) { f.IDs = some }, func(p *listedProduct) bool { return slices.Contains(some, p.ID) })
		add("no such id", func(f *Filter) { f.IDs = some[2:3] }, func(p *listedProduct) bool { return false })
		add("SKU", func(f *Filter) { f.SKU = "S-007" }, func(p *listedProduct) bool { return p.SKU == "S-007" })
		add("SKU of a variant", func(f *Filter) { f.SKU = "S-010-B" }, func(p *listedProduct) bool { return slices.Contains(p.SKUs(), "S-010-B") })
		add("no such SKU", func(f *Filter) { f.SKU = "S" }, func(p *listedProduct) bool { return false })
		add("status", func(f *Filter) { f.Statuses = []Status{Active} }, func(p *listedProduct) bool { return p.Status == Active })
		add("statuses", func(f *Filter) { f.Statuses = []Status{Archived, DraftStatus} },
			func(p *listedProduct) bool { return p.Status == Archived || p.Status == DraftStatus })
		add("statuses of most", func(f *Filter) { f.Statuses = []Status{Active, DraftStatus} },
			func(p *listedProduct) bool { return p.Status == Active || p.Status == DraftStatus })
		add("every status", func(f *Filter) { f.Statuses = Statuses }, func(p *listedProduct) bool { return true })
		add("no such status", func(f *Filter) { f.Statuses = []Status{Inactive} }, func(p *listedProduct) bool { return false })
		add("category", func(f *Filter) { f.Category = books }, func(p *listedProduct) bool { return p.in(books) })
		add("category of few", func(f *Filter) { f.Category = atlases }, func(p *listedProduct) bool { return p.in(atlases) })
		add("no such category", func(f *Filter) { f.Category = id.Category(web) }, func(p *listedProduct) bool { return false })
		add("channel", func(f *Filter) { f.Channel = web }, func(p *listedProduct) bool { return slices.Contains(p.channels, web) })
		add("channel of few", func(f *Filter) { f.Channel = fair }, func(p *listedProduct) bool { return slices.Contains(p.channels, fair) })
		add("channel of most", func(f *Filter) { f.Channel = outlet }, func(p *listedProduct) bool { return slices.Contains(p.channels, outlet) })
		add("no such channel", func(f *Filter) { f.Channel = id.Channel(books) }, func(p *listedProduct) bool { return false })
		add("search", func(f *Filter) { f.Search = "Lamp" }, contains("lamp"))
		add("search for what most have", func(f *Filter) { f.Search = "A" }, contains("a"))
		add("every SKU has this", func(f *Filter) { f.Search = "s-" }, contains("s-"))
		add("search of two letters", func(f *Filter) { f.Search = "up" }, contains("up"))
		add("no such text", func(f *Filter) { f.Search = "_a%" }, contains("_a%"))
	},
	Sorts: []liststest.Sort[listedProduct, Filter]{
		{Name: "creation", Set: func(f *Filter) { f.Sort = ByCreation }, Compare: func(a, b *listedProduct) int { return 0 }},
		{Name: "update", ByPage: true, Set: func(f *Filter) { f.Sort = ByUpdate },
			Compare: func(a, b *listedProduct) int { return cmp.Compare(a.ChangedAt, b.ChangedAt) }},
		{Name: "name", ByPage: true, Set: func(f *Filter) { f.Sort = ByName },
			Compare: func(a, b *listedProduct) int { return cmp.Compare(a.Name, b.Name) }},
		{Name: "SKU", ByPage: true, Set: func(f *Filter) { f.Sort = BySKU },
			Compare: func(a, b *listedProduct) int { return cmp.Compare(a.SKU, b.SKU) }},
		{Name: "price", ByPage: true, Set: func(f *Filter) { f.Sort = ByPrice },
			Compare: func(a, b *listedProduct) int { return cmp.Compare(a.Price, b.Price) }},
	},
	ID: func(p *listedProduct) string { return string(p.ID) },
	Page: func(f *Filter, p liststest.Page[listedProduct]) {
		f.Descending, f.Limit, f.Offset = p.Descending, p.Limit, p.Offset
		if p.After != nil {
			f.After = p.After.ID
		}
	},
	List: func(tx *db.Tx, f Filter) (ids []string, total int64, err error) {
		list, total, err := Page(tx, f)
		for _, p := range list {
			ids = append(ids, string(p))
		}
		return ids, total, err
	},
	Rows:  allProducts,
	Views: []*view.View{search.Blocks[search.Products], ProductSorts},
	Fill:  fillProducts,
	Change: func(a *liststest.Account) {
		a.Write(func(tx *db.Tx) error {
			_, gone := DeleteTombstones(tx, math.MaxInt64, 3) // of products that were deleted in changes before
			list, err := allProducts(tx)
			err = cmp.Or(err, gone)
			slices.SortFunc(list, func(a, b listedProduct) int { return cmp.Compare(a.SKU, b.SKU) })
			a.Dice.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			var changes []Change
			for i, p := range list[:25] {
				if i < 5 {
					Delete(tx, p.Product)
					err = cmp.Or(err, Unpublish(tx, p.ID))
					continue
				}
				after := *p.Product
				after.Name, after.Price, after.Status = named(a), priceOf(a), statusOf(a)
				changes = append(changes, Change{Before: p.Product, After: after, Fields: []string{"name", "price", "status"}})
			}
			Save(tx, changes)
			return err
		})
		fillProducts(a, 5)
	},
}

func named(a *liststest.Account) string {
	return []string{"Lamp", "Cup", "ünder", "Übung", "Table", "cup", "Map 7"}[a.Dice.IntN(7)]
}

func priceOf(a *liststest.Account) money.Amount { return money.Amount(a.Dice.IntN(9)) * money.Scale }

func statusOf(a *liststest.Account) Status {
	return []Status{Active, Active, Active, Archived, DraftStatus}[a.Dice.IntN(5)]
}

// fillProducts stores products, some with variants, categories and publications.
func fillProducts(a *liststest.Account, n int) {
	first := 0
	a.Write(func(tx *db.Tx) error {
		if err := tx.Row("SELECT count(*) FROM products WHERE tenant_id = $1", []any{tx.Tenant}, &first); err != nil || first > 0 {
			return err
		}
		SaveCategories(tx, []CategoryChange{{After: Category{ID: books, ExternalID: "B", Name: "Books", Slug: "books"}},
			{After: Category{ID: atlases, ExternalID: "M", Name: "Maps", Slug: "atlases"}}})
		return nil
	})
	drafts := make([]Draft, n)
	for i := range drafts {
		d := &drafts[i]
		*d = Draft{SKU: fmt.Sprintf("S-%04d", (first+i)*7919%10_000), Name: patch.To(named(a)), Price: patch.To(priceOf(a)), Status: patch.To(statusOf(a))}
		if first+i < 30 {
			d.SKU = fmt.Sprintf("S-%03d", 29-i)
		}
		if i%5 == 4 {
			d.VariantsSet, d.Variants = true, []VariantDraft{{SKU: d.SKU + "-A", Name: patch.To("A")}, {SKU: d.SKU + "-B", Name: patch.To("B")}}
		}
		in := []string{}
		if i%3 > 0 {
			in = append(in, "B")
		}
		if i%20 == 3 {
			in = append(in, string(atlases))
		}
		d.Categories = patch.To(in)
	}
	a.Write(storing(a.T, drafts...))
	a.Write(func(tx *db.Tx) error {
		var skus []string
		for _, d := range drafts {
			skus = append(skus, d.SKU)
		}
		found, err := Resolve(tx, skus)
		for i, sku := range skus {
			for channel, on := range map[id.Channel]bool{web: i%2 == 1, fair: i%25 == 1, outlet: i%20 > 0} {
				if on && err == nil {
					err = publish(tx, channel, []PublicationStatus{PublicationPending, PublicationPublished}[i/2%2], found[sku].Product)
				}
			}
		}
		return err
	})
}

// allProducts are all products of the account but deleted ones.
func allProducts(tx *db.Tx) ([]listedProduct, error) {
	ids, err := db.List(tx, func(r db.Rows) (p id.Product, err error) { return p, r.Scan(&p) },
		"SELECT id FROM products WHERE tenant_id = $1 AND deleted_at IS NULL", tx.Tenant)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	list, err := ByIDs(tx, ids)
	if err != nil {
		return nil, err
	}
	on, err := PublicationsOf(tx, ids)
	rows := make([]listedProduct, len(list))
	for i, p := range list {
		rows[i].Product = p
		for _, one := range on[p.ID] {
			rows[i].channels = append(rows[i].channels, one.Channel)
		}
	}
	return rows, err
}

// Every page of every list of products has the products that looking at each gives.
func TestEveryPageOfProducts(t *testing.T) {
	few := lists.FewRows
	lists.FewRows = 40
	defer func() { lists.FewRows = few }()
	liststest.Compare(t, 360, inLists)
}
