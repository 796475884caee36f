package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"entrepot/internal/base/disk"
	"entrepot/internal/base/workbook"
)

// mostWorkbook bounds the text of a workbook where Options.MostText does not.
const mostWorkbook = 4 << 30

// readWorkbook detects a workbook by its first bytes, and writes one sheet of it to a temporary file, which becomes the source's content: CSV
// whose lines are the sheet's rows, numbers without quotes and texts in quotes.
func (s *source) readWorkbook(o Options) error {
	f, err := s.content()
	if err != nil {
		return wrongCall("the file cannot be read: %v", err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	first, _ := in.Peek(4)
	switch {
	case workbook.IsCompound(first):
		return wrongCall("%s %s", s.name, workbook.CompoundAdvice(in))
	case !workbook.IsArchive(first):
		return nil
	case o.Format == string(jsonLines) || o.Format == string(jsonArray):
		return wrongCall("%s is a workbook or a zip archive, and no JSON: leave --format out", s.name)
	}
	copied, err := disk.NewTemporary("")
	if err != nil {
		return err
	}
	defer copied.Close()
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(copied, hash), in)
	if err != nil {
		return wrongCall("%s cannot be read to its end: %v", s.name, err)
	}
	s.sha256 = hex.EncodeToString(hash.Sum(nil))
	return s.takeSheet(copied, size, o)
}

// takeSheet writes the sheet that is asked for, or the first that is filled, to a file of its own.
func (s *source) takeSheet(file io.ReaderAt, size int64, o Options) error {
	most := cmp.Or(s.most, mostWorkbook)
	book, err := workbook.Open(file, size, most)
	if err != nil {
		return wrongCall("%s %v", s.name, err)
	}
	defer book.Close()
	sheet, err := s.chooseSheet(book, o.Sheet)
	if err != nil {
		return err
	}
	if s.rows, err = disk.NewTemporary(""); err != nil {
		return err
	}
	out := &sheetWriter{out: bufio.NewWriterSize(s.rows, 256<<10), most: most}
	if err := book.Rows(sheet, out.row); err != nil {
		return wrongCall("%s %v", s.name, err)
	}
	s.content, s.sheet = s.rows.Open, sheet.Name
	return out.out.Flush()
}

// chooseSheet finds the sheet that is asked for, which may be hidden, or the visible ones that are filled. Of several it takes the
// first, and the source is unclear.
func (s *source) chooseSheet(book *workbook.Book, asked string) (workbook.Sheet, error) {
	all := book.Sheets()
	var filled []workbook.Sheet
	for _, sheet := range all {
		if sheet.Hidden {
			continue
		}
		held, err := book.Filled(sheet)
		if err != nil {
			return sheet, wrongCall("%s %v", s.name, err)
		}
		if held {
			filled = append(filled, sheet)
			s.sheets = append(s.sheets, sheet.Name)
		}
	}
	if asked != "" {
		at := slices.IndexFunc(all, func(b workbook.Sheet) bool { return b.Name == asked })
		if at < 0 {
			at = slices.IndexFunc(all, func(b workbook.Sheet) bool {
				return strings.EqualFold(strings.TrimSpace(b.Name), strings.TrimSpace(asked))
			})
		}
		if at < 0 {
			return workbook.Sheet{}, wrongCall("%s has no sheet %q; it has %s", s.name, asked, sheetNames(all))
		}
		return all[at], nil
	}
	switch len(filled) {
	case 0:
		return workbook.Sheet{}, wrongCall("%s is a workbook without a filled sheet", s.name)
	case 1:
	default:
		several := fmt.Sprintf("%s has several sheets with rows: %s", s.name, sheetNames(filled))
		s.unclear = wrongChoice(several+". Choose the one to import", several+"; say which one is imported: --sheet '"+filled[0].Name+"'")
	}
	return filled[0], nil
}

// sheetNames lists the first sheets.
func sheetNames(list []workbook.Sheet) string {
	const shown = 20
	var names []string
	for _, s := range list[:min(len(list), shown)] {
		names = append(names, s.Name)
	}
	text := strings.Join(names, ", ")
	if len(list) > shown {
		text += fmt.Sprintf(" and %d more", len(list)-shown)
	}
	return text
}

// sheetWriter writes the rows of a sheet as lines.
type sheetWriter struct {
	out  *bufio.Writer
	line int // the last one written
	most int64
	size int64
	buf  []byte
}

func (w *sheetWriter) row(line int, cells []workbook.Cell) error {
	w.buf = w.buf[:0]
	for w.line++; w.line < line; w.line++ {
		w.buf = append(w.buf, '\n')
	}
	for i, cell := range cells {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		switch {
		case cell.Number:
			w.buf = append(w.buf, cell.Text...)
		case cell.Text != "":
			w.buf = append(w.buf, '"')
			w.buf = append(w.buf, strings.ReplaceAll(cell.Text, `"`, `""`)...)
			w.buf = append(w.buf, '"')
		}
	}
	w.buf = append(w.buf, '\n')
	if w.size += int64(len(w.buf)); w.size > w.most {
		return fmt.Errorf("has more than %d MB of text", w.most>>20)
	}
	_, err := w.out.Write(w.buf)
	return err
}

// inArchive says what to do with a workbook or an archive that is compressed once more.
func inArchive(name string, first []byte) error {
	if workbook.IsArchive(first) || workbook.IsCompound(first) {
		return wrongCall("%s holds a workbook or an archive: decompress it first", name)
	}
	return nil
}

// closeAll closes temporary files.
func closeAll(files ...*disk.Temporary) (err error) {
	for _, f := range files {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// withFourth appends a zero to a number with three decimals, so that it is no text such as "1.050".
func withFourth(number []byte) []byte {
	if point := bytes.IndexByte(number, '.'); point >= 0 && len(number)-point == 4 {
		return append(slices.Clip(number), '0')
	}
	return number
}
