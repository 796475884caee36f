package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// maxRow bounds one row of a delimited file, in bytes; a quote that never closes ends there.
	maxRow = 1 << 20
	// maxBroken is how many unreadable rows in a row end the reading: the file's quoting is another one.
	maxBroken = 100
)

// row is one record of the file, whatever its container. Its cells are valid until the next row.
type row struct {
	number int // data rows count from 1; the header and blank lines have no number
	line   int // physical line where it begins, from 1; 0 when the container has none
	cells  [][]byte
	raw    []byte // the JSON object itself, in JSON files
	broken string // why the row cannot be read; then it has no cells

	unclean string // why one of its cells cannot be used
}

// blank is true when no cell holds anything.
func (r row) blank() bool {
	for _, cell := range r.cells {
		if len(bytes.TrimSpace(cell)) > 0 {
			return false
		}
	}
	return true
}

// rowReader reads delimited UTF-8 text, row by row, holding at most maxRow bytes. It accepts what real exports
// contain: quoted cells with line breaks, blanks around quotes, a stray quote inside a quoted cell, LF, CRLF or CR,
// rows of different lengths. encoding/csv refuses a stray quote or reads to the end of the file behind one that never
// closes, knows no CR alone, and bounds no row; here each of these costs one row only.
type rowReader struct {
	src       io.Reader
	delimiter byte
	buf       []byte
	from, to  int // the unread part of buf
	ended     bool
	line      int
	number    int
	blankRows int
	broken    int // unreadable rows since the last good one
	cells     [][]byte
	scratch   []byte // cells whose quotes had to be resolved
	sheet     bool   // of a workbook: each row is one line, whatever its texts hold
	marked    bool   // of a workbook: numbers with three decimals get a fourth
}

func newRowReader(src io.Reader, delimiter byte) *rowReader {
	return &rowReader{src: src, delimiter: delimiter, buf: make([]byte, 128<<10), line: 1}
}

// next returns the next row that is not blank, or io.EOF.
func (r *rowReader) next() (row, error) {
	for {
		if err := r.fill(1); err != nil {
			return row{}, err
		}
		if r.from == r.to {
			return row{}, io.EOF
		}
		got, err := r.record()
		if err != nil {
			return row{}, err
		}
		if got.broken == "" && got.blank() {
			if len(got.cells) > 1 || len(got.cells[0]) > 0 {
				r.blankRows++
			}
			continue
		}
		r.number++
		got.number = r.number
		return got, nil
	}
}

// record reads one record, asking for more bytes until it is complete.
func (r *rowReader) record() (row, error) {
	for {
		used, complete := r.parse(r.buf[r.from:r.to], r.ended)
		if complete {
			r.broken = 0
			return r.take(used, ""), nil
		}
		have := r.to - r.from
		if r.ended || have >= maxRow {
			break
		}
		if err := r.fill(have + max(have, 4<<10)); err != nil { // twice as much, so that long rows stay cheap
			return row{}, err
		}
	}
	// Only the first physical line is given up, so that the rows after it are not lost.
	r.broken++
	if r.broken > maxBroken {
		return row{}, fmt.Errorf("line %d: %d rows in a row cannot be read; is the delimiter or the quoting another one?", r.line, maxBroken)
	}
	used := r.to - r.from
	if i := bytes.IndexByte(r.buf[r.from:r.to], '\n'); i >= 0 {
		used = i + 1
	}
	r.cells = r.cells[:0]
	return r.take(used, "a quote opened here is never closed"), nil
}

// take moves behind the record just read.
func (r *rowReader) take(used int, broken string) row {
	got := row{line: r.line, cells: r.cells, broken: broken}
	if lines := bytes.Count(r.buf[r.from:r.from+used], []byte{'\n'}); r.sheet {
		r.line++
	} else {
		r.line += lines
	}
	r.from += used
	return got
}

// fill makes at least want unread bytes available, unless the file ends before.
func (r *rowReader) fill(want int) error {
	for r.to-r.from < want && !r.ended {
		if r.from > 0 {
			r.to = copy(r.buf, r.buf[r.from:r.to])
			r.from = 0
		}
		if r.to == len(r.buf) {
			grown := make([]byte, 2*len(r.buf))
			copy(grown, r.buf)
			r.buf = grown
		}
		n, err := r.src.Read(r.buf[r.to:])
		r.to += n
		if errors.Is(err, io.EOF) {
			r.ended = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// parse divides the record at the start of data into r.cells and returns its length with its line end. complete is
// false if the record continues after data, or, with final, if a quote stays open.
func (r *rowReader) parse(data []byte, final bool) (used int, complete bool) {
	r.cells, r.scratch = r.cells[:0], r.scratch[:0]
	at := 0
	for {
		next, closed := r.cell(data, at, final)
		if !closed {
			return 0, false
		}
		switch {
		case next == len(data):
			return next, final
		case data[next] == r.delimiter:
			at = next + 1
		case data[next] == '\n':
			return next + 1, true
		case next+1 < len(data): // '\r', and what follows is known
			if data[next+1] == '\n' {
				return next + 2, true
			}
			return next + 1, true
		default:
			return next + 1, final
		}
	}
}

// cell appends the cell that begins at data[at] and returns where its delimiter or line end stands.
// closed is false when that is not known yet.
func (r *rowReader) cell(data []byte, at int, final bool) (next int, closed bool) {
	start := r.skipBlanks(data, at)
	if start == len(data) && !final {
		return 0, false
	}
	if start < len(data) && data[start] == '"' {
		return r.quoted(data, start+1, final)
	}
	for i := start; i < len(data); i++ {
		if c := data[i]; c == r.delimiter || c == '\n' || c == '\r' {
			number := data[at:i]
			if r.marked {
				number = withFourth(number)
			}
			r.cells = append(r.cells, number)
			return i, true
		}
	}
	r.cells = append(r.cells, data[at:])
	return len(data), final
}

// quoted reads a cell from behind its opening quote. A quote closes the cell only where a delimiter
// or the line's end follows it; elsewhere it is a character of the text.
func (r *rowReader) quoted(data []byte, at int, final bool) (next int, closed bool) {
	mark, plain := len(r.scratch), true
	for from := at; ; {
		i := bytes.IndexByte(data[from:], '"')
		if i < 0 {
			return 0, false
		}
		i += from
		if i+1 == len(data) && !final {
			return 0, false
		}
		if i+1 < len(data) && data[i+1] == '"' {
			r.scratch, plain = append(r.scratch, data[from:i+1]...), false
			from = i + 2
			continue
		}
		after := r.skipBlanks(data, i+1)
		if after == len(data) && !final {
			return 0, false
		}
		if after < len(data) && data[after] != r.delimiter && data[after] != '\n' && data[after] != '\r' {
			r.scratch, plain = append(r.scratch, data[from:i+1]...), false
			from = i + 1
			continue
		}
		if plain {
			r.cells = append(r.cells, data[at:i])
		} else {
			r.scratch = append(r.scratch, data[from:i]...)
			r.cells = append(r.cells, r.scratch[mark:len(r.scratch):len(r.scratch)])
		}
		return after, true
	}
}

// skipBlanks moves over spaces, and tabs unless they delimit.
func (r *rowReader) skipBlanks(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\t') && data[at] != r.delimiter {
		at++
	}
	return at
}
