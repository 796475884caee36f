package stockvalue

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const plenty = 3000

// catalogue is an account with a level for each of many products.
type catalogue struct {
	*testing.T
	store   *db.DB
	tenant  id.Tenant
	explain func(sql string, args []any)
	ahead   *atomic.Int64 // of the store's clock before the real one
}

// onEach runs a test with many levels on each engine.
func onEach(t *testing.T, test func(c *catalogue)) {
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		c := &catalogue{T: t, ahead: new(atomic.Int64)}
		config.Now = func() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }
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

// worth reads the value, and how many rows that took: of PostgreSQL those it has read, of SQLite none. It gives the plans of SQLite.
func (c *catalogue) worth(want int64) (rows int64, plans string) {
	c.Helper()
	err := c.store.Read(c.Context(), c.tenant, func(tx *db.Tx) error {
		before := c.rowsRead(tx)
		if c.store.Engine() == "sqlite" {
			c.explain = func(sql string, args []any) {
				explain := c.explain
				c.explain = nil // what explains is not explained
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

// The value is read from the kept sums and what changed since: no more rows than these. Where too much did, or nothing is kept, every level
// is.
func TestReadsWhatChangedOnly(t *testing.T) {
	onEach(t, func(c *catalogue) {
		c.worth(6 * plenty)
		if err := Follow(c.Context(), c.store, c.tenant, 0); err != nil {
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

// Levels are read by their SKUs and the rest by its key, also while PostgreSQL has no statistics about what is kept: without them
// each piece of the changed SKUs would read all that is kept.
func TestLevelsAreLookedUpWithoutStatistics(t *testing.T) {
	onEach(t, func(c *catalogue) {
		if err := Follow(c.Context(), c.store, c.tenant, 0); err != nil {
			c.Fatal(err)
		}
		const changed = 1200
		c.touch(0, changed)
		if rows, plans := c.worth(6*plenty + changed*6); rows > 7*changed || scans(plans) {
			c.Errorf("%d rows read for %d that changed\n%s", rows, changed, plans)
		}
	})
}

// The sums wait for the end of what changes, unless that is much, and follow in steps that lose nothing between them.
func TestFollowsWhenItIsQuiet(t *testing.T) {
	onEach(t, func(c *catalogue) {
		kept := func() (n int64) {
			err := c.store.Read(c.Context(), c.tenant, func(tx *db.Tx) error {
				return tx.Row("SELECT count(*) FROM stock_level_values WHERE tenant_id = $1", []any{tx.Tenant}, &n)
			})
			if err != nil {
				c.Fatal(err)
			}
			return n
		}
		if err := Follow(c.Context(), c.store, c.tenant, time.Hour); err != nil || kept() != 0 {
			c.Fatalf("%d are kept in the midst of changes: %v", kept(), err)
		}
		c.ahead.Store(int64(2 * Rest))
		if err := new(Follower).All(c.Context(), c.store); err != nil || kept() != plenty {
			c.Fatalf("%d of %d are kept: %v", kept(), plenty, err)
		}
		c.touch(0, followAt-1)
		c.write(func(tx *db.Tx) error {
			tx.Change("UPDATE stock_levels SET on_hand = 0, deleted_at = 1, changed_at = "+db.Clock+"+$2::BIGINT"+
				" WHERE tenant_id = $1 AND sku = 'S-9'", tx.Tenant, tx.Stamps(1))
			return nil
		})
		c.worth(6*plenty + (followAt-1)*6 - 12)
		if err := Follow(c.Context(), c.store, c.tenant, 0); err != nil || kept() != plenty-1 {
			c.Errorf("%d of %d are kept: %v", kept(), plenty-1, err)
		}
		c.worth(6*plenty + (followAt-1)*6 - 12)
	})
}

// In the middle of an import, what waits for the sums is counted once for as many changes as are known to be there, and not for each
// transaction.
func TestWhatWaitsIsCountedSeldom(t *testing.T) {
	was := followAnyway
	defer func() { followAnyway = was }()
	followAnyway = plenty / 2
	onEach(t, func(c *catalogue) {
		counts, steps := 0, 0
		c.explain = func(sql string, _ []any) {
			c.ahead.Add(int64(20 * time.Millisecond)) // every transaction is slow, so that each takes the fewest SKUs
			switch {
			case strings.Contains(sql, "LIMIT 1 OFFSET $3"):
				counts++
			case strings.Contains(sql, "AS late_levels"):
				steps++
			}
		}
		err := Follow(c.Context(), c.store, c.tenant, time.Hour)
		c.explain = nil
		if err != nil || steps < 8 || counts > 4 {
			c.Errorf("what waits was counted %d times in %d transactions: %v", counts, steps, err)
		}
	})
}

// Changes that are too few for an update are not counted again each time that it is tried. When none comes any more, it is made at once.
func TestFewChangesAreCountedSeldom(t *testing.T) {
	onEach(t, func(c *catalogue) {
		counts, start := 0, -time.Hour // every change is newer than the clock
		c.explain = func(sql string, _ []any) {
			if strings.Contains(sql, "LIMIT 1 OFFSET $3") {
				counts++
			}
		}
		defer func() { c.explain = nil }()
		var f Follower
		for _, step := range []struct {
			at   time.Duration
			want int
		}{{0, 1}, {Rest, 1}, {2 * Rest, 1}, {countAgain, 2}, {countAgain + Rest, 2}, {2 * countAgain, 3}, {time.Hour + 2*Rest, 3}} {
			c.ahead.Store(int64(start + step.at))
			if err := f.All(c.Context(), c.store); err != nil || counts != step.want {
				c.Fatalf("counted %d times after %s, not %d: %v", counts, step.at, step.want, err)
			}
		}
		c.worth(6 * plenty)
		if err := c.store.Read(c.Context(), c.tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM stock_level_values WHERE tenant_id = $1", []any{tx.Tenant}, &counts)
		}); err != nil || counts != plenty {
			c.Errorf("%d of %d are kept: %v", counts, plenty, err)
		}
	})
}

// Changes are taken up to the stamp with which they have enough SKUs, variants among them; one product is taken whatever it has.
func TestReachCountsVariants(t *testing.T) {
	list := []change{{at: 40}, {at: 10, isLevel: true}, {at: 30, variants: 5}, {at: 20, variants: 2}}
	for skus, want := range map[int]int64{1: 10, 3: 10, 4: 20, 9: 20, 10: 30, 11: 40, 100: 40} {
		if got := reach(slices.Clone(list), skus); got != want {
			t.Errorf("%d SKUs reach to %d, not %d", skus, got, want)
		}
	}
	if got := reach([]change{{at: 7, variants: 50}}, 3); got != 7 {
		t.Errorf("a product with 50 variants alone reaches to %d", got)
	}
	if got := reach([]change{{at: 7, variants: 2}, {at: 7, isLevel: true}, {at: 8}}, 3); got != 7 {
		t.Errorf("changes of one stamp are parted: up to %d", got)
	}
}
