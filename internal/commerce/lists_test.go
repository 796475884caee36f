package commerce_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/analytics"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/search"
	"entrepot/internal/stock"
)

// many is an account with many products, levels and customers, as lists see them.
type many struct {
	t       *testing.T
	store   *db.DB
	tenant  id.Tenant
	read    dbtest.Statements
	sample  []listed
	whole   [2]string // a category and a channel with every product
	big     [2]string // with many
	small   [2]string // and with few
	members map[string]map[id.Product]bool
}

type listed struct {
	id      id.Product
	sku     string
	name    string
	status  catalog.Status
	price   money.Amount
	changed int64
}

const (
	plenty = 1200
	late   = 112 // of these, what changed since lists by name and price were brought up to date
)

// onEach runs a test with many records on each engine.
func onEach(t *testing.T, test func(m *many)) {
	for engine, config := range map[string]db.Config{"sqlite": {Dir: dbtest.StoreDir(t), Unsafe: true},
		"postgres": {URL: dbtest.PlainStoreURL(t), Pool: 4}} {
		t.Run(engine, func(t *testing.T) {
			m := &many{t: t, members: map[string]map[id.Product]bool{}}
			config.Trace = m.read.Add
			m.store = dbtest.Open(t, config)
			m.tenant = dbtest.Account(t, m.store)
			m.fill()
			test(m)
		})
	}
}

func (m *many) fill() {
	for _, which := range []*[2]string{&m.whole, &m.big, &m.small} {
		which[0], which[1] = id.New[string](), id.New[string]()
		m.members[which[0]], m.members[which[1]] = map[id.Product]bool{}, map[id.Product]bool{}
	}
	for first := 0; first < plenty; first += 100 {
		if first == plenty-100 { // the last products, and some that change, are not where lists by name and price look first
			if err := catalog.ProductSorts.Follow(m.t.Context(), m.store); err != nil {
				m.t.Fatal(err)
			}
			m.sorted()
		}
		m.write(func(tx *db.Tx) error { m.fillSome(tx, first, first+100); return nil })
	}
	m.write(func(tx *db.Tx) error { m.changeSome(tx); return nil })
	dbtest.Analyse(m.t, m.store, m.tenant)
}

func (m *many) fillSome(tx *db.Tx, from, to int) {
	var docs []search.Document
	for i := from; i < to; i++ {
		mixed := i * 7919 % plenty
		p := listed{id: id.New[id.Product](), sku: fmt.Sprintf("SKU-%05d", mixed), name: fmt.Sprintf("Thing %05d", i*541%plenty),
			status: catalog.Active, price: money.Amount(mixed % 100), changed: int64(1000 + i*10)}
		switch {
		case i%400 == 3:
			p.status = catalog.Archived
		case i%100 == 5:
			p.status = catalog.DraftStatus
		}
		m.sample = append(m.sample, p)
		tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
			category_count, created_at, updated_at, changed_at) VALUES ($1,$2,$3,$4,$3,'',$5,$6,'[]','{}',$7,0,0,0,0,$8)`, tx.Tenant, p.id, p.sku,
			p.name, string(p.status), p.price, strings.ToLower(p.sku+" "+p.name), p.changed)
		tx.Change("INSERT INTO skus (tenant_id, sku, product_id) VALUES ($1,$2,$3)", tx.Tenant, p.sku, p.id)
		tx.Tally("products", string(p.status), 1)
		docs = append(docs, search.Document{ID: string(p.id), Text: p.sku + " " + p.name})
		for k, every := range map[*[2]string][2]int{&m.whole: {1, 1}, &m.big: {2, 3}, &m.small: {300, 200}} {
			if i%every[0] == 1%every[0] {
				m.members[k[0]][p.id] = true
				tx.Change("INSERT INTO product_categories (tenant_id, product_id, position, reference, category_id) VALUES ($1,$2,$3,'',$4)",
					tx.Tenant, p.id, every[0], k[0])
				tx.Tally("category members", string(k[0]), 1)
			}
			if i%every[1] == 1%every[1] {
				m.members[k[1]][p.id] = true
				tx.Change("INSERT INTO publications (tenant_id, product_id, channel_id, status) VALUES ($1,$2,$3,'published')", tx.Tenant, p.id, k[1])
				tx.Tally("publications", string(k[1])+" published", 1)
			}
		}
		warehouse := "MAIN"
		if i%200 == 7 {
			warehouse = "LYON"
		}
		low, reserved := i%150 == 9, 0
		if i%300 == 9 {
			reserved = 10 + i
		}
		tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
			changed_at) VALUES ($1,$2,$3,$4,$5,9,$6,0,$7,0,$8)`, tx.Tenant, p.sku, warehouse, id.New[id.Level](), p.id, reserved, low, p.changed+1)
		tx.Tally("levels", warehouse, 1)
		if low {
			tx.Tally("low", warehouse, 1)
		}
		category := id.New[id.Category]()
		tx.Change(`INSERT INTO categories (tenant_id, id, external_id, name, slug, created_at, updated_at, changed_at)
			VALUES ($1,$2,$3,$4,$3,0,0,$5)`, tx.Tenant, category, fmt.Sprint("c", i), fmt.Sprintf("Kind %05d", mixed), p.changed+2)
		search.Put(tx, search.Categories, search.Document{ID: string(category), Text: fmt.Sprintf("Kind %05d\tc%d\tc%d", mixed, i, i)})
		tx.Tally("categories", "", 1)
		c := customers.Customer{ID: id.New[id.Customer](), Email: fmt.Sprintf("c%d@x.example", i), Status: customers.Active, Metadata: "{}"}
		if i%2 == 0 {
			c.Tags = append(c.Tags, "many")
		}
		if i%300 == 0 {
			c.Tags = append(c.Tags, "few")
		}
		customers.InsertUnreported(tx, c)
	}
	search.Put(tx, search.Products, docs...)
}

// sorted checks that lists by name and price read all existing products.
func (m *many) sorted() {
	m.t.Helper()
	var sorted int64
	err := m.store.Read(m.t.Context(), m.tenant, func(tx *db.Tx) error {
		return tx.Row("SELECT count(*) FROM product_sorts WHERE tenant_id = $1", []any{tx.Tenant}, &sorted)
	})
	if err != nil || sorted != int64(len(m.sample)) {
		m.t.Fatalf("%d of %d products are sorted: %v", sorted, len(m.sample), err)
	}
}

// sorts makes lists by name and price use the products' current values.
func (m *many) sorts() {
	m.t.Helper()
	if err := catalog.ProductSorts.FollowTenant(m.t.Context(), m.store, m.tenant); err != nil {
		m.t.Fatal(err)
	}
	m.sorted()
}

// changeSome gives some products another price and name, and takes one away.
func (m *many) changeSome(tx *db.Tx) {
	for i := 50; i < plenty; i += 100 {
		p := &m.sample[i]
		p.price, p.name, p.changed = money.Amount(i*31%100), fmt.Sprintf("Thing %05d", i*547%plenty), int64(1_000_000+i)
		tx.Change("UPDATE products SET price = $3, name = $4, changed_at = $5 WHERE tenant_id = $1 AND id = $2", tx.Tenant, p.id, p.price, p.name,
			p.changed)
		search.Put(tx, search.Products, search.Document{ID: string(p.id), Text: p.sku + " " + p.name})
	}
	m.deleteOne(tx, 18, 2_000_000)
}

// deleteOne deletes a product of the sample with its level, which is in MAIN and not low, with a stamp.
func (m *many) deleteOne(tx *db.Tx, at int, stamp int64) {
	gone := m.sample[at]
	tx.Change("UPDATE products SET deleted_at = 5, changed_at = $3 WHERE tenant_id = $1 AND id = $2", tx.Tenant, gone.id, stamp)
	for _, table := range []string{"product_categories", "publications", "skus"} {
		tx.Change("DELETE FROM "+table+" WHERE tenant_id = $1 AND product_id = $2", tx.Tenant, gone.id)
	}
	tx.Change("UPDATE stock_levels SET deleted_at = 5, on_hand = 0, changed_at = $3 WHERE tenant_id = $1 AND product_id = $2",
		tx.Tenant, gone.id, stamp+1)
	tx.Tally("levels", "MAIN", -1)
	tx.Tally("products", string(gone.status), -1)
	search.Put(tx, search.Products, search.Document{ID: string(gone.id)})
	for _, which := range [][2]string{m.whole, m.big, m.small} {
		if m.members[which[0]][gone.id] {
			tx.Tally("category members", which[0], -1)
		}
		if m.members[which[1]][gone.id] {
			tx.Tally("publications", which[1]+" published", -1)
		}
		delete(m.members[which[0]], gone.id)
		delete(m.members[which[1]], gone.id)
	}
	m.sample = slices.Delete(m.sample, at, at+1)
}

func (m *many) write(run func(tx *db.Tx) error) {
	m.t.Helper()
	if err := m.store.Write(m.t.Context(), m.tenant, run); err != nil {
		m.t.Fatal(err)
	}
}

// reads runs a list and wants that it reads few rows: on PostgreSQL they are counted, SQLite says over which index it goes.
func (m *many) reads(name string, most int64, list func(tx *db.Tx) error) {
	m.t.Helper()
	err := m.store.Read(m.t.Context(), m.tenant, func(tx *db.Tx) error {
		before := m.fetched(tx)
		m.read.Reset()
		if err := list(tx); err != nil {
			return err
		}
		asked := m.read.List()
		if rows := m.fetched(tx) - before; rows > most {
			m.t.Errorf("%s: %d rows read, %d at most; %s", name, rows, most, asked[len(asked)-1].SQL)
		}
		for _, s := range asked {
			m.holds(tx, name, s)
		}
		return nil
	})
	if err != nil {
		m.t.Fatalf("%s: %v", name, err)
	}
}

// fetched is how many rows PostgreSQL has read in the transaction, beside those of searches.
func (m *many) fetched(tx *db.Tx) (n int64) {
	if m.store.Engine() != "postgres" {
		return 0
	}
	err := tx.Row(`SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::BIGINT FROM pg_stat_xact_user_tables
		WHERE relname IN ('products', 'skus', 'stock_levels', 'customers', 'customer_tags', 'product_categories', 'publications',
			'categories')`, nil, &n)
	if err != nil {
		m.t.Fatal(err)
	}
	return n
}

var scans = regexp.MustCompile(`SCAN (p|l|c|k|m|products|stock_levels|customers|customer_tags|product_categories|publications|skus)\b`)

// holds wants a plan of SQLite that reads no table from end to end.
func (m *many) holds(tx *db.Tx, name string, s dbtest.Statement) {
	m.t.Helper()
	if m.store.Engine() != "sqlite" {
		return
	}
	plan := s.Plan(m.t, tx)
	if found := scans.FindString(plan); found != "" && !strings.Contains(plan, "CO-ROUTINE "+found[len("SCAN "):]) {
		m.t.Errorf("%s: %s\n%s\n%s", name, found, s.SQL, plan)
	}
}

// The list of categories reads those of its page, in the order of their names, and knows how many there are.
func TestCategoriesKeepToTheirIndex(t *testing.T) {
	onEach(t, func(m *many) {
		for _, offset := range []int{0, 30} {
			m.reads("categories", int64(2*(7+offset)), func(tx *db.Tx) error {
				list, total, err := catalog.ListCategories(tx, catalog.CategoryFilter{Limit: 7, Offset: offset})
				if err == nil && (total != plenty || len(list) != 7 || list[6].Name != fmt.Sprintf("Kind %05d", offset+6)) {
					t.Errorf("%d of %d, the last %+v", len(list), total, list[len(list)-1])
				}
				return err
			})
		}
	})
}

// Tombstones are counted without the living.
func TestTombstonesAreCountedByThemselves(t *testing.T) {
	onEach(t, func(m *many) {
		for name, count := range map[string]func(tx *db.Tx, since int64) (int64, error){"products": catalog.Products.Tombstones,
			"levels": stock.Tombstones} {
			m.reads(name, 1, func(tx *db.Tx) error { // one product is gone
				_, err := count(tx, 0)
				if m.store.Engine() == "sqlite" {
					if plan := m.read.List()[0].Plan(t, tx); !strings.Contains(plan, "tombstones (tenant_id=? AND deleted_at>?)") {
						t.Errorf("%s: %s", name, plan)
					}
				}
				return err
			})
		}
	})
}

// Inventory and customer lists read no more than what fits.
func TestOtherListsKeepToTheirIndex(t *testing.T) {
	onEach(t, func(m *many) {
		for _, c := range []struct {
			filter stock.Filter
			total  int64
		}{
			{stock.Filter{}, plenty - 1},
			{stock.Filter{Warehouse: "LYON"}, 6},
			{stock.Filter{Warehouse: "MAIN"}, plenty - 7},
			{stock.Filter{Low: true}, 8},
			{stock.Filter{Low: true, Warehouse: "LYON"}, 0},
			{stock.Filter{Low: true, Warehouse: "MAIN"}, 8},
			{stock.Filter{Oversold: true, Warehouse: "MAIN"}, 4},
			{stock.Filter{Oversold: true}, 4},
			{stock.Filter{Oversold: true, Warehouse: "LYON"}, 0},
			{stock.Filter{SKU: "SKU-00009"}, 1},
			{stock.Filter{Search: "thing 0001"}, 10},
			{stock.Filter{Search: "thing 0001", Warehouse: "PARIS"}, 0},
			{stock.Filter{Search: "no such thing"}, 0},
		} {
			c.filter.Limit = 7
			m.reads(fmt.Sprintf("levels %+v", c.filter), 100, func(tx *db.Tx) error {
				list, total, err := stock.List(tx, c.filter)
				switch {
				case c.filter.Oversold:
					m.by(tx, "stock_levels_tenant_id_oversold")
				case c.filter.Low:
					m.by(tx, "stock_levels_tenant_id_low")
				}
				if total != c.total || int64(len(list)) != min(7, total) {
					t.Errorf("%+v: %d levels of %d, want %d", c.filter, len(list), total, c.total)
				}
				if !slices.IsSortedFunc(list, func(a, b stock.Row) int { return cmp.Compare(a.SKU, b.SKU) }) {
					t.Errorf("%+v: not by SKU", c.filter)
				}
				return err
			})
		}
		m.reads("levels of most products", 4*plenty, func(tx *db.Tx) error {
			list, total, err := stock.List(tx, stock.Filter{Search: "thing", Limit: 7})
			if total != plenty-1 || len(list) != 7 || len(m.read.List()) > 14 {
				t.Errorf("%d levels of %d, by %d statements", len(list), total, len(m.read.List()))
			}
			return err
		})
		for _, c := range []struct {
			filter customers.Filter
			total  int64
		}{
			{customers.Filter{}, plenty}, {customers.Filter{IncludeInactive: true}, plenty}, {customers.Filter{Tag: "few"}, 4},
			{customers.Filter{Tag: "none"}, 0}, {customers.Filter{Email: "C17@x.example"}, 1}, {customers.Filter{Search: "c17@"}, 1},
			{customers.Filter{Tag: "many"}, plenty / 2}, {customers.Filter{Tag: "few", Search: "@x"}, 4},
			{customers.Filter{Tag: "few", Search: "c17@"}, 0},
		} {
			c.filter.Limit = 7
			most := int64(100)
			if c.filter.Tag == "many" {
				most += plenty / 2 // entries of an index
			}
			m.reads(fmt.Sprintf("customers %+v", c.filter), most, func(tx *db.Tx) error {
				list, total, err := customers.List(tx, c.filter)
				if total != c.total || int64(len(list)) != min(7, total) {
					t.Errorf("%+v: %d customers of %d, want %d", c.filter, len(list), total, c.total)
				}
				return err
			})
		}
	})
}

// by wants every statement about levels to find them by an index, on SQLite.
func (m *many) by(tx *db.Tx, index string) {
	m.t.Helper()
	for _, s := range m.read.List() {
		if m.store.Engine() != "sqlite" || !strings.Contains(s.SQL, "FROM stock_levels") {
			continue
		}
		if plan := s.Plan(m.t, tx); !strings.Contains(plan, "INDEX "+index) {
			m.t.Errorf("not by %s: %s\n%s", index, s.SQL, plan)
		}
	}
}

// What runs low and what is oversold are read without the other levels, however few are wanted.
func TestScarceLevelsAreReadByThemselves(t *testing.T) {
	onEach(t, func(m *many) {
		for _, limit := range []int{1, 50} {
			m.reads(fmt.Sprint("low, at most ", limit), 100, func(tx *db.Tx) error {
				list, err := analytics.LowLevels(tx, limit)
				if len(list) != min(limit, 8) || list[0].OnHand-list[0].Reserved != -910 {
					t.Errorf("%d low levels, the first %+v", len(list), list[0])
				}
				m.by(tx, "stock_levels_tenant_id_low")
				return err
			})
			m.reads(fmt.Sprint("oversold, at most ", limit), 100, func(tx *db.Tx) error {
				list, total, err := analytics.Oversold(tx, limit)
				if total != 4 || len(list) != min(limit, 4) || list[0].OnHand-list[0].Reserved != -910 || list[0].Name == "" {
					t.Errorf("%d oversold levels of %d, the first %+v", len(list), total, list[0])
				}
				m.by(tx, "stock_levels_tenant_id_oversold")
				return err
			})
		}
	})
}
