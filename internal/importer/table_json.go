package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxObject bounds one JSON object, in bytes: no request could carry a larger one.
const maxObject = 10 << 20

// lineObjects reads JSON lines: one object a line. A line that is no JSON costs that line only.
type lineObjects struct {
	lines  *bufio.Reader
	flat   *flattener
	line   int
	number int
	buf    []byte
}

func (r *lineObjects) next() (row, error) {
	for {
		text, tooLong, err := r.readLine()
		if err != nil {
			return row{}, err
		}
		r.line++
		text = bytes.TrimSpace(text)
		if len(text) == 0 && !tooLong {
			continue
		}
		r.number++
		got := row{number: r.number, line: r.line, raw: text}
		if tooLong {
			got.broken = fmt.Sprintf("the line is longer than %d bytes", maxObject)
			return got, nil
		}
		if got.cells, err = r.flat.object(text); err != nil {
			got.broken = err.Error()
		}
		return got, nil
	}
}

// readLine reads to the next line break, keeping at most maxObject bytes of it.
func (r *lineObjects) readLine() (line []byte, tooLong bool, err error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.lines.ReadSlice('\n')
		if len(r.buf)+len(part) > maxObject {
			tooLong = true
		} else {
			r.buf = append(r.buf, part...)
		}
		switch {
		case err == nil:
			return r.buf, tooLong, nil
		case errors.Is(err, io.EOF) && (len(r.buf) > 0 || tooLong):
			return r.buf, tooLong, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

func (r *lineObjects) blank() int { return 0 }

// arrayObjects reads the elements of a JSON array, or objects that follow one another.
type arrayObjects struct {
	values  *jsontext.Decoder
	flat    *flattener
	wrapped bool // the array is the first member of an object, and the only one that counts
	opened  bool
	array   bool
	number  int
}

func (r *arrayObjects) next() (row, error) {
	if !r.opened {
		r.opened = true
		if r.wrapped {
			for range 2 { // the object's bracket and the member's name
				if _, err := r.values.ReadToken(); err != nil {
					return row{}, err
				}
			}
		}
		if r.values.PeekKind() == '[' {
			r.array = true
			if _, err := r.values.ReadToken(); err != nil {
				return row{}, err
			}
		}
	}
	if r.array && r.values.PeekKind() == ']' {
		return row{}, io.EOF
	}
	text, err := r.values.ReadValue()
	if errors.Is(err, io.EOF) && !r.array {
		return row{}, io.EOF
	}
	if err != nil && r.number == 0 {
		return row{}, noJSON(err, "the file")
	}
	if err != nil {
		return row{}, fmt.Errorf("behind row %d the file is no JSON any more: %w", r.number, inPlainWords(err, "the file"))
	}
	r.number++
	got := row{number: r.number, raw: text}
	if got.cells, err = r.flat.object(text); err != nil {
		got.broken = err.Error()
	}
	return got, nil
}

func noJSON(err error, of string) error {
	return fmt.Errorf("this is no JSON: %w", inPlainWords(err, of))
}

// inPlainWords is a parser's error without the parser's name and its own way to name a position in its input.
func inPlainWords(err error, of string) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return err
	}
	if errors.Is(syntax.Err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("the same name twice in one object, at byte %d of %s", syntax.ByteOffset, of)
	}
	return fmt.Errorf("%w, at byte %d of %s", syntax.Err, syntax.ByteOffset, of)
}

func (r *arrayObjects) blank() int { return 0 }

// flattener turns an object into cells. A member of a member is named with a dot ("stock.quantity"), lists become one
// cell whose elements are separated by listMark, null is blank.
type flattener struct {
	wanted map[string]int // nil while the names are being collected
	marked bool           // numbers with three decimals get a fourth, so that they are no texts such as "1.050"
	names  []string
	cells  [][]byte
	path   []byte
	source bytes.Reader
	tokens jsontext.Decoder
}

func (f *flattener) object(text []byte) ([][]byte, error) {
	for i := range f.cells {
		f.cells[i] = f.cells[i][:0]
	}
	f.source.Reset(text)
	f.tokens.Reset(&f.source)
	if kind := f.tokens.PeekKind(); kind != '{' {
		if _, err := f.tokens.ReadToken(); err != nil {
			return nil, noJSON(err, "the object")
		}
		return nil, errors.New("this is no JSON object")
	}
	f.path = f.path[:0]
	if err := f.value(); err != nil {
		return nil, noJSON(err, "the object")
	}
	if _, err := f.tokens.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
	}
	return f.cells, nil
}

// value reads the value at the current path.
func (f *flattener) value() error {
	token, err := f.tokens.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '{':
		for f.tokens.PeekKind() != '}' {
			name, err := f.tokens.ReadToken()
			if err != nil {
				return err
			}
			mark := len(f.path)
			if mark > 0 {
				f.path = append(f.path, '.')
			}
			f.path = append(f.path, name.String()...)
			if err := f.value(); err != nil {
				return err
			}
			f.path = f.path[:mark]
		}
		_, err = f.tokens.ReadToken()
		return err
	case '[':
		for f.tokens.PeekKind() != ']' {
			if err := f.value(); err != nil {
				return err
			}
		}
		_, err = f.tokens.ReadToken()
		return err
	case 'n':
		return nil
	}
	text := token.String()
	if point := strings.IndexByte(text, '.'); f.marked && token.Kind() == '0' && point >= 0 && len(text)-point == 4 {
		text += "0"
	}
	f.put(text)
	return nil
}

// put adds a scalar to the cell of the current path.
func (f *flattener) put(text string) {
	column, ok := f.wanted[string(f.path)]
	if !ok {
		if f.wanted == nil {
			f.collect(string(f.path))
		}
		return
	}
	for len(f.cells) <= column {
		f.cells = append(f.cells, nil)
	}
	if len(f.cells[column]) > 0 {
		f.cells[column] = append(f.cells[column], listMark)
	}
	f.cells[column] = append(f.cells[column], text...)
}

func (f *flattener) collect(name string) {
	for _, have := range f.names {
		if have == name {
			return
		}
	}
	f.names = append(f.names, name)
}
