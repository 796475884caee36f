package verify_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/verify"
)

// gathers finds the steps of SQLite's plans that hold a whole table in memory: sorting within a group that an index gives is none.
var gathers = regexp.MustCompile(`MATERIALIZE|AUTOMATIC|USE TEMP B-TREE FOR (GROUP|ORDER) BY|CO-ROUTINE \w+ .*SCAN`)

// few are statements that may gather in one of their steps, because what that one gathers is small: each is known by a part of its text.
var few = []string{
	"WHERE tenant_id = $1 AND reserved <> 0", // what open orders hold
	"sum(version)::BIGINT",                   // a row for each hour and status
	"SELECT name, key, sum(n)::BIGINT",       // a short column of customers and products
	"FROM stock_level_values",                // a row for each warehouse
}

// A store is verified in little memory, however large it is: what checks read comes in an order that an index has.
func TestChecksGatherNoTable(t *testing.T) {
	var mu sync.Mutex
	asked := map[string][]any{}
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true, Trace: func(sql string, args []any) {
		mu.Lock()
		defer mu.Unlock()
		asked[sql] = args
	}})
	s := newShop(t, store)
	s.life()
	s.dispatch()
	clear(asked)
	if _, err := verify.Run(t.Context(), store, ""); err != nil {
		t.Fatal(err)
	}
	statements, seen := maps.Clone(asked), map[string]bool{}
	if len(statements) < len(verify.Checks) {
		t.Fatalf("%d statements were seen", len(statements))
	}
	err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
		for sql, args := range statements {
			plan := dbtest.Plan(t, tx, sql, args...)
			found := gathers.FindAllString(strings.ReplaceAll(plan, "MATERIALIZE listed\n", ""), -1) // a list in the statement itself
			if len(found) == 0 {
				continue
			}
			if i := slices.IndexFunc(few, func(part string) bool { return strings.Contains(sql, part) }); i >= 0 && len(found) == 1 {
				seen[few[i]] = true
			} else {
				t.Errorf("%s\n%s", sql, plan)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range few {
		if !seen[part] {
			t.Errorf("no statement with %q gathers anything", part)
		}
	}
}
