package dashboard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
)

// orderFile is a file of n orders as a German shop's program writes it. Every tenth names a SKU that is unknown.
func orderFile(n int) string {
	var b strings.Builder
	b.WriteString("Bestellnr.;Bestelldatum;Kunde;E-Mail;Artikelnr.;Menge;Einzelpreis;Stra\xdfe;Ort\n")
	for i := range n {
		sku := "MUG-BLUE"
		if i%10 == 9 {
			sku = "LOST"
		}
		fmt.Fprintf(&b, "B-%04d;%02d.03.2025;Klara M\xfcller %d;klara%d@test.example;%s;2;12,50;Weg %d;Wien\n", i, i%28+1, i%7, i%7, sku, i)
	}
	return b.String()
}

// checkedOrders uploads a file of orders and has it tried; it gives the path of its page.
func (s *site) checkedOrders(name string, n int) string {
	s.t.Helper()
	b := s.as(s.owner)
	given := b.giveTo(orderImportsPath, name, strings.NewReader(orderFile(n)))
	page := b.follow(given)
	b.follow(b.submit(s.t, page, importOf(given)+"/check", columnsOf(page)...))
	s.runImports()
	return importOf(given)
}

// Without a script: a file of orders is uploaded, tried and imported; the refused order is corrected and uploaded again.
func TestImportOfOrders(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.product(`{"sku":"MUG-BLUE","name":"Blue mug","price":12.5,"stock":{"quantity":700}}`)
		b := s.as(s.owner)
		has(t, b.get("/orders"), "Import")
		has(t, b.get(orderImportsPath), "Import orders", "export of Shopify")
		given := b.giveTo(orderImportsPath, "alt.csv", strings.NewReader(orderFile(20)))
		at := importOf(given)
		page := b.follow(given)
		has(t, page, "20 rows", "9 columns", "Windows-1252", "Number of the order", "a guess", "Klara Müller 0", "What happens to the orders")
		typed := chosen(page, "status", "DELIVERED", "currency", "eur")
		page = b.follow(b.submit(t, page, at+"/check", typed...))
		has(t, page, "Being checked", "Nothing is stored yet.")
		s.runImports()
		page = b.get(at)
		has(t, page, "18 new orders", "0 there already", "2 rows refused", "B-0009", "the catalog has no product LOST", "Import 18 orders",
			"Klara Müller 0", "€25.00", "Delivered")
		b.follow(b.submit(t, page, at+"/run"))
		s.runImports()
		has(t, b.get(at), "Done, some refused", "18 created", "2 rows refused", "no product has the SKU LOST", "SKU")
		has(t, b.get("/orders"), "B-0000", "Klara Müller 0")
		has(t, b.get(orderImportsPath), "alt.csv", "18 created, 0 there already, 2 rows refused")
		has(t, b.get("/jobs"), "Import of orders", "Check of orders")
		if list := b.get(importsPath); strings.Contains(list.words(), "alt.csv") {
			t.Error("a file of orders is among those of products")
		}
		if page := b.get(strings.Replace(at, "/orders/", "/products/", 1)); page.status != 404 {
			t.Errorf("a file of orders is shown as one of products: %d", page.status)
		}
		refused := b.get(at + "/refused")
		again := b.giveTo(orderImportsPath, "mended.csv", strings.NewReader(strings.ReplaceAll(refused.body, "LOST", "MUG-BLUE")))
		page = b.follow(again)
		at = importOf(again)
		b.follow(b.submit(t, page, at+"/check", chosen(page, "status", "DELIVERED")...))
		s.runImports()
		b.follow(b.submit(t, b.get(at), at+"/run"))
		s.runImports()
		has(t, b.get(at), "Done", "2 created", "0 rows refused")
		var n int64
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM orders WHERE tenant_id = $1 AND status = 'DELIVERED'", []any{tx.Tenant}, &n)
		})
		if n != 20 {
			t.Errorf("%d orders are delivered", n)
		}
	})
}

// Choices of an import of orders that cannot be followed are refused beside their input; what is missing is asked for.
func TestImportOfOrdersAsks(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		given := b.giveTo(orderImportsPath, "x.csv", strings.NewReader("a;b;c;d\n1;MUG;2;4\n"))
		at := importOf(given)
		page := b.follow(given)
		has(t, page, "Something has to be chosen", "No column holds the number of the order")
		for name, value := range map[string]string{"currency": "EURO", "status": "LOST", "c0": "colour", "channel": "x"} {
			out := b.submit(t, page, at+"/check", chosen(page, name, value)...)
			if out.status != 422 {
				t.Errorf("%s=%s: %d %.300s", name, value, out.status, out.words())
			}
		}
		dates := b.giveTo(orderImportsPath, "dates.csv",
			strings.NewReader("orderNo,date,customer,sku,quantity,price\nA-1,02/03/2025,Ada,MUG,1,5\n"))
		page = b.follow(dates)
		has(t, page, "Something has to be chosen", "Say whether the day or the month comes first")
		page = b.follow(b.submit(t, page, importOf(dates)+"/check", chosen(page, "dateOrder", "mdy")...))
		has(t, page, "Being checked")
		viewer := s.as(s.newUser("viewer@test.example", accounts.Viewer))
		if out := viewer.get(orderImportsPath); out.status != 403 {
			t.Errorf("a viewer may import: %d", out.status)
		}
		has(t, viewer.get(importOf(dates)), "dates.csv")
	})
}

// In Chromium: a merchant moves the history of another shop here; the page is left and the service restarted meanwhile.
func TestStoryOfAnImportOfOrders(t *testing.T) {
	const rows = 400
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			s.product(`{"sku":"MUG-BLUE","name":"Blue mug","price":12.5,"stock":{"quantity":9000}}`)
			stop := s.node(t)
			path := filepath.Join(t.TempDir(), "bestellungen.csv")
			if err := os.WriteFile(path, []byte(orderFile(rows)), 0o600); err != nil {
				t.Fatal(err)
			}
			b := s.window(t, s.owner)
			b.open("/orders")
			b.clickOn(`a[href$="/orders/import"]`)
			b.until("document.querySelector('.drop')")
			b.choose(path)
			b.shows("400 rows")
			b.shows("a guess")
			eval[bool](b, `(document.querySelector('main form [name=status]').value = 'DELIVERED') !== ''`)
			b.clickOn("main form footer button.primary")
			b.shows("Import 360 orders")
			b.shows("the catalog has no product LOST")
			b.clickOn("main form.push button.primary")
			b.until("/the import goes on|Done/.test(document.body.innerText)")
			b.until("(document.querySelector('#import progress')?.value ?? 0) > 0 || document.body.innerText.includes('Done')")
			at := strings.TrimPrefix(b.path(), prefix)
			b.open("/stock")
			stop()
			s.node(t) // on PostgreSQL it might be another machine: it has not seen the file
			b.open(at)
			b.shows("Done, some refused")
			b.shows("360\ncreated")
			b.shows("0\nthere already")
			b.shows("40\nrows refused")
			b.open("/orders")
			b.shows("Delivered")
			b.shows("B-0391") // one of the newest
		})
	}
}
