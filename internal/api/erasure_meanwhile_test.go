package api

import (
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// keyed sends a request under a key of its own, and expects a 2xx answer.
func (s *server) keyed(t *testing.T, method, path string, body any) reply {
	t.Helper()
	r := s.do(call{method: method, path: path, body: body, header: map[string]string{"Idempotency-Key": id.New[string]()}})
	if r.status/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, r.status, r.body)
	}
	return r
}

// eraseAfter erases a customer; something happens between the search for the person and the transaction, as often as it runs.
func (s *server) eraseAfter(t *testing.T, customer string, meanwhile func(try int)) {
	t.Helper()
	try := 0
	err := s.Commerce.EraseCustomer(t.Context(), s.DB, accounts.Caller{Tenant: s.tenant}, id.Customer(customer),
		func(erase func(tx *db.Tx) (records.Erasure, error)) error {
			meanwhile(try)
			try++
			return s.DB.Write(t.Context(), s.tenant, func(tx *db.Tx) error {
				_, err := erase(tx)
				return err
			})
		})
	if err != nil {
		t.Fatal(err)
	}
}

// An erasure looks for the person before its transaction. What is written in between is erased, too.
func TestErasureFindsWhatIsWrittenMeanwhile(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		order := s.shop(t)
		var left []string
		// person makes a customer with an order; texts are what must not be left.
		person := func(n int) (customer string, buy func()) {
			email, name := fmt.Sprintf("gone%d@meanwhile.example", n), fmt.Sprintf("Gone%d Meanwhile", n)
			left = append(left, email, name)
			buy = func() {
				s.keyed(t, "POST", "/api/v1/orders", order(map[string]any{"customerName": name, "customerEmail": email}))
			}
			buy()
			s.now.move(20_000_000_000) // what was written before is certainly before the search
			made := at(s.must(t, 200, "GET", "/api/v1/customers?email="+email, nil), "data", 0)
			return text(made, "id"), buy
		}
		note := func(name string) {
			s.keyed(t, "POST", "/api/v1/inventory/movements", item{"sku": "A-1", "type": "receive", "quantity": 1, "reason": "for " + name})
		}
		job := func(name string) {
			s.write(s.tenant, func(tx *db.Tx) error {
				tx.Queue(`INSERT INTO jobs (tenant_id, id, type, status, total, processed, created, updated, failed, errors, input, cursor, tries,
					created_at, completed_at) VALUES ($1,$2,'order_pull','FAILED',1,0,0,0,1,'[]',$3,'',1,$4,$4)`,
					tx.Tenant, id.New[id.Job](), `{"buyer":"`+name+`"}`, tx.Micros())
				return nil
			})
		}
		once := func(run func()) func(int) {
			return func(try int) {
				if try == 0 {
					run()
				}
			}
		}

		one, _ := person(1)
		s.eraseAfter(t, one, once(func() { s.keyed(t, "PATCH", "/api/v1/customers/"+one, `{"firstName":"Gone1"}`) })) // changes nothing
		two, buy := person(2)
		s.eraseAfter(t, two, once(buy))
		three, buy := person(3)
		s.eraseAfter(t, three, func(int) { buy() }) // whenever it looks again
		four, _ := person(4)
		s.eraseAfter(t, four, once(func() { note("Gone4 Meanwhile"); job("Gone4 Meanwhile") }))
		five, _ := person(5)
		left = append(left, "Newly Named")
		note("Newly Named")
		job("Newly Named")
		s.eraseAfter(t, five, once(func() {
			s.keyed(t, "PATCH", "/api/v1/customers/"+five, `{"firstName":"Newly","lastName":"Named"}`)
		}))
		six, _ := person(6)
		seven, _ := person(7)
		s.eraseAfter(t, six, once(func() {
			s.keyed(t, "POST", "/api/v1/customers/merge", map[string]any{"primaryId": six, "secondaryIds": []string{seven}})
		}))
		for _, f := range s.search(t, left...).Findings {
			t.Errorf("%q is left in %s", f.What, f.Where)
		}
		s.sound(t)
	})
}

// Where one transaction writes at a time, an erasure reads what is kept of all requests, jobs and notes before its own: in it, it reads
// what was written since by an index.
func TestErasureReadsLittleInItsTransaction(t *testing.T) {
	s := newServer(t, "sqlite", limits.Off{})
	order := s.shop(t)
	s.keyed(t, "POST", "/api/v1/orders", order(map[string]any{"customerName": "Little Read", "customerEmail": "little@read.example"}))
	customer := text(s.must(t, 200, "GET", "/api/v1/customers?email=little@read.example", nil), "data", 0, "id")
	s.now.move(20_000_000_000)
	var inside bool
	statements := map[string][]any{}
	hook := func(sql string, args []any) {
		inside = inside || strings.Contains(sql, "FOR UPDATE")
		for _, table := range []string{"idempotency_keys", "movements", "jobs", "audit_log", "import_lines"} {
			if inside && strings.Contains(sql, " FROM "+table+" ") {
				statements[sql] = args
			}
		}
	}
	s.trace.Store(&hook)
	s.must(t, 200, "POST", "/api/v1/customers/"+customer+"/erase", nil)
	s.trace.Store(nil)
	if len(statements) < 6 {
		t.Fatalf("%d statements", len(statements))
	}
	err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
		for sql, args := range statements {
			plan := dbtest.Plan(t, tx, sql, args...)
			for line := range strings.Lines(plan) {
				line = strings.TrimSpace(line)
				unfinished := strings.Contains(sql, "due_at IS NOT NULL") // the index has nothing else
				if strings.HasPrefix(line, "SCAN") || strings.HasSuffix(line, "(tenant_id=?)") && !unfinished {
					t.Errorf("%s\n%s", sql, plan)
					break
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
