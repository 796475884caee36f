package dashboard

import (
	"fmt"
	"strings"
)

// seedImports gives a file that was checked: with new products, changed ones and refused rows.
func (s *site) seedImports() {
	s.t.Helper()
	s.samples["/products/import"] = strings.TrimPrefix(s.checkedImport("printemps-2027.csv"), importsPath+"/")
	s.samples[priceImportsPath] = s.checkedList(priceImportsPath, "preise-herbst.csv",
		"Artikelnr.;Preis;Streichpreis;Notiz\nKIT-POT;95,00;;neu\nDSK-LAMP;39,90;42,50;\nMUG;9,50;;\nLOST;auf Anfrage;;\n")
	s.samples[stockImportsPath] = s.checkedList(stockImportsPath, "inventur.csv",
		"SKU;Bestand;Lager\nKIT-POT;12;\nDSK-LAMP;3;NORTH\nMUG;86;\nLOST;4;\n")
	var labels strings.Builder
	labels.WriteString("Bestellung;Sendungsnummer;Versanddienst\n")
	numbers := s.listOf("SELECT 'ORD-' || number FROM orders WHERE tenant_id = $1 AND status IN ('PROCESSING', 'PENDING') ORDER BY number LIMIT 6")
	for number := range strings.FieldsSeq(numbers) {
		labels.WriteString(number + ";JJD014600001234567;\n")
	}
	labels.WriteString("SHOP-77;05308801234567;DPD\n")
	s.samples[shipmentImportsPath] = s.checkedList(shipmentImportsPath, "etiketten.csv", labels.String())
	s.samples["/orders/import"] = strings.TrimPrefix(s.checkedOrders("bestellungen-2025.csv", 40), orderImportsPath+"/")
}

// checkedList gives a list of prices or stock and has it tried.
func (s *site) checkedList(path, name, text string) string {
	s.t.Helper()
	b := s.as(s.owner)
	given := b.giveTo(path, name, strings.NewReader(text))
	page := b.follow(given)
	b.follow(b.submit(s.t, page, importOf(given)+"/check", columnsOf(page)...))
	s.runImports()
	return strings.TrimPrefix(importOf(given), path+"/")
}

// springList is a merchant's list of 300 products, some of which are there already and some of which cannot be read.
func springList() string {
	var b strings.Builder
	b.WriteString("R\xe9f.;D\xe9signation;Prix TTC;Prix barr\xe9;Cat\xe9gorie;Stock;Remarque\n")
	b.WriteString("KIT-POT;Cocotte en fonte, 4 l;95,00;;Cuisine;12;\nDSK-LAMP;Desk lamp;39,90;42,50;Bureau;3;\n")
	for i := range 300 {
		price := fmt.Sprintf("%d,%02d", i+4, i%100)
		switch i % 60 {
		case 17:
			price = "auf Anfrage"
		case 41:
			price = ""
		}
		fmt.Fprintf(&b, "GRD-PLN-%03d;Pot \xe0 fleurs n\xb0 %d, terre cuite;%s;;Jardin > Pots;%d;\xe0 v\xe9rifier\n", i, i, price, i)
	}
	return b.String()
}

// checkedImport gives the list and has it tried; it gives the path of its page.
func (s *site) checkedImport(name string) string {
	s.t.Helper()
	b := s.as(s.owner)
	given := b.give(name, strings.NewReader(springList()))
	page := b.follow(given)
	b.follow(b.submit(s.t, page, importOf(given)+"/check", columnsOf(page)...))
	s.runImports()
	return importOf(given)
}
