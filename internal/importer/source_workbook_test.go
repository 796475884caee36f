package importer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// book writes a workbook; each sheet is a name and its rows.
func book(t *testing.T, sheets ...any) string {
	t.Helper()
	f := excelize.NewFile()
	for i := 0; i < len(sheets); i += 2 {
		name := sheets[i].(string)
		if i == 0 {
			_ = f.SetSheetName("Sheet1", name)
		} else if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for n, row := range sheets[i+1].([][]any) {
			place, _ := excelize.CoordinatesToCellName(1, n+1)
			if err := f.SetSheetRow(name, place, &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "book.xlsx")
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// The one filled sheet of a workbook is imported, with its codes, amounts and line breaks; lines are the rows of the sheet.
func TestWorkbookOfProducts(t *testing.T) {
	fake, c := service(t)
	path := book(t, "Empty", [][]any{}, "Goods", [][]any{{"Our spring list"}, {}, {"sku", "name", "price", "ean", "description"},
		{"0012", "Mug", 12.5, 4006381333931, "a\n\"b\", c"}, {}, {4711, "Bowl", 1.125, "0400638133393", "x"}, {"X", "Pot", "on request"}})
	var faults []Fault
	s := run(t, Options{Kind: Products, File: path, To: c, Map: []string{"ean=attributes.ean"}, OnFault: func(f Fault) { faults = append(faults, f) }})
	if s.Format != "xlsx" || s.Rows != 3 || s.RowsStored != 2 || len(faults) == 0 || faults[len(faults)-1].Line != 7 {
		t.Errorf("%+v, %+v", s, faults)
	}
	mug, bowl := fake.products["0012"], fake.products["4711"]
	if mug == nil || bowl == nil {
		t.Fatalf("stored %v", fake.products)
	}
	if got := string(mug.Price); got != "12.5" {
		t.Errorf("price %s", got)
	}
	if got := string(bowl.Price); got != "1.125" {
		t.Errorf("price %s", got)
	}
}

// Dates of orders are those of the cells, whatever they are shown as.
func TestWorkbookOfOrders(t *testing.T) {
	path := book(t, "Sales", [][]any{{"order", "customer", "sku", "quantity", "price", "date"},
		{"1", "Ada", "A", 1, 2.5, time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}})
	found, err := Detect(t.Context(), Options{Kind: Orders, File: path, Map: salesMap})
	if err != nil || found.Problem != "" || found.Sheet != "Sales" || found.Columns[5].Samples[0] != "2026-03-02" {
		t.Errorf("%v, %+v", err, found)
	}
}

// Of several filled sheets one has to be named; hidden ones are not offered, and can be named.
func TestWorkbookOfSeveralSheets(t *testing.T) {
	rows := [][]any{{"sku", "name", "price"}, {"A", "a", 1}}
	path := book(t, "Mugs", rows, "Bowls", rows[:1], "Lists", rows)
	f, err := excelize.OpenFile(path)
	if err == nil {
		err = errors.Join(f.SetSheetVisible("Lists", false), f.SaveAs(path))
	}
	if err != nil {
		t.Fatal(err)
	}
	for sheet, want := range map[string]string{
		"":      "book.xlsx has several sheets with rows: Mugs, Bowls; say which one is imported: --sheet 'Mugs'",
		"None":  `book.xlsx has no sheet "None"; it has Mugs, Bowls, Lists`,
		"mugs ": "", "Lists": "",
	} {
		_, c := service(t)
		_, err := Run(t.Context(), Options{Kind: Products, File: path, Name: "book.xlsx", To: c, Sheet: sheet, Map: []string{"price=price"}})
		if call, wrong := errors.AsType[*CallError](err); want == "" && err != nil || want != "" && (!wrong || call.Message != want) {
			t.Errorf("%q: %v, want %q", sheet, err, want)
		}
	}
	found, err := Detect(t.Context(), Options{Kind: Products, File: path, Name: "book.xlsx"})
	if want := "book.xlsx has several sheets with rows: Mugs, Bowls. Choose the one to import"; err != nil || found.Problem != want ||
		len(found.Sheets) != 2 || len(found.Columns) != 3 {
		t.Errorf("%v, %+v", err, found)
	}
}

// The refused rows of a workbook are rows of cells, too.
func TestRefusedRowsOfAWorkbook(t *testing.T) {
	path := book(t, "Goods", [][]any{{"sku", "name", "price"}, {"0012", "Mug", 1.5}, {"B", "", 2}})
	var out bytes.Buffer
	err := WriteRefusedRows(t.Context(), Options{Kind: Products, File: path}, map[int]string{1: "too cheap"}, "csv", &out)
	book := filepath.Join(t.TempDir(), "refused.xlsx")
	if f, err := os.Create(book); err != nil || WriteRefusedRows(t.Context(), Options{Kind: Products, File: path},
		map[int]string{1: "too cheap"}, "xlsx", f) != nil || f.Close() != nil {
		t.Fatal(err)
	}
	fake, c := service(t)
	if s := run(t, Options{Kind: Products, File: book, To: c}); s.Created != 1 || fake.products["0012"] == nil {
		t.Errorf("%+v", s)
	}
	if want := "sku,name,price,why it was refused\n0012,Mug,1.5,too cheap\n"; err != nil || out.String() != want {
		t.Errorf("%v, %q", err, out.String())
	}
}

// A workbook that is compressed once more, and a format that no workbook has, are refused with what to do.
func TestWorkbookRefusals(t *testing.T) {
	path := book(t, "Goods", [][]any{{"sku", "name", "price"}, {"A", "Mug", 1}})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(text)
	z.Close()
	for name, test := range map[string]struct {
		o    Options
		want string
	}{
		"packed":   {Options{Content: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed.Bytes())), nil }}, "decompress it first"},
		"JSON":     {Options{File: path, Format: "json"}, "leave --format out"},
		"too much": {Options{File: path, MostText: 1 << 9}, "MB when it is unpacked"},
	} {
		test.o.Kind, test.o.DryRun = Products, true
		if _, err := Run(t.Context(), test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
