package workbook_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"entrepot/internal/base/workbook"
)

// saved is a workbook as a file.
func saved(t testing.TB, f *excelize.File) []byte {
	t.Helper()
	buf, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func set(t testing.TB, f *excelize.File, sheet, place string, value any, format string) {
	t.Helper()
	err := f.SetCellValue(sheet, place, value)
	if err == nil && format != "" {
		var style int
		if style, err = f.NewStyle(&excelize.Style{CustomNumFmt: &format}); err == nil {
			err = f.SetCellStyle(sheet, place, place, style)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// read is what all rows of the first sheet hold: "line: a|b".
func read(t testing.TB, file []byte) (rows []string, err error) {
	t.Helper()
	b, err := workbook.Open(bytes.NewReader(file), int64(len(file)), 16<<20)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if len(b.Sheets()) == 0 {
		return nil, nil
	}
	err = b.Rows(b.Sheets()[0], func(line int, cells []workbook.Cell) error {
		var texts []string
		for _, c := range cells {
			texts = append(texts, c.Text)
		}
		rows = append(rows, fmt.Sprintf("%d: %s", line, strings.Join(texts, "|")))
		return nil
	})
	return rows, err
}

// A cell has the text that a person reads in it: dates by their style, no exponents, no noise of binary fractions.
func TestCells(t *testing.T) {
	at := time.Date(2026, 3, 5, 14, 30, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		value  any
		format string
		want   string
	}{
		"a text":                      {"Mug", "", "Mug"},
		"leading zeros of a text":     {"0012", "", "0012"},
		"leading zeros of a style":    {12, "00000", "00012"},
		"an EAN as a number":          {4006381333931, "", "4006381333931"},
		"noise":                       {0.30000000000000004, "", "0.3"},
		"a price":                     {12.5, `#,##0.00 "€"`, "12.5"},
		"a price with red figures":    {-1234.5, `#,##0.00 [$€-407];[Red]-#,##0.00 [$€-407]`, "-1234.5"},
		"a small number":              {0.0000025, "", "0.0000025"},
		"a share":                     {0.07, "0%", "7%"},
		"a date":                      {at.Truncate(24 * time.Hour), "yyyy-mm-dd", "2026-03-05"},
		"a date of another country":   {at.Truncate(24 * time.Hour), `[$-407]d. mmmm yyyy;@`, "2026-03-05"},
		"a moment":                    {at, "", "2026-03-05T14:30:00"},
		"a number, not a date":        {45000, `0 "days"`, "45000"},
		"a time of day":               {0.6041666666666666, "hh:mm", "14:30:00"},
		"a date before the leap year": {59, "d/m/yy", "1900-02-28"},
		"a day that never was":        {60, "d/m/yy", "1900-02-29"},
		"yes":                         {true, "", "TRUE"},
		"a line break and a quote":    {"a\n\"b\"", "", "a\n\"b\""},
		"no formula":                  {"=1+1", "", "=1+1"},
	} {
		f := excelize.NewFile()
		set(t, f, "Sheet1", "A1", test.value, test.format)
		if rows, err := read(t, saved(t, f)); err != nil || len(rows) != 1 || rows[0] != "1: "+test.want {
			t.Errorf("%s: %v, %q, want %q", name, err, rows, test.want)
		}
	}
}

// Dates of both epochs, the fonts of a text, merged cells, formulas, and rows that are blank.
func TestRows(t *testing.T) {
	f := excelize.NewFile()
	yes := true
	if err := f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &yes}); err != nil {
		t.Fatal(err)
	}
	set(t, f, "Sheet1", "B2", 100, "yyyy-mm-dd")
	set(t, f, "Sheet1", "C2", "merged", "")
	set(t, f, "Sheet1", "E2", "after", "")
	set(t, f, "Sheet1", "A9", 7, "")
	set(t, f, "Sheet1", "B5", "", "0.00")
	for _, err := range []error{
		f.MergeCell("Sheet1", "C2", "D3"),
		f.SetCellRichText("Sheet1", "A3", []excelize.RichTextRun{{Text: "two "}, {Font: &excelize.Font{Bold: true}, Text: "fonts"}}),
		f.SetCellFormula("Sheet1", "B9", "A9*2"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	rows, err := read(t, saved(t, f))
	if want := "2: |1904-04-10|merged||after; 3: two fonts; 9: 7|=A9*2"; err != nil || strings.Join(rows, "; ") != want {
		t.Errorf("%v, %q, want %q", err, rows, want)
	}
	rows, err = read(t, parts(t, `<row r="2"><c r="B2"><f>A1*2</f><v>84</v></c><c t="str"><f>A1</f><v></v></c><c t="e"><v>#N/A</v></c></row>`+
		`<row><c t="inlineStr"><is><t>x_x000D_y</t><rPh><t>spoken</t></rPh></is></c><c t="d"><v>2026-03-05T00:00:00</v></c></row>`+
		`<row><c><v>1.2345678901234501E+17</v></c><c><v>4.0063813339310002E+12</v></c></row>`))
	if want := "2: |84||#N/A; 3: x\ry|2026-03-05; 4: 1.2345678901234501E+17|4006381333931"; err != nil || strings.Join(rows, "; ") != want {
		t.Errorf("%v, %q, want %q", err, rows, want)
	}
}

// parts is a small workbook with the rows in XML; more replaces or adds parts, name after name and text after text.
func parts(t testing.TB, rows string, more ...string) []byte {
	t.Helper()
	all := append([]string{"[Content_Types].xml", `<Types/>`,
		"_rels/.rels", `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", `<x:workbook><x:sheets><x:sheet name="One" r:id="b"/></x:sheets></x:workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="b" Type="x/worksheet" Target="/xl/worksheets/one.xml"/>` +
			`<Relationship Id="c" Type="x/sharedStrings" Target="texts.xml"/></Relationships>`,
		"xl/worksheets/one.xml", `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`}, more...)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(all); i += 2 {
		f, err := w.Create(all[i])
		if err == nil {
			_, err = io.WriteString(f, all[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What is no workbook, or one that would fill memory or disk, is refused with what to do.
func TestRefusals(t *testing.T) {
	row := func(cell string) string { return `<row>` + cell + `</row>` }
	text := strings.Repeat("a", 1<<20)
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"a long cell":             {parts(t, row(`<c t="inlineStr"><is><t>`+text+`</t></is></c>`)), "a cell of more than 1 MB"},
		"a long cell in pieces":   {parts(t, row(`<c t="inlineStr"><is>`+strings.Repeat(`<t>`+text[:1<<16]+`</t>`, 17)+`</is></c>`)), "more than 1 MB"},
		"a long row":              {parts(t, row(strings.Repeat(`<c t="str"><v>`+text[:1<<19]+`</v></c>`, 3))), "more than 1 MB in row 1"},
		"a row of too many cells": {parts(t, row(strings.Repeat(`<c/>`, 20_000))), "a cell of row 1 has the place"},
		"a far row":               {parts(t, `<row r="99999999"/>`), "more than 1048576 rows"},
		"no such text":            {parts(t, row(`<c t="s"><v>7</v></c>`), "xl/texts.xml", "<sst><si><t>a</t></si></sst>"), "a text that the workbook does not have"},
		"no texts":                {parts(t, row(`<c t="s"><v>0</v></c>`)), "a text that the workbook does not have"},
		"a broken sheet":          {parts(t, `<row><c`), "is damaged in xl/worksheets/one.xml"},
		"a large sheet":           {parts(t, strings.Repeat(`<row>            </row>`, 1<<20)), "more than 16 MB when it is unpacked"},
		"large styles": {parts(t, "", "xl/_rels/workbook.xml.rels", `<r/>`)[:200],
			"damaged or cut"},
		"a zip of many parts": {many(t), "a list of parts of more than 4 MB"},
		"an archive":          {archive(t, "list.csv"), "is a zip archive without a workbook: unpack it"},
		"OpenDocument":        {archive(t, "mimetype", "content.xml"), "is an OpenDocument file (.ods): save it as"},
		"a binary workbook":   {archive(t, "[Content_Types].xml", "_rels/.rels", "xl/workbook.bin"), "(.xlsb): save it as"},
		"a letter":            {archive(t, "[Content_Types].xml", "_rels/.rels", "word/document.xml"), "is no Excel workbook"},
	} {
		if rows, err := read(t, test.file); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %d rows, want %q", name, err, len(rows), test.want)
		}
	}
	locked := strings.Repeat("\x00", 1<<17-7) + "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
	for text, want := range map[string]string{"an old one": "(.xls): save it as", locked: "with a password: save it without one"} {
		if got := workbook.CompoundAdvice(strings.NewReader(text)); !strings.Contains(got, want) {
			t.Errorf("%.10q: %s, want %q", text, got, want)
		}
	}
}

func archive(t testing.TB, names ...string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func many(t testing.TB) []byte {
	var names []string
	for i := range 60_000 {
		names = append(names, fmt.Sprint(strings.Repeat("x", 40), i))
	}
	return archive(t, names...)
}

// Whatever a file holds, reading it ends, with rows or an error.
func FuzzOpen(f *testing.F) {
	book := excelize.NewFile()
	set(f, book, "Sheet1", "A1", "sku", "")
	set(f, book, "Sheet1", "B2", 45000.5, "yyyy-mm-dd")
	f.Add(saved(f, book))
	f.Add(parts(f, `<row r="3"><c r="ZZ3" s="9"><v>1e300</v></c></row>`))
	f.Add(archive(f, "[Content_Types].xml", "_rels/.rels"))
	f.Fuzz(func(t *testing.T, file []byte) { _, _ = read(t, file) })
}

// The same for the rows of a sheet, which a random change of a compressed file seldom reaches.
func FuzzRows(f *testing.F) {
	f.Add(`<row r="3"><c r="AA3" t="str"><v>a</v></c></row>`)
	f.Add(`<row><c t="inlineStr"><is><r><t>a</t></r></is></c><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c></row>`)
	f.Fuzz(func(t *testing.T, rows string) { _, _ = read(t, parts(t, rows)) })
}
