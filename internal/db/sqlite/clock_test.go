package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// clocks is a store with the clocks of tenants 1 and 2. Each clock that is written leaves a mark.
func clocks(t *testing.T) *Engine {
	t.Helper()
	return patient(t, "CREATE TABLE change_clocks (tenant_id BIGINT PRIMARY KEY, base BIGINT, last BIGINT)",
		"CREATE TABLE stamped (tenant_id BIGINT, stamp BIGINT, name TEXT)",
		"INSERT INTO change_clocks VALUES (1, 0, 0), (2, 0, 5000)",
		"CREATE TRIGGER moved AFTER UPDATE ON change_clocks BEGIN INSERT INTO marks VALUES (1, 'moved'); END")
}

// stamp is a transaction that writes a stamped row at a time.
func stamp(tenant id.Tenant, now int64, name string, more ...*engine.Step) func(engine.Session) ([]*engine.Step, error) {
	return writes(append([]*engine.Step{
		{Want: -1, Clock: &engine.Tick{Tenant: tenant, Now: now, Length: 20}},
		{Want: -1, SQL: "INSERT INTO stamped VALUES ($1, " + engine.Clock + " + $2::BIGINT, $3)", Args: []any{tenant, 10, name}},
	}, more...)...)
}

// is checks the rows of a tenant with their stamps, in their order, and where its clock is.
func is(t *testing.T, store *Engine, tenant id.Tenant, want string) {
	t.Helper()
	var list []string
	var last int64
	err := store.Read(t.Context(), tenant, engine.Stored, func(s engine.Session) error {
		rows, err := s.Query("SELECT name || ' ' || stamp FROM stamped WHERE tenant_id = $1 ORDER BY stamp", []any{tenant})
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var row string
			if err := rows.Scan(&row); err != nil {
				return err
			}
			list = append(list, row)
		}
		last, err = lastOf(s, tenant)
		return errors.Join(rows.Err(), err)
	})
	if got := fmt.Sprint(strings.Join(list, ", "), "; ", last); err != nil || got != want {
		t.Errorf("tenant %d: %s, want %s (%v)", tenant, got, want, err)
	}
}

func lastOf(s engine.Session, tenant id.Tenant) (int64, error) {
	return numberOf(s, "SELECT last FROM change_clocks WHERE tenant_id = $1", tenant)
}

// The clocks of a group's tenants are written once each, and every stamp is later than those before, also when the time is behind the
// clock.
func TestClocksOfAGroupAreWrittenOnce(t *testing.T) {
	store := clocks(t)
	for _, err := range inGroup(t, store, stamp(1, 100, "a"), stamp(2, 100, "x"), stamp(1, 100, "b"), stamp(2, 100, "y"), stamp(1, 500, "c")) {
		if err != nil {
			t.Error(err)
		}
	}
	n, err := marks(t, store)
	if n != 2 || err != nil {
		t.Errorf("clocks were written %d times (%v)", n, err)
	}
	is(t, store, 1, "a 110, b 130, c 510; 520")
	is(t, store, 2, "x 5010, y 5030; 5040")
}

// A transaction finds the clock where those before it in its group have moved it, and a clock that one sets is the later ones' clock.
func TestClocksInsideAGroup(t *testing.T) {
	store := clocks(t)
	var seen int64
	look := func(s engine.Session) (_ []*engine.Step, err error) {
		seen, err = lastOf(s, 1)
		return nil, err
	}
	set := &engine.Step{SQL: "UPDATE change_clocks SET last = 9000 WHERE tenant_id = $1", Args: []any{id.Tenant(1)}, Want: -1}
	for _, err := range inGroup(t, store, stamp(1, 100, "a"), look, stamp(1, 100, "b"), writes(set), stamp(1, 200, "c")) {
		if err != nil {
			t.Error(err)
		}
	}
	if seen != 120 {
		t.Errorf("inside the group the clock is at %d", seen)
	}
	is(t, store, 1, "a 110, b 130, c 9010; 9020")
}

// A group that is rolled back moves no clock; when it runs again, its stamps are as if it had run once.
func TestClocksOfARepeatedGroup(t *testing.T) {
	store := clocks(t)
	refused := errors.New("refused")
	missed := (&engine.Step{SQL: "UPDATE marks SET n = 2 WHERE n = 77"}).Rows(1, refused)
	errs := inGroup(t, store, stamp(1, 100, "a"), stamp(1, 100, "lost", missed), stamp(1, 100, "b"))
	if errs[0] != nil || !errors.Is(errs[1], refused) || errs[2] != nil {
		t.Error(errs)
	}
	is(t, store, 1, "a 110, b 130; 140")
}

// The next group goes on behind what is stored, also when another process has moved the clock meanwhile.
func TestClocksOfTheNextGroup(t *testing.T) {
	store := clocks(t)
	for range 2 {
		for _, err := range inGroup(t, store, stamp(1, 100, "a"), stamp(1, 100, "b")) {
			if err != nil {
				t.Error(err)
			}
		}
		if err := RunOnFile(store.path, "UPDATE change_clocks SET last = last + 1000 WHERE tenant_id = 1"); err != nil {
			t.Fatal(err)
		}
	}
	is(t, store, 1, "a 110, b 130, a 1150, b 1170; 2180")
}

// clockConn is a connection to a store with the clock of account 1, at 500.
func clockConn(t *testing.T) *conn {
	t.Helper()
	c, err := openConn(t.TempDir() + "/clock.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.close() })
	for _, sql := range []string{"CREATE TABLE change_clocks (tenant_id BIGINT PRIMARY KEY, base BIGINT, last BIGINT)",
		"CREATE TABLE stamped (tenant_id BIGINT, stamp BIGINT)", "INSERT INTO change_clocks VALUES (1, 500, 500)"} {
		if err := c.script(sql); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

const insertStamped = "INSERT INTO stamped VALUES ($1, " + engine.Clock + " + $2::BIGINT)"

// An account without a clock has no time, as on PostgreSQL; a statement that names no account is refused.
func TestClockOfNobody(t *testing.T) {
	c := clockConn(t)
	if _, err := c.Exec(insertStamped, []any{id.Tenant(2), 10}); err != nil {
		t.Error(err)
	}
	if n, err := numberOf(c, "SELECT count(*) FROM stamped WHERE tenant_id = 2 AND stamp IS NULL"); n != 1 || err != nil {
		t.Error(n, err)
	}
	if _, err := c.Exec(insertStamped, []any{"2", 10}); err == nil || !strings.Contains(err.Error(), "no tenant") {
		t.Error(err)
	}
	if _, err := c.Exec("INSERT INTO stamped SELECT 3, "+engine.Clock, nil); err == nil {
		t.Error("a clock without a tenant")
	}
}

// A statement stays prepared while the clock that it asks for is read, also when the connection forgets its other statements for that.
func TestClockOfAFullConnection(t *testing.T) {
	c := clockConn(t)
	if _, err := c.prepare(insertStamped); err != nil {
		t.Fatal(err)
	}
	for n := 0; len(c.stmts) < maxStatements; n++ {
		if _, err := c.prepare(fmt.Sprint("SELECT ", n)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Exec(insertStamped, []any{id.Tenant(1), 10}); err != nil {
		t.Fatal(err)
	}
	if stamp, err := numberOf(c, "SELECT stamp FROM stamped"); stamp != 510 || err != nil {
		t.Error(stamp, err)
	}
}
