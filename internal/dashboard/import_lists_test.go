package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// Without a script: a price list of SKU and price alone is uploaded, tried and imported, and its refused rows are corrected; a file of
// products without names is refused and leads there.
func TestImportOfPrices(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.product(`{"sku":"MUG","name":"Mug","price":12.5}`)
		s.product(`{"sku":"BOWL","name":"Bowl","price":8}`)
		const list = "Artikelnr.;Neuer Preis;Streichpreis\nMUG;1.013,00;\nBOWL;8,00;9,50\nLOST;1,00;\n"
		b := s.as(s.owner)
		has(t, b.get("/products"), "Import prices")
		has(t, b.get(importsPath), "price list")
		wrong := b.give("preise.csv", strings.NewReader("sku;price\nMUG;13,00\n"))
		has(t, b.follow(wrong), "No column holds the name", "price list")
		has(t, b.get(priceImportsPath), "Import prices", "one row for each SKU")
		given := b.giveTo(priceImportsPath, "preise.csv", strings.NewReader(list))
		at, page := importOf(given), b.follow(given)
		has(t, page, "3 rows", "3 columns", "Price before, crossed out", "a guess")
		b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
		s.runImports()
		page = b.get(at)
		has(t, page, "2 changed", "0 the same already", "1 row refused", "Price €12.50 → €1,013.00", "Price before none → €9.50",
			"no product or variant has this SKU", "Import 2 prices", "1 price changes by more than half")
		if strings.Contains(page.words(), "new products") {
			t.Error("a price list has new products")
		}
		b.follow(b.submit(t, page, at+"/run", "jumps", "1"))
		s.runImports()
		has(t, b.get(at), "Done, some refused", "2 updated", "1 row refused")
		has(t, b.get(priceImportsPath), "preise.csv", "2 prices stored, 1 row refused")
		has(t, b.get("/jobs"), "Import of a price list", "Check of a price list")
		refused := b.get(at + "/refused")
		again := b.giveTo(priceImportsPath, "mended.csv", strings.NewReader(strings.ReplaceAll(refused.body, "LOST", "BOWL")))
		at, page = importOf(again), b.follow(again)
		b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
		s.runImports()
		b.follow(b.submit(t, b.get(at), at+"/run", "jumps", "1"))
		s.runImports()
		has(t, b.get(at), "Done", "1 updated")
		has(t, b.get("/products"), "€1,013.00", "€1.00")
	})
}

// A stock list likewise; a warehouse that it would create is named before.
func TestImportOfStock(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.product(`{"sku":"MUG","name":"Mug","price":12.5,"stock":{"quantity":7}}`)
		b := s.as(s.owner)
		has(t, b.get("/stock"), "Import")
		given := b.giveTo(stockImportsPath, "stock.csv", strings.NewReader("SKU,Lagerbestand,Lager\nMUG,40,\nMUG,2,NORTH\nMUG,some,EAST\n"))
		at, page := importOf(given), b.follow(given)
		has(t, page, "Import stock", "On hand", "Warehouse, by its code")
		b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
		s.runImports()
		page = b.get(at)
		has(t, page, "2 changed", "1 row refused", "Stock in MAIN 7 → 40", "Stock in NORTH none → 2", "New warehouses", "NORTH",
			"Import 2 quantities")
		b.follow(b.submit(t, page, at+"/run"))
		s.runImports()
		has(t, b.get(at), "2 updated", "1 row refused")
		has(t, b.get("/stock/MUG"), "NORTH", "40")
	})
}

// Tracking numbers of three orders: one is shipped, one has the parcel already, one waits for its payment; a fourth row names no order.
// Imported again, nothing is shipped twice. An order may be named by the number that the buyer sees, if only one has it.
func TestImportOfTrackingNumbers(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.product(`{"sku":"MUG","name":"Mug","price":12.5,"stock":{"quantity":70}}`)
		for range 3 {
			s.order("", "MUG")
		}
		var list []orders.Order
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			ids, err := db.List(tx, func(r db.Rows) (o id.Order, err error) { return o, r.Scan(&o) },
				"SELECT id FROM orders WHERE tenant_id = $1 ORDER BY number", tx.Tenant)
			for i, one := range ids {
				o, err := orders.ByID(tx, one)
				if err != nil {
					return err
				}
				list = append(list, *o)
				if i < 2 {
					if _, err := s.Commerce.MoveOrder(tx, s.caller(), one, commerce.Expected{}, commerce.Move{To: orders.Processing, Source: orders.FromDashboard}); err != nil {
						return err
					}
				}
			}
			tx.Change("UPDATE orders SET external_number = '#1001' WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, list[0].ID)
			return err
		})
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			_, _, err := s.Commerce.ShipOrders(tx, s.caller(), []commerce.OrderToShip{{ID: list[1].ID,
				Draft: orders.ShipmentDraft{TrackingNumber: "T-2"}}}, nil)
			return err
		})
		number := func(i int) string { return orders.Number(list[i].Number) }
		file := "Bestellung;Sendungsnummer;Versanddienst\n1001;1Z999AA10123456784;\n" + number(1) + ";T-2;Bike\n" + number(2) +
			";T-3;\nNONE;T-4;\n" + number(1) + ";T-5;\n"
		b := s.as(s.owner)
		has(t, b.get("/orders"), "Import tracking numbers")
		has(t, b.get(shipmentImportsPath), "One row for each order")
		run := func(checked, done []string) {
			t.Helper()
			given := b.giveTo(shipmentImportsPath, "labels.csv", strings.NewReader(file))
			at, page := importOf(given), b.follow(given)
			has(t, page, "5 rows", "Order, by its number or reference", "Tracking number", "Carrier", "a guess")
			b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
			s.runImports()
			page = b.get(at)
			has(t, page, checked...)
			if len(done) == 0 {
				return
			}
			b.follow(b.submit(t, page, at+"/run"))
			s.runImports()
			has(t, b.get(at), done...)
			if refused := b.get(at + "/refused"); !strings.Contains(refused.body, "T-4") || strings.Contains(refused.body, "T-2") {
				t.Errorf("the refused rows: %s", refused.body)
			}
		}
		run([]string{"1 order to ship", "1 already shipped", "1 not found", "1 with nothing to ship", "3 rows refused", "Import 1 tracking number"},
			[]string{"Done, some refused", "1 order shipped", "1 already shipped", "3 rows refused", "no order has this number or reference"})
		has(t, b.get("/orders/"+string(list[0].ID)), "UPS", "1Z999AA10123456784")
		has(t, b.get("/jobs"), "Import of tracking numbers", "Check of tracking numbers")
		run([]string{"0 orders to ship", "2 already shipped", "There is nothing to import"}, nil)
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			tx.Change("UPDATE orders SET external_number = '1001' WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, list[2].ID)
			return nil
		})
		run([]string{"orders of several channels have the number 1001"}, nil)
	})
}

// A wrong list is set right by the file of the values before, however long it is, which is imported as it is. The check asks about prices
// that change by more than half, and the report does not name what was before.
func TestListsAreSetRight(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.product(`{"sku":"MUG","name":"Mug","price":12.5,"stock":{"quantity":3}}`)
		var prices, levels strings.Builder
		prices.WriteString("sku;price;compareAtPrice\nMUG;125,00;150,00\n")
		levels.WriteString("sku;quantity\nMUG;4\n")
		for i := range 60 { // more than the page shows
			sku := fmt.Sprintf("%sP%d", []string{"", "-", "=", "@"}[i%4], i) // those that spreadsheets take for formulas come back, too
			s.product(fmt.Sprintf(`{"sku":%q,"name":"Pot","price":1.125,"compareAtPrice":2,"stock":{"quantity":%d}}`, sku, i))
			fmt.Fprintf(&prices, "%s;11,25;\n", sku)
			fmt.Fprintf(&levels, "%s;1000\n", sku)
		}
		b := s.as(s.owner)
		run := func(path, name, list string) (at string) {
			t.Helper()
			given := b.giveTo(path, name, strings.NewReader(list))
			at = importOf(given)
			page := b.follow(given)
			b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
			s.runImports()
			checked := b.get(at)
			if jumps := path == priceImportsPath; strings.Contains(checked.words(), "prices change by more than half") != jumps {
				t.Errorf("%s: %.900s", name, checked.words())
			} else if jumps { // they have to be confirmed, as many as were shown
				has(t, checked, "Import 61 prices, 61 prices change by more than half", "The largest 50 of 61")
				for _, n := range []string{"", "60"} {
					if out := b.submit(t, checked, at+"/run", "jumps", n); out.status != 409 || !strings.Contains(out.words(), "confirm that") {
						t.Errorf("%q jumps: %d %.300s", n, out.status, out.words())
					}
				}
			}
			accept := []string(nil)
			if path == priceImportsPath {
				accept = []string{"jumps", "61"}
			}
			b.follow(b.submit(t, checked, at+"/run", accept...))
			s.runImports()
			return at
		}
		for path, list := range map[string]string{priceImportsPath: prices.String(), "/inventory/import": levels.String()} {
			was := s.prices(t) + s.levels(t)
			at := run(path, "wrong.csv", list)
			page := b.get(at)
			has(t, page, "Done", "Download old values", "The first 50 of 6", "To set a wrong list right, import the file of old values.")
			if s.prices(t)+s.levels(t) == was {
				t.Fatalf("%s changed nothing", path)
			}
			before := b.get(at + "/before")
			if n := strings.Count(before.body, "\n"); before.status != 200 || n != 62 {
				t.Errorf("%d, %d lines: %.300s", before.status, n, before.body)
			}
			if report := b.get(at + "/report"); strings.Count(report.body, "\n") != 1 {
				t.Errorf("the report: %.300s", report.body)
			}
			run(path, "before.csv", before.body)
			if now := s.prices(t) + s.levels(t); now != was {
				t.Errorf("%s: before %.300s\nnow %.300s", path, was, now)
			}
		}
		if page := b.get(importsPath + "/" + "before"); page.status != 404 {
			t.Errorf("a list of products has values before: %d", page.status)
		}
	})
}

// prices are all prices of the account, as text.
func (s *site) prices(t *testing.T) string {
	t.Helper()
	return s.listOf("SELECT sku || ' ' || price || ' ' || coalesce(compare_at_price, 0) FROM products WHERE tenant_id = $1 ORDER BY sku")
}

// levels are all levels of the account, as text.
func (s *site) levels(t *testing.T) string {
	t.Helper()
	return s.listOf("SELECT sku || ' ' || on_hand FROM stock_levels WHERE tenant_id = $1 ORDER BY sku")
}

func (s *site) listOf(statement string) (text string) {
	s.t.Helper()
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		list, err := db.List(tx, func(r db.Rows) (line string, err error) { return line, r.Scan(&line) }, statement, tx.Tenant)
		text = strings.Join(list, "\n")
		return err
	})
	return text
}

// Every field that a column can be imported as has a name on the page.
func TestFieldsOfFilesHaveNames(t *testing.T) {
	for _, k := range fileKinds {
		for _, name := range k.names {
			if k.fields[name] == "" {
				t.Errorf("%s: %s has no name", k.kind, name)
			}
		}
	}
}
