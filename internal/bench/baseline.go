package bench

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// BaselineSchema is the PostgreSQL schema of the baseline's tables; it is dropped before and after a run.
const BaselineSchema = "entrepot_bench_baseline"

// baselineTenant is the one account of a baseline's rows: every key starts with
// it, as in the service.
const baselineTenant = int64(1)

// baseline is a database driver without a service.
type baseline interface {
	// write runs the statements in order and commits them together: after nil they are on the disk.
	write(statements []statement) error
	// read runs one query and calls each with the scan of each row.
	read(sql string, args []any, each func(scan func(into ...any) error) error) error
	close() error
}

// statement is one SQL text with its arguments. The text is the same on both
// engines.
type statement struct {
	sql  string
	args []any
}

// baselineTask is the baseline's work for one scenario.
type baselineTask func(c *campaign, y *baselineRun, client int) func() (items int, err error)

// baselineRun is a running baseline: the database and what its clients share.
type baselineRun struct {
	baseline
	skus   int
	serial atomic.Uint64
	orders []string // ids of orders to read
	tag    string
}

// measureBaseline runs the scenario's baseline on a fresh database with as many
// callers as the service had clients.
func (c *campaign) measureBaseline(ctx context.Context, s scenario, callers int) (f *Figures, err error) {
	y := &baselineRun{skus: c.SKUs, tag: c.tag}
	if y.baseline, err = c.openBaseline(ctx, callers); err != nil {
		return nil, err
	}
	defer func() {
		if closing := y.close(); err == nil {
			err = closing
		}
	}()
	if err := y.seedProducts(); err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	if s.baselineNeedsOrders {
		if err := y.seedOrders(c.SeedOrders); err != nil {
			return nil, fmt.Errorf("seed: %w", err)
		}
	}
	if err := y.write([]statement{{sql: "ANALYZE"}}); err != nil { // the planners have statistics, as they would after an hour
		return nil, err
	}
	tallies := make([]tally, callers)
	var left atomic.Int64
	left.Store(int64(c.Count))
	var group sync.WaitGroup
	start := time.Now()
	for i := range callers {
		group.Go(func() {
			tallies[i].repeat(ctx, s.baseline(c, y, i), start.Add(c.Duration), &left, c.Count > 0)
		})
	}
	group.Wait()
	took := time.Since(start)
	whole := new(tally)
	for i := range tallies {
		whole.add(&tallies[i])
	}
	if whole.abandoned != nil {
		return nil, whole.abandoned
	}
	return whole.figures(took), nil
}

func (c *campaign) openBaseline(ctx context.Context, callers int) (baseline, error) {
	if c.Baseline == "postgres" {
		return openBaselinePostgres(ctx, c.BaselineDatabase, callers, false)
	}
	return openBaselineSQLite(c.BaselineFolder)
}

// repeat is the closed loop of one client of a baseline.
func (t *tally) repeat(ctx context.Context, step func() (int, error), end time.Time, left *atomic.Int64, counted bool) {
	for now := time.Now(); now.Before(end) && ctx.Err() == nil; {
		if counted && left.Add(-1) < 0 {
			return
		}
		begun := time.Now()
		items, err := step()
		now = time.Now()
		if err != nil {
			t.abandoned = err
			return
		}
		t.waits.Add(now.Sub(begun))
		t.items += items
	}
}

//go:embed baseline_schema.sql
var baselineSchemaText string

// baselineSchema is the schema for an engine, one statement each.
func baselineSchema(engine string) []string {
	words := strings.NewReplacer("{{ID}}", "TEXT", "{{SERIAL}}", "INTEGER PRIMARY KEY", "{{CLUSTERED}}", "WITHOUT ROWID")
	if engine == "postgres" {
		words = strings.NewReplacer("{{ID}}", "UUID", "{{SERIAL}}", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "{{CLUSTERED}}", "")
	}
	var statements []string
	for part := range strings.SplitSeq(words.Replace(baselineSchemaText), ";\n") {
		if strings.Contains(part, "CREATE") {
			statements = append(statements, part)
		}
	}
	return statements
}
