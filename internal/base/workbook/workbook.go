// Package workbook reads the rows of Excel workbooks (.xlsx), and writes files of rows: workbooks and CSV.
//
//	workbook.go  the file: its parts, its sheets, what other kinds of files are
//	rows.go      the rows of a sheet, one after the other
//	cells.go     what a cell holds, as text
//	texts.go     the texts that cells share
//	table.go     rows to be written, as CSV or as a workbook
//	write.go     the workbook that is written
//
// A workbook is a zip archive of XML parts. Each part is read once from its beginning to its end and never held as a
// whole, so that memory does not grow with a workbook. Libraries that read one row after the other do not say which
// style a cell has, without which a date is a number; those that say it hold the sheet in memory.
package workbook

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// Bounds of a workbook.
const (
	mostDirectory = 4 << 20  // bytes of the list of parts
	mostSmall     = 16 << 20 // bytes of a part other than sheets and texts
	mostPiece     = 1 << 20  // bytes of an element without those inside it, and of a row's texts
	mostSheets    = 500
	mostStyles    = 1 << 17
	mostColumns   = 16_384
	mostRows      = 1_048_576
)

// Sheet is one sheet of cells.
type Sheet struct {
	Name   string
	Hidden bool
	part   string
}

// Book is an open workbook. Close it.
type Book struct {
	parts    map[string]*zip.File
	sheets   []Sheet
	styles   []style
	since    epoch
	texts    *texts
	textPart string
}

// Open reads what a workbook has besides its rows. most bounds the bytes of all sheets and texts when they are unpacked. Errors:
// sentences whose subject, the name of the file, is left out: "is a zip archive …"; and the disk's.
func Open(file io.ReaderAt, size, most int64) (*Book, error) {
	limited := &directory{ReaderAt: file, left: mostDirectory}
	archive, err := zip.NewReader(limited, size)
	if limited.left < 0 {
		return nil, fmt.Errorf("has a list of parts of more than %d MB: save it anew as .xlsx", mostDirectory>>20)
	}
	if err != nil {
		return nil, errors.New("is a zip archive or a workbook that is damaged or cut: get it again")
	}
	limited.open = true
	b := &Book{parts: map[string]*zip.File{}}
	for _, f := range archive.File {
		if _, twice := b.parts[f.Name]; !twice {
			b.parts[f.Name] = f
		}
	}
	if err := b.otherKind(); err != nil {
		return nil, err
	}
	if err := b.read(); err != nil {
		return nil, err
	}
	return b, b.measure(most)
}

// directory lets only so many bytes of an archive be read until it is open: those of its list of parts, which is held
// in memory.
type directory struct {
	io.ReaderAt
	left int64
	open bool
}

func (d *directory) ReadAt(p []byte, at int64) (int, error) {
	if !d.open {
		if d.left -= int64(len(p)); d.left < 0 {
			return 0, io.ErrUnexpectedEOF
		}
	}
	return d.ReaderAt.ReadAt(p, at)
}

// Close ends the use of the workbook.
func (b *Book) Close() {
	if b.texts != nil {
		b.texts.close()
	}
}

// Sheets are the sheets of cells in their order.
func (b *Book) Sheets() []Sheet { return b.sheets }

// otherKind says what to do with an archive that is no workbook of this kind.
func (b *Book) otherKind() error {
	has := func(name string) bool { return b.parts[name] != nil }
	switch {
	case has("xl/workbook.bin"):
		return errors.New("is a binary Excel workbook (.xlsb): save it as an Excel workbook (.xlsx)")
	case has("[Content_Types].xml") && has("_rels/.rels"):
		return nil
	case has("Index/Document.iwa") || has("Index.zip"):
		return errors.New("is a document of Numbers or Pages: export it as Excel (.xlsx) or CSV")
	case has("mimetype") && has("content.xml"):
		return errors.New("is an OpenDocument file (.ods): save it as an Excel workbook (.xlsx) or as CSV")
	}
	return errors.New("is a zip archive without a workbook: unpack it, and import the file inside")
}

// relation is what one part says of another.
type relation struct{ kind, part string }

// read reads the sheets' names, the styles, and where the texts are.
func (b *Book) read() error {
	root, err := b.relations("")
	if err != nil {
		return err
	}
	main := ""
	for _, r := range root {
		if r.kind == "officeDocument" {
			main = r.part
		}
	}
	if b.parts[main] == nil {
		return errors.New("is no Excel workbook: save the table as .xlsx or as CSV")
	}
	related, err := b.relations(main)
	if err != nil {
		return err
	}
	for _, r := range related {
		switch r.kind {
		case "sharedStrings":
			b.textPart = r.part
		case "styles":
			if err := b.readStyles(r.part); err != nil {
				return err
			}
		}
	}
	return b.readSheets(main, related)
}

// readSheets reads the names of the sheets of cells, and the epoch of the dates.
func (b *Book) readSheets(main string, related map[string]relation) error {
	found := false
	err := b.small(main, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "workbook":
			found = true
		case "workbookPr":
			if flag(attribute(e, "date1904")) {
				b.since = since1904
			}
		case "sheet":
			if r := related[attribute(e, "id")]; r.kind == "worksheet" {
				b.sheets = append(b.sheets, Sheet{Name: attribute(e, "name"), Hidden: strings.Contains(attribute(e, "state"), "idden"), part: r.part})
			}
			if len(b.sheets) > mostSheets {
				return fmt.Errorf("has more than %d sheets: copy the one to import into a workbook of its own", mostSheets)
			}
		}
		return nil
	})
	if err == nil && !found {
		return errors.New("is no Excel workbook: save the table as .xlsx or as CSV")
	}
	return err
}

// relations are those of a part by their ids; "" is the workbook's file.
func (b *Book) relations(of string) (map[string]relation, error) {
	all := map[string]relation{}
	folder, name := path.Split(of)
	err := b.small(folder+"_rels/"+name+".rels", func(e xml.StartElement) error {
		if e.Name.Local == "Relationship" {
			target := attribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join(folder, target)
			}
			all[attribute(e, "Id")] = relation{kind: path.Base(attribute(e, "Type")), part: strings.TrimPrefix(path.Clean(target), "/")}
		}
		return nil
	})
	return all, err
}

// measure refuses a workbook whose sheets and texts are too long.
func (b *Book) measure(most int64) error {
	names := []string{b.textPart}
	for _, s := range b.sheets {
		names = append(names, s.part)
	}
	slices.Sort(names)
	var total uint64
	for _, name := range slices.Compact(names) {
		if f := b.parts[name]; f != nil {
			total += min(f.UncompressedSize64, 1<<40)
		}
	}
	if total > uint64(most) {
		return fmt.Errorf("has more than %d MB when it is unpacked: divide it, or export the sheet as CSV", most>>20)
	}
	return nil
}

// small calls do for each element of a part that is read at once. A part that is not there has none.
func (b *Book) small(name string, do func(xml.StartElement) error) error {
	f := b.parts[name]
	if f == nil {
		return nil
	}
	if f.UncompressedSize64 > mostSmall {
		return fmt.Errorf("has a part of more than %d MB, %s: copy the sheet into a new workbook", mostSmall>>20, name)
	}
	return b.each(f, func(token xml.Token) error {
		if e, begins := token.(xml.StartElement); begins {
			return do(e)
		}
		return nil
	})
}

// each calls do for each token of a part.
func (b *Book) each(f *zip.File, do func(xml.Token) error) error {
	content, err := f.Open()
	if err != nil {
		return damaged(f.Name, err)
	}
	defer content.Close()
	in := newPieces(content)
	tokens := xml.NewDecoder(in)
	for {
		in.left = mostPiece
		token, err := tokens.RawToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLong):
			return fmt.Errorf("has a cell of more than %d MB in %s: shorten it", mostPiece>>20, f.Name)
		case err != nil:
			return damaged(f.Name, err)
		}
		if err := do(token); err != nil {
			return err
		}
	}
}

func damaged(part string, cause error) error {
	return fmt.Errorf("is damaged in %s (%v): open it in Excel, and save it anew", part, cause)
}

// attribute is an attribute of an element by its name without prefix; "" when it has none.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// flag is a truth value of XML.
func flag(text string) bool { return text == "1" || text == "true" }

var errLong = errors.New("a piece is too long")

// pieces reads XML byte by byte, and at most left bytes.
type pieces struct {
	in       io.Reader
	buf      []byte
	from, to int
	left     int
}

func newPieces(in io.Reader) *pieces { return &pieces{in: in, buf: make([]byte, 32<<10)} }

// ReadByte makes the decoder of XML read no more than it needs.
func (p *pieces) ReadByte() (byte, error) {
	if p.left--; p.left < 0 {
		return 0, errLong
	}
	for p.from == p.to {
		n, err := p.in.Read(p.buf)
		if p.from, p.to = 0, n; n == 0 && err != nil {
			return 0, err
		}
	}
	c := p.buf[p.from]
	p.from++
	return c, nil
}

// Read is not used by the decoder of XML, which takes bytes.
func (p *pieces) Read([]byte) (int, error) { return 0, io.ErrNoProgress }

// IsArchive reports whether a file with these first bytes is a zip archive, as workbooks are.
func IsArchive(first []byte) bool { return bytes.HasPrefix(first, []byte("PK\x03\x04")) }

// IsCompound reports whether a file with these first bytes is of the kind that old workbooks, and those with a password, are.
func IsCompound(first []byte) bool { return bytes.HasPrefix(first, []byte("\xd0\xcf\x11\xe0")) }

// encryptedName is the name of the part of a compound file that holds a workbook with a password.
var encryptedName = []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")

// CompoundAdvice says what a compound file is and what to do with it, as the errors of Open do.
func CompoundAdvice(content io.Reader) string {
	buf, kept := make([]byte, 64<<10), 0
	for {
		n, err := content.Read(buf[kept:])
		have := kept + n
		if bytes.Contains(buf[:have], encryptedName) {
			return "is an Excel workbook with a password: save it without one (File, Info, Protect Workbook, Encrypt with Password, blank)"
		}
		if err != nil {
			return "is an Excel workbook of the old kind (.xls): save it as an Excel workbook (.xlsx) or as CSV"
		}
		kept = min(have, len(encryptedName)-1)
		copy(buf, buf[have-kept:have])
	}
}
