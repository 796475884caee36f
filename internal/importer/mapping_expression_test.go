package importer

import (
	"slices"
	"strings"
	"testing"
)

func TestExpressions(t *testing.T) {
	header := []string{"number", "variant", "US price", "UK price", "image", "a+b=c", "blank"}
	cells := [][]byte{[]byte(" 7101 "), []byte("1"), nil, []byte("9.99"), []byte("https://x/img/4984_sb.jpg"), []byte("odd"), []byte("  ")}
	columns := func(name string) (int, bool) { i := slices.Index(header, name); return i, i >= 0 }
	for text, want := range map[string]string{
		`number=sku`:                       "7101",
		` number = sku`:                    "7101",
		`number+"-"+variant=sku`:           "7101-1",
		`number + "-" + variant = sku`:     "7101-1",
		`US price|UK price=price`:          "9.99",
		`US price|blank|"0"=price`:         "0",
		`US price|blank=price`:             "",
		`"constant"=status`:                "constant",
		`""=status`:                        "",
		`[a+b=c]=name`:                     "odd",
		`[number]+" "+[a+b=c]=name`:        "7101 odd",
		`blank+"-"+US price=sku`:           "", // only the constant is left: blank
		`blank+"-"+variant=sku`:            "-1",
		`image~/(\d+)_/=sku`:               "4984",
		`image~/\d+_sb/=sku`:               "4984_sb",
		`image~/img\/(.)/=sku`:             "4",
		`image~/nothing/|number=sku`:       "7101",
		`image~/(\d+)_/+"-"+variant=sku`:   "4984-1",
		`blank+" > "+number+" > "=name`:    "> 7101 >",
		`"Customer "+number|"Guest"=name`:  "Customer 7101",
		`"Customer "+blank|"Guest"=name`:   "Guest",
		`"a"+"b"=name`:                     "ab",
		`image~/[|+=]/|variant=sku`:        "1",
		`image~/^(https?:\/\/[^\/]+)/=sku`: "https://x",
	} {
		e, field, err := parseExpression(text, columns)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var scratch []byte
		if got := string(e.value(cells, &scratch)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if want := strings.TrimSpace(text[strings.LastIndex(text, "=")+1:]); field != want || strings.Contains(e.text, "="+field) {
			t.Errorf("%s: field %q, text %q", text, field, e.text)
		}
	}
	for text, want := range map[string]string{
		`number`:           "no =field",
		`nothing=sku`:      `no column "nothing"`,
		`=sku`:             `no column ""`,
		`"open=sku`:        `" is not closed`,
		`[open=sku`:        "[ is not closed",
		`number+=sku`:      `no column ""`,
		`image~x=sku`:      "/pattern/",
		`image~/x=sku`:     "not closed",
		`image~/(/=sku`:    "missing closing",
		`"a" "b"=sku`:      "does not belong",
		`image~/x\/=sku`:   "not closed",
		`number|"x"~y=sku`: "does not belong",
	} {
		if _, _, err := parseExpression(text, columns); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, seed := range []string{`a+"-"+b=sku`, `a~/x\/(y)/|b|"0"=price`, `[a]=b`, `~/=`, `a~/\\/=c`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, field, err := parseExpression(text, func(name string) (int, bool) { return len(name) % 3, name != "" })
		if err != nil {
			return
		}
		if strings.Contains(field, "=") && !strings.Contains(text, field) {
			t.Errorf("field %q", field)
		}
		var scratch []byte
		e.value([][]byte{[]byte("one"), nil}, &scratch)
	})
}

func TestCategories(t *testing.T) {
	for _, test := range []struct {
		between, nesting, cell string
		one                    bool
		want                   string
	}{
		{"|;", ">", "Clothing > Shirts", true, "Clothing > Shirts"},
		{"|;", ">", "Clothing>Shirts|Sale", false, "Clothing > Shirts + Sale"},
		{",", ">", `Clothing > Shirts, Sale, Salt\, pepper`, false, "Clothing > Shirts + Sale + Salt, pepper"},
		{",", "/", "Default/Men/Tops,Default/Sale,Default", false, "Default > Men > Tops + Default > Sale + Default"},
		{"|;", ">", "Food, Drinks & more > Cakes", true, "Food, Drinks & more > Cakes"},
		{"|;", ">", "Gear\nBags", true, "Gear + Bags"},
		{"|;", ">", "Phones\x1fPrepaid\x1fAll", true, "Phones > Prepaid > All"},
		{"|;", ">", "Phones\x1fPrepaid", false, "Phones + Prepaid"},
		{"|;", ">", " > A >  > ", true, "A"},
		{"|;", ">", "A|A|A", false, "A"},
		{"|;", ">", ">", true, ""},
		{"|;", ">", "", true, ""},
	} {
		tree := newCategoryTree(test.between, test.nesting)
		if got := strings.Join(tree.of([]byte(test.cell), test.one), " + "); got != test.want {
			t.Errorf("%q: %s, want %s", test.cell, got, test.want)
		}
		seen := map[string]bool{}
		for _, c := range tree.list {
			if c.ParentExternalID != nil && !seen[*c.ParentExternalID] {
				t.Errorf("%q: %s comes before its parent", test.cell, c.ExternalID)
			}
			seen[c.ExternalID] = true
		}
	}
	long := newCategoryTree("|", ">")
	ids := long.of([]byte(strings.Repeat("é", 100)+">"+strings.Repeat("x", 200)+"|"+strings.Repeat("é", 100)+">"+strings.Repeat("x", 201)),
		false)
	if len(ids) != 2 || ids[0] == ids[1] || len(ids[0]) > longestID || !strings.HasPrefix(ids[0], "éé") {
		t.Errorf("long paths: %q", ids)
	}
}

func TestImageAddressesAreCut(t *testing.T) {
	for cell, want := range map[string]string{
		"https://a/1.jpg":                            "https://a/1.jpg",
		"https://a/1.jpg, https://a/2.jpg":           "https://a/1.jpg + https://a/2.jpg",
		"https://a/1.jpg https://a/2.jpg":            "https://a/1.jpg + https://a/2.jpg",
		"https://a/1.jpg|https://a/2.jpg|":           "https://a/1.jpg + https://a/2.jpg",
		"https://a/1,2.jpg,https://a/3.jpg":          "https://a/1,2.jpg + https://a/3.jpg",
		"https://a/853357 -1.jpg":                    "https://a/853357%20-1.jpg",
		"/m/1.jpg,/m/2.jpg":                          "https://base/m/1.jpg + https://base/m/2.jpg",
		"m/1.jpg":                                    "https://base/m/1.jpg",
		"//cdn/1.jpg":                                "https://cdn/1.jpg",
		"https://a/1.jpg\nhttps://a/1.jpg":           "https://a/1.jpg",
		" , |":                                       "",
		"https://a/1.jpg; https://a/2.jpg?x=1;y=2":   "https://a/1.jpg + https://a/2.jpg?x=1;y=2",
		"https://a/1.jpg\x1fhttps://a/2.jpg":         "https://a/1.jpg + https://a/2.jpg",
		"https://a/1.jpg , https://a/2.jpg ,  ":      "https://a/1.jpg + https://a/2.jpg",
		"https://a/" + strings.Repeat("x", 10) + ",": "https://a/xxxxxxxxxx",
	} {
		r := newProductReader(newMapping(productFields), newCategoryTree("|", ">"), "https://base/")
		var p product
		faults := r.addImages(&p, []byte(cell), nil)
		var got []string
		for _, image := range p.images {
			got = append(got, string(image))
		}
		if text := strings.Join(got, " + "); text != want || len(faults) > 0 {
			t.Errorf("%q: %s, want %s (%v)", cell, text, want, faults)
		}
	}
}

func TestCountries(t *testing.T) {
	codes := map[string]bool{}
	for _, code := range countryCodes() {
		codes[code] = true
	}
	if len(codes) != 249 {
		t.Errorf("%d countries, ISO 3166-1 has 249", len(codes))
	}
	for name, want := range map[string]string{
		"United Kingdom": "GB", "EIRE": "IE", "usa": "US", "US": "US", "de": "DE", "Deutschland": "DE", "Czech Republic": "CZ",
		"Channel Islands": "", "Unspecified": "", "European Community": "", "": "", "Hong Kong": "HK", "UK": "GB", "ZZ": "",
	} {
		if got := countryCode([]byte(name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
