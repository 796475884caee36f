package importer

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// allRows reads everything; a broken row is shown as "!reason".
func allRows(t interface{ Fatal(...any) }, src io.Reader, delimiter byte) [][]string {
	var all [][]string
	rows := newRowReader(src, delimiter)
	for {
		got, err := rows.next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if got.number != len(all)+1 {
			t.Fatal("row numbers do not follow one another")
		}
		if got.broken != "" {
			all = append(all, []string{"!" + got.broken})
			continue
		}
		var cells []string
		for _, cell := range got.cells {
			cells = append(cells, string(cell))
		}
		all = append(all, cells)
	}
}

func TestRows(t *testing.T) {
	const open = "!a quote opened here is never closed"
	for name, test := range map[string]struct {
		text string
		want [][]string
	}{
		"plain":                     {"a,b\nc,d\n", [][]string{{"a", "b"}, {"c", "d"}}},
		"no line end at the end":    {"a,b\nc,d", [][]string{{"a", "b"}, {"c", "d"}}},
		"CRLF":                      {"a,b\r\nc,d\r\n", [][]string{{"a", "b"}, {"c", "d"}}},
		"CR alone":                  {"a,b\rc,d\r", [][]string{{"a", "b"}, {"c", "d"}}},
		"quotes":                    {`"a,b","c""d"` + "\n", [][]string{{"a,b", `c"d`}}},
		"line break in quotes":      {"\"a\nb\",c\nd,e\n", [][]string{{"a\nb", "c"}, {"d", "e"}}},
		"empty cells":               {",,\n\"\",x,\n", [][]string{{"", "x", ""}}},
		"blank lines":               {"a\n\n  \n,\nb\n", [][]string{{"a"}, {"b"}}},
		"blanks around quotes":      {`  "a, b"   , c ` + "\n", [][]string{{"a, b", " c "}}},
		"stray quote inside":        {`"5" pipe, steel",x` + "\n", [][]string{{`5" pipe, steel`, "x"}}},
		"quote in an unquoted cell": {`5" pipe,x` + "\n", [][]string{{`5" pipe`, "x"}}},
		"ragged":                    {"a,b,c\nd\ne,f,g,h\n", [][]string{{"a", "b", "c"}, {"d"}, {"e", "f", "g", "h"}}},
		"open quote costs a line":   {"a,b\n\"c,d\ne,f\n", [][]string{{"a", "b"}, {open}, {"e", "f"}}},
		"open quote at the end":     {"a\n\"b", [][]string{{"a"}, {open}}},
		"empty":                     {"", nil},
		"only line ends":            {"\n\r\n\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, src := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
				if got := allRows(t, src, ','); !slices.EqualFunc(got, test.want, slices.Equal) {
					t.Errorf("got  %q\nwant %q", got, test.want)
				}
			}
		})
	}
}

func TestRowsKnowTheirLines(t *testing.T) {
	rows := newRowReader(strings.NewReader("h\n\"a\nb\"\n\n\nc\n"), ',')
	for _, want := range []int{1, 2, 6} {
		if got, err := rows.next(); err != nil || got.line != want {
			t.Errorf("line %d, %v, want %d", got.line, err, want)
		}
	}
}

// A quote that never closes must not read the whole file into memory, nor lose it.
func TestOpenQuoteIsBounded(t *testing.T) {
	text := "a,\"open\n" + strings.Repeat("b,c\n", 600_000)
	rows := newRowReader(strings.NewReader(text), ',')
	n, broken := 0, 0
	for {
		got, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
		if got.broken != "" {
			broken++
		}
	}
	if n != 600_001 || broken != 1 || len(rows.buf) > 2*maxRow {
		t.Errorf("%d rows, %d broken, a buffer of %d bytes", n, broken, len(rows.buf))
	}
}

// A file in another quoting is given up, loudly.
func TestGivesUpOnHopelessFiles(t *testing.T) {
	rows := newRowReader(strings.NewReader(strings.Repeat("\"open and \"\n", 5000)[:50_000]+"\"x"), ',')
	var err error
	for err == nil {
		_, err = rows.next()
	}
	if !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "quoting") {
		t.Errorf("error %v", err)
	}
	endless := newRowReader(iotest.DataErrReader(io.LimitReader(zeroes{}, 300*maxRow)), ',')
	for err = nil; err == nil; {
		_, err = endless.next()
	}
	if len(endless.buf) > 2*maxRow {
		t.Errorf("a line without end took a buffer of %d bytes", len(endless.buf))
	}
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	if len(p) > 0 {
		p[0] = '"'
	}
	return len(p), nil
}

// Rows written with every cell quoted read back unchanged, whatever the cells hold.
func TestRowsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delimiter := rapid.SampledFrom([]byte{',', ';', '\t', '|'}).Draw(t, "delimiter")
		cell := rapid.StringOf(rapid.SampledFrom([]rune("ab \",;\t|\n\rä€")))
		table := rapid.SliceOf(rapid.SliceOfN(cell, 1, 5)).Draw(t, "table")
		var text bytes.Buffer
		var want [][]string
		for _, cells := range table {
			blank := true
			for i, c := range cells {
				if i > 0 {
					text.WriteByte(delimiter)
				}
				text.WriteString(`"` + strings.ReplaceAll(c, `"`, `""`) + `"`)
				blank = blank && strings.TrimSpace(c) == ""
			}
			text.WriteString(rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end"))
			if !blank {
				want = append(want, cells)
			}
		}
		if got := allRows(t, &text, delimiter); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	})
}

// Any bytes: the reader ends, numbers its rows, and reads the same in one piece and byte by byte.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{"a,b\nc,d\n", "\"a\n\"\"b\",c\r\n", "\"open\nx,y", "a,\"b\" c\",d\n", " \" x \" ,\n\r\r", "\"\"\"\"\"",
		"\xff\xfe,\x00"} {
		f.Add([]byte(seed), byte(','))
		f.Add([]byte(seed), byte('\t'))
	}
	f.Fuzz(func(t *testing.T, text []byte, delimiter byte) {
		if delimiter == '"' || delimiter == '\n' || delimiter == '\r' {
			return
		}
		read := func(src io.Reader) (all [][]string, err error) {
			rows := newRowReader(src, delimiter)
			for {
				got, err := rows.next()
				if err != nil {
					return all, err
				}
				if len(all) > len(text) {
					t.Fatal("more rows than bytes")
				}
				cells := []string{got.broken}
				for _, c := range got.cells {
					cells = append(cells, string(c))
				}
				all = append(all, cells)
			}
		}
		whole, err1 := read(bytes.NewReader(text))
		bytewise, err2 := read(iotest.OneByteReader(bytes.NewReader(text)))
		if !slices.EqualFunc(whole, bytewise, slices.Equal) || errors.Is(err1, io.EOF) != errors.Is(err2, io.EOF) {
			t.Errorf("in one piece %q (%v), byte by byte %q (%v)", whole, err1, bytewise, err2)
		}
	})
}
