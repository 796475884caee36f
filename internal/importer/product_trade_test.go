package importer

import "testing"

// Columns of what trade needs to know are read by their usual names; a cell that is none is noted, and the product is
// stored without it.
func TestTradeColumns(t *testing.T) {
	got := made(t, Options{Kind: Products, File: write(t, "sku;name;price;gtin;Weight (kg);Cost price;Tax class;Country of origin\n"+
		"A;Cup;12,50;'4006381333931;0,35;4,10;reduced-rate;Portugal\n"+
		"B;Bowl;9,90;4006381333932;heavy;;;Atlantis\n"+
		"C;Lamp;29,00;;12 oz;;;fr\n")})
	contains(t, "trade", got, []string{
		`{"sku":"A","name":"Cup","price":12.5,"gtin":"4006381333931","weight":0.35,"cost":4.1,"taxClass":"reduced-rate","countryOfOrigin":"PT"`,
		`{"sku":"B","name":"Bowl","price":9.9}`, "note row 2 (0) B", "bad_gtin", "bad_weight", "bad_country",
		`{"sku":"C","name":"Lamp","price":29,"weight":0.3402,"countryOfOrigin":"FR"`}, nil)
}

func TestWeights(t *testing.T) {
	for text, want := range map[string]string{"0.35": "0.35", "0,35 kg": "0.35", "350 g": "0.35", "350g": "0.35", "1.5 lbs": "0.6804", "1 lb.": "0.4536",
		"12 oz": "0.3402", "1.200000": "1.2", "0": "0", "100000": "100000", "99999999 g": "99999.999", "100001": "", "-1": "", "heavy": "", "1 t": "",
		"": "", "1.234,5": ""} {
		weight, ok := weightOf([]byte(text), "kg")
		if got := weight.String(); ok != (want != "") || ok && got != want {
			t.Errorf("%q is %s %v, not %s", text, got, ok, want)
		}
	}
}
