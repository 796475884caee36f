package view_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/view"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// harness is an account with a view of products and events. The view's steps record their calls.
type harness struct {
	*testing.T
	store  *db.DB
	tenant id.Tenant
	ahead  *atomic.Int64 // of the store's clock before the real one
	view   *view.View
	steps  []step // of all accounts
}

type step struct {
	tenant   id.Tenant
	from, to int64
}

// onEach runs a test on each engine. The view is worth an update from 3 changes on, waits for a minute's pause unless
// there are more than 20 changes, and applies 4 at once.
func onEach(t *testing.T, test func(h *harness)) {
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		h := &harness{T: t, ahead: new(atomic.Int64)}
		config.Now = func() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }
		h.store = dbtest.Open(t, config)
		h.tenant = dbtest.Account(t, h.store)
		h.view = &view.View{Name: "test", Worth: 3, Pause: time.Minute, Anyway: 20, Least: 4, Most: 4,
			Feeds: []view.Feed{{Table: "products", Stamp: "changed_at"}, {Table: "events", Stamp: "stamp", Where: " AND e.event = 'order.received'"}},
			Step: func(tx *db.Tx, from, to int64) error {
				h.steps = append(h.steps, step{tx.Tenant, from, to})
				return nil
			}}
		test(h)
	})
}

func (h *harness) write(tenant id.Tenant, run func(tx *db.Tx)) {
	h.Helper()
	if err := h.store.Write(h.Context(), tenant, func(tx *db.Tx) error { run(tx); return nil }); err != nil {
		h.Fatal(err)
	}
}

// products creates some products, events records some events.
func (h *harness) products(tenant id.Tenant, n int) { h.Helper(); h.write(tenant, products(n)) }

func products(n int) func(tx *db.Tx) {
	return func(tx *db.Tx) {
		for range n {
			product := id.New[id.Product]()
			tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
				category_count, created_at, updated_at, changed_at) VALUES ($1,$2,$2::UUID::TEXT,'n',$2::UUID::TEXT,'','ACTIVE',1,'[]','{}','',0,0,0,0,`+
				db.Clock+"+$3::BIGINT)", tx.Tenant, product, tx.Stamps(1))
		}
	}
}

func (h *harness) events(name string, n int) {
	h.Helper()
	h.write(h.tenant, func(tx *db.Tx) {
		for range n {
			tx.Change(`INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at)
				VALUES ($1,$2,`+db.Clock+"+$3::BIGINT,$4,$2::UUID::TEXT,'{}',0)", tx.Tenant, id.New[id.Event](), tx.Stamps(1), name)
		}
	})
}

func (h *harness) follow() {
	h.Helper()
	if err := h.view.Follow(h.Context(), h.store); err != nil {
		h.Fatal(err)
	}
}

func (h *harness) until(tenant id.Tenant) (stamp int64) {
	h.Helper()
	err := h.store.Read(h.Context(), tenant, func(tx *db.Tx) (err error) {
		stamp, err = h.view.Until(tx)
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return stamp
}

// stamps returns the stamps of the account's changes of both feeds, in their order.
func (h *harness) stamps() (list []int64) {
	h.Helper()
	err := h.store.Read(h.Context(), h.tenant, func(tx *db.Tx) (err error) {
		list, err = db.List(tx, func(r db.Rows) (n int64, err error) { return n, r.Scan(&n) }, `SELECT changed_at FROM products
			WHERE tenant_id = $1 UNION ALL SELECT stamp FROM events WHERE tenant_id = $1 AND event = 'order.received' ORDER BY 1`, tx.Tenant)
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return list
}

// took expects that the account's steps follow each other without a gap, and reach the change with an index.
func (h *harness) took(steps int, last int) {
	h.Helper()
	at, n := int64(0), 0
	for _, s := range h.steps {
		if s.tenant != h.tenant {
			continue
		}
		if s.from != at || s.to <= at {
			h.Errorf("a step goes from %d to %d, behind one to %d", s.from, s.to, at)
		}
		at = s.to
		n++
	}
	want := int64(0)
	if last >= 0 {
		want = h.stamps()[last]
	}
	if at != want || n != steps || h.until(h.tenant) != want {
		h.Errorf("%d steps to %d, stored %d, not %d to %d", n, at, h.until(h.tenant), steps, want)
	}
}

// An account is updated, in batches without a gap, when a feed has enough changes and nothing changes any more.
func TestUpdatesWaitForAPause(t *testing.T) {
	onEach(t, func(h *harness) {
		h.products(h.tenant, 2)
		h.events("order.received", 2)
		h.events("order.updated", 9)
		h.ahead.Store(int64(time.Hour))
		h.follow()
		h.took(0, -1) // fewer than are worth it
		h.products(h.tenant, 1)
		h.follow()
		h.took(0, -1) // just changed
		h.ahead.Add(int64(time.Hour))
		h.follow()
		h.took(1, 4)
		h.products(h.tenant, 10)
		h.ahead.Add(int64(time.Hour))
		h.follow()
		h.took(4, 14) // 4, 4, 2
	})
}

// While very many changes arrive, an update applies as many as it has counted, and counts again; the last ones wait for
// a pause.
func TestVeryManyChangesDoNotWait(t *testing.T) {
	onEach(t, func(h *harness) {
		h.products(h.tenant, 20)
		h.follow()
		h.took(0, -1)
		h.products(h.tenant, 27)
		h.follow()
		h.took(12, 46) // 21 are counted: 24 are taken; 23 are left: 21 are counted, and so are all
	})
}

// One account is brought up to date at once, however few changes there are, also with stamps ahead of the clock.
func TestFollowTenantWaitsForNothing(t *testing.T) {
	onEach(t, func(h *harness) {
		h.ahead.Store(int64(time.Hour))
		h.events("order.received", 1)
		h.ahead.Store(0)
		if err := h.view.FollowTenant(h.Context(), h.store, h.tenant); err != nil {
			h.Fatal(err)
		}
		h.took(1, 0)
	})
}

// A batch ends where the first feed has further changes, so that the batch skips none of them.
func TestABatchPassesNoChange(t *testing.T) {
	onEach(t, func(h *harness) {
		h.events("order.received", 1)
		h.products(h.tenant, 5)
		h.events("order.received", 1)
		if err := h.view.FollowTenant(h.Context(), h.store, h.tenant); err != nil {
			h.Fatal(err)
		}
		h.took(2, 6)
		if stamps := h.stamps(); h.steps[0].to != stamps[4] { // an event and four products
			h.Errorf("the first batch ends at %d of %v", h.steps[0].to, stamps)
		}
	})
}

// Two processes that update one account alternate: each change is in one batch.
func TestProcessesTakeTurns(t *testing.T) {
	onEach(t, func(h *harness) {
		h.products(h.tenant, 100)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if err := h.view.FollowTenant(h.Context(), h.store, h.tenant); err != nil {
					h.Error(err)
				}
			})
		}
		all.Wait()
		h.took(25, 99)
	})
}

// A step that fails leaves the position unchanged, and the other accounts are updated nevertheless.
func TestAnErrorOfOneAccount(t *testing.T) {
	onEach(t, func(h *harness) {
		other := dbtest.Account(t, h.store)
		h.products(h.tenant, 3)
		h.products(other, 3)
		h.ahead.Store(int64(time.Hour))
		broken, run := errors.New("broken"), h.view.Step
		h.view.Step = func(tx *db.Tx, from, to int64) error {
			if tx.Tenant == h.tenant {
				return broken
			}
			return run(tx, from, to)
		}
		if err := h.view.Follow(h.Context(), h.store); !errors.Is(err, broken) {
			t.Error(err)
		}
		h.took(0, -1)
		if len(h.steps) != 1 || h.until(other) == 0 {
			t.Errorf("the other account has %v", h.steps)
		}
	})
}

// Work that no stamp announces is done after the last change, until nothing is left, and for accounts that have only
// such work.
func TestTidying(t *testing.T) {
	onEach(t, func(h *harness) {
		var tidied []bool
		h.view.Tidy = func(tx *db.Tx, size int, all bool) (bool, error) {
			tidied = append(tidied, all)
			return len(tidied)%3 != 0, nil
		}
		h.view.Due = "EXISTS (SELECT 1 FROM segments e WHERE e.tenant_id = t.tenant_id)"
		h.products(h.tenant, 6)
		if err := h.view.FollowTenant(h.Context(), h.store, h.tenant); err != nil {
			h.Fatal(err)
		}
		h.took(2, 5)
		if want := []bool{true, true, true}; !slices.Equal(tidied, want) {
			t.Errorf("tidied %v, want %v", tidied, want)
		}
		h.ahead.Store(int64(time.Hour))
		h.follow()
		if len(tidied) != 3 {
			t.Errorf("tidied without need")
		}
		h.write(h.tenant, func(tx *db.Tx) {
			tx.Queue(`INSERT INTO segments (tenant_id, id, name, rules, created_at, updated_at) VALUES ($1,$2,'s','{}',0,0)`, tx.Tenant,
				id.New[id.Segment]())
		})
		h.follow()
		if want := []bool{true, true, true, false, false, false}; !slices.Equal(tidied, want) {
			t.Errorf("tidied %v, want %v", tidied, want)
		}
		h.view.Feeds, h.view.Pause = nil, 0
		h.follow()
		if len(tidied) != 9 {
			t.Errorf("a view without feeds was tidied %d times more, 3 are wanted", len(tidied)-6)
		}
		h.view.Of = "(SELECT tenant_id FROM tenants WHERE tenant_id < 0)"
		h.follow()
		if len(tidied) != 9 {
			t.Error("an account without the view was tidied")
		}
	})
}

// The position of a view with its own Run moves to the newest change from before, once Run says that the view has
// everything.
func TestViewsThatRunByThemselves(t *testing.T) {
	onEach(t, func(h *harness) {
		whole := false
		h.view.Run = func(context.Context, *db.DB, id.Tenant) (bool, error) {
			h.products(h.tenant, 1)
			return whole, nil
		}
		h.products(h.tenant, 3)
		h.ahead.Store(int64(time.Hour))
		h.follow()
		if at := h.until(h.tenant); at != 0 {
			t.Errorf("the position is %d before everything was done", at)
		}
		whole = true
		h.ahead.Add(int64(time.Hour))
		h.follow()
		if at, stamps := h.until(h.tenant), h.stamps(); at != stamps[3] {
			t.Errorf("the position is %d, not that of the fourth of %v", at, stamps)
		}
	})
}

// Before a feed is deleted up to a stamp, its view includes the changes before the stamp, and no more than the batch
// that does so.
func TestIncludes(t *testing.T) {
	onEach(t, func(h *harness) {
		include := func(stamp int64) {
			h.Helper()
			if err := h.view.Include(h.Context(), h.store, h.tenant, stamp); err != nil {
				h.Fatal(err)
			}
		}
		include(math.MaxInt64)
		h.took(0, -1)
		h.products(h.tenant, 10)
		include(h.stamps()[0])
		h.took(0, -1)
		include(h.stamps()[4])
		h.took(2, 7)
		include(math.MaxInt64)
		h.took(3, 9)
	})
}

// A difference that a comparison finds is corrected under the view's lock, with the position at that time.
func TestCorrections(t *testing.T) {
	onEach(t, func(h *harness) {
		h.products(h.tenant, 1)
		var positions []int64
		h.view.Compare = func(tx *db.Tx, until int64, found view.Findings) error {
			positions = append(positions, until)
			found.Checked()
			found.Wrong(func(tx *db.Tx, until int64) error {
				positions = append(positions, until)
				return nil
			}, "%s is wrong", "it")
			return nil
		}
		var checked int
		var correct func(tx *db.Tx) error
		err := h.store.Read(t.Context(), h.tenant, func(tx *db.Tx) error {
			return h.view.Verify(tx, func() { checked++ }, func(c func(tx *db.Tx) error, format string, args ...any) { correct = c })
		})
		if err == nil {
			err = h.view.FollowTenant(t.Context(), h.store, h.tenant)
		}
		if err == nil {
			err = h.store.Write(t.Context(), h.tenant, correct)
		}
		if want := []int64{0, h.until(h.tenant)}; err != nil || checked != 1 || want[1] == 0 || !slices.Equal(positions, want) {
			t.Errorf("checked %d, positions %v, not %v: %v", checked, positions, want, err)
		}
	})
}

// The search for accounts with changes reads a few entries of an index, however many rows the feed has.
func TestFindingWhoIsBehindReadsLittle(t *testing.T) {
	if !slices.Contains(dbtest.EngineNames(), "postgres") {
		t.Skip("PostgreSQL says how many entries it has read")
	}
	url := dbtest.PlainStoreURL(t)
	store := dbtest.Open(t, db.Config{URL: url})
	tenant := dbtest.Account(t, store)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	run("SET entrepot.tenant = '0'")
	const plenty = 5000
	run(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search,
			variant_count, category_count, created_at, updated_at, changed_at)
		SELECT $1::BIGINT, gen_random_uuid(), 'S' || i, 'n', 's' || i, '', 'ACTIVE', 1, '[]', '{}', '', 0, 0, 1, 1, i
		FROM generate_series(1, $2::BIGINT) i`, tenant, plenty)
	run("INSERT INTO views_until (tenant_id, view, stamp) VALUES ($1, 'test', $2)", tenant, plenty-100)
	run("ANALYZE")
	entries := func() (n int64) {
		t.Helper()
		run("SELECT pg_stat_clear_snapshot()")
		err := conn.QueryRow(t.Context(), `SELECT sum(idx_tup_read)::BIGINT FROM pg_stat_user_indexes WHERE relname = 'products'`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	node, err := db.Open(t.Context(), db.Config{URL: url, MinWait: dbtest.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	before := entries()
	v := &view.View{Name: "test", Feeds: []view.Feed{{Table: "products", Stamp: "changed_at"}}, Worth: 200}
	if err := v.Follow(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	node.Close() // its connections report what they read when they end
	read := int64(0)
	dbtest.Until(t, "PostgreSQL reports what was read", func() bool {
		read = entries() - before
		return read > 0
	})
	if read > 500 {
		t.Errorf("%d entries were read to find that 100 products have changed", read)
	}
}

// The bounds of a view's range are those of an index, also on SQLite.
func TestFeedsAreReadByTheirStamps(t *testing.T) {
	store, statements := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	v := &view.View{Name: "test", Worth: 1, Feeds: []view.Feed{{Table: "products", Stamp: "changed_at"}}}
	statements.Reset()
	if err := v.Follow(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
		_, _, err := v.Reach(tx, 0, 10)
		for _, s := range statements.List() {
			if strings.Contains(s.SQL, "FROM products") {
				if plan := s.Plan(t, tx); !strings.Contains(plan, "changed_at>?") {
					t.Errorf("%s\n%s", s.SQL, plan)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
