package importer

import (
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/base/money"
)

// An import whose prices change by more than half of what they were stores nothing until somebody has accepted that, the largest first.
func TestPriceJumpsMustBeAccepted(t *testing.T) {
	files := map[Kind]string{
		Prices:   "sku,price\nSAME,100\nHALF,50\nDOWN,49.99\nUP,150.01\nHIGHER,150\nTEN,1000\nNOTHING,0\nFREE,5\nNEW,1\n",
		Products: "sku,name,price\nSAME,A,100\nHALF,A,50\nDOWN,A,49.99\nUP,A,150.01\nHIGHER,A,150\nTEN,A,1000\nNOTHING,A,0\nFREE,A,5\nNEW,A,1\n",
	}
	for kind, text := range files {
		fake, c := service(t)
		for _, sku := range []string{"SAME", "HALF", "DOWN", "UP", "HIGHER", "TEN", "NOTHING"} {
			fake.products[sku] = &fakeProduct{SKU: sku, Name: "A", Price: "100"}
		}
		fake.products["FREE"] = &fakeProduct{SKU: "FREE", Name: "A", Price: "0"}
		o := Options{Kind: kind, File: write(t, text), To: c}
		_, err := Run(t.Context(), o)
		want := "for 4 of the file's SKUs; nothing was stored.\n  TEN: 100 to 1000 (+900 %)\n  NOTHING: 100 to 0 (-100 %)\n  " +
			"DOWN: 100 to 49.99 (-50 %)\n  UP: 100 to 150.01 (+50 %)\n"
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--accept-jumps") {
			t.Errorf("%s: %v", kind, err)
		}
		if fake.products["TEN"].Price != "100" {
			t.Errorf("%s: a price was stored", kind)
		}
		o.DryRun = true
		if s := run(t, o); s.Jumps != 4 || len(s.PriceJumps) != 4 || s.PriceJumps[0].SKU != "TEN" || s.Codes["price_jump"] != 4 {
			t.Errorf("%s, dry run: %+v", kind, s)
		}
		o.DryRun, o.AcceptJumps = false, true
		if kind == Products {
			if s := run(t, o); fake.products["TEN"].Price != "1000" || s.RowsRefused != 0 {
				t.Errorf("%s, accepted: %+v", kind, s)
			}
		}
	}
}

// Rows of one product are compared, too, and read again after that as if for the first time.
func TestJumpsOfVariants(t *testing.T) {
	fake, c := service(t)
	text := "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src\n"
	for i := range 3 {
		text += fmt.Sprintf("p%d,Shirt,Size,S,p%d-s,10,\np%d,,Size,M,p%d-m,10,\n", i, i, i, i)
	}
	o := Options{Kind: Products, File: write(t, text), To: c}
	if s := run(t, o); s.Created != 3 {
		t.Fatalf("%+v", s)
	}
	if s := run(t, o); s.Updated != 3 || s.RowsRefused != 0 {
		t.Errorf("the same again: %+v", s)
	}
	o.File = write(t, strings.ReplaceAll(text, "p1-m,10", "p1-m,100"))
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "p1-m: 10 to 100 (+900 %)") {
		t.Errorf("%v", err)
	}
	if fake.products["p1"].Variants[1].Price != "10" {
		t.Error("a price was stored")
	}
}

func TestJumpsKeepTheLargest(t *testing.T) {
	j := KeepJumps(3)
	for i := range 100 {
		j.Add(fmt.Sprint(i), "", money.Scale, money.Amount(i)*money.Scale)
	}
	if j.Sort(); j.Count != 99 || len(j.List) != 3 || j.List[0].SKU != "99" || j.List[2].SKU != "97" { // 0 falls, 1 stays
		t.Errorf("%d: %v", j.Count, j.List)
	}
}
