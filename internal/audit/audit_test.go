package audit_test

import (
	"testing"
	"time"

	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestEntriesComeNewestFirstWithinASpan(t *testing.T) {
	start := time.UnixMicro(1_700_000_000_000_000)
	now := start
	dbtest.EnginesAt(t, func() time.Time { return now }, func(t *testing.T, store *db.DB) {
		now = start
		other, tenant := dbtest.Account(t, store), dbtest.Account(t, store)
		for _, action := range []string{"a", "b", "c"} {
			now = now.Add(time.Hour)
			if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
				audit.Record(tx, "user:1", action, "thing", "7", map[string]string{"why": `"` + action})
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			filter audit.Filter
			want   string
			total  int64
		}{
			{audit.Filter{Limit: 10}, "cba", 3}, {audit.Filter{Limit: 1, Offset: 1}, "b", 3},
			{audit.Filter{From: start.Add(2 * time.Hour).UnixMicro(), Limit: 10}, "cb", 2},
			{audit.Filter{To: start.Add(2 * time.Hour).UnixMicro(), Limit: 10}, "ba", 2},
		} {
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				list, total, err := audit.List(tx, c.filter)
				got := ""
				for _, e := range list {
					got += e.Action
				}
				if got != c.want || total != c.total {
					t.Errorf("%+v: %s of %d, not %s of %d", c.filter, got, total, c.want, c.total)
				}
				if len(list) > 0 && list[0].Details != `{"why":"\"`+list[0].Action+`"}` {
					t.Errorf("details: %s", list[0].Details)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Read(t.Context(), other, func(tx *db.Tx) error {
			list, total, err := audit.List(tx, audit.Filter{Limit: 10})
			if len(list) != 0 || total != 0 {
				t.Errorf("another account sees %v", list)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	})
}
