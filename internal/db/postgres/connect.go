package postgres

import (
	"context"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"entrepot/internal/db/engine"
)

// Bounds of a connection. A failed server or network does not close its connections. Without these bounds, statements
// and attempts to connect would wait for minutes although the standby serves already.
const (
	connectTimeout = 5 * time.Second  // to reach one host, unless the address has a connect_timeout
	placeWait      = 15 * time.Second // a starting program waits so long for a server without a free connection
	silenceTimeout = 5 * time.Second  // until a connection is dropped whose other end acknowledges nothing
	pingTimeout    = time.Second      // a connection idle for so long is tested before it is used
	idleTime       = 10 * time.Second // until an unused connection is closed, for other nodes; the address may have another
)

// poolConfig parses the store's address. If it names several hosts, only the one that takes writes is used, unless the
// address says otherwise (target_session_attrs).
func poolConfig(c Config) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, errBadAddress
	}
	if c.Pool > 0 {
		config.MaxConns = int32(c.Pool)
	} else if !strings.Contains(c.URL, "pool_max_conns") {
		config.MaxConns = 32
	}
	if !strings.Contains(c.URL, "pool_max_conn_idle_time") {
		config.MaxConnIdleTime, config.HealthCheckPeriod = idleTime, idleTime/2
	}
	config.PingTimeout = pingTimeout
	conn := config.ConnConfig
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = max(connectTimeout, c.MinWait)
	}
	conn.DialFunc = (&net.Dialer{Timeout: conn.ConnectTimeout, Control: boundSilence,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silenceTimeout / 2, Interval: time.Second, Count: 3}}).DialContext
	others := slices.ContainsFunc(conn.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.Host != conn.Host || f.Port != conn.Port })
	chosen := strings.Contains(c.URL, "target_session_attrs") || os.Getenv("PGTARGETSESSIONATTRS") != ""
	if others && !chosen {
		conn.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	conn.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler { // a caller that hangs up ends its query
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: time.Second}
	}
	conn.OnNotice = func(c *pgconn.PgConn, n *pgconn.Notice) {
		switch n.Code {
		case plainWarning:
			c.CustomData()[warned] = true
		case lockNotAvailable:
			c.CustomData()[skipped] = true
		}
	}
	return config, nil
}

// When the wait of a commit for its standby is cancelled, PostgreSQL reports the commit as done, with a warning that
// has no code of its own: the primary has the commit, and perhaps no standby has it.
const (
	plainWarning = "01000"
	warned       = "warned" // key in a connection's data: it received this warning
)

// behindPooler reports whether a pooler such as PgBouncer is between this program and the server: the server process
// then has another number than the connection was given. It fails if the database cannot store every text.
func behindPooler(ctx context.Context, config *pgx.ConnConfig) (pooled bool, err error) {
	conn, err := firstConnection(ctx, config)
	if err != nil {
		return false, engine.Unavailable(err)
	}
	defer conn.Close(ctx)
	if err := checkEncoding(config.Database, conn.PgConn().ParameterStatus("server_encoding")); err != nil {
		return false, err
	}
	var pid int64
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeExec).Scan(&pid); err != nil {
		return false, engine.Unavailable(err)
	}
	return pid != int64(conn.PgConn().PID()), nil
}

// firstConnection connects. If the server is full, it waits for a free connection, because this program has none to
// reuse.
func firstConnection(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	for late := time.Now().Add(placeWait); ; {
		conn, err := pgx.ConnectConfig(ctx, config)
		if err == nil || !serverFull(err) || time.Now().After(late) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(placeWait / 50):
		}
	}
}

// fitPooler adapts connections to a pooler. Statements are not prepared under names, which another connection of the
// server would not know, unless the address says how (default_query_exec_mode). When a caller hangs up, its query
// runs to the end: PgBouncer 1.18 crashes if a request to cancel arrives as the query ends ("bad client state").
func fitPooler(config *pgx.ConnConfig, address string) {
	if !strings.Contains(address, "default_query_exec_mode") {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	config.BuildContextWatcherHandler = func(*pgconn.PgConn) ctxwatch.Handler { return runsOut{} }
}

// runsOut is a cancel handler that lets the query run to its end.
type runsOut struct{}

func (runsOut) HandleCancel(context.Context) {}
func (runsOut) HandleUnwatchAfterCancel()    {}
