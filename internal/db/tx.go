package db

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// Rows walks the answer of a query; Close is harmless after the end.
type Rows = engine.Rows

// Step is one queued write.
type Step = engine.Step

// Tx is one transaction of one tenant. It is not safe for concurrent use and ends with the function it was given to.
type Tx struct {
	Tenant id.Tenant // $1 of every statement; Across for the few that serve all tenants

	db       *DB
	session  engine.Session
	now      time.Time
	before   []*Step           // queued writes that need no stamp
	after    []*Step           // queued writes that follow the tenant's change clock
	stamps   int64             // given since the last flush
	pending  []*engine.Pending // reads not sent yet, in their order
	topics   []string
	tallies  map[tally]int64 // differences that the commit adds to
	readOnly bool
	step     step
	try      int
	branch   *branch // nil but in Together
}

// TenantID is Tenant, for the faces of the transaction.
func (tx *Tx) TenantID() id.Tenant { return tx.Tenant }

// Try counts the runs of this transaction that lost a race, from 0: one that has lost may look more carefully.
func (tx *Tx) Try() int { return tx.try }

// Now is the one instant of this transaction, in UTC and whole microseconds.
func (tx *Tx) Now() time.Time { return tx.now }

// Micros is Now as the store keeps it.
func (tx *Tx) Micros() int64 { return tx.now.UnixMicro() }

// Query reads rows; queued writes are sent first.
func (tx *Tx) Query(sql string, args ...any) (Rows, error) {
	if tx.branch != nil {
		return nil, errors.New("db: Together reads by Each, Row and Prefetch: " + engine.Head(sql))
	}
	if err := tx.beforeRead(sql); err != nil {
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

// step is how far an optimistic transaction has come.
type step int

const (
	oneStep  step = iota // it is none
	planning             // it reads; nothing is sent before its end
	storing              // it reads nothing any more
)

// beforeRead sends what is queued. It panics, and so fails the transaction, where an optimistic one has kept its Reader.
func (tx *Tx) beforeRead(sql string) error {
	switch tx.step {
	case planning:
		return nil
	case storing:
		panic("db: a read among the writes of an optimistic transaction: " + engine.Head(sql))
	}
	return tx.Flush()
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

// Row reads the first row into the given places; ErrNoRow when there is none.
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

// Exec writes at once and reports how many rows it touched; queued writes are sent first.
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

// Queue takes a write whose result nobody needs; it goes out with the others before the next read or at commit.
func (tx *Tx) Queue(sql string, args ...any) *Step {
	s := &Step{SQL: sql, Args: args, Want: -1}
	tx.before = append(tx.before, s)
	return s
}

// Share takes a lock of the tenant, by any name, that transactions may share; it goes out in its place among the writes of Queue, and
// LockName waits for all who have it. Whoever shares nothing but the lock writes nothing for it, unlike one that locks a row.
func (tx *Tx) Share(name string) {
	tx.Queue("").Share = &engine.Lock{Tenant: tx.Tenant, Number: nameNumber(name)}
}

// LockName takes the lock of Share alone, at once: it waits for all who share it, and whoever would share it later waits behind it.
func (tx *Tx) LockName(name string) error {
	if err := tx.Flush(); err != nil {
		return err
	}
	return tx.session.LockName(tx.Tenant, nameNumber(name))
}

// nameNumber is what stands for a name of Share. Two names with one number only wait for each other once more than they must.
func nameNumber(name string) int64 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int64(h.Sum32())
}

// Change takes a write that carries stamps or belongs to a row that all of a tenant's writers share. It goes out after
// everything of Queue and after the tenant's change clock, so that such rows are held for one message only.
func (tx *Tx) Change(sql string, args ...any) *Step {
	s := &Step{SQL: sql, Args: args, Want: -1}
	tx.after = append(tx.after, s)
	return s
}

// Clock is the SQL expression to which an offset of Stamps is added; it uses $1 = tenant.
const Clock = "(SELECT base FROM change_clocks WHERE tenant_id = $1)"

// stampStep keeps two stamps apart, in microseconds, so that a caller who cuts one to milliseconds still moves on.
const stampStep = 10

// Stamps reserves n stamps of this transaction and gives the offset of the first over Clock; the next ones follow
// StampStep apart. Offsets are good for statements given to Change before the next read.
func (tx *Tx) Stamps(n int) int64 {
	offset := (tx.stamps + 1) * stampStep
	tx.stamps += int64(n)
	return offset
}

// StampStep is the distance of two stamps in microseconds.
const StampStep = stampStep

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

// steps hands over what is queued, in its order, with the clock between the halves.
func (tx *Tx) steps() []*Step {
	if len(tx.before)+len(tx.after) == 0 {
		return nil
	}
	steps := tx.before
	if tx.stamps > 0 || len(tx.after) > 0 {
		steps = append(steps, &Step{Want: -1, Clock: &engine.Tick{Tenant: tx.Tenant, Now: tx.Micros(), Length: tx.stamps * stampStep}})
		steps = append(steps, tx.after...)
	}
	tx.before, tx.after, tx.stamps = nil, nil, 0
	return steps
}

// LockClock takes the tenant's change clock now instead of in the message that commits: until the end of this transaction nobody else of
// the tenant writes what carries a stamp (Change), so it stays as it is read from here on. It comes before everything that locks a
// record. What is queued is sent first.
func (tx *Tx) LockClock() error {
	if err := tx.Flush(); err != nil {
		return err
	}
	return tx.session.LockClock(tx.Tenant)
}

// Flush sends what is queued now. What was pending before is answered first, so that it does not see it.
func (tx *Tx) Flush() error {
	if len(tx.before)+len(tx.after) == 0 {
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
