package stockvalue

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const plenty = 3000

// catalogue is an account with a level for each of many products.
type catalogue struct {
	*testing.T
	store   *db.DB
	tenant  id.Tenant
	explain func(sql string, args []any)
}

// onEach runs a test with many levels on each engine.
func onEach(t *testing.T, test func(c *catalogue)) {
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		c := &catalogue{T: t}
		config.Trace = func(sql string, args []any) {
			if c.explain != nil {
				c.explain(sql, args)
			}
		}
		c.store = dbtest.Open(t, config)
		c.tenant = dbtest.Account(t, c.store)
		for first := 0; first < plenty; first += 500 {
			c.write(func(tx *db.Tx) error { c.fill(tx, first); return nil })
		}
		dbtest.Analyse(t, c.store, c.tenant)
		test(c)
	})
}

// fill creates 500 products that cost 2 each, with 3 on hand each.
func (c *catalogue) fill(tx *db.Tx, first int) {
	products, levels := tx.Stamps(500), tx.Stamps(500)
	for i := range 500 {
		sku, product := fmt.Sprint("S-", first+i), id.New[id.Product]()
		step := int64(i * db.StampStep)
		tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
			category_count, created_at, updated_at, changed_at) VALUES ($1,$2,$3,'',$3,'','ACTIVE',20000,'[]','{}','',0,0,0,0,`+db.Clock+
			"+$4::BIGINT)", tx.Tenant, product, sku, products+step)
		tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, low, updated_at, changed_at)
			VALUES ($1,$2,'MAIN',$3,$4,3,0,FALSE,0,`+db.Clock+"+$5::BIGINT)", tx.Tenant, sku, id.New[id.Level](), product, levels+step)
	}
}

func (c *catalogue) write(run func(tx *db.Tx) error) {
	c.Helper()
	if err := c.store.Write(c.Context(), c.tenant, run); err != nil {
		c.Fatal(err)
	}
}

// touch makes some products cost 4 instead of 2.
func (c *catalogue) touch(from, to int) {
	c.Helper()
	c.write(func(tx *db.Tx) error {
		for i := from; i < to; i++ {
			tx.Change("UPDATE products SET price = 40000, changed_at = "+db.Clock+"+$3::BIGINT WHERE tenant_id = $1 AND sku = $2",
				tx.Tenant, fmt.Sprint("S-", i), tx.Stamps(1)).Rows(1, nil)
		}
		return nil
	})
}

// worth reads the value and returns how many rows that read on PostgreSQL; on SQLite it records the plans instead.
func (c *catalogue) worth(want int64) (rows int64, plans string) {
	c.Helper()
	err := c.store.Read(c.Context(), c.tenant, func(tx *db.Tx) error {
		before := c.rowsRead(tx)
		if c.store.Engine() == "sqlite" {
			c.explain = func(sql string, args []any) {
				explain := c.explain
				c.explain = nil // statements that explain are not explained themselves
				plans += dbtest.Plan(c, tx, sql, args...)
				c.explain = explain
			}
		}
		got, err := Read(tx)
		c.explain = nil
		if rows = c.rowsRead(tx) - before; got["MAIN"] != money.TotalOf(want*money.Scale, 0) {
			c.Errorf("worth %s, not %d", got["MAIN"], want)
		}
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	return rows, plans
}

func (c *catalogue) rowsRead(tx *db.Tx) (n int64) {
	if c.store.Engine() == "sqlite" {
		return 0
	}
	err := tx.Row(`SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::BIGINT FROM pg_stat_xact_user_tables
		WHERE relname IN ('products', 'variants', 'stock_levels', 'stock_values', 'stock_level_values')`, nil, &n)
	if err != nil {
		c.Fatal(err)
	}
	return n
}

// scans reports whether SQLite read all levels or products.
func scans(plans string) bool {
	return strings.Contains(plans, "SCAN l\n") || strings.Contains(plans, "SCAN p\n")
}

// The value is read from the maintained sums and the changes since: no more rows than these. After too many changes, or
// without sums, every level is read.
func TestReadsWhatChangedOnly(t *testing.T) {
	onEach(t, func(c *catalogue) {
		c.worth(6 * plenty)
		if err := View.FollowTenant(c.Context(), c.store, c.tenant); err != nil {
			c.Fatal(err)
		}
		c.touch(0, 40)
		c.touch(30, 50)
		rows, plans := c.worth(6*plenty + 50*6)
		if rows > 20*50 {
			c.Errorf("%d rows read for 50 that changed", rows)
		}
		for line := range strings.Lines(plans) {
			if strings.Contains(line, "SEARCH l USING INDEX") && !strings.Contains(line, "sku=?") {
				c.Errorf("levels are read by %s", line)
			}
		}
		if scans(plans) || c.store.Engine() == "sqlite" && !strings.Contains(plans, "stock_levels_tenant_id_changed_at") {
			c.Error(plans)
		}
		was := scanFrom
		defer func() { scanFrom = was }()
		scanFrom = 50
		if rows, _ := c.worth(6*plenty + 50*6); c.store.Engine() == "postgres" && rows < plenty {
			c.Errorf("%d rows read where the levels are to be added up", rows)
		}
	})
}

// Levels are read by their SKUs and other rows by their keys, also while PostgreSQL has no statistics about the view's
// tables: otherwise each piece of the changed SKUs would read all of the view.
func TestLevelsAreLookedUpWithoutStatistics(t *testing.T) {
	onEach(t, func(c *catalogue) {
		if err := View.FollowTenant(c.Context(), c.store, c.tenant); err != nil {
			c.Fatal(err)
		}
		const changed = 1200
		c.touch(0, changed)
		if rows, plans := c.worth(6*plenty + changed*6); rows > 7*changed || scans(plans) {
			c.Errorf("%d rows read for %d that changed\n%s", rows, changed, plans)
		}
	})
}

// An update stores rows for the levels with a value, and reads are exact before and after it.
func TestUpdatesTheSums(t *testing.T) {
	onEach(t, func(c *catalogue) {
		follow := func(want int64) {
			c.Helper()
			var rows int64
			err := View.FollowTenant(c.Context(), c.store, c.tenant)
			if err == nil {
				err = c.store.Read(c.Context(), c.tenant, func(tx *db.Tx) error {
					return tx.Row("SELECT count(*) FROM stock_level_values WHERE tenant_id = $1", []any{tx.Tenant}, &rows)
				})
			}
			if err != nil || rows != want {
				c.Fatalf("%d levels have a row, not %d: %v", rows, want, err)
			}
		}
		follow(plenty)
		const changed = 199
		c.touch(0, changed)
		c.write(func(tx *db.Tx) error {
			tx.Change("UPDATE stock_levels SET on_hand = 0, deleted_at = 1, changed_at = "+db.Clock+"+$2::BIGINT"+
				" WHERE tenant_id = $1 AND sku = 'S-9'", tx.Tenant, tx.Stamps(1))
			return nil
		})
		c.worth(6*plenty + changed*6 - 12)
		follow(plenty - 1)
		c.worth(6*plenty + changed*6 - 12)
	})
}

// A change of a product brings in the SKUs of its variants.
func TestVariantsChangeWithTheirProduct(t *testing.T) {
	onEach(t, func(c *catalogue) {
		c.write(func(tx *db.Tx) error {
			tx.Change(`INSERT INTO variants (tenant_id, product_id, id, position, sku, name, attributes, price)
				SELECT $1::BIGINT, id, $2::UUID, 0, 'S-1-RED', '', '{}', 1 FROM products WHERE tenant_id = $1 AND sku = 'S-1'`, tx.Tenant,
				id.New[id.Variant]())
			tx.Change("UPDATE products SET variant_count = 1, changed_at = "+db.Clock+"+$2::BIGINT WHERE tenant_id = $1 AND sku = 'S-1'",
				tx.Tenant, tx.Stamps(1)).Rows(1, nil)
			return nil
		})
		err := c.store.Read(c.Context(), c.tenant, func(tx *db.Tx) error {
			to, _, err := View.Reach(tx, 0, plenty*2+1)
			if err != nil {
				return err
			}
			skus, err := changedSKUs(tx, to-1, to)
			if !slices.Equal(skus, []string{"S-1", "S-1-RED"}) {
				c.Errorf("%v changed", skus)
			}
			return err
		})
		if err != nil {
			c.Fatal(err)
		}
	})
}
