package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// baselinePostgres is the PostgreSQL baseline: a pool with a connection for each
// caller; an operation is one batch, which the server takes as one transaction
// in one round trip.
type baselinePostgres struct {
	pool *pgxpool.Pool
}

// openBaselinePostgres creates the schema again in the given database. A server that does not sync its writes to the
// disk is refused: its figures could not be compared.
func openBaselinePostgres(ctx context.Context, address string, callers int) (*baselinePostgres, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	config.MaxConns = int32(min(max(callers, 4), 64))
	config.ConnConfig.RuntimeParams["search_path"] = BaselineSchema
	config.ConnConfig.RuntimeParams["synchronous_commit"] = "on"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	y := &baselinePostgres{pool: pool}
	if !durable(ctx, pool) {
		pool.Close()
		return nil, errors.New("--database is not reached, or runs with fsync=off: it acknowledges what a power cut would lose")
	}
	for _, text := range append([]string{
		"DROP SCHEMA IF EXISTS " + BaselineSchema + " CASCADE",
		"CREATE SCHEMA " + BaselineSchema,
	}, baselineSchema("postgres")...) {
		if _, err := pool.Exec(ctx, text); err != nil {
			pool.Close()
			return nil, fmt.Errorf("make the baseline's tables: %w", err)
		}
	}
	return y, nil
}

// durable reports whether the server syncs its writes to the disk. Tests take one that does not.
var durable = func(ctx context.Context, pool *pgxpool.Pool) bool {
	var synced string
	return pool.QueryRow(ctx, "SHOW fsync").Scan(&synced) == nil && synced == "on"
}

// triesPerWrite limits how often an operation is repeated after a deadlock.
const triesPerWrite = 20

func (y *baselinePostgres) write(statements []statement) (err error) {
	for range triesPerWrite {
		batch := new(pgx.Batch)
		for _, s := range statements {
			batch.Queue(s.sql, s.args...)
		}
		err = y.pool.SendBatch(context.Background(), batch).Close()
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || (refused.Code != "40P01" && refused.Code != "40001") {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return err
}

func (y *baselinePostgres) close() error {
	_, err := y.pool.Exec(context.Background(), "DROP SCHEMA "+BaselineSchema+" CASCADE")
	y.pool.Close()
	return err
}
