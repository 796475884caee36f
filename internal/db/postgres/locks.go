package postgres

import (
	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/engine"
)

// The advisory locks, in the order of all locks (decision 5). Lock 7302 makes transactions that lost a race run one
// at a time within the tenant $1. Lock 7306 does so for transactions of mode Serial; it is taken before anything
// else.
const (
	scriptLock = "pg_advisory_xact_lock(7301)"
	aloneLock  = "pg_advisory_xact_lock(7302, ($1::BIGINT % 2147483648)::INT)"
	clockLock  = "(7303, ($1::BIGINT % 2147483648)::INT)"
	nameLock   = "((7304::BIGINT << 48) + (($1::BIGINT % 65536) << 32) + $2::BIGINT)" // of a name, by its number $2
	serialLock = "(7306, ($1::BIGINT % 2147483648)::INT)"
	scrubLock  = "pg_advisory_lock(7305)" // one scrub at a time in a database
)

// A transaction that takes stamps holds the clock's lock exclusively before it locks the clock's row. A reader that
// must not miss a stamp takes the lock shared, and never the row. The row keeps stamps in commit order; the lock
// comes first because of its cost: all writers that wait for a row wake when one commits, and all but one wait again.
// With 32 of them that cost more processor time than their orders. A lock wakes only the next writer.
const (
	takeClock  = "SELECT pg_advisory_xact_lock" + clockLock
	shareClock = "pg_advisory_xact_lock_shared" + clockLock
	takeSerial = "SELECT pg_advisory_xact_lock" + serialLock
	takeName   = "SELECT pg_advisory_xact_lock" + nameLock
	shareName  = "SELECT pg_advisory_xact_lock_shared" + nameLock
)

// microsOf is SQL that converts a time to whole microseconds since 1970.
func microsOf(time string) string { return "(extract(epoch FROM " + time + ") * 1000000)::BIGINT" }

// tick are the statements that take the clock and move it, with their arguments. They read the server's clock after
// the lock is granted: whatever commits after a reader's request gets a stamp later than that request (interface
// §4.3), on every node. With an injected clock, the time since BEGIN is added to it for the same reason.
func (s *session) tick(b *pgx.Batch, t *engine.Tick) {
	b.Queue(takeClock, int64(t.Tenant))
	if s.injected {
		b.Queue(tickInjected, int64(t.Tenant), t.Now, t.Length)
	} else {
		b.Queue(tickServer, int64(t.Tenant), t.Length)
	}
}

// The subquery makes the clock be read once.
var (
	tickServer = `UPDATE change_clocks SET base = greatest(last, at.now), last = greatest(last, at.now) + $2::BIGINT
		FROM (SELECT ` + microsOf("clock_timestamp()") + ` AS now) AS at WHERE tenant_id = $1`
	tickInjected = `UPDATE change_clocks SET base = greatest(last, at.now), last = greatest(last, at.now) + $3::BIGINT
		FROM (SELECT $2::BIGINT + ` + microsOf("(clock_timestamp() - transaction_timestamp())") + ` AS now) AS at WHERE tenant_id = $1`
)
