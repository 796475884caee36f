package importer

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/client"
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

// A file's columns are shown as they would be imported, and what is missing is a sentence, not an error.
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

// Refused rows come back with the reason beside them; mended, the file is imported as it is, that column left out.
func TestMend(t *testing.T) {
	named := []string{"Réf.=sku", "Désignation=name", "Prix TTC=price"}
	o := Options{Kind: Products, File: write(t, frenchList), Map: named, Catalog: &shop{}}
	refused := map[int]string{}
	o.OnFault = func(f Fault) { refused[f.Row] = f.Message }
	if s := run(t, o); s.RowsRefused != 1 {
		t.Fatalf("%+v", s)
	}
	var mended bytes.Buffer
	if err := Mend(t.Context(), o, refused, &mended); err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(&mended)
	r.Comma = ';'
	rows, err := r.ReadAll()
	if err != nil || len(rows) != 2 || strings.Join(rows[0], "|") != "Réf.|Désignation|Prix TTC|Couleur|"+WhyColumn || rows[1][0] != "A-2" ||
		!strings.Contains(rows[1][4], "auf Anfrage") {
		t.Fatalf("%q, %v", rows, err)
	}
	text := strings.Join(rows[0], ";") + "\nA-2;Bol;9,00;;now it has one\n"
	o.File, refused = write(t, text), map[int]string{}
	if s := run(t, o); s.RowsRefused != 0 || s.Stored != 1 {
		t.Errorf("%+v", s)
	}
	var again bytes.Buffer
	if err := Mend(t.Context(), o, map[int]string{1: "still"}, &again); err != nil || strings.Count(again.String(), WhyColumn) != 1 {
		t.Errorf("%v %s", err, again.String())
	}
}

// An import whose progress a Keeper keeps goes on where it stopped, and is not done twice.
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
