package main

import (
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
)

func TestVerifyErasure(t *testing.T) {
	dbtest.Long(t, "it seeds a sample shop")
	stores(t, func(t *testing.T, p *program) {
		p.object("account", "create", "--name", "One", "--owner-email", "one@example.com", "--owner-password", "a long passphrase")
		// open runs operations on the store as a service would, and closes it.
		open := func(run func(s *server.Store) error) {
			t.Helper()
			s, err := server.OpenStore(t.Context(), server.StoreConfig{Dir: p.vars["ENTREPOT_DATA"], URL: p.vars["ENTREPOT_DATABASE"],
				MinWait: commandWait})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := run(s); err != nil {
				t.Fatal(err)
			}
		}
		var customer id.Customer
		open(func(s *server.Store) error {
			return s.DB.Write(t.Context(), 1, func(tx *db.Tx) error {
				made, err := s.Commerce.CreateCustomer(tx, customers.Change{Email: patch.To("zoe@vanish.example"), FirstName: patch.To("Zoëlie"),
					LastName: patch.To("Çelik")})
				customer = made.ID
				return err
			})
		})
		found := []string{"verify-erasure", "--text", "zoëlie çelik", "--text", "ZOE@vanish.example"}
		if code, out, complaint := p.call(found...); code != failed || !strings.Contains(out, "table customers, column email") ||
			!strings.Contains(out, "table events, column payload") || !strings.Contains(complaint, "left") {
			t.Errorf("before: exit %d: %s %s", code, out, complaint)
		}
		if code, out, _ := p.call("verify-erasure", "--customer", string(customer)); code != failed ||
			!strings.Contains(out, "active, not erased") {
			t.Errorf("before: exit %d: %s", code, out)
		}
		open(func(s *server.Store) error {
			return s.Commerce.EraseCustomer(t.Context(), s.DB, accounts.Caller{Tenant: 1}, customer, nil)
		})
		for _, args := range [][]string{found, {"verify-erasure"}, {"verify-erasure", "--customer", string(customer)},
			{"verify-erasure", "--customer", string(customer), "--text", "Zoëlie"}} { // four bytes are in ids and hashes now and then
			if code, out, complaint := p.call(args...); code != done {
				t.Errorf("%v: exit %d: %s %s", args, code, out, complaint)
			}
		}
		p.stdin = "zoe@vanish.example\n\nÇelik\n"
		if r := p.object("verify-erasure", "--text", "-"); r["gone"] != true || r["files"].(float64) == 0 || r["texts"].(float64) == 0 {
			t.Errorf("%v", r)
		}
		for _, args := range [][]string{{"--text", "x"}, {"--customer", "x"}, {"--text", ""}, {"more"}} {
			if code, _, complaint := p.call(append([]string{"verify-erasure"}, args...)...); code != calledWrong {
				t.Errorf("%v: exit %d: %s", args, code, complaint)
			}
		}
		if code, _, complaint := p.call("verify-erasure", "--customer", id.New[string]()); code != failed ||
			!strings.Contains(complaint, "not found") {
			t.Errorf("an unknown customer: exit %d: %s", code, complaint)
		}
		open(func(s *server.Store) error { // her name is written back
			return s.DB.Write(t.Context(), 1, func(tx *db.Tx) error {
				tx.Queue("UPDATE customers SET first_name = 'Zoë' WHERE tenant_id = $1", tx.Tenant)
				return nil
			})
		})
		if code, out, _ := p.call("verify-erasure"); code != failed || !strings.Contains(out, string(customer)) {
			t.Errorf("after a relapse: exit %d: %s", code, out)
		}
	})
}
