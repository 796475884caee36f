package importer

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/importer/client"
)

// shop is a Catalog in memory; after its first products it may fail.
type shop struct {
	skus []string
	fail error
}

func (s *shop) ImportProducts(_ context.Context, body []byte, _ bool) (client.Imported, error) {
	if s.fail != nil && len(s.skus) > 0 {
		return client.Imported{}, s.fail
	}
	n := bytes.Count(body, []byte(`"sku":`))
	for range n {
		s.skus = append(s.skus, "")
	}
	return client.Imported{Total: n, Accepted: n, Created: n, Counted: true}, nil
}

func (s *shop) ImportCategories(_ context.Context, list []client.Category) (client.CategoriesImported, error) {
	return client.CategoriesImported{Created: len(list)}, nil
}

// memory is a Keeper.
type memory struct{ text []byte }

func (m *memory) Load() ([]byte, error)  { return m.text, nil }
func (m *memory) Save(text []byte) error { m.text = bytes.Clone(text); return nil }

const frenchList = "Réf.;Désignation;Prix TTC;Couleur\nA-1;Tasse;12,50;bleu\nA-2;Bol;auf Anfrage;\nA-3;Plat;8,00;bleu\n"

// A file's columns are shown as they would be imported, and a missing one is reported as a sentence, not an error.
func TestDetectDescribesColumns(t *testing.T) {
	o := Options{Kind: Products, File: write(t, frenchList)}
	f, err := Detect(t.Context(), o)
	if err != nil || f.Problem == "" || f.Delimiter != ";" || len(f.Columns) != 4 {
		t.Fatalf("%+v, %v", f, err)
	}
	o.Map = []string{"Réf.=sku", "Désignation=name", "Prix TTC=price", "Couleur=attributes.color"}
	f, err = Detect(t.Context(), o)
	if err != nil || f.Problem != "" || f.Rows != 3 {
		t.Fatalf("%+v, %v", f, err)
	}
	got := ""
	for _, c := range f.Columns {
		got += fmt.Sprintf("%s=%s %v blank %d; ", c.Name, c.Field, c.Samples, c.Blank)
	}
	want := "Réf.=sku [A-1 A-2 A-3] blank 0; Désignation=name [Tasse Bol Plat] blank 0; Prix TTC=price [12,50 auf Anfrage 8,00] blank 0; " +
		"Couleur=attributes.color [bleu] blank 1; "
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A column that is not to be read is not, whatever its name says.
func TestIgnoredColumns(t *testing.T) {
	o := Options{Kind: Products, File: write(t, "sku,name,price,description\nA,Cup,1,text\n"), Ignore: []string{"description"}}
	f, err := Detect(t.Context(), o)
	if err != nil || f.Columns[3].Field != "" || f.Columns[3].Name != "description" || f.Columns[2].Field != "price" {
		t.Errorf("%+v, %v", f, err)
	}
}

// Refused rows are returned with the reason in an added column; corrected, the file is imported as it is, that column ignored.
func TestWriteRefusedRows(t *testing.T) {
	named := []string{"Réf.=sku", "Désignation=name", "Prix TTC=price"}
	o := Options{Kind: Products, File: write(t, frenchList), Map: named, Catalog: &shop{}}
	refused := map[int]string{}
	o.OnFault = func(f Fault) { refused[f.Row] = f.Message }
	if s := run(t, o); s.RowsRefused != 1 {
		t.Fatalf("%+v", s)
	}
	var corrected bytes.Buffer
	if err := WriteRefusedRows(t.Context(), o, refused, "csv", &corrected); err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(&corrected)
	r.Comma = ';'
	rows, err := r.ReadAll()
	if err != nil || len(rows) != 2 || strings.Join(rows[0], "|") != "Réf.|Désignation|Prix TTC|Couleur|"+whyColumn || rows[1][0] != "A-2" ||
		!strings.Contains(rows[1][4], "auf Anfrage") {
		t.Fatalf("%q, %v", rows, err)
	}
	text := strings.Join(rows[0], ";") + "\nA-2;Bol;9,00;;now it has one\n"
	o.File, refused = write(t, text), map[int]string{}
	if s := run(t, o); s.RowsRefused != 0 || s.Stored != 1 {
		t.Errorf("%+v", s)
	}
	var again bytes.Buffer
	if err := WriteRefusedRows(t.Context(), o, map[int]string{1: "still"}, "csv", &again); err != nil || strings.Count(again.String(), whyColumn) != 1 {
		t.Errorf("%v %s", err, again.String())
	}
}

// An import whose progress a Keeper stores continues where it stopped, and no row is imported twice.
func TestKeeperGoesOn(t *testing.T) {
	to, kept := &shop{fail: errors.New("gone")}, &memory{}
	o := Options{Kind: Products, File: write(t, catalog(500)), Catalog: to, Keeper: kept, Batch: 100, Concurrency: 1}
	if _, err := Run(t.Context(), o); err == nil || len(to.skus) != 100 {
		t.Fatalf("%d products, %v", len(to.skus), err)
	}
	to.fail = nil
	if s := run(t, o); !s.Resumed || len(to.skus) != 450 || s.Stored != 450 {
		t.Errorf("%d products, %+v", len(to.skus), s)
	}
	if s := run(t, o); len(to.skus) != 450 || !s.Complete {
		t.Errorf("once more: %d products, %+v", len(to.skus), s)
	}
}

// Messages name a file as its user did; they do not contain its path on disk. Nor do they mention flags of the command
// line there.
func TestWordsForAPage(t *testing.T) {
	const noObject = "list.csv begins with no object that can be read: this is no JSON: "
	for name, test := range map[string]struct {
		text, decimal string
		most          int64
		want          string
	}{
		"empty": {text: "", want: "list.csv is empty"},
		"no JSON": {text: `[{"sku":"A","price":1,}]`, want: noObject + "invalid character '}' " +
			"at start of string (expecting '\"'), at byte 22 of the file"},
		"cut off":            {text: `[{"sku":`, want: noObject + "unexpected EOF, at byte 8 of the file"},
		"twice in an object": {text: `[{"sku":"A","sku":"B"}]`, want: noObject + "the same name twice in one object"},
		"numbers":            {text: "[1, 2]", want: "list.csv begins with no object that can be read: this is no JSON object"},
		"no objects":         {text: " [] ", want: "list.csv holds no objects"},
		"an old workbook": {text: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00",
			want: "list.csv is an Excel workbook of the old kind (.xls): save it as an Excel workbook (.xlsx) or as CSV"},
		"a PDF":      {text: "%PDF-1.7\n", want: "list.csv is a PDF; export the table as CSV"},
		"a workbook": {text: "PK\x03\x04rest", want: "list.csv is a zip archive or a workbook that is damaged or cut: get it again"},
		"too long":   {text: "sku,name,price\n" + strings.Repeat("A,B,1\n", 200_000), most: 1 << 20, want: "list.csv has more than 1 MB of text"},
		"no gzip":    {text: "\x1f\x8bnothing", want: "list.csv is no readable gzip file"},
		"no price":   {text: "sku,name,Preis\nA,B,1.50\n", want: `no column holds the price, so that no row could be stored. Is it "Preis"?`},
		"no column":  {text: "sku,name,x\nA,B,C\n", want: "no column holds the price, so that no row could be stored. Say which it is"},
		"ambiguous": {text: "sku,name,price\nA,B,1.050\n", want: "the amounts are ambiguous: price (column price): 1.050 (row 1) can be " +
			"thousands, or have three decimals, and no other number of the column shows which. Say which sign begins the decimals"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Kind: Products, File: write(t, test.text), Name: "list.csv", MostText: test.most}
			f, err := Detect(t.Context(), o)
			got := f.Problem
			if call, ok := errors.AsType[*CallError](err); ok {
				got = call.Words()
			} else if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(got, test.want) || strings.Contains(got, "--") || strings.Contains(got, o.File) {
				t.Errorf("%q", got)
			}
		})
	}
}

// Columns whose names only resemble a field's are guessed on request, each once; certain matches stay.
func TestGuesses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"French": {"Réf.;Désignation;Prix barré;Prix TTC;Catégorie;Stock\nA;Tasse;20,00;12,50;Cuisine;3\n",
			"Réf.=sku? Désignation=name? Prix barré=compareAtPrice? Prix TTC=price? Catégorie=category? Stock=stock.quantity"},
		"German": {"Artikel-Nr.;Bezeichnung;UVP;Preis;Lagerbestand;Beschreibung\nA;Tasse;20,00;12,50;3;aus Ton\n",
			"Artikel-Nr.=sku? Bezeichnung=name? UVP=compareAtPrice? Preis=price? Lagerbestand=stock.quantity? Beschreibung=description?"},
		"one price": {"Ref;Nom;Prix TTC\nA;Tasse;12,50\n", "Ref=sku? Nom=name? Prix TTC=price?"},
		"plain":     {"sku,name,price,brand\nA,B,1,C\n", "sku=sku name=name price=price brand=attributes.brand"},
		"a rating":  {"sku,name,rating\nA,B,4.5\n", "sku=sku name=name rating="},
		"nothing":   {"a,b\n1,2\n", "a= b="},
		"a number":  {"sku,name,price,stock note\nA,B,1,soon\n", "sku=sku name=name price=price stock note="},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Detect(t.Context(), Options{Kind: Products, File: write(t, test.text), Guess: true})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range f.Columns {
				text := c.Name + "=" + c.Field
				if c.Guessed {
					text += "?"
				}
				got = append(got, text)
			}
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("%s\nwant %s", text, test.want)
			}
		})
	}
}

// What a keeper holds says how far the import is.
func TestReadProgress(t *testing.T) {
	kept := &memory{}
	o := Options{Kind: Products, File: write(t, "sku,name,price\nA,B,1\nC,D,x\nE,F,2\n"), Catalog: &shop{}, Keeper: kept}
	if counts, settled, err := ReadProgress(nil); err != nil || settled != 0 || counts.Stored != 0 {
		t.Errorf("nothing kept: %+v, %d, %v", counts, settled, err)
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	counts, settled, err := ReadProgress(kept.text)
	if err != nil || settled != 3 || counts.RowsStored != 2 || counts.RowsRefused != 1 || counts.Created != 2 {
		t.Errorf("%+v, %d, %v", counts, settled, err)
	}
}
