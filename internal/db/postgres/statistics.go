package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// statisticsEvery is how often tables that have grown much since their last ANALYZE are looked for.
const statisticsEvery = time.Second

// analyse reads 3,000 rows of a table, a tenth of what PostgreSQL's own daemon reads, because tables of a store that
// is being filled are analysed again and again. It skips a table that another node analyses.
const analyse = "SET LOCAL default_statistics_target = 10; ANALYZE (SKIP_LOCKED) "

// keepStatistics makes PostgreSQL analyse tables soon after they have grown to twice their size. PostgreSQL's own
// daemon runs once a minute; until then it would plan for an empty store. The daemon follows changes of rows: the
// sums and clocks that every order changes are few rows, and each analysis makes PostgreSQL plan all statements of
// the table again. Errors are only logged, because statistics change no result.
func (e *Engine) keepStatistics(ctx context.Context) {
	defer close(e.kept)
	tick := time.NewTicker(statisticsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		rows, err := e.pool.Query(ctx, `SELECT quote_ident(s.relname) FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
			WHERE s.schemaname = current_schema() AND s.n_mod_since_analyze > 50 AND s.n_live_tup > 50 + 2 * greatest(c.reltuples, 0)`)
		if err != nil {
			continue
		}
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, table := range tables {
			if err == nil {
				// one message is one transaction
				_, err = e.pool.Exec(ctx, analyse+table, pgx.QueryExecModeSimpleProtocol)
			}
		}
		if err != nil && ctx.Err() == nil {
			e.log.Debug("statistics were not kept", "error", err)
		}
	}
}
