package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// Bounds of what a transaction waits for. A caller that waited longer is asked to come again.
const (
	connectionWait = 2 * time.Second
	lockTimeout    = "5000" // lock_timeout in milliseconds
)

// Write runs one transaction; an optimistic one in two, see optimistic. Those that lost a race (Alone) go one by one in a tenant from then
// on, by a lock that nobody else takes: whoever they wait for inside never waits for them.
func (e *Engine) Write(ctx context.Context, tenant id.Tenant, how engine.Mode, work engine.Work) error {
	if how == engine.Optimistic {
		return e.optimistic(ctx, tenant, work)
	}
	leave, err := e.writers.enter(ctx, tenant)
	if err != nil {
		return err
	}
	defer leave()
	begin := opening{begin: "BEGIN", tenant: tenant, timeout: e.timeout, alone: how == engine.Alone}
	return e.in(ctx, context.WithoutCancel(ctx), begin, func(s *session) error {
		last, err := work(s)
		if err != nil {
			return err
		}
		return s.commit(last)
	})
}

// Read runs on one snapshot. It ends when its caller hangs up.
func (e *Engine) Read(ctx context.Context, tenant id.Tenant, _ bool, read func(engine.Session) error) error {
	leave, err := e.readers.enterWithin(ctx, tenant, connectionWait)
	if err != nil {
		return err
	}
	defer leave()
	begin := opening{begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", tenant: tenant, timeout: e.timeout}
	return e.in(ctx, ctx, begin, func(s *session) error { return read(s) })
}

// Settle waits for every transaction that has taken the tenant's clock, and reports the time before it began to wait.
func (e *Engine) Settle(ctx context.Context, tenant id.Tenant) (at int64, err error) {
	now := e.now().UnixMicro()
	err = e.Read(ctx, tenant, true, func(s engine.Session) error {
		s.Last()
		rows, err := s.Query("SELECT "+microsOf("statement_timestamp()")+", "+shareClock, []any{tenant})
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			err = rows.Scan(&at, new(any))
		}
		return errors.Join(err, rows.Err())
	})
	if e.injected {
		at = now
	}
	return at, err
}

// settings names the tenant for row-level security, bounds its statements and waits, and keeps the planner on the keys: every
// statement begins with the tenant, but until a table was analysed (and in plans kept from when it was empty) PostgreSQL would rather
// read all of it. One plan serves every account (see afterMigration) and is made once a connection. They end with the transaction, so
// that a pooler between may hand the connection on.
const settings = `SELECT set_config('entrepot.tenant', $1, true), set_config('statement_timeout', $2, true),
	set_config('lock_timeout', '` + lockTimeout +
	`', true), set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
	set_config('jit', 'off', true)`

// opening is what a transaction begins with; it travels with the first statement.
type opening struct {
	begin   string
	tenant  id.Tenant
	timeout string
	alone   bool // behind the tenant's other transactions that are alone
}

// queue puts the opening into a message and reports how many statements it is. A message that is the whole transaction needs no
// BEGIN: PostgreSQL takes it as one anyway.
func (o opening) queue(b *pgx.Batch, whole bool) int {
	before := b.Len()
	if !whole {
		b.Queue(o.begin)
	}
	if o.alone { // before lock_timeout is set: those that have lost stand in line as long as it takes
		b.Queue("SELECT "+aloneLock, int64(o.tenant))
	}
	b.Queue(settings, strconv.FormatInt(int64(o.tenant), 10), o.timeout)
	return b.Len() - before
}

// in runs one transaction on a connection of the pool and leaves the connection clean. A connection that turns out to have been cut
// before COMMIT was sent is replaced; all idle ones may have been cut with it. Statements run under the context statements.
func (e *Engine) in(ctx, statements context.Context, begin opening, run func(*session) error) error {
	for idle := e.pool.Stat().IdleConns(); ; idle-- {
		s, err := e.once(ctx, statements, begin, run)
		if err == nil {
			return nil
		}
		if s == nil || !s.lost || statements.Err() != nil {
			return meaning(statements, err)
		}
		if s.committing {
			return engine.UnknownOutcome(err)
		}
		if idle < 0 {
			return engine.Unavailable(err)
		}
	}
}

// once runs a transaction on one connection; the session is nil when there was none to be had.
func (e *Engine) once(ctx, statements context.Context, begin opening, run func(*session) error) (*session, error) {
	patience, cancel := context.WithTimeout(ctx, connectionWait)
	conn, err := e.pool.Acquire(patience)
	cancel()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, engine.Unavailable(err)
	}
	defer conn.Release()
	s := &session{ctx: statements, conn: conn.Conn(), begin: begin, injected: e.injected}
	err = run(s)
	s.endRows()
	if onStandby(err) { // and nothing was stored; only another connection leads to the primary
		s.conn.Close(context.WithoutCancel(ctx))
		s.committing = false
	}
	if s.lost = s.conn.IsClosed(); !s.lost && s.conn.PgConn().TxStatus() != 'I' {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectionWait)
		defer cancel()
		if _, rollback := s.conn.Exec(last, "ROLLBACK"); rollback != nil {
			s.conn.Close(last) // the pool drops it
		}
	}
	return s, err
}
