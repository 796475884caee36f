package workbook_test

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"entrepot/internal/base/workbook"
)

// What is written is read again, by this package and by another program: texts as they were, numbers and dates as such.
func TestWrittenIsRead(t *testing.T) {
	zone := time.FixedZone("", 3600)
	at := time.Date(2026, 3, 5, 13, 30, 5, 0, time.UTC)
	var out bytes.Buffer
	table, err := workbook.NewTable(workbook.XLSX, &out, "Prices", zone, "sku", "text", "count", "price", "at")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"0012", "=1+1", " a\n<b>&\"c\" ", "_x000D_", "x\ry", strings.Repeat("long", 20_000)} {
		if err := table.Row(workbook.Text(text), workbook.Own("-x"), workbook.Count("3"), workbook.Amount("1234.50"), workbook.Moment(at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Row(workbook.Text(""), workbook.Text(""), workbook.Text(""), workbook.Amount("0.1255")); err != nil {
		t.Fatal(err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := read(t, out.Bytes())
	const rest = "|-x|3|1234.5|2026-03-05T14:30:05"
	want := []string{"1: sku|text|count|price|at", "2: 0012" + rest, "3: =1+1" + rest, "4:  a\n<b>&\"c\" " + rest, "5: _x000D_" + rest, "6: x\ry" + rest,
		"7: " + strings.Repeat("long", 20_000)[:32_766] + "…" + rest, "8: |||0.1255"}
	if err != nil || strings.Join(rows, ";") != strings.Join(want, ";") {
		t.Errorf("%v, %.900q", err, rows)
	}
	book, err := excelize.OpenReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{"A2": "0012", "A3": "=1+1", "D2": "1,234.50", "E2": "2026-03-05 14:30:05", "D8": "0.1255"} {
		if got, err := book.GetCellValue("Prices", place); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", place, got, err, want)
		}
	}
	if formula, err := book.GetCellFormula("Prices", "A3"); err != nil || formula != "" {
		t.Errorf("a text has become the formula %q, %v", formula, err)
	}
}

// In CSV a text that looks like a formula has an apostrophe, and what a person wrote before stays as it is.
func TestWrittenCSV(t *testing.T) {
	var out bytes.Buffer
	table, err := workbook.NewTable(workbook.CSV, &out, "", time.UTC, "a", "b")
	if err == nil {
		err = table.Row(workbook.Text("=1"), workbook.Own("=1"), workbook.Count("-1"), workbook.Moment(time.UnixMicro(0)))
	}
	if err != nil || table.Close() != nil || out.String() != "a,b\n'=1,=1,-1,1970-01-01T00:00:00.000Z\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}

// Memory does not grow with the rows that are written.
func TestManyRowsAreWrittenInLittleMemory(t *testing.T) {
	table, err := workbook.NewTable(workbook.XLSX, io.Discard, "Orders", time.UTC, "a", "b", "c")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 100_000 {
		if err := table.Row(workbook.Text("0012"), workbook.Amount("12.50"), workbook.Text("Ada")); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("100,000 rows hold %d bytes", grown)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
}
