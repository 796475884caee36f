package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/base/id"
	"entrepot/internal/db/engine"
)

// Bounds of a transaction's waits. A caller that waited longer is asked to try again.
const (
	connectionWait = 5 * time.Second
	lockWait       = 5 * time.Second
	idleWait       = 10 * time.Second // for the next message of a transaction that holds locks between its messages
)

// bounds are these times as settings of a transaction. Config.MinWait raises them.
type bounds struct {
	connection time.Duration
	lock       string // lock_timeout in milliseconds
	holder     string // the settings of a transaction that holds locks between its messages, see settings
}

func newBounds(least time.Duration) bounds {
	return bounds{connection: max(connectionWait, least), lock: milliseconds(max(lockWait, least)),
		holder: settings + ", set_config('idle_in_transaction_session_timeout', '" + milliseconds(max(idleWait, least)) + "', true)"}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Write runs one transaction. Transactions of mode Serial wait for each other within their tenant before they read.
// Transactions that lost a race (Alone) run one at a time within their tenant, by a lock that no other transaction
// takes: nothing that they wait for inside ever waits for them.
func (e *Engine) Write(ctx context.Context, tenant id.Tenant, how engine.Mode, work engine.Work) error {
	if how.Has(engine.Bulk) { // when this piece has ended, the next one queues for the clock behind those that wait
		leave, err := e.bulk.enter(ctx, tenant)
		if err != nil {
			return err
		}
		defer leave()
	}
	leave, err := e.writers.enter(ctx, tenant)
	if err != nil {
		return err
	}
	defer leave()
	begin := opening{begin: "BEGIN", holder: e.bounds.holder, tenant: tenant, timeout: e.timeout, lockTimeout: e.bounds.lock,
		alone: how.Has(engine.Alone), turn: how.Has(engine.Serial)}
	return e.in(ctx, context.WithoutCancel(ctx), begin, func(s *session) error {
		last, err := work(s)
		if err != nil {
			return err
		}
		return s.commit(last)
	})
}

// Read runs reads on one snapshot. It ends when its caller hangs up.
func (e *Engine) Read(ctx context.Context, tenant id.Tenant, how engine.ReadMode, read func(engine.Session) error) error {
	leave, err := e.readers.enterWithin(ctx, tenant, e.bounds.connection)
	if err != nil {
		return err
	}
	defer leave()
	begin := opening{begin: beginRead, tenant: tenant, timeout: e.timeout,
		lockTimeout: e.bounds.lock}
	return e.in(ctx, ctx, begin, func(s *session) error { return read(s) })
}

const beginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// Settle waits for every transaction that holds the tenant's clock, and returns the time before the wait.
func (e *Engine) Settle(ctx context.Context, tenant id.Tenant) (at int64, err error) {
	now := e.now().UnixMicro()
	err = e.Read(ctx, tenant, engine.Stored, func(s engine.Session) error {
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

// settings names the tenant for row-level security, bounds the transaction's statements and waits, and makes the
// planner use keys: every statement begins with the tenant, but for a table that was not analysed yet (and in plans
// kept from when it was empty) PostgreSQL would choose to read the whole table. One plan serves every account (see
// AfterMigration) and is made once a connection. It has no parallel workers: PostgreSQL starts their processes anew for
// each statement, which takes longer than what a request reads, and they take the processor from other requests. The
// settings end with the transaction, so that a pooler may give the connection to another client.
//
// A transaction that holds locks between its messages has one more: if this node stands still or is cut off meanwhile, the server ends the
// transaction, so that other nodes get its locks. It then runs again.
const settings = `SELECT set_config('entrepot.tenant', $1, true), set_config('statement_timeout', $2, true),
	set_config('lock_timeout', $3, true), set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
	set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`

// opening is how a transaction begins; it travels with the first statement.
type opening struct {
	begin       string
	tenant      id.Tenant // whose rows row-level security shows
	timeout     string
	lockTimeout string
	alone       bool   // wait for the tenant's other transactions of mode Alone
	turn        bool   // wait for the tenant's other transactions of mode Serial, before any other lock
	holder      string // its settings if it may hold locks between its messages; "" if it does not
}

// queue adds the opening to a message and returns how many statements it has. A message that is the whole transaction
// needs no BEGIN: PostgreSQL runs it as one anyway.
func (o opening) queue(b *pgx.Batch, whole bool) int {
	before := b.Len()
	if !whole {
		b.Queue(o.begin)
	}
	if o.turn { // before lock_timeout is set: these wait as long as it takes
		b.Queue(takeSerial, int64(o.tenant))
	}
	if o.alone {
		b.Queue("SELECT "+aloneLock, int64(o.tenant))
	}
	text := settings
	if o.holder != "" {
		text = o.holder
	}
	b.Queue(text, strconv.FormatInt(int64(o.tenant), 10), o.timeout, o.lockTimeout)
	return b.Len() - before
}

// in runs one transaction on a connection of the pool and leaves the connection clean. If the connection was cut
// before COMMIT was sent, it is replaced and the transaction runs again; all idle connections may have been cut with
// it. Statements run under the context statements.
func (e *Engine) in(ctx, statements context.Context, begin opening, run func(*session) error) error {
	for idle := e.pool.Stat().IdleConns(); ; idle-- {
		s, err := e.once(ctx, statements, begin, run)
		if err == nil {
			return nil
		}
		if s == nil {
			return err
		}
		if !s.lost || statements.Err() != nil {
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

// once runs a transaction on one connection. The session is nil if there was no connection. Errors then: the
// context's, Unavailable.
func (e *Engine) once(ctx, statements context.Context, begin opening, run func(*session) error) (*session, error) {
	limited, cancel := context.WithTimeout(ctx, e.bounds.connection)
	conn, release, err := e.pool.acquire(limited)
	cancel()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, engine.Unavailable(err)
	}
	defer release()
	s := &session{ctx: statements, conn: conn.Conn(), begin: begin, injected: e.injected}
	err = run(s)
	s.endRows()
	e.full.note(err)
	if onStandby(err) { // and nothing was stored; a new connection may reach the primary
		s.conn.Close(context.WithoutCancel(ctx))
		s.committing = false
	}
	if s.lost = s.conn.IsClosed(); !s.lost && s.conn.PgConn().TxStatus() != 'I' {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.bounds.connection)
		defer cancel()
		if _, rollback := s.conn.Exec(last, "ROLLBACK"); rollback != nil {
			s.conn.Close(last) // the pool discards it
		}
	}
	return s, err
}
