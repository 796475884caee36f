package stock

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/lists"
	"entrepot/internal/lists/liststest"
	"entrepot/internal/search"
	"entrepot/internal/view"
)

// listedLevel is a level with the text of its product that searches look through.
type listedLevel struct {
	Row
	text string
}

// inLists says how the lists of levels are compared, in an account with some warehouses: a new filter is a line of Filters.
func inLists(warehouses ...string) liststest.Noun[listedLevel, Filter] {
	return liststest.Noun[listedLevel, Filter]{
		Filters: func(_ []listedLevel, add liststest.Add[listedLevel, Filter]) {
			found := func(term string) (func(f *Filter), func(l *listedLevel) bool) {
				return func(f *Filter) { f.Search = term }, func(l *listedLevel) bool {
					return strings.Contains(l.text, search.Fold(term)) || l.SKU == strings.TrimSpace(term)
				}
			}
			searches := func(name, term string) {
				set, fits := found(term)
				add(name, set, fits)
			}
			for _, w := range warehouses[1:] {
				add("warehouse "+w, func(f *Filter) { f.Warehouse = w }, func(l *listedLevel) bool { return l.Warehouse == w })
			}
			add("no such warehouse", func(f *Filter) { f.Warehouse = "PARIS" }, func(l *listedLevel) bool { return false })
			add("SKU", func(f *Filter) { f.SKU = "C-0233" }, func(l *listedLevel) bool { return l.SKU == "C-0233" })
			add("no such SKU", func(f *Filter) { f.SKU = "C-023" }, func(l *listedLevel) bool { return false })
			add("low", func(f *Filter) { f.Low = true }, func(l *listedLevel) bool { return l.Low })
			add("oversold", func(f *Filter) { f.Oversold = true }, func(l *listedLevel) bool { return l.Reserved > l.OnHand })
			searches("search for what most have", "Cup")
			searches("every SKU has this", "c-")
			searches("search of one letter", "b")
			searches("search for a word and a digit", "bowl M3")
			searches("SKU of a variant", " C-0147-V ")
			searches("a whole SKU", "C-0233")
			searches("part of a SKU", "C-01")
			searches("no such text", "none")
		},
		Sorts: []liststest.Sort[listedLevel, Filter]{
			{Name: "SKU", OneWay: true, Set: func(*Filter) {}, Compare: func(a, b *listedLevel) int { return a.Place().compare(b.Place()) }},
		},
		ID: func(l *listedLevel) string { return l.SKU + "@" + l.Warehouse },
		Page: func(f *Filter, p liststest.Page[listedLevel]) {
			if f.Limit, f.Offset = p.Limit, p.Offset; p.After != nil {
				f.After = &Place{SKU: p.After.SKU, Warehouse: p.After.Warehouse}
			}
		},
		List: func(tx *db.Tx, f Filter) (ids []string, total int64, err error) {
			list, total, err := List(tx, f)
			for _, r := range list {
				ids = append(ids, r.SKU+"@"+r.Warehouse)
			}
			return ids, total, err
		},
		Rows:  allLevels,
		Views: []*view.View{search.Blocks[search.Products]},
		Fill:  func(a *liststest.Account, n int) { fillLevels(a, n, warehouses) },
		Change: func(a *liststest.Account) {
			a.Write(func(tx *db.Tx) error {
				list, err := allLevels(tx)
				if err != nil {
					return err
				}
				slices.SortFunc(list, func(a, b listedLevel) int { return a.Place().compare(b.Place()) })
				a.Dice.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				list = slices.DeleteFunc(list, func(l listedLevel) bool { return l.SKU == "C-0233" || strings.HasSuffix(l.SKU, "-V") })
				gone := []string{list[0].SKU, list[1].SKU, list[2].SKU}
				list = slices.DeleteFunc(list[3:23], func(l listedLevel) bool { return slices.Contains(gone, l.SKU) })
				setLevels(a, tx, list)
				if err == nil {
					_, err = DeleteFor(tx, gone, Why{Cause: Adjustment})
				}
				return err
			})
			fillLevels(a, 6, warehouses)
		},
	}
}

// setLevels gives levels other quantities.
func setLevels(a *liststest.Account, tx *db.Tx, list []listedLevel) {
	inputs, thresholds := make([]StockInput, len(list)), make([]StockInput, len(list))
	shifts := make([]Shift, len(list))
	for i, l := range list {
		inputs[i] = StockInput{SKU: l.SKU, Product: l.Product, Variant: l.Variant, Warehouse: l.Warehouse, Quantity: a.Dice.Int64N(9)}
		thresholds[i] = inputs[i]
		thresholds[i].Quantity = a.Dice.Int64N(4)
		shifts[i] = Shift{SKU: l.SKU, Product: l.Product, Variant: l.Variant, Warehouse: l.Warehouse, Reserve: a.Dice.Int64N(4)}
	}
	s, err := ReadSnapshot(tx, inputs)
	if err == nil {
		s.Set(tx, inputs, Why{Cause: Import})
		if s, err = ReadSnapshot(tx, thresholds); err == nil {
			s.PlanThresholds(thresholds).Write(tx, Why{})
		}
	}
	if err == nil {
		var p *ShiftPlan
		if p, err = PlanShifts(tx, shifts, false); err == nil {
			p.Store(tx, Why{Cause: Shipment})
		}
	}
	if err != nil {
		a.Fatal(err)
	}
}

// fillLevels stores products, nearly all of them cups, some with a variant, and their levels: about n.
func fillLevels(a *liststest.Account, n int, warehouses []string) {
	var levels []listedLevel
	a.Write(func(tx *db.Tx) error {
		first := 0
		if err := tx.Row("SELECT count(*) FROM products WHERE tenant_id = $1", []any{tx.Tenant}, &first); err != nil {
			return err
		}
		var drafts []catalog.Draft
		skus := map[string][]string{} // by SKU of the product
		for i := first; len(levels) < n; i++ {
			d := catalog.Draft{SKU: fmt.Sprintf("C-%04d", i*7919%400), Price: patch.To(money.Amount(money.Scale)),
				Name: patch.To(fmt.Sprintf("%s m%d", []string{"Cup", "cup", "Bowl", "Cup"}[i/3%4], i%5))}
			if i >= 400 {
				d.SKU = fmt.Sprintf("C-%05d", i)
			}
			list := []string{d.SKU}
			if i%30 == 13 {
				list = append(list, d.SKU+"-V")
				d.VariantsSet, d.Variants = true, []catalog.VariantDraft{{SKU: d.SKU + "-V", Name: patch.To("V")}}
			}
			for _, sku := range list {
				for k, w := range warehouses {
					if k == 0 || (i+k)%(2*k) == 0 {
						levels = append(levels, listedLevel{Row: Row{Level: Level{SKU: sku, Warehouse: w}}})
					}
				}
			}
			drafts, skus[d.SKU] = append(drafts, d), list
		}
		known, err := catalog.ReadFor(tx, drafts, func([]catalog.Image) string { return "[]" })
		if err != nil {
			return err
		}
		changes := make([]catalog.Change, len(drafts))
		at := map[string]catalog.Product{}
		for i := range drafts {
			var faults []catalog.ItemError
			if changes[i], faults = known.Diff(&drafts[i], true); len(faults) > 0 {
				a.Fatal(faults)
			}
			for _, sku := range skus[drafts[i].SKU] {
				at[sku] = changes[i].After
			}
		}
		for i := range levels {
			l := &levels[i]
			if l.Product = at[l.SKU].ID; strings.HasSuffix(l.SKU, "-V") {
				l.Variant = at[l.SKU].Variants[0].ID
			}
		}
		catalog.Save(tx, changes)
		return nil
	})
	a.Write(func(tx *db.Tx) error { setLevels(a, tx, levels); return nil })
}

// allLevels are all levels of the account but deleted ones.
func allLevels(tx *db.Tx) (list []listedLevel, err error) {
	texts := map[id.Product]string{}
	err = tx.Each(func(r db.Rows) error {
		var product id.Product
		var sku, name string
		err := r.Scan(&product, &sku, &name)
		texts[product] = search.Fold(sku + " " + name)
		return err
	}, "SELECT id, sku, name FROM products WHERE tenant_id = $1", tx.Tenant)
	if err != nil {
		return nil, err
	}
	scan := rowScanner()
	return list, tx.Each(func(r db.Rows) error {
		row, err := scan(r)
		list = append(list, listedLevel{row, texts[row.Product]})
		return err
	}, levelTable.Select("")+" WHERE tenant_id = $1 AND deleted_at IS NULL", tx.Tenant)
}

// Every page of every list of levels has the levels that looking at each gives, whether they are in one warehouse or in several, and
// whether a search checks each level, looks up the products found, or does what costs less.
func TestEveryPageOfLevels(t *testing.T) {
	defer func(few int64) { lists.FewRows = few }(lists.FewRows)
	for _, lists.FewRows = range []int64{0, lists.FewRows} {
		for _, warehouses := range [][]string{{"MAIN"}, {"MAIN", "LYON", "OSLO"}} {
			t.Run(fmt.Sprint(lists.FewRows, " ", warehouses), func(t *testing.T) { liststest.Compare(t, 300, inLists(warehouses...)) })
		}
	}
}

// While all levels are in one warehouse, pages of them are read in its index, which has no more than their keys.
func TestPagesOfOneWarehouse(t *testing.T) {
	store, read := dbtest.Reading(t)
	a := liststest.NewAccount(t, store, 1)
	for _, warehouses := range [][]string{{"MAIN"}, {"MAIN", "LYON"}} {
		fillLevels(a, 30, warehouses)
		read.Reset()
		a.Read(func(tx *db.Tx) error {
			_, _, err := List(tx, Filter{Limit: 7, Offset: 10})
			return err
		})
		a.Read(func(tx *db.Tx) error {
			for _, s := range read.List() {
				if plan := s.Plan(t, tx); strings.Contains(s.SQL, "FROM stock_levels") &&
					strings.Contains(plan, "stock_levels_tenant_id_warehouse_code") != (len(warehouses) == 1) {
					t.Errorf("in %v: %s\n%s", warehouses, s.SQL, plan)
				}
			}
			return nil
		})
	}
}
