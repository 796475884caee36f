package orders

import (
	"regexp"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// The everyday lists of orders read an index in its order, and no more rows than the page needs: SQLite says by which index, and
// sorts nothing but the page; PostgreSQL counts the rows.
func TestListsKeepToTheirIndex(t *testing.T) {
	const plenty = 3000
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		var read dbtest.Statements
		config.Trace = read.Add
		store := dbtest.Open(t, config)
		tenant := dbtest.Account(t, store)
		sample(t, store, tenant, plenty)
		dbtest.Analyse(t, store, tenant)
		processing := []Status{Processing}
		behind := Cursor{Value: 1_700_000_000_000_000 + 20*day, ID: "019a1c52-7c1e-7d40-9a55-000000000001", Sort: ByCreatedAt}
		for name, c := range map[string]struct {
			f     Filter
			index string
		}{
			"newest":              {Filter{Sort: ByCreatedAt}, "status"},
			"oldest":              {Filter{Sort: ByCreatedAt, Ascending: true}, "status"},
			"page 5":              {Filter{Sort: ByCreatedAt, Offset: 80}, "status"},
			"last page":           {Filter{Sort: ByCreatedAt, Offset: plenty - 20}, "status"},
			"behind a cursor":     {Filter{Sort: ByCreatedAt, After: &behind}, "status"},
			"status":              {Filter{Sort: ByCreatedAt, CountedFilter: CountedFilter{Statuses: processing}}, "status"},
			"since a time":        {Filter{Sort: ByCreatedAt, CountedFilter: CountedFilter{From: 1_700_000_000_000_000 + 10*day}}, "status"},
			"channel":             {Filter{Sort: ByCreatedAt, CountedFilter: CountedFilter{Channel: erp}}, "channel_id"},
			"channel and status":  {Filter{Sort: ByCreatedAt, CountedFilter: CountedFilter{Channel: shop, Statuses: processing}}, "channel_id"},
			"highest totals":      {Filter{Sort: ByTotal}, "total"},
			"by number":           {Filter{Sort: ByNumber}, "number"},
			"changed last":        {Filter{Sort: ByUpdatedAt}, "updated_at"},
			"of a customer":       {Filter{Sort: ByCreatedAt, RowFilter: RowFilter{Customer: buyer}}, "customer_id"},
			"of a country":        {Filter{Sort: ByCreatedAt, RowFilter: RowFilter{Country: "DE"}}, "country"},
			"of a reference":      {Filter{Sort: ByCreatedAt, RowFilter: RowFilter{Reference: "WEB-29"}}, "external_reference"},
			"of a user":           {Filter{Sort: ByCreatedAt, RowFilter: RowFilter{Assigned: Assigned{Users: []id.User{clerk}}}}, "assigned_to"},
			"of nobody":           {Filter{Sort: ByCreatedAt, RowFilter: RowFilter{Assigned: Assigned{Nobody: true}}}, "status"},
			"status, by total":    {Filter{Sort: ByTotal, CountedFilter: CountedFilter{Statuses: []Status{Cancelled}}}, "total"},
			"changed since, last": {Filter{Sort: ByUpdatedAt, RowFilter: RowFilter{UpdatedFrom: 1_700_000_000_000_000 + 10*day}}, "updated_at"},
		} {
			c.f.Limit = 20
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				before := rowsRead(t, tx, store.Engine())
				read.Reset()
				list, total, err := ListHeads(tx, c.f)
				if err != nil || len(list) == 0 {
					t.Errorf("%s: %d of %d orders, %v", name, len(list), total, err)
				}
				statements, most := read.List(), int64(400)
				if c.f.updatedBetween() {
					most += total // they are counted in the index
				}
				if c.f.Assigned.any() {
					most += plenty // those of users are counted
				}
				if rows := rowsRead(t, tx, store.Engine()) - before; store.Engine() == "postgres" && rows > most {
					t.Errorf("%s: %d rows read for %d orders", name, rows, len(list))
				}
				if store.Engine() == "sqlite" {
					inOrder(t, tx, name, c.index, statements)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// inOrder checks SQLite's plan of a page: the ids come from an index, and only the page's orders are looked up.
func inOrder(t *testing.T, tx *db.Tx, name, index string, statements []dbtest.Statement) {
	t.Helper()
	found := false
	for _, s := range statements {
		if !strings.Contains(s.SQL, "ORDER BY") || !strings.Contains(s.SQL, "FROM orders o") {
			continue
		}
		found = true
		plan := s.Plan(t, tx)
		for _, line := range regexp.MustCompile(`(?m)^(SCAN|SEARCH) o\b.*|^USE TEMP B-TREE.*`).FindAllString(plan, -1) {
			if !strings.Contains(line, "INDEX orders_tenant_id_"+index) && !strings.Contains(line, "(tenant_id=? AND id=?)") {
				t.Errorf("%s: %s\nin\n%s\nof\n%s", name, line, plan, s.SQL)
			}
		}
	}
	if !found {
		t.Errorf("%s: no page is read: %v", name, statements)
	}
}
