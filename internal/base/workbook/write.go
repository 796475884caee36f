package workbook

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// mostText is how many UTF-16 units Excel takes in a cell; a longer text is cut.
const mostText = 32_767

// writer writes a workbook row by row, straight into the archive: neither memory nor disk grows with it. After the last row that a
// sheet can have, another sheet begins.
type writer struct {
	archive *zip.Writer
	out     *bufio.Writer // the sheet under way
	name    string
	zone    *time.Location
	header  []string
	sheets  int
	line    int
	buf     []byte
}

// newWriter begins a workbook whose first sheet has the name. Times are those of the zone.
func newWriter(to io.Writer, name string, zone *time.Location, header []string) (*writer, error) {
	w := &writer{archive: zip.NewWriter(to), name: name, zone: zone, header: header}
	return w, w.beginSheet()
}

// Styles of cells, by their place in the styles part.
const (
	styleText   = 1 // also when a person edits the cell
	styleHead   = 2
	styleMoment = 3
	styleWhole  = 4
	styleCents  = 5
	styleFine   = 6
)

const stylesXML = `<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/><numFmt numFmtId="165" formatCode="#,##0.00##"/></numFmts>` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="7">` +
	`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="3" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>`

const (
	mainSpace     = `http://schemas.openxmlformats.org/spreadsheetml/2006/main`
	relationSpace = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	packageSpace  = `http://schemas.openxmlformats.org/package/2006/`
	typeOf        = `application/vnd.openxmlformats-officedocument.spreadsheetml.`
)

// beginSheet begins a sheet with the names of the columns, which stay in sight.
func (w *writer) beginSheet() error {
	w.sheets++
	w.line = 0
	part, err := w.archive.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", w.sheets))
	if err != nil {
		return err
	}
	w.out = bufio.NewWriterSize(part, 64<<10)
	fmt.Fprintf(w.out, `%s<worksheet xmlns="%s"><sheetViews><sheetView workbookViewId="0">`+
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`+
		`<cols><col min="1" max="%d" width="18" customWidth="1"/></cols><sheetData>`, xml.Header, mainSpace, max(1, len(w.header)))
	var head []Value
	for _, name := range w.header {
		head = append(head, Value{kind: headValue, text: name})
	}
	return w.Row(head...)
}

func (w *writer) endSheet() error {
	_, _ = w.out.WriteString(`</sheetData></worksheet>`) // Flush has its error
	return w.out.Flush()
}

// Row writes a row.
func (w *writer) Row(cells ...Value) error {
	if w.line == mostRows {
		if err := w.endSheet(); err != nil {
			return err
		}
		if err := w.beginSheet(); err != nil {
			return err
		}
	}
	w.line++
	b := append(w.buf[:0], `<row r="`...)
	b = append(strconv.AppendInt(b, int64(w.line), 10), `">`...)
	for _, cell := range cells {
		b = w.cell(b, cell)
	}
	w.buf = append(b, `</row>`...)
	_, err := w.out.Write(w.buf)
	return err
}

// cell appends a cell.
func (w *writer) cell(b []byte, v Value) []byte {
	number := func(style int, text string) []byte { return fmt.Appendf(b, `<c s="%d"><v>%s</v></c>`, style, text) }
	switch {
	case v.text == "" && v.kind != momentValue:
		return append(b, `<c/>`...)
	case v.kind == countValue:
		return number(0, v.text)
	case v.kind == amountValue:
		return number(amountStyle(v.text), v.text)
	case v.kind == momentValue:
		return number(styleMoment, serial(v.at.In(w.zone)))
	}
	style := styleText
	if v.kind == headValue {
		style = styleHead
	}
	b = fmt.Appendf(b, `<c t="inlineStr" s="%d"><is><t xml:space="preserve">`, style)
	var text strings.Builder
	_ = xml.EscapeText(&text, []byte(escaped.ReplaceAllString(cut(v.text), "_x005F$0"))) // a Builder takes everything
	b = append(b, text.String()...)
	return append(b, `</t></is></c>`...)
}

// amountStyle is the style that shows all decimals of an amount.
func amountStyle(amount string) int {
	switch _, decimals, _ := strings.Cut(amount, "."); len(decimals) {
	case 0:
		return styleWhole
	case 2:
		return styleCents
	}
	return styleFine
}

// cut is a text in the length that Excel takes.
func cut(text string) string {
	if len(text) <= mostText {
		return text
	}
	units := utf16.Encode([]rune(text))
	if len(units) <= mostText {
		return text
	}
	return string(utf16.Decode(units[:mostText-1])) + "…"
}

// serial is a moment as a day number, to the second.
func serial(at time.Time) string {
	_, offset := at.Zone()
	seconds := at.Unix() + int64(offset) - time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC).Unix()
	return strconv.FormatFloat(float64(seconds)/86_400, 'f', 10, 64)
}

// Close ends the workbook; the writer under it stays open.
func (w *writer) Close() error {
	if err := w.endSheet(); err != nil {
		return err
	}
	var types, sheets, relations strings.Builder
	for n := range w.sheets {
		name := w.name
		if n > 0 {
			name += " " + strconv.Itoa(n+1)
		}
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, n+1, typeOf)
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, name, n+1, n+1)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, n+1, relationSpace, n+1)
	}
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="` + packageSpace + `content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + typeOf + `sheet.main+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + typeOf + `styles+xml"/>` + types.String() + `</Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + packageSpace + `relationships"><Relationship Id="rId1" Type="` + relationSpace +
			`/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns="` + mainSpace + `" xmlns:r="` + relationSpace + `"><sheets>` + sheets.String() +
			`</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packageSpace + `relationships">` + relations.String() +
			`<Relationship Id="rIdStyles" Type="` + relationSpace + `/styles" Target="styles.xml"/></Relationships>`},
		{"xl/styles.xml", `<styleSheet xmlns="` + mainSpace + `">` + stylesXML + `</styleSheet>`},
	} {
		out, err := w.archive.Create(part[0])
		if err == nil {
			_, err = io.WriteString(out, xml.Header+part[1])
		}
		if err != nil {
			return err
		}
	}
	return w.archive.Close()
}
