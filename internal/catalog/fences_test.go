package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
)

// Pages by fences are those without them, before and after products are added, changed and deleted, and fences of other rows are not used.
func TestPagesByFences(t *testing.T) {
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		fenced := 0
		config.Trace = func(sql string, _ []any) {
			if strings.Contains(sql, "FROM product_sorts s WHERE") && strings.Contains(sql, "OFFSET") {
				fenced++
			}
		}
		store := dbtest.Open(t, config)
		tenant := dbtest.Account(t, store)
		var ids []id.Product
		stamp := int64(1000)
		write := func(run func(tx *db.Tx)) {
			t.Helper()
			if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { run(tx); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		add := func(tx *db.Tx, product id.Product, status catalog.Status) {
			stamp += 10
			tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search,
					variant_count, category_count, created_at, updated_at, changed_at)
					VALUES ($1,$2,$3,'n',$3,'',$4,1,'[]','{}','',0,0,0,0,$5)`, tx.Tenant, product, fmt.Sprint("S-", stamp), string(status), stamp)
			tx.Tally("products", string(status), 1)
		}
		status := func(i int) catalog.Status {
			switch {
			case i%9 == 4:
				return catalog.Archived
			case i%7 == 2:
				return catalog.DraftStatus
			}
			return catalog.Active
		}
		for range 120 {
			ids = append(ids, id.New[id.Product]())
		}
		write(func(tx *db.Tx) {
			for i, product := range ids {
				if i%10 != 3 {
					add(tx, product, status(i))
				}
			}
		})
		pages := func(by bool) (all [][]id.Product) {
			t.Helper()
			from := 1 << 40
			if by {
				from = 1
			}
			defer catalog.SetFences(from, 8)()
			for _, statuses := range [][]catalog.Status{nil, {catalog.Active}, {catalog.Archived}, {catalog.DraftStatus, catalog.Archived}} {
				for _, descending := range []bool{false, true} {
					for offset := 0; offset < 130; offset += 3 {
						err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
							list, _, err := catalog.Page(tx, catalog.Filter{Statuses: statuses, Sort: catalog.ByCreation, Descending: descending,
								Limit: 5, Offset: offset})
							all = append(all, list)
							return err
						})
						if err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			return all
		}
		same := func(what string, used bool) {
			t.Helper()
			want := pages(false)
			fenced = 0
			got := pages(true)
			if (fenced > 0) != used {
				t.Errorf("%s: fences used %d times", what, fenced)
			}
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("%s: page %d is %v, not %v", what, i, got[i], want[i])
				}
			}
		}
		follow := func(what func() error) {
			t.Helper()
			defer catalog.SetFences(1, 8)()
			if err := what(); err != nil {
				t.Fatal(err)
			}
		}
		sorts := func() error { return catalog.FollowSort(t.Context(), store, tenant, 0) }
		make := func() error { return catalog.FollowFences(t.Context(), store, tenant) }
		follow(sorts)
		same("none are made", false)
		follow(make)
		same("all is as it was", true)
		write(func(tx *db.Tx) {
			for i, product := range ids {
				stamp += 10
				switch {
				case i%10 == 3: // added among the others
					add(tx, product, status(i))
				case i%13 == 5: // with another status
					was := status(i)
					now := catalog.Archived
					if was == now {
						now = catalog.Active
					}
					tx.Change("UPDATE products SET status = $3, changed_at = $4 WHERE tenant_id = $1 AND id = $2", tx.Tenant, product, string(now), stamp)
					tx.Tally("products", string(was), -1)
					tx.Tally("products", string(now), 1)
				case i%11 == 6: // deleted
					tx.Change("UPDATE products SET deleted_at = 5, changed_at = $3 WHERE tenant_id = $1 AND id = $2", tx.Tenant, product, stamp)
					tx.Tally("products", string(status(i)), -1)
				}
			}
		})
		same("products have changed", true)
		undo := catalog.SetMostLate(3)
		same("very many have", false)
		undo()
		follow(sorts)
		same("the rows are others", false)
		follow(make)
		same("they are made again", true)
		if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { return catalog.RepeatSort(tx, ids[0]) }); err != nil {
			t.Fatal(err)
		}
		same("a row was repaired", false)
		follow(sorts)
		same("a row was repaired some time ago", false)
		follow(make)
		same("they are made after the repair", true)
	})
}

// The worker makes fences that pages have asked for since it made them, not more often than once in a minute, and forgets those for which
// none has asked for an hour.
func TestFencesAreMadeWhenAsked(t *testing.T) {
	defer catalog.SetFences(1, 8)()
	now := time.Now()
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true, Now: func() time.Time { return now }})
	tenant := dbtest.Account(t, store)
	woken := store.Woken(catalog.FencesTopic)
	page := func() {
		t.Helper()
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			_, _, err := catalog.PageByFences(tx, catalog.Filter{Sort: catalog.ByCreation, Limit: 5, Offset: 20})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, step := range []struct {
		after time.Duration
		asks  bool
		made  int64 // after the beginning, in seconds; -1 for never
	}{{0, false, -1}, {time.Second, true, 1}, {10 * time.Second, true, 1}, {70 * time.Second, true, 70}, {90 * time.Second, false, 70},
		{140 * time.Second, false, 70}, {time.Hour + 80*time.Second, false, -1}} {
		begin := now
		now = now.Add(step.after)
		if step.asks {
			page()
		}
		select {
		case <-woken:
			if i != 1 {
				t.Errorf("step %d: the worker is woken for fences that it has made", i)
			}
		default:
			if i == 1 {
				t.Error("the worker does not hear that fences are wanted")
			}
		}
		if err := catalog.FollowSorts(t.Context(), store); err != nil {
			t.Fatal(err)
		}
		if got := catalog.FencesMade(store, tenant); got.IsZero() != (step.made < 0) ||
			!got.IsZero() && got.UnixMicro() != begin.Add(time.Duration(step.made)*time.Second).UnixMicro() {
			t.Errorf("step %d: made at %s", i, got)
		}
		now = begin
	}
}
