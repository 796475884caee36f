package importer

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Rows with one SKU: whichever way they are settled, every row is accounted for and the product is the
// one that was asked for.
func TestDuplicates(t *testing.T) {
	plain := "sku,name,price,description,stock,image,brand\n" +
		"A,first,1,,,https://i/1.jpg,\nB,b,2,,,,\nA,second,5,text,7,https://i/2.jpg,Acme\nA,,,,,,Other\n"
	family := "sku,name,price,parent,stock\n" +
		"F,family,9,,\nF-1,one,3,F,\nF-1,uno,4,F,6\nF,again,8,,\n"
	own := `{"sku":"A","name":"first","price":1}` + "\n" + `{"sku":"B","name":"b","price":2}` + "\n" +
		`{"sku":"A","name":"second","price":5}` + "\n"
	for name, test := range map[string]struct {
		text, mode string
		want       string // of product A or F
		refused    int
		codes      string
	}{
		"plain first": {text: plain, mode: "first", want: `A first 1 "" -1 1`, refused: 2, codes: "map[duplicate_sku:1 missing_name:1]"},
		"plain last": {text: strings.TrimSuffix(plain, "A,,,,,,Other\n"), mode: "last", want: `A second 5 "text" 7 1`, refused: 1,
			codes: "map[duplicate_sku:1]"},
		"plain merge":  {text: plain, mode: "merge", want: `A first 1 "text" 7 2`, codes: "map[conflicting_rows:2]"},
		"default":      {text: plain, want: `A first 1 "" -1 1`, refused: 2, codes: "map[duplicate_sku:1 missing_name:1]"},
		"family first": {text: family, mode: "first", want: `F family 9 "" -1 0 F-1 one 3 -1`, refused: 2, codes: "map[duplicate_sku:2]"},
		"family last":  {text: family, mode: "last", want: `F again 8 "" -1 0 F-1 uno 4 6`, refused: 2, codes: "map[duplicate_sku:2]"},
		"family merge": {text: family, mode: "merge", want: `F family 9 "" -1 0 F-1 one 3 6`, codes: "map[conflicting_rows:4]"},
		"own first":    {text: own, mode: "first", want: `A first 1 "" -1 0`, refused: 1, codes: "map[duplicate_sku:1]"},
		"own last":     {text: own, mode: "last", want: `A second 5 "" -1 0`, refused: 1, codes: "map[duplicate_sku:1]"},
	} {
		t.Run(name, func(t *testing.T) {
			fake, c := service(t)
			s := run(t, Options{Kind: Products, File: write(t, test.text), To: c, Duplicates: test.mode})
			p := fake.products["A"]
			if p == nil {
				p = fake.products["F"]
			}
			stock := -1
			if p.Stock != nil {
				stock = p.Stock.Quantity
			}
			got := fmt.Sprintf("%s %s %s %q %d %d", p.SKU, p.Name, p.Price, p.Description, stock, len(p.Images))
			for _, v := range p.Variants {
				stock = -1
				if v.Stock != nil {
					stock = *v.Stock
				}
				got += fmt.Sprintf(" %s %s %s %d", v.SKU, v.Name, v.Price, stock)
			}
			if got != test.want || s.RowsRefused != test.refused || fmt.Sprint(s.Codes) != test.codes {
				t.Errorf("%s, %d rows refused, %v; want %s, %d, %s", got, s.RowsRefused, s.Codes, test.want, test.refused, test.codes)
			}
		})
	}
	_, c := service(t)
	for want, o := range map[string]Options{
		"use first, last, merge": {Kind: Products, File: write(t, plain), To: c, Duplicates: "newest"},
		"passed on as they are":  {Kind: Products, File: write(t, own), To: c, Duplicates: "merge"},
		"is for products":        {Kind: Orders, File: write(t, sales(2)), To: c, Map: salesMap, Duplicates: "last"},
	} {
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Whatever rows a file has, in whatever order, each is stored or refused once.
func TestDuplicatesKeepAccount(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		b.WriteString("sku,name,price,parent\n")
		for range rapid.IntRange(1, 25).Draw(rt, "rows") {
			n := rapid.IntRange(0, 4).Draw(rt, "sku")
			parent := rapid.SampledFrom([]string{"", "", "F-0", "F-1"}).Draw(rt, "parent")
			sku := rapid.SampledFrom([]string{fmt.Sprintf("F-%d", n), fmt.Sprintf("V-%d", n), ""}).Draw(rt, "kind")
			price := rapid.SampledFrom([]string{"5", "7", "", "x"}).Draw(rt, "price")
			fmt.Fprintf(&b, "%s,%s,%s,%s\n", sku, rapid.SampledFrom([]string{"a", "b", ""}).Draw(rt, "name"), price, parent)
		}
		o := Options{Kind: Products, File: write(t, b.String()), Duplicates: rapid.SampledFrom([]string{"first", "last", "merge"}).Draw(rt,
			"mode")}
		if got := made(t, o); t.Failed() { // made checks the account itself
			rt.Fatalf("%s\n%s", b.String(), got)
		}
	})
}
