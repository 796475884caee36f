package stock_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
	"entrepot/internal/search"
	"entrepot/internal/stock"
)

// assortment is an account with products, some of which have variants.
type assortment struct {
	*testing.T
	store  *db.DB
	tenant id.Tenant
	random *rand.Rand
	texts  map[id.Product]string // of the products that there are
	skus   map[id.Product][]string
	made   int
}

func newAssortment(t *testing.T, store *db.DB) *assortment {
	return &assortment{t, store, dbtest.Account(t, store), rand.New(rand.NewPCG(7, 9)), map[id.Product]string{},
		map[id.Product][]string{}, 0}
}

func (a *assortment) write(run func(tx *db.Tx) error) {
	a.Helper()
	if err := a.store.Write(a.Context(), a.tenant, run); err != nil {
		a.Fatal(err)
	}
}

// add creates a product with a SKU and perhaps that of a variant.
func (a *assortment) add(sku, variant string) id.Product {
	a.made++
	product, name := id.New[id.Product](), "cup"
	if a.made%4 == 1 {
		name = "bowl"
	}
	skus := []string{sku}
	if variant != "" {
		skus = append(skus, variant)
	}
	a.texts[product], a.skus[product] = search.Fold(sku+" "+name), skus
	a.write(func(tx *db.Tx) error {
		tx.Queue(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
			category_count, created_at, updated_at, changed_at) VALUES ($1,$2,$3,$4,$5,'','ACTIVE',1,'[]','{}','',0,0,0,0,$6)`, tx.Tenant,
			product, sku, name, string(product), -a.made)
		if variant != "" {
			tx.Queue(`INSERT INTO variants (tenant_id, product_id, position, id, sku, name, attributes) VALUES ($1,$2,0,$3,$4,'','{}')`,
				tx.Tenant, product, id.New[string](), variant)
		}
		for _, sku := range skus {
			tx.Queue("INSERT INTO skus (tenant_id, sku, product_id) VALUES ($1,$2,$3)", tx.Tenant, sku, product)
		}
		search.Put(tx, search.Products, search.Document{ID: string(product), Text: sku + " " + name})
		return nil
	})
	return product
}

// remove deletes a product with its levels.
func (a *assortment) remove(product id.Product) {
	a.write(func(tx *db.Tx) error {
		if _, err := stock.DeleteFor(tx, a.skus[product], stock.Why{Cause: stock.Adjustment}); err != nil {
			return err
		}
		tx.Queue("DELETE FROM skus WHERE tenant_id = $1 AND product_id = $2", tx.Tenant, product)
		tx.Queue("DELETE FROM variants WHERE tenant_id = $1 AND product_id = $2", tx.Tenant, product)
		tx.Queue("UPDATE products SET deleted_at = 5 WHERE tenant_id = $1 AND id = $2", tx.Tenant, product)
		search.Put(tx, search.Products, search.Document{ID: string(product)})
		return nil
	})
	delete(a.texts, product)
	delete(a.skus, product)
}

// set sets the quantity of a product's SKUs in a warehouse.
func (a *assortment) set(product id.Product, warehouse string, quantity int64) {
	a.write(func(tx *db.Tx) error {
		var inputs []stock.StockInput
		for _, sku := range a.skus[product] {
			inputs = append(inputs, stock.StockInput{SKU: sku, Product: product, Warehouse: warehouse, Quantity: quantity})
		}
		snapshot, err := stock.ReadSnapshot(tx, inputs)
		if err == nil {
			snapshot.Set(tx, inputs, stock.Why{Cause: stock.Receive})
		}
		return err
	})
}

// any is one of the products.
func (a *assortment) any() id.Product {
	all := make([]id.Product, 0, len(a.texts))
	for product := range a.texts {
		all = append(all, product)
	}
	slices.Sort(all)
	return all[a.random.IntN(len(all))]
}

func (a *assortment) owners() (held bool, late int) {
	a.read(func(tx *db.Tx) error {
		held, late = stock.Owners(a, tx)
		return nil
	})
	return held, late
}

func (a *assortment) read(run func(tx *db.Tx) error) {
	a.Helper()
	if err := a.store.Read(a.Context(), a.tenant, run); err != nil {
		a.Fatal(err)
	}
}

// compare compares pages of lists with what looking at each level gives.
func (a *assortment) compare(what string) {
	a.Helper()
	a.read(func(tx *db.Tx) error { a.compareIn(tx, what); return nil })
}

func (a *assortment) compareIn(tx *db.Tx, what string) {
	a.Helper()
	type level struct{ place, sku, warehouse, text string }
	all, err := db.List(tx, func(r db.Rows) (l level, err error) {
		var product id.Product
		err = r.Scan(&l.sku, &l.warehouse, &product)
		l.place, l.text = l.sku+"@"+l.warehouse, a.texts[product]
		return l, err
	}, "SELECT sku, warehouse_code, product_id FROM stock_levels WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY sku, warehouse_code",
		tx.Tenant)
	if err != nil {
		a.Fatal(err)
	}
	for _, f := range []stock.Filter{{}, {Warehouse: "MAIN"}, {Search: "cup"}, {Search: "bowl"}, {Search: "s-1"}, {Search: "S-03"},
		{Search: "V-005"}, {Search: "none"}, {Search: "cup", Warehouse: "MAIN"}, {Search: "bowl", Warehouse: "OSLO"},
		{Search: "cup", Warehouse: "NONE"}} {
		var want []string
		for _, l := range all {
			matches := f.Search == "" || strings.Contains(l.text, search.Fold(f.Search)) || l.sku == f.Search
			if matches && (f.Warehouse == "" || l.warehouse == f.Warehouse) {
				want = append(want, l.place)
			}
		}
		f.Limit = 7
		for f.Offset = 0; f.Offset < len(want)+7; f.Offset += 5 {
			part := want[min(f.Offset, len(want)):min(f.Offset+f.Limit, len(want))]
			list, total, err := stock.List(tx, f)
			if got := places(list); err != nil || total != int64(len(want)) || !slices.Equal(got, part) {
				a.Fatalf("%s: %+v: %d levels, not %d, %v\n%v\n%v", what, f, total, len(want), err, got, part)
			}
			if len(part) < f.Limit {
				continue
			}
			behind := f
			behind.After, behind.Offset = &stock.Place{SKU: list[2].SKU, Warehouse: list[2].Warehouse}, 0
			next, total, err := stock.List(tx, behind)
			part = want[f.Offset+3 : min(f.Offset+10, len(want))]
			if got := places(next); err != nil || total != int64(len(want)) || !slices.Equal(got, part) {
				a.Fatalf("%s: %+v: behind %v: %d levels, not %d, %v\n%v\n%v", what, f, behind.After, total, len(want), err, got, part)
			}
		}
	}
}

// Lists by owners are those that looking at each level gives, whatever has happened since owners were made.
func TestListsByOwners(t *testing.T) {
	stock.ShortOwners(t)
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		a := newAssortment(t, store)
		warehouses := []string{"MAIN", "LYON", "OSLO"}
		spare := []string{} // SKUs of products that are gone
		add := func() {
			sku, variant := fmt.Sprintf("S-%03d", a.random.IntN(900)+100*(a.made%2)), ""
			if len(spare) > 0 && a.random.IntN(2) == 0 {
				sku, spare = spare[0], spare[1:]
			} else {
				sku = fmt.Sprintf("%s-%d", sku, a.made)
			}
			if a.made%5 == 0 {
				variant = fmt.Sprintf("V-%03d", a.made)
			}
			product := a.add(sku, variant)
			for _, warehouse := range warehouses[a.random.IntN(3):] {
				a.set(product, warehouse, int64(a.random.IntN(3)))
			}
		}
		a.set(a.add("S-03", ""), "MAIN", 1)
		for range 40 {
			add()
		}
		states := map[string]int{}
		for round := range 40 {
			for range a.random.IntN(4) {
				switch a.random.IntN(8) {
				case 0, 1:
					add()
				case 2, 3:
					product := a.any()
					spare = append(spare, a.skus[product][0])
					a.remove(product)
				case 4:
					a.set(a.any(), warehouses[a.random.IntN(3)], int64(a.random.IntN(50)))
				default:
					a.set(a.any(), "MAIN", int64(a.random.IntN(50)))
				}
			}
			if a.random.IntN(4) == 0 {
				stock.MakeOwners(t, store, a.tenant)
			}
			held, late := a.owners()
			states[fmt.Sprint(held, late > 0)]++
			a.compare(fmt.Sprintf("round %d (%v, %d late)", round, held, late))
		}
		for _, state := range []string{"true false", "true true", "false false"} {
			if states[state] < 3 {
				t.Errorf("owners were seldom so: %s of %v", state, states)
			}
		}
	})
}

// Owners hold while quantities change; they are corrected for levels that appear or go, and of no use once one has another product or there
// are too many. A search then looks up no product but these.
func TestWhatOwnersHoldFor(t *testing.T) {
	stock.ShortOwners(t)
	store, read := dbtest.Reading(t)
	a := newAssortment(t, store)
	var products []id.Product
	for i := range 60 {
		product := a.add(fmt.Sprintf("S-%03d", i), "")
		a.set(product, "MAIN", 1)
		products = append(products, product)
	}
	looks := func(what string, held bool, late int, looked bool) {
		t.Helper()
		if is, n := a.owners(); is != held || n != late {
			t.Errorf("%s: held %v, %d late", what, is, n)
		}
		read.Reset()
		a.read(func(tx *db.Tx) error {
			_, _, err := stock.List(tx, stock.Filter{Search: "cup", Limit: 5, Offset: 20})
			return err
		})
		looks := 0
		for _, s := range read.List() {
			if strings.Contains(s.SQL, "FROM products s") {
				looks++
			}
		}
		if (looks > 0) != looked {
			t.Errorf("%s: %d statements look up products", what, looks)
		}
		a.compare(what)
	}
	looks("none are made", false, 0, true)
	stock.MakeOwners(t, store, a.tenant)
	looks("made", true, 0, false)
	for i := range 30 {
		a.set(products[i], "MAIN", 2)
	}
	looks("quantities have changed", true, 0, false)
	stock.MakeOwners(t, store, a.tenant)
	looks("what has changed is known not to be new", true, 0, false)
	a.set(products[3], "LYON", 2)
	looks("a cup is somewhere else, too", true, 1, true)
	a.set(products[4], "LYON", 2)
	a.set(products[5], "MAIN", 3)
	a.remove(products[6])
	looks("a bowl, too, another cup has changed and one is gone", true, 4, true)
	for i := range 8 {
		a.set(products[20+i], "MAIN", 3)
	}
	looks("as many have changed as are corrected", true, 12, true)
	a.set(products[40], "MAIN", 4)
	looks("one more", false, 0, true)
	stock.MakeOwners(t, store, a.tenant)
	looks("made again", true, 0, false)
	a.set(a.add("S-006", ""), "MAIN", 1)
	looks("another product has the SKU of one that is gone", false, 0, true)
	stock.MakeOwners(t, store, a.tenant)
	looks("made with it", true, 0, false)
}

// A transaction that began before owners were made is not served by them if a level has appeared or gone since.
func TestOwnersAreNotForTheTimeBefore(t *testing.T) {
	stock.ShortOwners(t)
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		a := newAssortment(t, store)
		for i := range 30 {
			a.set(a.add(fmt.Sprintf("S-%03d", 2*i), ""), "MAIN", 1)
		}
		a.read(func(tx *db.Tx) error {
			a.compareIn(tx, "before")
			a.set(a.add("S-005", ""), "MAIN", 1)
			stock.MakeOwners(t, store, a.tenant)
			if held, _ := stock.Owners(t, tx); held {
				t.Error("owners hold for a transaction before them")
			}
			return nil
		})
		a.compare("after")
		if held, _ := a.owners(); !held {
			t.Error("they do not hold after it")
		}
	})
}

// The worker makes owners that searches have wanted since it made them, not more often than once in a minute, of as many levels as a node
// may have in memory, and forgets those that none has wanted for an hour.
func TestOwnersAreMadeWhenWanted(t *testing.T) {
	stock.ShortOwners(t)
	now := time.Now()
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true, Now: func() time.Time { return now }})
	a := newAssortment(t, store)
	place := func() { a.set(a.add(fmt.Sprintf("S-%03d", a.made), ""), "MAIN", 1) }
	for range 20 {
		place()
	}
	begin, woken := now, store.Woken(stock.OwnersTopic)
	for i, step := range []struct {
		after  time.Duration
		wants  bool
		places int // products that get a level
		made   int // after the beginning, in seconds; -1 for never
		levels int
	}{{0, false, 0, -1, 0}, {time.Second, true, 0, 1, 20}, {10 * time.Second, true, 14, 1, 20}, {70 * time.Second, true, 0, 70, 34},
		{90 * time.Second, false, 14, 70, 34}, {140 * time.Second, false, 0, 70, 34}, {150 * time.Second, true, 3, 150, 0},
		{time.Hour + 160*time.Second, false, 0, -1, 0}} {
		now = begin.Add(step.after)
		for range step.places {
			place()
		}
		if step.wants {
			a.read(func(tx *db.Tx) error {
				_, _, err := stock.List(tx, stock.Filter{Search: "cup", Limit: 5})
				return err
			})
		}
		select {
		case <-woken:
			if i != 1 {
				t.Errorf("step %d: the worker is woken for owners that it has made", i)
			}
		default:
			if i == 1 {
				t.Error("the worker does not hear that owners are wanted")
			}
		}
		stock.OwnersMost(t, 50)
		if err := stock.FollowOwners(t.Context(), store); err != nil {
			t.Fatal(err)
		}
		at, levels := stock.OwnersMade(store, a.tenant)
		want := time.Time{}
		if step.made >= 0 {
			want = begin.Add(time.Duration(step.made) * time.Second).Truncate(time.Microsecond)
		}
		if !at.Equal(want) || levels != step.levels {
			t.Errorf("step %d: made at %s, %d levels", i, at, levels)
		}
	}
}
