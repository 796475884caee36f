package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"entrepot/internal/db/engine"
)

// diskFull is the error code of a write for which the server has no room.
const diskFull = "53100"

// fullFor is how long the store counts as full after a write found no room. The next write may find a little room in
// a page and succeed.
const fullFor = 5 * time.Second

// fullness is when the server last had no room for a write.
type fullness struct{ at atomic.Int64 }

func (f *fullness) note(err error) {
	if code(err) == diskFull {
		f.at.Store(time.Now().UnixNano())
	}
}

func (f *fullness) lately() bool {
	at := f.at.Load()
	return at != 0 && time.Since(time.Unix(0, at)) < fullFor
}

// tryWrite writes some hundred KB and rolls back. The truncated table begins a new file, so that the rows need room
// on the disk, and nothing of them stays. Two nodes do it one after the other, or not at all.
const tryWrite = "BEGIN; SET LOCAL lock_timeout = 500; TRUNCATE probes; " +
	"INSERT INTO probes SELECT g FROM generate_series(1, 8000) AS g; ROLLBACK"

// Ping reports whether the store answers and takes writes. While it does not, a balancer may send no request that
// would show it.
func (e *Engine) Ping(ctx context.Context) error {
	if e.full.lately() {
		return engine.DiskFull(errors.New("a write found no room"))
	}
	conn, release, err := e.pool.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	_, err = conn.Conn().PgConn().Exec(ctx, tryWrite).ReadAll()
	if err != nil { // the transaction may still be open
		conn.Conn().Close(context.WithoutCancel(ctx))
	}
	switch code(err) {
	case readOnly:
		return engine.ReadOnly(err)
	case diskFull:
		return engine.DiskFull(err)
	case "55P03", "42501", "42P01": // another node is trying it; the role may not, or the schema is older
		return nil
	}
	return err
}

// code is PostgreSQL's code of an error, "" for others.
func code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
