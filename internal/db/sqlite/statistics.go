package sqlite

import (
	"context"
	"strconv"
	"strings"
)

// Without statistics SQLite's planner assumes that an index leads to ten rows of an account, and would read a million
// rows where it can look up twenty. This file gives it the statistics of a store with large accounts, whatever the
// store holds, so that a statement has the same plan in every store (decision 1).

// many and few are the assumed rows of an account in a table, and in a partial index that leaves out nearly all of
// them.
const many, few = 1_000_000, 1_000

// accounts is how many accounts are in a store.
const accounts = 100

// small are the tables with a few rows for each account.
var small = words("tenants users tokens api_keys channels channel_syncs warehouses attributes endpoints segments nodes scrubs " +
	"setup_links replays queues change_clocks order_numbers dispatch_cursors views_until stock_values " +
	"segment_lists segment_changes store_keys schema_versions dashboard_views certificates backup_tasks")

// sharing is how many rows of an account have the same value in a column; in any other column sharingUsually have.
var sharing = map[string]int{
	"status": 100_000, "kind": 100_000, "country": 50_000, "channel_id": 50_000, "warehouse_code": 50_000, "endpoint_id": 50_000,
	"event": 50_000, "action": 10_000, "actor": 50_000, "resource_type": 20_000, "type": 50_000, "span": 100_000, "width": 10_000,
	"slice": 10_000, "category_id": 5_000, "list_id": 100_000,
	"name": 100, "import_id": 1_000, "job_id": 1_000, "tag": 1_000,
}

const sharingUsually = 10

// AfterMigration gives the planner the number of rows that share the leading columns of each index.
func (e *Engine) AfterMigration(ctx context.Context) error {
	return e.inWriter(ctx, func(c *conn) error {
		indexes, err := c.indexes()
		if err != nil {
			return err
		}
		c.written = true
		if err := c.script("DROP TABLE IF EXISTS sqlite_stat1; ANALYZE schema_versions; DELETE FROM sqlite_stat1;"); err != nil {
			return err
		}
		for _, x := range indexes {
			_, err := c.Exec("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)", []any{x.table, x.name, x.statistics()})
			if err != nil {
				return err
			}
		}
		return c.script("ANALYZE sqlite_schema;")
	})
}

// Prepared reports whether the planner has statistics of every index.
func (e *Engine) Prepared(ctx context.Context) (prepared bool, err error) {
	return prepared, e.inWriter(ctx, func(c *conn) error {
		made, err := c.text("SELECT CAST(count(*) AS TEXT) FROM sqlite_schema WHERE name = 'sqlite_stat1'")
		if err != nil || made == "0" {
			return err
		}
		missing, err := c.text("SELECT CAST(count(*) AS TEXT) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL " +
			"AND name NOT IN (SELECT idx FROM sqlite_stat1)")
		prepared = missing == "0"
		return err
	})
}

// index is an index as the catalog shows it.
type index struct {
	table, name string
	unique      bool
	where       string // of a partial index
	columns     []string
}

// indexes reads the catalog. In a table that is stored in the order of its key, the key's index has the table's name.
func (c *conn) indexes() (list []index, err error) {
	rows, err := c.Query(`SELECT t.name, CASE WHEN i.origin = 'pk' AND t.sql LIKE '%WITHOUT ROWID%' THEN t.name ELSE i.name END, i."unique",
			coalesce((SELECT s.sql FROM sqlite_schema s WHERE s.name = i.name), ''), coalesce(k.name, '')
		FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) k
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, i.name, k.seqno`, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var x index
		var sql, column string
		if err := rows.Scan(&x.table, &x.name, &x.unique, &sql, &column); err != nil {
			return nil, err
		}
		if len(list) == 0 || list[len(list)-1].name != x.name {
			_, x.where, _ = strings.Cut(sql, " WHERE ")
			list = append(list, x)
		}
		last := &list[len(list)-1]
		last.columns = append(last.columns, column)
	}
	return list, rows.Err()
}

// statistics is the text of sqlite_stat1: the index's rows, and how many of them share the first column, the first
// two, and so on.
func (x index) statistics() string {
	share := many
	switch {
	case small[x.table]:
		share = 10
	case x.where != "" && !hasMost(x.where):
		share = few
	}
	text := strconv.Itoa(share * accounts)
	for i, column := range x.columns {
		switch {
		case x.unique && i == len(x.columns)-1:
			share = 1
		case column != "tenant_id":
			known, ok := sharing[column]
			if !ok {
				known = sharingUsually
			}
			share = max(1, min(share/2, known)) // a column that would select nothing is left out of the search
		}
		text += " " + strconv.Itoa(share)
	}
	return text
}

// hasMost reports whether most rows are in a partial index: the rows that are not deleted, or those with an optional
// value.
func hasMost(where string) bool {
	switch where {
	case "deleted_at IS NULL", "customer_id IS NOT NULL", "country IS NOT NULL", "external_reference IS NOT NULL":
		return true
	}
	return false
}

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
