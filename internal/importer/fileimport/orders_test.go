package fileimport_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
)

// history is a file of n orders of two lines each as a German shop's program writes it. Every tenth has a line of a SKU that is unknown.
func history(n int) string {
	var b strings.Builder
	b.WriteString("Bestellnr.;Bestelldatum;Kunde;E-Mail;Artikelnr.;Menge;Einzelpreis;Telefon\n")
	for i := range n {
		second := "BOWL"
		if i%10 == 9 {
			second = "LOST"
		}
		fmt.Fprintf(&b, "B-%04d;%02d.03.2025;Klara %d;klara%d@test.example;MUG;2;12,50;\n", i, i%28+1, i%7, i%7)
		fmt.Fprintf(&b, "B-%04d;%02d.03.2025;Klara %d;klara%d@test.example;%s;1;8,00;\n", i, i%28+1, i%7, i%7, second)
	}
	return b.String()
}

// uploadOrders keeps a file of orders, whose columns are guessed and confirmed.
func (s *shop) uploadOrders(text string, o fileimport.Options) imports.Import {
	s.Helper()
	return s.uploadOf(imports.Orders, text, o)
}

// withMugs makes the products that the files name.
func (s *shop) withMugs() {
	s.Helper()
	i := s.upload("sku,name,price,stock\nMUG,Mug,12.5,1000\nBOWL,Bowl,8,1000\n", fileimport.Options{})
	s.check(i.ID)
	s.run()
	s.begin(i.ID)
	s.run()
}

func (s *shop) count(table string) (n int64) {
	s.Helper()
	s.write(func(tx *db.Tx) error {
		return tx.Row("SELECT count(*) FROM "+table+" WHERE tenant_id = $1", []any{tx.Tenant}, &n)
	})
	return n
}

// A file of orders is tried and imported: the figures of both agree, nothing is stored by the first, and a file that is imported again
// makes no second order.
func TestOrdersAreTriedAndImported(t *testing.T) {
	engines(t, func(s *shop) {
		s.withMugs()
		o := fileimport.Options{Status: "DELIVERED", Currency: "CHF", TimeZone: "Europe/Zurich"}
		i := s.uploadOrders(history(50), o)
		s.check(i.ID)
		job := s.run()
		if job.Type != jobs.OrderFileCheck || job.Status != jobs.CompletedWithErrors || job.Created != 45 || job.Failed != 10 ||
			s.count("orders") != 0 || s.count("customers") != 0 {
			s.Errorf("the dry run: %+v, %d orders", job, s.count("orders"))
		}
		var checked fileimport.Checked
		if err := json.Unmarshal([]byte(s.read(i.ID).Checked), &checked); err != nil || checked.Rows != 100 || checked.Created != 45 ||
			checked.RowsRefused != 10 || len(checked.Orders) != 45 || len(checked.Changed) != 0 || len(checked.New) != 0 {
			s.Fatalf("%+v, %v", checked, err)
		}
		want := fileimport.Order{Reference: "B-0000", Customer: "Klara 0", Status: "DELIVERED", Currency: "CHF", Lines: 2, Subtotal: "33",
			CreatedAt: 1740783600000000}
		if checked.Orders[0] != want {
			s.Errorf("%+v", checked.Orders[0])
		}
		s.begin(i.ID)
		if job := s.run(); job.Type != jobs.OrderFileImport || job.Created != 45 || job.Failed != 10 || s.count("orders") != 45 ||
			s.count("customers") != 7 || s.read(i.ID).Stage != imports.Done {
			s.Errorf("the import: %+v, %d orders of %d customers", job, s.count("orders"), s.count("customers"))
		}
		var lines []imports.Line
		s.write(func(tx *db.Tx) (err error) { lines, err = imports.Lines(tx, i.ID, false, true, -1, 100); return err })
		if len(lines) != 5 || lines[0].Item != "B-0009" || lines[0].Rows != 2 || lines[0].Field != "items[1].sku" ||
			lines[0].Message != "no product has the SKU LOST" {
			s.Errorf("%+v", lines)
		}
		events := dbtest.RowsOf(s.T, s.store, s.tenant, "events")
		if n := strings.Count(events, `"event":"order.received"`); n != 45 {
			s.Errorf("%d events of new orders", n)
		}
		again := s.uploadOrders(history(50), o)
		s.check(again.ID)
		s.run()
		checked = fileimport.Checked{}
		if err := json.Unmarshal([]byte(s.read(again.ID).Checked), &checked); err != nil || checked.Existing != 45 || checked.Created != 0 {
			s.Errorf("again: %+v, %v", checked.Counts, err)
		}
		s.begin(again.ID)
		if job := s.run(); job.Created != 0 || s.count("orders") != 45 {
			s.Errorf("again: %+v, %d orders", job, s.count("orders"))
		}
	})
}

// Products that the catalog lacks are created if that is chosen; a credit note takes back the order that it names.
func TestMissingProductsAndCreditNotes(t *testing.T) {
	engines(t, func(s *shop) {
		s.withMugs()
		text := "orderNo,originalOrder,customer,email,phone,sku,quantity,price\n" +
			"A-1,,Ada,ada@test.example,+44 1,MUG,2,12.50\nA-2,,Bob,bob@test.example,,LAMP,1,40\nC-1,A-1,Ada,ada@test.example,,MUG,-2,12.50\n"
		i := s.uploadOrders(text, fileimport.Options{Status: "SHIPPED", Currency: "EUR", CreateMissing: true})
		s.check(i.ID)
		before := s.products()
		if job := s.run(); job.Status == jobs.Failed || s.products() != before {
			s.Fatalf("%+v, %d products", job, s.products())
		}
		var checked fileimport.Checked
		if err := json.Unmarshal([]byte(s.read(i.ID).Checked), &checked); err != nil || len(checked.Changed) != 0 || len(checked.New) != 1 {
			s.Errorf("%+v, %v", checked, err)
		}
		s.begin(i.ID)
		job := s.run()
		rows := dbtest.RowsOf(s.T, s.store, s.tenant, "orders")
		if job.Created != 2 || s.count("orders") != 2 || s.products() != before+1 || strings.Count(rows, "RETURNED") != 1 {
			s.Errorf("%+v, %d orders, %d products\n%s", job, s.count("orders"), s.products(), rows)
		}
		if list := dbtest.RowsOf(s.T, s.store, s.tenant, "customers"); !strings.Contains(list, "+44 1") {
			s.Errorf("the phone is not stored: %s", list)
		}
	})
}

// An erasure deletes files of orders, because they hold names and addresses, even while a job works on them: the job ends, and no line
// about the person follows.
func TestAnErasureEndsImportsOfOrders(t *testing.T) {
	engines(t, func(s *shop) {
		s.withMugs()
		i := s.uploadOrders(history(200), fileimport.Options{Currency: "EUR"})
		s.check(i.ID)
		s.run()
		s.begin(i.ID)
		job := s.claim()
		s.write(func(tx *db.Tx) error { imports.Forget(tx, nil, []string{"%klara%"}); return nil })
		if err := s.runner.Run(s.Context(), job, lease); err != nil {
			s.Fatal(err)
		}
		if job := s.job(job.ID); job.Status != jobs.Failed {
			s.Errorf("%+v", job)
		}
		for _, table := range []string{"imports", "import_parts", "import_lines"} {
			if rows := dbtest.RowsOf(s.T, s.store, s.tenant, table); strings.Contains(rows, "Klara") || strings.Contains(rows, string(i.ID)) {
				s.Errorf("%s: %s", table, rows)
			}
		}
	})
}

// An erasure in the middle of an import of orders: the transaction that would store its next lines fails, and no order of the file follows.
func TestAnErasureInTheMiddle(t *testing.T) {
	engines(t, func(s *shop) {
		s.withMugs()
		i := s.uploadOrders(history(400), fileimport.Options{Currency: "EUR"})
		s.check(i.ID)
		s.run()
		s.begin(i.ID)
		job := s.claim()
		done := make(chan error, 1)
		go func() { done <- s.runner.Run(s.Context(), job, lease) }()
		for s.job(job.ID).Processed == 0 {
		}
		var before int64
		s.write(func(tx *db.Tx) error {
			imports.Forget(tx, nil, []string{"%klara%"})
			if err := tx.Flush(); err != nil {
				return err
			}
			return tx.Row("SELECT count(*) FROM orders WHERE tenant_id = $1", []any{tx.Tenant}, &before)
		})
		if err := <-done; err != nil {
			s.Fatal(err)
		}
		if job := s.job(job.ID); job.Status != jobs.Failed || s.count("orders") >= 360 || s.count("orders") != before {
			s.Errorf("%+v, %d orders, %d before the erasure", job, s.count("orders"), before)
		}
		if n := s.count("import_lines"); n != 0 {
			s.Errorf("%d lines are kept", n)
		}
	})
}

// What the dry run and the import read of a customer is what the API would answer.
func TestCustomersOfOrders(t *testing.T) {
	engines(t, func(s *shop) {
		s.withMugs()
		var ada id.Customer
		s.write(func(tx *db.Tx) error {
			made, err := (&commerce.Service{}).CreateCustomer(tx, customers.Change{Email: patch.To("ada@test.example"), Phone: patch.To("+44 7")})
			ada = made.ID
			return err
		})
		text := fmt.Sprintf("orderNo,customer,customerId,email,phone,company,sku,quantity,price\nA-1,Ada,%s,,,,MUG,1,5\n"+
			"A-2,Ada,%s,,,,MUG,1,5\nA-3,Ada,,ada@test.example,+44 1,Analytical Ltd,MUG,1,5\n", ada, id.New[id.Customer]())
		i := s.uploadOrders(text, fileimport.Options{Currency: "EUR"})
		s.check(i.ID)
		if job := s.run(); job.Created != 2 || !strings.Contains(job.Errors, "no customer") {
			s.Errorf("%+v", job)
		}
		s.begin(i.ID)
		s.run()
		rows := dbtest.RowsOf(s.T, s.store, s.tenant, "customers")
		if !strings.Contains(rows, "+44 7") || !strings.Contains(rows, "Analytical Ltd") || strings.Contains(rows, "+44 1") ||
			s.count("orders") != 2 {
			s.Errorf("%d orders, %s", s.count("orders"), rows)
		}
	})
}
