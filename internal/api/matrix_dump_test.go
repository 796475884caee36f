package api

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"entrepot/internal/db"
)

// dump returns every row that the store holds of the fixture's account, sorted, each with its table's name before it.
// Rows of order_numbers are left out: a refused order may use a number up.
func (w *fixture) dump() []string {
	w.t.Helper()
	var rows []string
	err := w.DB.Read(w.t.Context(), w.tenant, func(tx *db.Tx) error {
		sql, err := dumpOf(tx, w.DB.Engine())
		if err != nil {
			return err
		}
		return tx.Each(func(r db.Rows) error {
			var row string
			err := r.Scan(&row)
			rows = append(rows, row)
			return err
		}, sql, tx.Tenant)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

// dumpTexts are the statements that dumpOf made, by engine: all stores have the same tables.
var dumpTexts sync.Map

// dumpOf is the statement that reads all rows of an account as texts.
func dumpOf(tx *db.Tx, engine string) (string, error) {
	if text, made := dumpTexts.Load(engine); made {
		return text.(string), nil
	}
	columns := `SELECT table_name::TEXT, column_name::TEXT FROM information_schema.columns WHERE table_schema = 'public'
		ORDER BY 1, ordinal_position`
	if engine == "sqlite" {
		columns = `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`
	}
	tables, names := map[string][]string{}, []string{}
	err := tx.Each(func(r db.Rows) error {
		var table, column string
		err := r.Scan(&table, &column)
		if tables[table] == nil {
			names = append(names, table)
		}
		tables[table] = append(tables[table], column)
		return err
	}, columns)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, name := range names {
		if !slices.Contains(tables[name], "tenant_id") || name == "order_numbers" {
			continue
		}
		text := "t::TEXT"
		if engine == "sqlite" {
			text = "quote(" + strings.Join(tables[name], ")||','||quote(") + ")"
		}
		parts = append(parts, fmt.Sprintf("SELECT '%s '||%s FROM %s t WHERE tenant_id = $1", name, text, name))
	}
	text := strings.Join(parts, " UNION ALL ")
	dumpTexts.Store(engine, text)
	return text, nil
}

// differ says what is in one dump and not in the other, "" for nothing.
func differ(before, after []string) string {
	if slices.Equal(before, after) {
		return ""
	}
	var lines []string
	for _, row := range before {
		if _, found := slices.BinarySearch(after, row); !found {
			lines = append(lines, "- "+row)
		}
	}
	for _, row := range after {
		if _, found := slices.BinarySearch(before, row); !found {
			lines = append(lines, "+ "+row)
		}
	}
	return strings.Join(lines[:min(len(lines), 12)], "\n")
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// idsIn are the identifiers that a text names, without those of the service's own examples.
func idsIn(text string) map[string]bool {
	found := map[string]bool{}
	for _, one := range uuid.FindAllString(text, -1) {
		if !strings.HasPrefix(one, "019a1c") {
			found[one] = true
		}
	}
	return found
}
