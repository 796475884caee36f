package postgres

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"
)

// connections is the pool, for a server that may accept fewer connections than the pool may have: other nodes and
// programs have some, too. A caller who is refused a new connection waits for one that the pool has.
type connections struct {
	*pgxpool.Pool
	places *semaphore.Weighted // as many as the pool may have, less those that the server refused within refusedFor
}

// refusedFor is how long a connection that the server refused is not requested again.
const refusedFor = 3 * time.Second

func newConnections(pool *pgxpool.Pool) connections {
	return connections{pool, semaphore.NewWeighted(int64(pool.Config().MaxConns))}
}

// acquire waits for a connection; release returns it. Errors: the context's, or why there is none.
func (c connections) acquire(ctx context.Context) (conn *pgxpool.Conn, release func(), err error) {
	var refused error
	for {
		if err := c.places.Acquire(ctx, 1); err != nil {
			return nil, nil, errors.Join(err, refused)
		}
		conn, err := c.Acquire(ctx)
		if err == nil {
			return conn, func() {
				conn.Release()
				c.places.Release(1)
			}, nil
		}
		if !serverFull(err) {
			c.places.Release(1)
			return nil, nil, err
		}
		refused = err
		time.AfterFunc(refusedFor, func() { c.places.Release(1) })
	}
}

// MayCome reports whether a server that could not be reached may be reachable soon: it is not there yet, starts, or
// is full. An error of the address itself, such as a wrong password, stays.
func MayCome(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return serverFull(err) || strings.HasPrefix(pg.Code, "57P")
	}
	var lost *pgconn.ConnectError
	return errors.As(err, &lost)
}

// serverFull reports whether the server, or a pooler in front of it, accepts no further connection: in total, for the
// database, or for the role.
func serverFull(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "53300" || pg.Code == protocolViolation && poolerFull.MatchString(pg.Message))
}

// PgBouncer refuses with one code for everything. Its message names the setting whose number is reached:
// max_client_conn, since version 1.24 also max_db_client_connections and max_user_client_connections.
const protocolViolation = "08P01"

var poolerFull = regexp.MustCompile(`\(max_(client_conn|(db|user)_client_connections)\)`)
