package main

import (
	"encoding/json"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
)

func TestVerify(t *testing.T) {
	dbtest.Long(t, "it seeds a sample shop")
	stores(t, func(t *testing.T, p *program) {
		account := p.object("account", "create", "--name", "One", "--owner-email", "one@example.com", "--owner-password", "a long passphrase")
		one := account["id"].(string)
		if code, out, complaint := p.call("verify"); code != done || !strings.Contains(out, "warehouses") || strings.Contains(out, "wrong") {
			t.Errorf("a fresh store: exit %d: %s %s", code, out, complaint)
		}
		s, err := server.OpenStore(t.Context(), server.StoreConfig{Dir: p.vars["ENTREPOT_DATA"], URL: p.vars["ENTREPOT_DATABASE"],
			MinWait: commandWait})
		if err != nil {
			t.Fatal(err)
		}
		err = s.DB.Write(t.Context(), 1, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE warehouses SET is_default = FALSE WHERE tenant_id = $1", tx.Tenant)
			return err
		})
		s.Close()
		if err != nil {
			t.Fatal(err)
		}
		code, out, complaint := p.call("verify", "--account", one, "--json")
		var checks []checkRecord
		if err := json.Unmarshal([]byte(out), &checks); err != nil || code != failed {
			t.Fatalf("exit %d, %v: %s", code, err, out)
		}
		for _, c := range checks {
			if c.Wrong > 0 != (c.Check == "warehouses") || c.Says == "" || c.Check == "warehouses" && !strings.Contains(c.Examples[0], one) {
				t.Errorf("%+v", c)
			}
		}
		if !strings.Contains(complaint, "0 default warehouses") || !strings.Contains(complaint, "does not hold in 1 place") {
			t.Errorf("complaint: %s", complaint)
		}
		if code, _, complaint := p.call("verify", "--account", "one"); code != failed || !strings.Contains(complaint, "0 default warehouses") {
			t.Errorf("an account by its name: exit %d: %s", code, complaint)
		}
		if code, _, complaint := p.call("verify", "--account", "x"); code != failed || !strings.Contains(complaint, one) {
			t.Errorf("no account's name: exit %d: %s", code, complaint)
		}
	})
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": t.TempDir()}}
	if code, _, complaint := p.call("verify", "--repair"); code != failed || !strings.Contains(complaint, "there is no store") {
		t.Errorf("no store to repair: exit %d: %s", code, complaint)
	}
	if code, _, complaint := p.call("verify"); code != failed || !strings.Contains(complaint, "there is no store") {
		t.Errorf("no store: exit %d: %s", code, complaint)
	}
}

// What verify --repair puts right is printed once, with what it was and is; then nothing is left to repair. What is wrong with records
// stays.
func TestVerifyRepairs(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		account := p.object("account", "create", "--name", "One", "--owner-email", "one@example.com", "--owner-password", "a long passphrase")
		change := func(sql string) {
			t.Helper()
			s, err := server.OpenStore(t.Context(), server.StoreConfig{Dir: p.vars["ENTREPOT_DATA"], URL: p.vars["ENTREPOT_DATABASE"]})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.DB.Write(t.Context(), 1, func(tx *db.Tx) error {
				_, err := tx.Exec(sql, tx.Tenant)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		what := "account " + account["id"].(string) + ": orders PENDING: 0, kept as 4"
		change("INSERT INTO tallies (tenant_id, name, key, n) VALUES ($1, 'orders', 'PENDING', 4)")
		if code, _, complaint := p.call("verify"); code != failed || !strings.Contains(complaint, what) {
			t.Errorf("before: exit %d: %s", code, complaint)
		}
		code, out, complaint := p.call("verify", "--repair")
		if code != done || !strings.Contains(out, "1 repaired") || !strings.Contains(complaint, "repaired: kept counts: "+what) {
			t.Errorf("exit %d: %s %s", code, out, complaint)
		}
		if code, out, complaint := p.call("verify", "--repair"); code != done || strings.Contains(out, "repaired") ||
			!strings.Contains(complaint, "there was nothing to repair") {
			t.Errorf("again: exit %d: %s %s", code, out, complaint)
		}
		change("UPDATE tallies SET n = 4 WHERE tenant_id = $1 AND name = 'orders'")
		change("UPDATE warehouses SET is_default = FALSE WHERE tenant_id = $1")
		code, out, complaint = p.call("verify", "--repair", "--account", "One", "--json")
		var checks []repairRecord
		if err := json.Unmarshal([]byte(out), &checks); err != nil || code != failed || !strings.Contains(complaint, "does not hold in 1 place") {
			t.Fatalf("exit %d, %v: %s %s", code, err, out, complaint)
		}
		for _, c := range checks {
			counts := c.Check == "kept counts"
			if c.Wrong > 0 != (c.Check == "warehouses") || c.Repaired > 0 != counts || c.Repairs == nil || c.Says == "" ||
				counts && (!c.Derived || c.Repairs[0] != what) || c.Derived && c.Check == "warehouses" {
				t.Errorf("%+v", c)
			}
		}
	})
}
