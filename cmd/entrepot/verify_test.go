package main

import (
	"encoding/json"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
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
			Patience: patience})
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
	if code, _, complaint := p.call("verify"); code != failed || !strings.Contains(complaint, "there is no store") {
		t.Errorf("no store: exit %d: %s", code, complaint)
	}
}
