package postgres

import "entrepot/internal/db/engine"

// The advisory locks; the order in which they are taken is that of all locks (docs/decisions/0026-order-of-locks.md). Transactions that
// have lost a race and go one by one take 7302, one at a time in the tenant $1.
const (
	scriptLock = "pg_advisory_xact_lock(7301)"
	aloneLock  = "pg_advisory_xact_lock(7302, ($1::BIGINT % 2147483648)::INT)"
	clockLock  = "(7303, ($1::BIGINT % 2147483648)::INT)"
	nameLock   = "((7304::BIGINT << 48) + (($1::BIGINT % 65536) << 32) + $2::BIGINT)" // of a name, by its number $2
	scrubLock  = "pg_advisory_lock(7305)"                                             // one scrub at a time in a database
)

// Whoever gives stamps takes the clock's lock, alone, before the clock's row; a reader that must not miss a stamp takes it shared, and
// never the row. Why there is a lock in front of the row: writers that meet at the row itself all wake when one commits, and all but one
// wait again: with 32 of them that took more of the processors than their orders. A lock wakes only the next. The row stays what holds
// stamps in commit order.
const (
	takeClock  = "SELECT pg_advisory_xact_lock" + clockLock
	shareClock = "pg_advisory_xact_lock_shared" + clockLock
	takeName   = "SELECT pg_advisory_xact_lock" + nameLock
	shareName  = "SELECT pg_advisory_xact_lock_shared" + nameLock
)

// microsOf is the SQL for a time in whole microseconds since 1970.
func microsOf(time string) string { return "(extract(epoch FROM " + time + ") * 1000000)::BIGINT" }

// tick is the statement that moves the clock, and its arguments. The server's own clock is read after the lock was granted: whatever
// commits after a reader has asked gets a stamp behind the moment at which it asked (interface §4.3), on every node. To an injected
// clock the time since BEGIN is added, for the sake of that reader.
func (s *session) tick(t *engine.Tick) (sql string, args []any) {
	if s.injected {
		return tickInjected, []any{int64(t.Tenant), t.Now, t.Length}
	}
	return tickServer, []any{int64(t.Tenant), t.Length}
}

// The subqueries read the clock once.
var (
	tickServer = `UPDATE change_clocks SET base = greatest(last, at.now), last = greatest(last, at.now) + $2::BIGINT
		FROM (SELECT ` + microsOf("clock_timestamp()") + ` AS now) AS at WHERE tenant_id = $1`
	tickInjected = `UPDATE change_clocks SET base = greatest(last, at.now), last = greatest(last, at.now) + $3::BIGINT
		FROM (SELECT $2::BIGINT + ` + microsOf("(clock_timestamp() - transaction_timestamp())") + ` AS now) AS at WHERE tenant_id = $1`
)
