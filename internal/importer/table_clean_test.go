package importer

import (
	"strings"
	"testing"
)

// contains checks what a file makes: it holds every text of has and none of lacks.
func contains(t *testing.T, name, got string, has, lacks []string) {
	t.Helper()
	for _, text := range has {
		if !strings.Contains(got, text) {
			t.Errorf("%s: %s is missing:\n%s", name, text, got)
		}
	}
	for _, text := range lacks {
		if strings.Contains(got, text) {
			t.Errorf("%s: %s is there:\n%s", name, text, got)
		}
	}
}

// What spreadsheets and editors leave around codes is taken off; a code whose digits are lost refuses its row.
func TestCodesAreCleaned(t *testing.T) {
	text := "\uFEFFSK\u200BU,Name,Price,Barcode\n" +
		"=\"0012\",Bolt,10,\"=\"\"0400\"\"\"\n" +
		"'0013,'t Hoekje,11,'0012345678905\n" +
		"'AB-14,'90s Poster,'12.50,\n" +
		"\u200BZW\uFEFF-15\u200B,Na\u200Bme,13,\n" +
		"4.00638E+12,Lost,14,\n" +
		"\"4,00638E+12\",Lost too,14,\n" +
		"4.006381333931E+12,Whole,15,\n" +
		"5E10,Not a number,16,\n" +
		"B-17,Barcode lost,17,4E+12\n"
	got := made(t, Options{Kind: Products, File: write(t, text)})
	contains(t, "codes", got, []string{`{"sku":"0012","name":"Bolt"`, `"barcode":"0400"`, `{"sku":"0013","name":"'t Hoekje"`,
		`"barcode":"0012345678905"`, `{"sku":"AB-14","name":"'90s Poster","price":12.5`, `{"sku":"ZW-15"`,
		`refused row 5 (1) 4.00638E+12`, `refused row 6 (1) 4,00638E+12`, `{"sku":"4006381333931"`, `{"sku":"5E10"`, `refused row 9 (1) B-17`},
		[]string{`"Lost`})
	got = made(t, Options{Kind: Stock, File: write(t, "sku,qty\n=\"0012\",'5\n'=1+1,6\n1E+12,7\n")})
	contains(t, "stock", got, []string{`{"sku":"0012","quantity":5}`, `{"sku":"=1+1","quantity":6}`, "refused row 3 (1) 1E+12"}, nil)
	got = made(t, Options{Kind: Orders, File: write(t, "orderno,customer,sku,qty,price\n=\"007\",Ann,'0012,1,2\n")})
	contains(t, "orders", got, []string{`"externalReference":"007"`, `"sku":"0012"`}, nil)
}

// One bad byte changes nothing but its row, which is refused by its name, if somebody reads the cell.
func TestBadBytesRefuseTheirRows(t *testing.T) {
	text := "SKU,Name,Price,Remark\nA,Größe für Müller,1,\nB,Maß f\xC3,2,\nC,Caf\xE9 groß,3,\nD,ähnlich,4,f\xC3\n"
	got := made(t, Options{Kind: Products, File: write(t, text)})
	contains(t, "products", got, []string{"utf-8", "Größe für Müller", "refused row 2 (1) B", "refused row 3 (1) C", `"sku":"D"`},
		[]string{`"sku":"B"`, `"sku":"C"`})
	got = made(t, Options{Kind: Products, File: write(t, `{"sku":"A","name":"Größe","price":1}`+"\n"+
		`{"sku":"B","name":"f`+"\xC3"+`","price":1}`+"\n")})
	contains(t, "objects", got, []string{"Größe", "refused row 2 (1) B"}, []string{`"sku":"B"`})
}

func TestObjectsOfOtherPrograms(t *testing.T) {
	got := made(t, Options{Kind: Products, File: write(t, `[{"sku":4006381333931,"name":"Pen \"sku\": 5,","price":1.5,`+
		`"variants":[{"sku": 12 }]}]`)})
	contains(t, "numbers as SKUs", got, []string{`"sku":"4006381333931"`, `{"sku": "12" }`, `Pen \"sku\": 5,`}, nil)
	got = made(t, Options{Kind: Products, File: write(t, "[{\"sku\":\"A\u200B-1\",\"name\":\"Pen \u200B\",\"price\":1},"+
		`{"sku":"\ufeffB-1","name":"Ink","price":1}]`)})
	contains(t, "signs without width", got, []string{`"sku":"A-1"`, `"sku":"B-1"`, "Pen \u200B"}, nil)
	got = made(t, Options{Kind: Products, File: write(t, `[{"code":"A","title":"Mug","price":"9.00","tags":["kitchen","gift"]}]`),
		Map: []string{"code=sku", "title=name"}})
	contains(t, "lists", got, []string{`"tags":"kitchen, gift"`}, []string{"u001f"})
	got = made(t, Options{Kind: Products, File: write(t, `{"products":[
		{"id":1,"title":"Mug","handle":"mug","body_html":"<p>x</p>","vendor":"V","product_type":"Mugs","tags":["a","b"],
		 "variants":[{"title":"Default Title","option1":"Default Title","sku":"MUG-1","price":"12.00","compare_at_price":null,"grams":100}],
		 "images":[{"src":"https://cdn.example/1.jpg"},{"src":"https://cdn.example/2.jpg"}],"options":[{"name":"Title"}]},
		{"id":2,"title":"Shirt","handle":"shirt","tags":"c, d","variants":[
		 {"option1":"Red","option2":"S","sku":"","price":10.5,"compare_at_price":"20.00"},{"option1":"Blue","option2":"S","sku":77,"price":9}],
		 "images":[],"options":[{"name":"Color","position":1},"Size"]}]}`)})
	contains(t, "products.json", got, []string{`{"sku":"MUG-1","name":"Mug","price":12`, `cdn.example/2.jpg`, `"tags":"a, b"`, `"sku":"shirt"`,
		`"sku":"shirt-red-s"`, `"sku":"77"`, `"Color":"Red","Size":"S"`, `"compareAtPrice":20`, `category "Mugs"`}, []string{"refused"})
}
