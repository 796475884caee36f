package importer

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A file that lacks a column which every row needs is refused at once, with the flag that mends it.
func TestMissingColumnsAreRefusedBeforeAnythingIsStored(t *testing.T) {
	for text, want := range map[string]string{
		"sku,name,cost ex VAT\nA,a,5\n":              "entrepot import stock", // it is no selling price
		"sku,name,Preis (€)\nA,a,\"12,50\"\n":        "--map 'Preis (€)=price'",
		"sku,name,A+B price\nA,a,5\n":                "--map '[A+B price]=price'",
		"sku,name,x,y\nA,a,12.50,red\nB,b,7.00,\n":   "--map 'x=price'",
		"sku,name,price list\nA,a,summer\n":          "entrepot import stock", // a list's name is no price
		"sku,name\nA,a\n":                            "entrepot import stock",
		"sku,Bezeichnung,price\nA,a,5\n":             "--map 'Bezeichnung=name'",
		"sku,colour,price\nA,red,5\n":                "entrepot import prices",
		"sku,qty\nA,5\n":                             "entrepot import stock",
		"Artikelnr.,name,price\nA,a,5\n":             "--map 'Artikelnr.=sku'",
		"Handle,Body (HTML),Variant Price\na,b,5\n":  "no column holds the name",
		"SKU,Type,Name,Regular price\n1,simple,a,\n": "",
		`[{"sku":"A","label":"a","price":5}]`:        "--map 'label=name'",
		`[{"sku":"A","name":"a","cost":5,"x":1.5}]`:  "--map 'x=price'",
	} {
		_, c := service(t)
		_, err := Run(t.Context(), Options{Kind: Products, File: write(t, text), To: c})
		sent, _ := c.Requests()
		call, wrong := errors.AsType[*CallError](err)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if !wrong || !strings.Contains(call.Message, want) || sent > 0 {
			t.Errorf("%s: %v, want %q; %d requests", text, err, want, sent)
		} else if strings.Contains(call.Message, "=0") || strings.Contains(call.Message, `"0"`) {
			t.Errorf("%s: the advice costs money: %s", text, call.Message)
		}
	}
	for text, want := range map[string]string{
		"orderId,buyer,sku,quantity,netto price\n1,Ada,A,1,5\n": "--map 'netto price=unitPrice'",
		"orderId,customer,sku,quantity,summe\n1,Ada,A,1,5\n":    "for the total of a line",
		"orderId,buyer,sku,quantity,price\n1,Ada,A,1,5\n":       "--map 'buyer=customerName'",
		"orderId,sku,quantity,price\n1,A,1,5\n":                 "--set customerName=Guest",
	} {
		_, c := service(t)
		_, err := Run(t.Context(), Options{Kind: Orders, File: write(t, text), To: c})
		if call, wrong := errors.AsType[*CallError](err); !wrong || !strings.Contains(call.Message, want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// An unreadable cell that a product does not need is reported; the product is stored.
func TestUnreadableOptionalCellsKeepTheProduct(t *testing.T) {
	fake, c := service(t)
	var faults []Fault
	s, err := Run(t.Context(), Options{Kind: Products, To: c, OnFault: func(f Fault) { faults = append(faults, f) }, File: write(t,
		"sku,name,price,compareAtPrice,salePrice,status,stock\n"+
			"A,a,5,n/a,,,\nB,b,5,-7,,,\nC,c,5,,soon,,\nD,d,5,,,visible,\n"+
			"E,e,5,,,,many\nF,f,5,9,4,archived,7\nG,g,unknown,9,,,\nH,h,5,,,,9999999999\n")})
	if err != nil || s.RowsStored != 7 || s.RowsRefused != 1 || s.Notes != 6 || len(faults) != 7 {
		t.Fatalf("%v, %+v, %+v", err, s, faults)
	}
	for i, want := range []string{
		"A note compareAtPrice bad_amount", "B note compareAtPrice negative_amount", "C note salePrice bad_amount", "D note status bad_status",
		"E note stock.quantity bad_quantity", "G refused price bad_amount", "H note stock.quantity bad_quantity",
	} {
		if f := faults[i]; fmt.Sprint(f.Item, " ", f.Level, " ", f.Field, " ", f.Code) != want || f.Level == Note && !strings.Contains(f.Message,
			"was stored without it") {
			t.Errorf("%+v, want %s", f, want)
		}
	}
	if a := fake.products["A"]; a.CompareAtPrice != nil { // neither set nor cleared
		t.Errorf("compare-at price %s", a.CompareAtPrice)
	}
	if f := fake.products["F"]; f.Price != "4" || string(f.CompareAtPrice) != "9" || f.Status != "ARCHIVED" || f.Stock.Quantity != 7 {
		t.Errorf("%+v", f)
	}
}

func TestDates(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"2026-01-02":                "2026-01-01T23:00:00Z",
		"2026-07-02":                "2026-07-01T22:00:00Z",
		"2010-12-01 08:26:00":       "2010-12-01T07:26:00Z",
		"2026-01-02T03:04:05Z":      "2026-01-02T03:04:05Z",
		"2026-01-02T03:04:05.678Z":  "2026-01-02T03:04:05Z",
		"2026-01-02 03:04:05 -0500": "2026-01-02T08:04:05Z",
		"2026-01-02 03:04 +01:00":   "2026-01-02T02:04:00Z",
		"31.12.2025":                "2025-12-30T23:00:00Z",
		"01.02.2026 17:30":          "2026-02-01T16:30:00Z",
		"1/2/2026":                  "2026-01-31T23:00:00Z", // 1 February
		"2026/01/02":                "2026-01-01T23:00:00Z",
		"02 Jan 2026":               "2026-01-01T23:00:00Z",
		"1/2/26 11:05 PM":           "2026-02-01T22:05:00Z",
		"31/12/2025, 12:05 am":      "2025-12-30T23:05:00Z",
		"13/13/2025":                "", "31.02.2025": "", "2025-00-01": "", "yesterday": "", "": "", "15000": "", "1-2.2026": "",
		"20261305": "", "12345678": "",
		"20260305":                          "2026-03-04T23:00:00Z",
		"20260305143000":                    "2026-03-05T13:30:00Z",
		"20260305T143000Z":                  "2026-03-05T14:30:00Z",
		"46086":                             "2026-03-04T23:00:00Z", // the days of a spreadsheet
		"46086.75":                          "2026-03-05T17:00:00Z",
		"1772704800":                        "2026-03-05T10:00:00Z",
		"1772704800123":                     "2026-03-05T10:00:00Z",
		"5. 3. 2026":                        "2026-03-04T23:00:00Z",
		"2026年3月5日 10:00":                   "2026-03-05T09:00:00Z",
		"5. März 2026, 10:00 Uhr":           "2026-03-05T09:00:00Z",
		"5 mars 2026":                       "2026-03-04T23:00:00Z",
		"1er août 2026":                     "2026-07-31T22:00:00Z",
		"5 de marzo de 2026":                "2026-03-04T23:00:00Z",
		"5 mrt. 2026":                       "2026-03-04T23:00:00Z",
		"5 maart 2026":                      "2026-03-04T23:00:00Z",
		"Thu, 05 Mar 2026 10:00:00 +0000":   "2026-03-05T10:00:00Z",
		"Thu Mar 5 10:00:00 2026":           "2026-03-05T09:00:00Z",
		"March 5th, 2026 10:00 am":          "2026-03-05T09:00:00Z",
		"Mar 5, 2026, 10:00:00\u202FPM PST": "2026-03-06T06:00:00Z",
		"05-Mar-26":                         "2026-03-04T23:00:00Z",
		"Mar-05-26 10:00":                   "2026-03-05T09:00:00Z",
		"05.03.2026 10:00:00 UTC":           "2026-03-05T10:00:00Z",
		"2026-03-05T10:00:00.000+00":        "2026-03-05T10:00:00Z",
		"12 Foo 2026":                       "", "March 2026": "", "2026-03-05 10:00 XYZ": "",
		"2026-01-02 25:00": "",
		"12:30":            "", "2026-01-02 3:04 xm": "", "1/2/3": "", "99-12-01": "",
	} {
		at, ok := parseDate([]byte(text), dayFirst, paris)
		got := ""
		if ok {
			got = apiTime(at)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"2026-09-06": "2026-09-06T03:00:00Z", "2026-09-06 01:30": "2026-09-06T04:30:00Z"} {
		if at, ok := parseDate([]byte(text), dayFirst, santiago); !ok || apiTime(at) != want { // its clocks go forward at midnight
			t.Errorf("%s in Santiago: %v %v", text, at, ok)
		}
	}
	if at, ok := parseDate([]byte("12/31/2025"), monthFirst, time.UTC); !ok || apiTime(at) != "2025-12-31T00:00:00Z" {
		t.Errorf("%v %v", at, ok)
	}
}

func FuzzDate(f *testing.F) {
	for _, seed := range []string{"2026-01-02 03:04:05 +0100", "31/12/2025 12:05 PM", "1.2.26", "Jan 2, 2006", "0000-00-00 00:00:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, order := range []dateOrder{dayFirst, monthFirst} {
			if at, ok := parseDate([]byte(text), order, time.UTC); ok && (at.Year() < 1899 || at.Year() > 9999+1) {
				t.Errorf("%q became %v", text, at)
			}
		}
	})
}

// A history keeps its dates; the column decides which number is the day.
func TestHistoryKeepsItsDates(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }
	for name, test := range map[string]struct {
		first, second string
		order         string
		want          string // createdAt of the first order
		says          string
	}{
		"iso":            {first: "2025-03-04", second: "2025-03-05", want: "2025-03-04T00:00:00Z"},
		"day first":      {first: "3/4/2025", second: "13/4/2025", want: "2025-04-03T00:00:00Z"},
		"month first":    {first: "3/4/2025", second: "3/24/2025", want: "2025-03-04T00:00:00Z"},
		"nobody knows":   {first: "3/4/2025", second: "4/4/2025", says: "--date-order dmy"},
		"said":           {first: "3/4/2025", second: "4/4/2025", order: "mdy", want: "2025-03-04T00:00:00Z"},
		"both kinds":     {first: "3/4/2025", second: "3/24/2025\n3,Ada,A,1,5,24/3/2025", says: "both kinds"},
		"ahead of today": {first: "2026-06-02", second: "2025-01-01"},
		"no dates":       {first: "some day", second: "another", says: "the dates cannot be read"},
		"mostly none":    {first: "some day", second: "another\n3,Ada,A,1,5,2025-01-01", says: "some day (row 1), another (row 2)"},
		"spreadsheet":    {first: "45000", second: "45001", want: "2023-03-15T00:00:00Z"},
		"blank":          {first: "", second: "2025-01-01"},
	} {
		t.Run(name, func(t *testing.T) {
			fake, c := service(t)
			fake.products["A"] = &fakeProduct{SKU: "A"}
			s, err := Run(t.Context(), Options{Kind: Orders, To: c, Now: now, DateOrder: test.order, File: write(t,
				"order id,customer,sku,quantity,price,order date\n1,Ada,A,1,5,"+test.first+"\n2,Ada,A,1,5,"+test.second+"\n")})
			if test.says != "" {
				if call, wrong := errors.AsType[*CallError](err); !wrong || !strings.Contains(call.Message, test.says) {
					t.Errorf("%v, want %q", err, test.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			o := fake.orders["1"]
			if o.CreatedAt != test.want {
				t.Errorf("createdAt %q, want %q", o.CreatedAt, test.want)
			}
			if kept := o.PaymentMetadata["date"]; test.want == "" && kept != test.first || test.want != "" && kept != "" {
				t.Errorf("paymentMetadata %v", o.PaymentMetadata)
			}
			if noted := s.Codes["bad_date"] == 1; noted != (test.want == "" && test.first != "") {
				t.Errorf("%+v", s.Codes)
			}
		})
	}
}

// A few dates that cannot be read, or lie ahead, refuse their orders: these must not become sales of today.
func TestUnreadDatesRefuseTheirOrders(t *testing.T) {
	got := made(t, Options{Kind: Orders, File: write(t, "order id,customer,sku,quantity,price,order date\n1,Ada,A,1,5,some day\n"+
		"2,Ada,A,1,5,2025-01-01\n3,Ada,A,1,5,2027-01-01\n4,Ada,A,1,5,\n")})
	contains(t, "dates", got, []string{"refused row 1 (1) 1 [date] bad_date", "refused row 3 (1) 3 [date] bad_date", "2025-01-01T",
		"note row 4 (0) 4 [date] missing_date"}, []string{`"externalReference":"1"`, `"externalReference":"3"`})
}
