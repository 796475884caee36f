package dashboard

import (
	"strings"
	"testing"
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
			"no product or variant has this SKU", "Import 2 prices")
		if strings.Contains(page.words(), "new products") {
			t.Error("a price list has new products")
		}
		b.follow(b.submit(t, page, at+"/run"))
		s.runImports()
		has(t, b.get(at), "Done, some refused", "2 updated", "1 row refused")
		has(t, b.get(priceImportsPath), "preise.csv", "2 prices stored, 1 row refused")
		has(t, b.get("/jobs"), "Import of a price list", "Check of a price list")
		refused := b.get(at + "/refused")
		again := b.giveTo(priceImportsPath, "mended.csv", strings.NewReader(strings.ReplaceAll(refused.body, "LOST", "BOWL")))
		at, page = importOf(again), b.follow(again)
		b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
		s.runImports()
		b.follow(b.submit(t, b.get(at), at+"/run"))
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
