package importer

import "testing"

// Titles above the names of the columns are passed over, whatever divides their cells; a flag says it where nothing shows it.
func TestTitlesAboveTheHeader(t *testing.T) {
	for name, text := range map[string]string{
		"with all signs":   "Price list 2026;;;\nDate: 28/11/2026;;;\n;;;\nSKU;Name;Price;Stock\nA;Bolt;0,50;100\nB;Nut;0,25;50\n",
		"without signs":    "Price list 2026\n\nSKU;Name;Price;Stock\nA;Bolt;0,50;100\nB;Nut;0,25;50\n",
		"with a comma":     "Price list, November 2026\nACME Ltd, 1 Main Street, Boston\nSKU;Name;Price;Stock\nA;Bolt;0,50;100\nB;Nut;0,25;50\n",
		"two cells":        "Price list;2026;;\nCurrency;EUR;;\nSKU;Name;Price;Stock\nA;Bolt;0,50;100\nB;Nut;0,25;50\n",
		"as wide":          "ACME;Boston;USA;2026\nSKU;Name;Price;Stock\nA;Bolt;0,50;100\nB;Nut;0,25;50\n",
		"sep and a title":  "sep=;\nPrices\nSKU;Name;Price;Stock\nA;Bolt;0,50;100\nB;Nut;0,25;50\n",
		"header as always": "SKU;Name;Price;Stock\nA;Bolt;0,50;100\nB;Nut;0,25;50\n",
		"Amazon": "TemplateType=fptcustom\tVersion=2026.01\t\t\nSeller SKU\tProduct Name\tStandard Price\tQuantity\n" +
			"item_sku\titem_name\tstandard_price\tquantity\nA\tBolt\t0.50\t100\nB\tNut\t0.25\t50\n",
	} {
		got := made(t, Options{Kind: Products, File: write(t, text)})
		contains(t, name, got, []string{`{"sku":"A","name":"Bolt","price":0.5,"stock":{"quantity":100}}`, `{"sku":"B","name":"Nut"`},
			[]string{"refused"})
	}
	own := "Nr;Was;Wieviel\n7;8;9\nArtikel;Text;Geld\nA;Bolt;0,50\nB;Nut;0,25\n"
	flags := []string{"Artikel=sku", "Text=name", "Geld=price"}
	got := made(t, Options{Kind: Products, File: write(t, own), HeaderRow: 3, Map: flags})
	contains(t, "the flag", got, []string{"names of columns in line 3", `{"sku":"A","name":"Bolt","price":0.5}`}, []string{`"sku":"7"`})
	stops(t, Options{Kind: Products, File: write(t, own), HeaderRow: 15}, "--header-row 15")
	stops(t, Options{Kind: Products, File: write(t, own), HeaderRow: 2, NoHeader: true}, "--header-row is for files with a header")
	got = made(t, Options{Kind: Stock, File: write(t, "Inventory report\nStore 5\nArticle number,On hand\nA,5\n")})
	contains(t, "stock", got, []string{`{"sku":"A","quantity":5}`}, []string{"refused"})
}

// An order's or a line's total is never taken for the price of a piece, and no advice sets prices to nothing.
func TestTotalsAreNoUnitPrices(t *testing.T) {
	for _, name := range []string{"Order Total", "Gesamtpreis", "Prix total", "Total price", "Importe total", "Order amount", "Totaalprijs",
		"Shipping price", "Preis gesamt", "Sum"} {
		file := write(t, "orderid,customer,sku,quantity,"+name+"\n1,Ada,A,3,30.00\n")
		stops(t, Options{Kind: Orders, File: file}, "no column holds the unitPrice", "lineTotal for the total of a line")
		found, err := Detect(t.Context(), Options{Kind: Orders, File: file, Guess: true})
		if err != nil || found.Columns[4].Field != "" {
			t.Errorf("%s is taken for %s (%v)", name, found.Columns[4].Field, err)
		}
	}
	stops(t, Options{Kind: Products, File: write(t, "Handle,Title,Variant SKU,Variant Inventory Qty\nmug,Mug,NP,5\n")},
		"entrepot import stock")
	stops(t, Options{Kind: Products, File: write(t, "sku,price\nA,5\n")}, "entrepot import prices")
	got := made(t, Options{Kind: Orders, File: write(t, "amazon-order-id,order-item-id,purchase-date,buyer-name,sku,"+
		"quantity-purchased,item-price\n"+
		"1,2,2026-03-05T10:00:00Z,Ada,A,3,30.00\n")})
	contains(t, "Amazon", got, []string{`"quantity":3,"unitPrice":10`}, nil)
}
