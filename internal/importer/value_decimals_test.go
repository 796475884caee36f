package importer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entrepot/internal/base/money"
)

// What a single cell shows of its column.
func TestEvidenceOfCells(t *testing.T) {
	for cell, want := range map[string]evidence{
		"1.050": aroundPoint, "1,050": aroundComma, "-1.050": aroundPoint, "(1,050)": aroundComma, "12.345": aroundPoint, "123,456": aroundComma,
		"€ 1.050": aroundPoint, "1,050 kr.": aroundComma, "Dhs 1,050": aroundComma, "Rs.1,050": aroundComma, "1.050-": aroundPoint,
		"1.050,00": saysComma, "1,050.00": saysPoint, "12.5": saysPoint, "12,5": saysComma, "0.125": saysPoint, "0,125": saysComma,
		"0.000":  saysPoint,
		"1.2345": saysPoint, "1,2345": saysComma, "1234.567": saysPoint, "1234,567": saysComma, ".5": saysPoint, ",5": saysComma,
		"-12,50 €": saysComma,
		"1 050,00": saysComma, "1'050.00": saysPoint, "1'050.000": saysPoint, "1 050,000": saysComma, "1\u00a0050,5": saysComma,
		"1.234.567": saysComma, "1,234,567": saysPoint, "1,00,000": saysPoint, "1.050,-": saysComma, "595,-": saysComma, "1,050.–": saysPoint,
		"595": wholeSmall, "Dhs 595": wholeSmall, "-7": wholeSmall, "1050": wholeUngroup, "123456": wholeUngroup, "Rs. 5": wholeSmall,
		"1 050": saysNothing, "1'050": saysNothing, "0": saysNothing, "": saysNothing, "call us": saysNothing, "1.2.3": saysNothing,
		"5/6":    saysNothing,
		"1,,000": saysNothing, "-": saysNothing, "12.03.2024": saysNothing,
	} {
		if got := evidenceOf([]byte(cell)); got != want {
			t.Errorf("%q: %d, want %d", cell, got, want)
		}
	}
}

// Columns, and how their numbers are read; "?" if that cannot be known.
func TestDecimalSignOfColumns(t *testing.T) {
	for column, want := range map[string]string{
		"":                                     ".",
		"50 60 1050":                           ".",
		"1.50 2.75":                            ".",
		"1,50 2,75":                            ",",
		"595 1.050 2.199":                      ",", // groups of thousands fit everywhere
		"Dhs1,050 Dhs595":                      ".",
		"0 0 1.050":                            "?",
		"1.050 2.100 12.300":                   "?",
		"1,050":                                "?",
		"1.050 1050":                           "?", // one of the two would lack its separator
		"1.050 2,100 595":                      "?",
		"12.5 1.050":                           ".", // decimals are proved
		"12.5 1,050":                           ".",
		"12,5 1.050":                           ",",
		"12,5 1,050":                           ",",
		"1.050,00 1.050":                       ",",
		"1,050.00 1,050":                       ".",
		"0.125 1.050":                          ".",
		"0,125 7":                              ",",
		"1.2345 1.050":                         ".",
		"1.000.000 2.000":                      ",",
		"1'050.00 1.050":                       ".",
		"12.5 12,5":                            ".",
		"12,5 12,5 12.5":                       ",",
		"12.5 12,5 1.050":                      "?",
		"12,50€ 1.000,00€ 5,-":                 ",",
		"-1.050 -595":                          ",",
		"call-us 595 1.050":                    ",",
		strings.Repeat("595 ", 2000) + "1.050": ",",
		strings.Repeat("1.050 ", 2000) + "2.5": ".",
	} {
		var v columnVote
		for i, cell := range strings.Fields(column) {
			v.add([]byte(cell), i+1)
		}
		sign, why := v.decide()
		got := string(sign)
		if why != "" {
			got = "?"
		}
		if got != want {
			t.Errorf("%.60s: %s (%s), want %s", column, got, why, want)
		}
	}
}

// A whole column, not its first rows, decides; and each column for itself.
func TestAmbiguousAmountsAreRefusedBeforeAnythingIsStored(t *testing.T) {
	grouped := "sku;name;price;compareAtPrice\n"
	for i := range 3000 {
		grouped += fmt.Sprintf("P-%d;Product;%d.50;%d\n", i, i%90+1, i%900+1)
	}
	for name, test := range map[string]struct {
		text    string
		decimal []string
		says    string // of the wrong call
		first   string // price of the first product
		last    string // compare-at price of the last
	}{
		"only such amounts": {text: "sku;name;price\nA;a;1.050\nB;b;12.300\n", says: "--decimal 'price=comma'"},
		"said":              {text: "sku;name;price\nA;a;1.050\nB;b;12.300\n", decimal: []string{"comma"}, first: "1050"},
		"said otherwise":    {text: "sku;name;price\nA;a;1.050\nB;b;12.300\n", decimal: []string{"."}, first: "1.05"},
		"thousands":         {text: "sku;name;price\nA;a;1.050\nB;b;595\n", first: "1050"},
		"far behind":        {text: grouped + "LAST;Product;1.5;1.299\n", first: "1.5", last: "1299"},
		"by column":         {text: grouped + "LAST;Product;1.5;1.299\n", decimal: []string{"compareAtPrice=point"}, first: "1.5", last: "1.299"},
		"by header":         {text: "sku;name;Preis=price;x\nA;a;1.050;\n", says: "no column holds the price"},
		"two columns":       {text: "sku;name;price;compareAtPrice\nA;a;1.050;2,100\n", says: "--decimal 'price=comma,compareAtPrice=comma'"},
		"two columns said": {text: "sku;name;price;compareAtPrice\nA;a;1.050;2,100\n", decimal: []string{"price=comma,compareAtPrice=point"},
			first: "1050", last: "2100"},
		"both signs": {text: "sku;name;price\nA;a;1.050\nB;b;12.5\nC;c;12,5\n", says: "12.5 (row 2)"},
	} {
		t.Run(name, func(t *testing.T) {
			fake, c := service(t)
			_, err := Run(t.Context(), Options{Kind: Products, File: write(t, test.text), To: c, Decimal: test.decimal})
			if test.says != "" {
				call, wrong := errors.AsType[*CallError](err)
				if sent, _ := c.Requests(); !wrong || !strings.Contains(call.Message, test.says) || sent > 0 {
					t.Errorf("%v, want %q; %d requests", err, test.says, sent)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			first := fake.products["A"]
			if first == nil {
				first = fake.products["P-0"]
			}
			if first.Price.String() != test.first {
				t.Errorf("price %s, want %s", first.Price, test.first)
			}
			if last := fake.products["LAST"]; last != nil && string(last.CompareAtPrice) != test.last {
				t.Errorf("compare-at price %s, want %s", last.CompareAtPrice, test.last)
			}
		})
	}
}

// The standard input is read as often as needed.
func TestStandardInputIsVotedOnWhole(t *testing.T) {
	fake, c := service(t)
	text := "sku;name;price\n" + strings.Repeat("x;x;1.050\n", 1500) + "A;a;2.199\nB;b;75\n"
	if _, err := Run(t.Context(), Options{Kind: Products, File: "-", Stdin: strings.NewReader(text), To: c}); err != nil {
		t.Fatal(err)
	}
	if got := fake.products["A"].Price.String(); got != "2199" {
		t.Errorf("price %s", got)
	}
}

// In JSON a number's decimals begin with a point, whatever texts do.
func TestNumbersOfJSONAreNotAmbiguous(t *testing.T) {
	for text, want := range map[string]string{
		`[{"sku":"A","title":"a","price":1.125}]`:                                         "1.125",
		`[{"sku":"A","title":"a","price":"1,050"},{"sku":"B","title":"b","price":"595"}]`: "1050",
		`[{"sku":"A","title":"a","price":"1.050"},{"sku":"B","title":"b","price":12.5}]`:  "1.05",
		`[{"sku":"A","title":"a","price":"1.050"}]`:                                       "?",
	} {
		fake, c := service(t)
		_, err := Run(t.Context(), Options{Kind: Products, File: write(t, text), To: c})
		got := "?"
		if err == nil {
			got = fake.products["A"].Price.String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s (%v)", text, got, want, err)
		}
	}
}

func TestDecimalFlag(t *testing.T) {
	for text, want := range map[string]string{
		"comma": "all , []", ",": "all , []", ".": "all . []", "Point": "all . []", "auto": "all auto []",
		"price=comma":                       "all auto [price ,]",
		"price=comma,compareAtPrice=point":  "all auto [price , compareAtPrice .]",
		"price=,,compareAtPrice=.":          "all auto [price , compareAtPrice .]",
		"comma,compareAtPrice=point":        "all , [compareAtPrice .]",
		"Price excl. VAT=comma , x = point": "all auto [Price excl. VAT , x .]",
		"price":                             "wrong", "price=": "wrong", "price=auto": "wrong", ";": "wrong",
	} {
		d, err := parseDecimals([]string{text})
		all := "auto"
		if d.all != 0 {
			all = string(d.all)
		}
		var single []string
		for _, name := range d.asked {
			single = append(single, name+" "+string(d.single[strings.ToLower(name)]))
		}
		got := fmt.Sprintf("all %s %v", all, single)
		if err != nil {
			got = "wrong"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	_, c := service(t)
	o := Options{Kind: Products, File: write(t, "sku;name;price\nA;a;5\n"), To: c, Decimal: []string{"cost=comma"}}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "the fields with numbers are price") {
		t.Errorf("a column that is not there: %v", err)
	}
}

// Whatever way a column is written, with thousands grouped or not, what is read is what was meant, or
// the file is refused; no amount is ever read 1,000 times too small or too large.
func TestColumnsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		decimal := rapid.SampledFrom([]byte{'.', ','}).Draw(t, "decimal")
		group := rapid.SampledFrom([]string{"", map[byte]string{'.': ",", ',': "."}[decimal], "'", " "}).Draw(t, "group")
		digits := rapid.IntRange(0, 2).Draw(t, "digits") // as many decimals everywhere, as a program prints them
		amounts := rapid.SliceOfN(rapid.Int64Range(0, 2_000_000), 1, 30).Draw(t, "hundredths")
		var cells []string
		var want []money.Amount
		var v columnVote
		for i, hundredths := range amounts {
			unit := []int64{100, 10, 1}[digits]
			hundredths -= hundredths % unit
			whole, fraction := fmt.Sprint(hundredths/100), fmt.Sprintf("%02d", hundredths%100)[:digits]
			for i := len(whole) - 3; i > 0; i -= 3 {
				whole = whole[:i] + group + whole[i:]
			}
			cells = append(cells, join(whole, fraction, decimal))
			want = append(want, money.Amount(hundredths*100))
			v.add([]byte(cells[i]), i+1)
		}
		sign, why := v.decide()
		if why != "" {
			return
		}
		for i, cell := range cells {
			got, err := parseAmount([]byte(cell), sign)
			if err != nil || got.value != want[i] {
				t.Fatalf("%q of %q read with %c: %v, %v, want %v", cell, cells, sign, got.value, err, want[i])
			}
		}
	})
}

// FuzzColumnVote: whatever the cells are, the vote ends, and a column it decides holds no cell that
// proves the other sign beside one in doubt.
func FuzzColumnVote(f *testing.F) {
	for _, seed := range []string{"1.050\n595", "1,050\n12.5", "0.125", "1 050,00\n1'050.00", "€ 1.050,-\n(5)", "1e3\n-1.2345",
		"\u22121.050\n5\u2013"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v columnVote
		cells := strings.Split(text, "\n")
		for i, cell := range cells {
			v.add([]byte(cell), i+1)
		}
		sign, why := v.decide()
		if (why == "") != (sign == '.' || sign == ',') {
			t.Fatalf("%q: sign %q, %s", cells, sign, why)
		}
		if why != "" {
			if v.doubtful() == 0 {
				t.Errorf("%q is refused without a doubt: %s", cells, why)
			}
			return
		}
		other := map[byte]evidence{'.': saysComma, ',': saysPoint}[sign]
		if v.doubtful() > 0 && v.count[other] > 0 {
			t.Errorf("%q was decided for %c against its evidence", cells, sign)
		}
		for _, cell := range cells { // digits are neither lost nor made
			got, err := parseAmount([]byte(cell), sign)
			if err == nil && evidenceOf([]byte(cell)) == aroundPoint && sign == ',' && got.value%money.Scale != 0 {
				t.Errorf("%q with groups is %v", cell, got.value)
			}
		}
	})
}
