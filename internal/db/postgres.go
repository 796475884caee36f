package db

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"zombiezen.com/go/sqlite"

	"entrepot/internal/id"
)

// postgresEngine runs each transaction in its own transaction on a pooled connection. BEGIN travels with the first
// statement and COMMIT with the last, because round trips decide the speed.
type postgresEngine struct {
	db       *DB
	pool     *pgxpool.Pool
	writers  limits
	readers  limits
	timeout  string             // statement_timeout of every transaction, in milliseconds; "0" for none
	injected bool               // the clock is not the real one: stamps follow it instead of the server's
	stop     context.CancelFunc // of keepStatistics
	kept     chan struct{}
}

// Bounds of what a transaction waits for. A caller that waited longer is told to come again.
const (
	connectionWait = 2 * time.Second
	lockTimeout    = "5000" // lock_timeout in milliseconds
)

func openPostgres(ctx context.Context, c Config, d *DB) (*postgresEngine, error) {
	config, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, errors.New("the database address is not a valid postgres:// URL") // the parser's error may show the password
	}
	if c.Pool > 0 {
		config.MaxConns = int32(c.Pool)
	} else if !strings.Contains(c.URL, "pool_max_conns") {
		config.MaxConns = 32
	}
	config.ConnConfig.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler { // a caller that hangs up ends its query
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: time.Second}
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, unavailable(err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, unavailable(err)
	}
	background, stop := context.WithCancel(context.Background())
	e := &postgresEngine{db: d, pool: pool, writers: newLimits(writersPerAccount), readers: newLimits(max(2, int(config.MaxConns)/2)),
		timeout: strconv.FormatInt(c.StatementTimeout.Milliseconds(), 10), injected: c.injected, stop: stop, kept: make(chan struct{})}
	go e.keepStatistics(background)
	return e, nil
}

// statisticsEvery is how often tables are looked at that have grown much since the planner last looked.
const statisticsEvery = time.Second

// keepStatistics has PostgreSQL analyse tables soon after they have grown by half: its own daemon comes once a minute, and until it
// does a store that is being filled is planned as if it were empty. It fails quietly: it is no more than advice to the planner.
func (e *postgresEngine) keepStatistics(ctx context.Context) {
	defer close(e.kept)
	tick := time.NewTicker(statisticsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		rows, err := e.pool.Query(ctx, `SELECT quote_ident(relname) FROM pg_stat_user_tables
			WHERE schemaname = current_schema() AND n_mod_since_analyze > 50 + n_live_tup / 2`)
		if err != nil {
			continue
		}
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, table := range tables {
			if err == nil {
				_, err = e.pool.Exec(ctx, "ANALYZE "+table)
			}
		}
		if err != nil && ctx.Err() == nil {
			e.db.log.Debug("statistics were not kept", "error", err)
		}
	}
}

func (e *postgresEngine) name() string { return "postgres" }

// write runs one transaction. Acts that lost a race (alone) go one by one in a tenant from then on, by a lock that nobody else takes: whoever
// they wait for inside never waits for them.
func (e *postgresEngine) write(ctx context.Context, tenant id.Tenant, how mode, run func(*Tx) error) error {
	leave, err := e.writers.enter(ctx, tenant)
	if err != nil {
		return err
	}
	defer leave()
	begin := opening{begin: "BEGIN", tenant: tenant, timeout: e.timeout, alone: how == alone}
	return e.in(ctx, context.WithoutCancel(ctx), begin, func(s *pgSession) error {
		tx := &Tx{Tenant: tenant, db: e.db, session: s, now: e.db.Now()}
		if err := guarded(tx, run); err != nil {
			return err
		}
		return s.commit(tx.steps())
	})
}

// read runs on one snapshot. It ends when its caller hangs up.
func (e *postgresEngine) read(ctx context.Context, tenant id.Tenant, _ bool, run func(*Tx) error) error {
	leave, err := e.readers.enterWithin(ctx, tenant, connectionWait)
	if err != nil {
		return err
	}
	defer leave()
	begin := opening{begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", tenant: tenant, timeout: e.timeout}
	return e.in(ctx, ctx, begin, func(s *pgSession) error {
		return run(&Tx{Tenant: tenant, db: e.db, session: s, now: e.db.Now(), readOnly: true})
	})
}

// settings names the tenant for row-level security, bounds its statements and waits, and keeps the planner on the keys: every
// statement begins with the tenant, but until a table was analysed (and in plans kept from when it was empty) PostgreSQL would rather
// read all of it. One plan serves every account (see afterMigration) and is made once a connection. They end with the transaction, so
// that a pooler between may hand the connection on.
const settings = `SELECT set_config('entrepot.tenant', $1, true), set_config('statement_timeout', $2, true),
	set_config('lock_timeout', '` + lockTimeout + `', true), set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
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
		b.Queue("SELECT pg_advisory_xact_lock(7302, ($1::BIGINT % 2147483648)::INT)", int64(o.tenant))
	}
	b.Queue(settings, strconv.FormatInt(int64(o.tenant), 10), o.timeout)
	return b.Len() - before
}

// in runs one transaction on a connection of the pool and leaves the connection clean. A connection that turns out to have been cut
// before COMMIT was sent is replaced; all idle ones may have been cut with it. Statements run under the context statements.
func (e *postgresEngine) in(ctx, statements context.Context, begin opening, run func(*pgSession) error) error {
	for idle := e.pool.Stat().IdleConns(); ; idle-- {
		s, err := e.once(ctx, statements, begin, run)
		if err == nil {
			return nil
		}
		if s == nil || !s.lost || statements.Err() != nil {
			return e.meaning(statements, err)
		}
		if s.committing {
			return unknownOutcome(err)
		}
		if idle < 0 {
			return unavailable(err)
		}
	}
}

// once runs a transaction on one connection; the session is nil when there was none to be had.
func (e *postgresEngine) once(ctx, statements context.Context, begin opening, run func(*pgSession) error) (*pgSession, error) {
	patience, cancel := context.WithTimeout(ctx, connectionWait)
	conn, err := e.pool.Acquire(patience)
	cancel()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, unavailable(err)
	}
	defer conn.Release()
	s := &pgSession{ctx: statements, conn: conn.Conn(), begin: begin, injected: e.injected}
	err = run(s)
	s.endRows()
	if s.lost = s.conn.IsClosed(); !s.lost && s.conn.PgConn().TxStatus() != 'I' {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectionWait)
		defer cancel()
		if _, rollback := s.conn.Exec(last, "ROLLBACK"); rollback != nil {
			s.conn.Close(last) // the pool drops it
		}
	}
	return s, err
}

// meaning tells races, timeouts and a store that is away apart from errors of a statement.
func (e *postgresEngine) meaning(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch {
		case pg.Code == "40001", pg.Code == "40P01":
			return fmt.Errorf("%w: %w", Retry, err)
		case pg.Code == "57014", pg.Code == "55P03": // statement_timeout, lock_timeout
			return tooLong(err)
		case awayClasses[pg.Code[:min(2, len(pg.Code))]], pg.Code == "25006", strings.HasPrefix(pg.Code, "57P"), strings.HasPrefix(pg.Code, "XX00"):
			return unavailable(err)
		}
		return err
	}
	var lost *pgconn.ConnectError
	if errors.As(err, &lost) || pgconn.SafeToRetry(err) {
		return unavailable(err)
	}
	return err
}

// awayClasses are the classes of PostgreSQL's error codes that tell of the server and not of a statement: connections, resources,
// the system beneath. Beside them stand a standby (25006), a server that goes down or comes up (57P…) and a damaged store (XX00…).
var awayClasses = map[string]bool{"08": true, "53": true, "58": true}

// settle waits for every transaction that has taken the tenant's clock, and reports the time before it began to wait.
func (e *postgresEngine) settle(ctx context.Context, tenant id.Tenant) (at int64, err error) {
	now := e.db.Now().UnixMicro()
	err = e.read(ctx, tenant, true, func(tx *Tx) error {
		tx.Last()
		return tx.Row("SELECT "+microsOf("statement_timestamp()")+", pg_advisory_xact_lock_shared"+clockLock, []any{tenant}, &at, new(any))
	})
	if e.injected {
		at = now
	}
	return at, err
}

// microsOf is the SQL for a time in whole microseconds since 1970.
func microsOf(time string) string { return "(extract(epoch FROM " + time + ") * 1000000)::BIGINT" }

// clockLock is the argument list of the advisory lock in front of the change clock of $1. Whoever gives stamps takes the lock, alone,
// before the clock's row; a reader that must not miss a stamp takes it shared, and never the row.
const clockLock = "(7303, ($1::BIGINT % 2147483648)::INT)"

// nameLock is the argument list of the advisory lock of a name ($2) of the tenant $1.
const nameLock = "((7304::BIGINT << 48) + (($1::BIGINT % 65536) << 32) + $2::BIGINT)"

const takeClock = "SELECT pg_advisory_xact_lock" + clockLock

func (e *postgresEngine) script(ctx context.Context, sql string) error {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer conn.Release()
	sql = strings.ReplaceAll(sql, ") WITHOUT ROWID", ")")
	_, err = conn.Conn().PgConn().Exec(ctx, "BEGIN; SELECT pg_advisory_xact_lock(7301); "+sql+"; COMMIT").ReadAll()
	if err != nil {
		conn.Conn().PgConn().Exec(ctx, "ROLLBACK").ReadAll()
	}
	return err
}

func (e *postgresEngine) ping(ctx context.Context) error { return e.pool.Ping(ctx) }

func (e *postgresEngine) close() error {
	e.stop()
	<-e.kept
	e.pool.Close()
	return nil
}

// pgSession is one transaction on one connection.
type pgSession struct {
	ctx   context.Context
	conn  *pgx.Conn
	begin opening // sent with the first statement
	open  bool    // BEGIN was sent, its end not
	ends  bool    // the next message is the last
	rows  *pgRows // rows not closed yet

	injected   bool // see postgresEngine
	committing bool // COMMIT was sent
	lost       bool // the connection was cut
}

// batch starts a message with BEGIN, if it was not sent yet. One statement that is all there is needs none.
func (s *pgSession) batch(statements int) (b *pgx.Batch, skip int) {
	s.endRows()
	b = &pgx.Batch{}
	if !s.open {
		whole := s.ends && statements == 1
		skip, s.open = s.begin.queue(b, whole), !whole
	}
	return b, skip
}

func (s *pgSession) last() { s.ends = true }

func (s *pgSession) lockName(tenant id.Tenant, number int64) error {
	_, err := s.exec("SELECT pg_advisory_xact_lock"+nameLock, []any{tenant, number})
	return err
}

func (s *pgSession) lockClock(tenant id.Tenant) error {
	_, err := s.exec(takeClock, []any{tenant})
	return err
}

// end puts the transaction's end into its last message.
func (s *pgSession) end(b *pgx.Batch) {
	if s.ends && s.open {
		b.Queue("COMMIT")
		s.open = false
	}
	s.ends = false
}

// answer sends every question in one message.
func (s *pgSession) answer(pending []*PendingRead) int {
	b, skip := s.batch(len(pending))
	for _, q := range pending {
		b.Queue(q.sql, plainAll(q.args)...)
	}
	s.end(b)
	results := s.conn.SendBatch(s.ctx, b)
	defer results.Close()
	err := skipResults(results, skip)
	for _, q := range pending {
		if err != nil { // nothing behind it was run
			q.end(err)
			continue
		}
		rows, failed := results.Query()
		q.read(&pgRows{Rows: rows}, failed)
		if rows != nil {
			err = rows.Err()
		}
	}
	return len(pending)
}

func (s *pgSession) endRows() {
	if s.rows != nil {
		s.rows.Close()
	}
}

func skipResults(r pgx.BatchResults, n int) error {
	for range n {
		if _, err := r.Exec(); err != nil {
			return err
		}
	}
	return nil
}

func (s *pgSession) query(sql string, args []any) (Rows, error) {
	b, skip := s.batch(1)
	b.Queue(sql, plainAll(args)...)
	s.end(b)
	results := s.conn.SendBatch(s.ctx, b)
	if err := skipResults(results, skip); err != nil {
		results.Close()
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		results.Close()
		return nil, err
	}
	s.rows = &pgRows{Rows: rows, results: results, session: s}
	return s.rows, nil
}

func (s *pgSession) exec(sql string, args []any) (int64, error) {
	b, skip := s.batch(1)
	b.Queue(sql, plainAll(args)...)
	results := s.conn.SendBatch(s.ctx, b)
	defer results.Close()
	if err := skipResults(results, skip); err != nil {
		return 0, err
	}
	tag, err := results.Exec()
	return tag.RowsAffected(), err
}

func (s *pgSession) send(steps []*Step) error { return s.message(steps, false) }

// commit sends the last writes and COMMIT in one message; a transaction that wrote and read nothing sends none.
func (s *pgSession) commit(steps []*Step) error {
	if !s.open && len(steps) == 0 {
		return nil
	}
	return s.message(steps, true)
}

func (s *pgSession) message(steps []*Step, commit bool) error {
	b, skip := s.batch(len(steps))
	for _, step := range steps {
		sql, args := step.sql, step.args
		if step.clock {
			b.Queue(takeClock, plain(step.args[0]))
			sql, args = s.tick(step)
		}
		if step.rows >= 0 {
			sql = expecting(sql, step.rows, step.reads)
		}
		b.Queue(sql, plainAll(args)...)
	}
	if commit {
		b.Queue("COMMIT")
		s.committing = true
	}
	results := s.conn.SendBatch(s.ctx, b)
	defer results.Close()
	if err := skipResults(results, skip); err != nil {
		return err
	}
	for _, step := range steps {
		if step.clock {
			if err := skipResults(results, 1); err != nil {
				return err
			}
		}
		if _, err := results.Exec(); err != nil {
			return step.meaning(err)
		}
	}
	if commit {
		if _, err := results.Exec(); err != nil {
			return err
		}
		s.open = false
	}
	return nil
}

// Why there is a lock in front of the clock's row: writers that meet at the row itself all wake when one commits, and all but one wait
// again: with 32 of them that took more of the processors than their orders. A lock wakes only the next. The row stays what holds
// stamps in commit order.

// tick is the statement that moves the clock, and its arguments. The server's own clock is read after the lock was granted: whatever
// commits after a reader has pending gets a stamp behind the moment at which it pending (interface §4.3), on every node. An injected clock
// stands still for that reader's sake only if the time since BEGIN is added to it.
func (s *pgSession) tick(step *Step) (sql string, args []any) {
	if s.injected {
		return pgTickInjected, step.args
	}
	return pgTick, []any{step.args[0], step.args[2]}
}

// The subqueries read the clock once.
var (
	pgTick = `UPDATE change_clocks SET base = greatest(last, at.now), last = greatest(last, at.now) + $2::BIGINT
		FROM (SELECT ` + microsOf("clock_timestamp()") + ` AS now) AS at WHERE tenant_id = $1`
	pgTickInjected = `UPDATE change_clocks SET base = greatest(last, at.now), last = greatest(last, at.now) + $3::BIGINT
		FROM (SELECT $2::BIGINT + ` + microsOf("(clock_timestamp() - transaction_timestamp())") + ` AS now) AS at WHERE tenant_id = $1`
)

// expecting makes a write fail inside the server unless it touches n rows, or a read unless it finds them, so that COMMIT can travel in the same message.
func expecting(sql string, n int64, reads bool) string {
	key := expectKey{sql, n}
	if text, ok := expectTexts.Load(key); ok {
		return text.(string)
	}
	returning := " RETURNING 1"
	if reads {
		returning = ""
	}
	text := "WITH touched AS (" + sql + returning + ") SELECT 1 / (CASE WHEN count(*) = " + strconv.FormatInt(n, 10) +
		" THEN 1 ELSE 0 END) FROM touched"
	expectTexts.Store(key, text)
	return text
}

type expectKey struct {
	sql string
	n   int64
}

var expectTexts sync.Map

type pgRows struct {
	pgx.Rows
	results pgx.BatchResults
	session *pgSession
	err     error
}

// Close ends the answer and gives the connection back to the transaction.
func (r *pgRows) Close() {
	if r.session == nil { // closed, or its message is read by somebody else
		if r.Rows != nil {
			r.Rows.Close()
		}
		return
	}
	r.Rows.Close()
	if err := r.results.Close(); err != nil && r.err == nil {
		r.err = err
	}
	r.session.rows, r.session = nil, nil
}

func (r *pgRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

func plainAll(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = plain(a)
	}
	return out
}

// meaning turns what an engine says of a queued write into the error it stands for.
func (s *Step) meaning(err error) error {
	var pg *pgconn.PgError
	code := sqliteCode(err)
	isPG := errors.As(err, &pg)
	switch {
	case code == sqlite.ResultConstraintUnique, code == sqlite.ResultConstraintPrimaryKey, isPG && pg.Code == "23505":
		if s.dup != nil {
			return s.dup
		}
		return fmt.Errorf("%w: %w", Retry, err)
	case isPG && pg.Code == "22012" && s.rows >= 0:
		return s.miss
	case s.miss != nil && (code.ToPrimary() == sqlite.ResultConstraint || isPG && pg.Code == "23514"):
		return s.miss
	}
	return fmt.Errorf("%w in %s", err, head(s.sql))
}
