package dbtest

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Pair is a primary and its synchronous standby: what the primary has acknowledged is on both. Kill kills the primary,
// Promote makes the standby the primary, Rebuild makes the killed server the new primary's standby.
type Pair struct {
	t       testing.TB
	primary *instance
	standby *instance
	hosts   string // of both, in a fixed order
}

// NewPair starts a primary and a synchronous standby, which end with the test. It skips a test that must run without
// PostgreSQL.
func NewPair(t testing.TB) *Pair {
	t.Helper()
	skipWithoutPostgres(t)
	p := &Pair{t: t}
	for _, one := range []**instance{&p.primary, &p.standby} {
		server, err := newInstance()
		p.must("making a server", err)
		t.Cleanup(server.remove)
		*one = server
	}
	p.hosts = fmt.Sprintf("127.0.0.1:%d,127.0.0.1:%d", p.standby.port, p.primary.port)
	p.must("making the primary", p.primary.init())
	p.must("starting the primary", p.primary.launch(pairOptions...))
	p.must("waiting for the primary", p.primary.await())
	p.copyPrimary()
	return p
}

// pairOptions are the options of both: a standby must allow as many connections as its primary.
var pairOptions = []string{"-c", "max_connections=150", "-c", "synchronous_commit=on", "-c", "wal_keep_size=64MB", "-c", "hot_standby=on"}

func (p *Pair) must(doing string, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("PostgreSQL for tests: %s: %v", doing, err)
	}
}

// URL is the address of a new, empty database, with both hosts in it, the first standby first.
func (p *Pair) URL() string {
	p.t.Helper()
	name := fmt.Sprintf("p%d", made.Add(1))
	p.Exec("CREATE DATABASE " + name + " TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' ENCODING 'UTF8'")
	p.awaitStandby("replay_lsn >= pg_current_wal_flush_lsn()") // it refuses connections to a database that was not replicated yet
	return "postgres://postgres@" + p.hosts + "/" + name + "?sslmode=disable"
}

// Exec runs one statement on the primary.
func (p *Pair) Exec(sql string) {
	p.t.Helper()
	p.must(sql, on(p.primary, func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, sql)
		return err
	}))
}

// Kill kills the primary with all its processes, as the failure of its machine would.
func (p *Pair) Kill() {
	killTree(p.primary.pid())
	p.primary.end(syscall.SIGKILL)
}

// Promote makes the standby of a killed primary the primary, and returns when it accepts writes. There is no standby
// afterwards.
func (p *Pair) Promote() {
	p.t.Helper()
	p.primary, p.standby = p.standby, p.primary
	p.must("promoting", on(p.primary, func(ctx context.Context, c *pgx.Conn) error {
		var promoted bool
		err := c.QueryRow(ctx, "SELECT pg_promote(true, 300)").Scan(&promoted)
		if err == nil && !promoted {
			err = fmt.Errorf("the standby was not promoted within 300 s")
		}
		return err
	}))
}

// Rebuild makes the killed server the synchronous standby of the other one, from a copy of it.
func (p *Pair) Rebuild() {
	p.t.Helper()
	p.must("removing what the killed primary had", os.RemoveAll(p.standby.data))
	p.copyPrimary()
}

// StopStandby ends the standby: from then on no commit of the primary is acknowledged, until StartStandby.
func (p *Pair) StopStandby() { p.standby.end(syscall.SIGQUIT) }

// StartStandby starts the standby anew.
func (p *Pair) StartStandby() {
	p.t.Helper()
	p.must("starting the standby", p.standby.launch(pairOptions...))
	p.must("waiting for the standby", p.standby.await())
}

// copyPrimary makes the standby a copy of the primary, and makes each commit of the primary wait for it.
func (p *Pair) copyPrimary() {
	p.t.Helper()
	p.must("copying the primary", p.standby.run("pg_basebackup", "-D", p.standby.data, "-R", "-X", "stream", "-c", "fast", "--no-sync",
		"-d", p.primary.address()+"/postgres?sslmode=disable"))
	p.StartStandby()
	p.Exec("ALTER SYSTEM SET synchronous_standby_names = '*'") // not in the copy: a promoted server has no standby at first
	p.Exec("SELECT pg_reload_conf()")
	p.awaitStandby("sync_state = 'sync' AND flush_lsn >= pg_current_wal_flush_lsn()")
}

// awaitStandby waits until a condition on the primary's view of the standby holds.
func (p *Pair) awaitStandby(condition string) {
	p.t.Helper()
	p.must("waiting for the standby", on(p.primary, func(ctx context.Context, c *pgx.Conn) error {
		for holds := false; !holds; time.Sleep(10 * time.Millisecond) {
			if err := c.QueryRow(ctx, "SELECT count(*) > 0 FROM pg_stat_replication WHERE "+condition).Scan(&holds); err != nil {
				return err
			}
		}
		return nil
	}))
}

// on runs something on a connection to a server.
func on(server *instance, run func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, server.address()+"/postgres?sslmode=disable")
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return run(ctx, conn)
}
