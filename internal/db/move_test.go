package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// movable is a SQLite store with values of every type: none, empty, negative, not ASCII, longer than what is sent at once.
func movable(t *testing.T) *db.DB {
	t.Helper()
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	tenant := dbtest.Account(t, store)
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		for i := range 3000 {
			tx.Queue(`INSERT INTO categories (tenant_id, id, external_id, name, slug, created_at, updated_at, changed_at)
				VALUES ($1, $2, nullif($3, 'e-7'), $4, $5, $6, $6, $6)`, tenant, id.New[id.Category](), fmt.Sprint("e-", i),
				strings.Repeat("Möbel ", i%40), fmt.Sprint("c-", i), -int64(i)<<40)
		}
		parcel := id.New[id.Import]()
		for i := range 40 {
			body := []byte(strings.Repeat("\x00\xff", i*1000))
			tx.Queue("INSERT INTO import_parts (tenant_id, import_id, position, body) VALUES ($1, $2, $3, $4)", tenant, parcel, i, body)
		}
		for i := range 2 {
			tx.Queue(`INSERT INTO import_lines (tenant_id, import_id, dry, position, row_number, line, refused, row_count, item, field, code,
				message) VALUES ($1, $2, $3, 1, 1, 1, FALSE, 1, '', '', '', '')`, tenant, parcel, i == 1)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// contents are the rows of a store, as texts in an order of their own, without those of migrations.
func contents(t *testing.T, store *db.DB) (rows []string) {
	t.Helper()
	types := map[string]map[string]string{} // of the columns of each table
	columns := "SELECT table_name::TEXT, column_name::TEXT, data_type::TEXT FROM information_schema.columns WHERE table_schema = 'public'"
	form := map[string]string{"bytea": "encode(%s, 'hex')", "boolean": "CAST(CAST(%s AS INT) AS TEXT)"}
	if store.Engine() == "sqlite" {
		columns = `SELECT t.name, c.name, lower(c.type) FROM sqlite_master t, pragma_table_info(t.name) c
			WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`
		form["bytea"] = "lower(hex(%s))"
	}
	err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
		err := tx.Each(func(r db.Rows) error {
			var table, column, of string
			err := r.Scan(&table, &column, &of)
			if types[table] == nil {
				types[table] = map[string]string{}
			}
			types[table][column] = of
			return err
		}, columns)
		for table, columns := range types {
			if err != nil || slices.Contains([]string{"schema_versions", "nodes"}, table) {
				continue
			}
			var names, values []string
			for name := range columns {
				names = append(names, name)
			}
			slices.Sort(names)
			for _, name := range names {
				text := form[columns[name]]
				if text == "" {
					text = "CAST(%s AS TEXT)"
				}
				values = append(values, "coalesce('"+name+"=' || "+fmt.Sprintf(text, name)+", 'none')")
			}
			err = tx.Each(func(r db.Rows) error {
				var row string
				err := r.Scan(&row)
				rows = append(rows, table+" "+row)
				return err
			}, "SELECT "+strings.Join(values, " || '|' || ")+" FROM "+table)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

// definitions are the keys, checks, indexes and policies of a PostgreSQL store.
func definitions(t *testing.T, store *db.DB) (list []string) {
	t.Helper()
	err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
		return tx.Each(func(r db.Rows) error {
			var line string
			err := r.Scan(&line)
			list = append(list, line)
			return err
		}, `SELECT * FROM (SELECT format('%s %s %s', conrelid::REGCLASS, conname, pg_get_constraintdef(oid)) AS line FROM pg_constraint
				WHERE connamespace = 'public'::REGNAMESPACE
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
			UNION ALL SELECT format('%s %s', tablename, qual) FROM pg_policies WHERE schemaname = 'public'
			UNION ALL SELECT format('%s %s %s', relname, relrowsecurity, relforcerowsecurity) FROM pg_class
				WHERE relnamespace = 'public'::REGNAMESPACE AND relkind = 'r') AS lines ORDER BY line COLLATE "C"`)
	})
	if err != nil || len(list) < 200 {
		t.Fatalf("%d definitions: %v", len(list), err)
	}
	return list
}

func moveAll(ctx context.Context, from, to *db.DB) error {
	_, err := db.Move(ctx, from, to, func(*db.Tx) error { return nil }, func(db.Moved) {})
	return err
}

// A move brings every row as it is, and leaves keys, indexes and row-level security as migrations make them; the
// statistics are taken and the rows need no cleaning.
func TestAMoveBringsEveryRow(t *testing.T) {
	from, to := movable(t), dbtest.Open(t, db.Config{URL: dbtest.PlainStoreURL(t)})
	before := definitions(t, to)
	if err := moveAll(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	if here, there := contents(t, from), contents(t, to); len(here) < 3000 || !slices.Equal(here, there) {
		t.Errorf("%d rows here, %d there", len(here), len(there))
	}
	if after := definitions(t, to); !slices.Equal(before, after) {
		t.Errorf("the schema was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	var rows, pages, clean int64
	err := to.Read(t.Context(), db.Across, func(tx *db.Tx) error {
		return tx.Row("SELECT reltuples::BIGINT, relpages::BIGINT, relallvisible::BIGINT FROM pg_class WHERE oid = 'categories'::REGCLASS",
			nil, &rows, &pages, &clean)
	})
	if err != nil || rows != 3000 || pages == 0 || clean != pages {
		t.Errorf("PostgreSQL takes categories for %d rows on %d pages, %d of them clean: %v", rows, pages, clean, err)
	}
	if err := moveAll(t.Context(), from, to); !errors.Is(err, db.ErrNotEmpty) {
		t.Errorf("a second move: %v", err)
	}
}

// A move that fails half way leaves the target empty and its schema whole, and can be given again.
func TestAMoveThatFailsLeavesNothing(t *testing.T) {
	from, to := movable(t), dbtest.Open(t, db.Config{URL: dbtest.PlainStoreURL(t)})
	before := definitions(t, to)
	stopped := errors.New("stopped")
	_, err := db.Move(t.Context(), from, to, func(*db.Tx) error { return stopped }, func(db.Moved) {})
	if !errors.Is(err, stopped) {
		t.Errorf("stopped at the end: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = db.Move(ctx, from, to, func(*db.Tx) error { return nil }, func(m db.Moved) {
		if m.Table == "categories" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled half way: %v", err)
	}
	if rows := contents(t, to); len(rows) > 0 {
		t.Errorf("%d rows are left: %.100q", len(rows), rows)
	}
	if after := definitions(t, to); !slices.Equal(before, after) {
		t.Errorf("the schema was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	if err := moveAll(t.Context(), from, to); err != nil || len(contents(t, to)) < 3000 {
		t.Errorf("given again: %v", err)
	}
}

// A PostgreSQL server that is killed in the middle of a move has an empty store afterwards, into which it can be moved.
func TestAMoveSurvivesItsServer(t *testing.T) {
	dbtest.Long(t, "it starts two PostgreSQL servers")
	pair := dbtest.NewPair(t)
	address := pair.URL()
	from, to := movable(t), dbtest.Open(t, db.Config{URL: address})
	_, err := db.Move(t.Context(), from, to, func(*db.Tx) error { return nil }, func(m db.Moved) {
		if m.Table == "categories" {
			pair.Kill()
		}
	})
	if err == nil {
		t.Fatal("the move outlived its server")
	}
	pair.Promote()
	to = dbtest.Open(t, db.Config{URL: address})
	if rows := contents(t, to); len(rows) > 0 {
		t.Errorf("%d rows are left: %.100q", len(rows), rows)
	}
	if err := moveAll(t.Context(), from, to); err != nil || !slices.Equal(contents(t, from), contents(t, to)) {
		t.Errorf("given again: %v", err)
	}
}
