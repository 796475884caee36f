package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// countRows counts the rows of every table of the connection's schema.
func countRows(ctx context.Context, on interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (map[string]int64, error) {
	rows, err := on.Query(ctx, `SELECT c.relname::TEXT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p')`)
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	counts := map[string]int64{}
	for _, table := range tables {
		var n int64
		if err == nil {
			err = on.QueryRow(ctx, "SELECT count(*) FROM ONLY "+pgx.Identifier{table}.Sanitize()).Scan(&n)
		}
		counts[table] = n
	}
	if err != nil {
		return nil, fmt.Errorf("counting the store's rows: %w", err)
	}
	return counts, nil
}

// sameRows is an error that names every table whose count differs.
func sameRows(what string, want, have map[string]int64) error {
	var short []string
	for _, table := range slices.Sorted(maps.Keys(want)) {
		if have[table] != want[table] {
			short = append(short, fmt.Sprintf("%s has %d rows instead of %d", table, have[table], want[table]))
		}
	}
	for table := range have {
		if _, there := want[table]; !there {
			short = append(short, table+" should not be there")
		}
	}
	if len(short) == 0 {
		return nil
	}
	return fmt.Errorf("%s is not whole: %s", what, shortened(short))
}

func total(counts map[string]int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

func shortened(list []string) string {
	if len(list) > 5 {
		return strings.Join(list[:5], ", ") + fmt.Sprintf(" and %d more", len(list)-5)
	}
	return strings.Join(list, ", ")
}
