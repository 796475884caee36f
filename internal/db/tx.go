package db

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db/engine"
)

// Rows iterates over the result of a query; calling Close after the end does no harm.
type Rows = engine.Rows

// Step is one queued write.
type Step = engine.Step

// Tx is one transaction of one tenant. It is not safe for concurrent use and ends with the function it was given to.
type Tx struct {
	Tenant id.Tenant // $1 of every statement; Across for the few transactions that serve all tenants

	db       *DB
	session  engine.Session
	now      time.Time
	before   []*Step           // queued writes without stamps
	after    []*Step           // queued writes that come after the tenant's change clock
	stamps   int64             // reserved since the last flush
	pending  []*engine.Pending // reads not sent yet, in their order
	topics   []string
	tallies  map[tally]int64 // changes of stored counts, written at the commit
	last     []func(*Tx) error
	readOnly bool
	try      int
	author   Author
	branch   *branch // nil outside Together

	postponed bool // see Postpone
}

// TenantID is Tenant, as a method of the interfaces in faces.go.
func (tx *Tx) TenantID() id.Tenant { return tx.Tenant }

// Try is how often this transaction has run and lost a race, from 0; after a lost race it may check more.
func (tx *Tx) Try() int { return tx.try }

// Now is the time of this transaction: one value, in UTC and whole microseconds.
func (tx *Tx) Now() time.Time { return tx.now }

// Micros is Now as the store writes it, in microseconds since 1970.
func (tx *Tx) Micros() int64 { return tx.now.UnixMicro() }

// Query reads rows; queued writes are sent first.
func (tx *Tx) Query(sql string, args ...any) (Rows, error) {
	if tx.branch != nil {
		return nil, errors.New("db: Together reads by Each, Row and Prefetch: " + engine.Head(sql))
	}
	if err := tx.Flush(); err != nil {
		return nil, err
	}
	tx.trace(sql, args)
	tx.sent(1)
	rows, err := tx.session.Query(sql, args)
	if err != nil {
		return nil, fmt.Errorf("%w in %s", err, engine.Head(sql))
	}
	return rows, nil
}

func (tx *Tx) trace(sql string, args []any) {
	if tx.db.trace != nil {
		tx.db.trace(sql, args)
	}
}

func (tx *Tx) sent(reads int) {
	if tx.db.sent != nil {
		tx.db.sent(reads)
	}
}

// Each runs a query and calls each for every row.
func (tx *Tx) Each(each func(Rows) error, sql string, args ...any) error {
	if tx.branch != nil {
		return tx.Prefetch(each, sql, args...).Wait()
	}
	rows, err := tx.Query(sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Row reads the first row into the given targets; ErrNoRow when there is none.
func (tx *Tx) Row(sql string, args []any, into ...any) error {
	if tx.branch != nil {
		return tx.rowPending(sql, args, into)
	}
	rows, err := tx.Query(sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return ErrNoRow
	}
	if err := rows.Scan(into...); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}

// Exec runs a write at once and returns how many rows it touched; queued writes are sent first.
func (tx *Tx) Exec(sql string, args ...any) (int64, error) {
	if err := tx.Flush(); err != nil {
		return 0, err
	}
	n, err := tx.session.Exec(sql, args)
	if err != nil {
		return 0, fmt.Errorf("%w in %s", err, engine.Head(sql))
	}
	return n, nil
}

// Queue queues a write whose result is not needed; it is sent with the others before the next read or at the commit.
func (tx *Tx) Queue(sql string, args ...any) *Step {
	s := &Step{SQL: sql, Args: args, Want: -1}
	tx.before = append(tx.before, s)
	return s
}

// Require queues a read that must find n rows when the transaction commits. miss is the error otherwise; with nil the
// transaction runs again. It is sent in order with the writes of Queue and costs no round trip.
func (tx *Tx) Require(n int64, miss error, sql string, args ...any) {
	s := tx.Queue(sql, args...).Rows(n, miss)
	s.Reads = true
}

// LockRows queues a read that locks the rows it finds. It is sent in order with the writes of Queue and costs no
// round trip.
func (tx *Tx) LockRows(sql string, args ...any) { tx.Queue(sql, args...).Reads = true }

// Share queues taking a lock, named within the tenant, that several transactions may hold at once; it is sent in
// order with the writes of Queue. LockName waits until nobody holds it. Unlike a row lock, it writes nothing.
func (tx *Tx) Share(name string) {
	tx.Queue("").Share = &engine.Lock{Tenant: tx.Tenant, Number: nameNumber(name)}
}

// LockName takes the lock of Share exclusively, at once: it waits for all who share it, and later callers of Share
// wait behind it.
func (tx *Tx) LockName(name string) error {
	if err := tx.Flush(); err != nil {
		return err
	}
	return tx.session.LockName(tx.Tenant, nameNumber(name))
}

// nameNumber is the lock number for a name of Share. If two names get the same number, they only wait for each other
// needlessly.
func nameNumber(name string) int64 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int64(h.Sum32())
}

// Change queues a write that carries stamps or changes a row that all writers of a tenant share. It is sent after all
// writes of Queue and after the tenant's change clock, so that such rows are locked for one message only.
func (tx *Tx) Change(sql string, args ...any) *Step {
	s := &Step{SQL: sql, Args: args, Want: -1}
	tx.after = append(tx.after, s)
	return s
}

// Clock is the SQL expression that an offset of Stamps is added to; it uses $1 = tenant.
const Clock = engine.Clock

// StampStep is the distance of two stamps in microseconds: 10, so that a caller who cuts a stamp to milliseconds
// still advances.
const StampStep = 10

// Stamps reserves n stamps of this transaction and returns the offset of the first from Clock; each further one is
// StampStep higher. Offsets are valid in statements given to Change before the next read.
func (tx *Tx) Stamps(n int) int64 {
	offset := (tx.stamps + 1) * StampStep
	tx.stamps += int64(n)
	return offset
}

// Wake makes the channels of DB.Woken(topic) receive once the transaction is committed.
func (tx *Tx) Wake(topic string) {
	for _, t := range tx.topics {
		if t == topic {
			return
		}
	}
	tx.topics = append(tx.topics, topic)
}

func (tx *Tx) wakeAll() {
	if tx == nil {
		return
	}
	for _, t := range tx.topics {
		tx.db.wake(t)
	}
}

// steps returns the queued writes in their order, with the clock between those of Queue and those of Change.
func (tx *Tx) steps() []*Step {
	if len(tx.before)+len(tx.after) == 0 {
		return nil
	}
	steps := tx.before
	if tx.stamps > 0 || len(tx.after) > 0 {
		steps = append(steps, &Step{Want: -1, Clock: &engine.Tick{Tenant: tx.Tenant, Now: tx.Micros(), Length: tx.stamps * StampStep}})
		steps = append(steps, tx.after...)
	}
	tx.before, tx.after, tx.stamps = nil, nil, 0
	if tx.db.wrote != nil {
		for _, s := range steps {
			tx.db.wrote(s.SQL, s.Args)
		}
	}
	return steps
}

// LockClock takes the tenant's change clock now, not in the message that commits. Until this transaction ends nobody
// else in the tenant writes stamped rows (Change), so later reads see a state that stays. Call it before anything
// that locks a record. Queued writes are sent first.
func (tx *Tx) LockClock() error {
	if err := tx.Flush(); err != nil {
		return err
	}
	return tx.session.LockClock(tx.Tenant)
}

// AtEnd runs a step after everything else of the transaction: it may lock the account's clock, which must come last,
// and read.
func (tx *Tx) AtEnd(do func(*Tx) error) { tx.last = append(tx.last, do) }

func (tx *Tx) atEnd() error {
	for _, do := range tx.last {
		if err := do(tx); err != nil {
			return err
		}
	}
	return nil
}

// Flush sends the queued writes now. Pending reads run first, so that they do not see the writes.
func (tx *Tx) Flush() error {
	if len(tx.before)+len(tx.after) == 0 || tx.postponed {
		return nil
	}
	if tx.readOnly {
		return errors.New("db: write inside Read")
	}
	for len(tx.pending) > 0 {
		tx.answer()
	}
	return tx.session.Send(tx.steps())
}

// Postpone holds back what the transaction queues, and returns a function that queues all of it in another
// transaction. So a test has other transactions commit between this one's reads and writes.
func (tx *Tx) Postpone() (queue func(*Tx)) {
	tx.postponed = true
	return func(other *Tx) {
		other.before, other.after = append(other.before, tx.before...), append(other.after, tx.after...)
		other.stamps += tx.stamps
		for of, n := range tx.tallies {
			other.Tally(of.name, of.key, n)
		}
	}
}

// List reads all rows of a query, each made by scan.
func List[T any](r Reader, scan func(Rows) (T, error), sql string, args ...any) ([]T, error) {
	list := []T{}
	err := r.Each(func(row Rows) error {
		v, err := scan(row)
		list = append(list, v)
		return err
	}, sql, args...)
	return list, err
}
