package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// container is the structure of the rows in the file.
type container string

const (
	delimited container = "csv"
	jsonLines container = "jsonl"
	jsonArray container = "json"
)

// table is the file as rows under named columns.
type table struct {
	source     *source
	container  container
	wrapped    bool // the array of objects is the first member of an object
	shopify    bool // the objects are those of Shopify's products.json, shown as rows of its export
	delimiter  byte
	skip       int // physical lines before the header ("sep=;")
	headerLine int // where the names of the columns stand, if not in the first row
	headerless bool
	header     []string
	english    []string   // the header in the words of the format, where it is in another language
	sampled    [][][]byte // the first rows, to decide things by
	unseen     []string   // columns asked for that the first objects lack
	names      []bool     // columns that hold SKUs and other names of things; nil before the mapping is known
	unread     []bool     // columns that nobody reads
	bad        bool       // some bytes of the file are no UTF-8
}

// rowStream gives the rows of one reading of the file.
type rowStream interface {
	next() (row, error)
	blank() int // blank rows passed over so far
}

func (r *rowReader) blank() int { return r.blankRows }

// tableOptions are the flags that describe a file.
type tableOptions struct {
	format    string
	delimiter string
	columns   []string
	noHeader  bool
	headerRow int             // the line of the header; 0: found out
	known     map[string]bool // names of columns that show where it is
}

// tableOptions are those of an import.
func (o *Options) tableOptions() tableOptions {
	return tableOptions{format: o.Format, delimiter: o.Delimiter, columns: o.Columns, noHeader: o.NoHeader, headerRow: o.HeaderRow,
		known: o.Kind.knownHeaders()}
}

// newTable detects the structure of a source's rows.
func newTable(s *source, o tableOptions) (*table, error) {
	t := &table{source: s, bad: s.charset.bad}
	head := bytes.TrimLeft(s.sample, " \t\r\n")
	if len(head) == 0 {
		return nil, wrongCall("%s holds no rows", s.name)
	}
	switch {
	case o.format == string(jsonLines) || o.format == string(jsonArray):
		t.container = container(o.format)
		if t.container == jsonLines && head[0] == '[' {
			return nil, wrongCall("%s begins with [: it is a JSON array, --format json", s.name)
		}
	case o.format == "auto" && head[0] == '[':
		t.container = jsonArray
	case o.format == "auto" && head[0] == '{':
		t.container = jsonArray
		first, _, _ := bytes.Cut(head, []byte{'\n'})
		if !wrappedList.Match(head) && jsontext.Value(bytes.TrimSpace(first)).IsValid() {
			t.container = jsonLines
		}
	default:
		t.container = delimited
	}
	if t.container != delimited {
		t.wrapped = t.container == jsonArray && wrappedList.Match(head)
		return t, t.sampleObjects()
	}
	return t, t.sampleRows(o)
}

// wrappedList begins the body of a bulk request, or the answer to a list: an object whose first member is the list.
var wrappedList = regexp.MustCompile(`^\{\s*"(products|orders|updates|data)"\s*:\s*\[`)

const sampleRows = 1000 // at most so many rows decide on columns and signs

func (t *table) sampleRows(o tableOptions) (err error) {
	sample := t.source.sample
	if !t.source.whole { // the last line is cut
		sample = sample[:bytes.LastIndexByte(sample, '\n')+1]
	}
	if first, rest, _ := bytes.Cut(sample, []byte{'\n'}); len(bytes.TrimSpace(first)) == 5 && bytes.HasPrefix(first, []byte("sep=")) {
		t.skip, t.delimiter, sample = 1, first[4], rest
	}
	if t.source.sheet != "" {
		t.delimiter = ','
	} else if t.delimiter, err = chooseDelimiter(sample, o.delimiter, t.delimiter); err != nil {
		return err
	}
	t.headerless = o.noHeader || len(o.columns) > 0
	t.header = o.columns
	rows := t.reader(bytes.NewReader(sample), false)
	if !t.headerless {
		if err := t.findHeader(rows, o); err != nil {
			return err
		}
	}
	for len(t.sampled) < sampleRows {
		got, err := rows.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return err
		}
		t.clean(&got)
		t.sampled = append(t.sampled, keepCells(got.cells))
	}
	if len(t.header) == 0 && t.headerless && len(t.sampled) > 0 {
		for i := range t.sampled[0] {
			t.header = append(t.header, fmt.Sprintf("c%d", i+1))
		}
	}
	if len(t.header) == 0 {
		return wrongCall("%s has no header line", t.source.name)
	}
	return nil
}

// findHeader reads the rows of a sample to the names of the columns, which are the first row, the one asked for, or
// the one that headerRow finds; then the rows after it follow.
func (t *table) findHeader(rows *rowReader, o tableOptions) error {
	var first []row
	for len(first) < 3*mostTitleRows {
		got, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		got.cells = keepCells(got.cells)
		first = append(first, got)
	}
	at := 0
	if o.headerRow > 0 {
		if at = slices.IndexFunc(first, func(r row) bool { return r.line+t.skip >= o.headerRow }); at < 0 {
			return wrongCall("--header-row %d: the first %d rows of the file end in line %d", o.headerRow, len(first), rows.line+t.skip-1)
		}
	} else {
		at = headerRow(first, o.known)
	}
	if at >= len(first) {
		return nil
	}
	if first[at].broken != "" {
		return wrongCall("the header line cannot be read: %s", first[at].broken)
	}
	t.header = headerOf(first[at].cells)
	if at > 0 {
		t.headerLine = first[at].line + t.skip
	}
	for _, r := range first[at+1:] {
		t.clean(&r)
		t.sampled = append(t.sampled, r.cells)
	}
	return nil
}

// headerOf trims the names; a second column of the same name gets "#2" behind it.
func headerOf(cells [][]byte) []string {
	seen := map[string]int{}
	var header []string
	for _, cell := range cells {
		name := string(plainText(bytes.TrimSpace(cell), true))
		if seen[name]++; seen[name] > 1 && name != "" {
			name = fmt.Sprintf("%s#%d", name, seen[name])
		}
		header = append(header, name)
	}
	for len(header) > 0 && header[len(header)-1] == "" {
		header = header[:len(header)-1]
	}
	return header
}

func keepCells(cells [][]byte) [][]byte {
	kept := make([][]byte, len(cells))
	for i, cell := range cells {
		kept[i] = slices.Clone(cell)
	}
	return kept
}

// delimiterNames are the words a person may use.
var delimiterNames = map[string]byte{"comma": ',', "semicolon": ';', "tab": '\t', `\t`: '\t', "pipe": '|'}

// chooseDelimiter takes the requested sign, the one that the file announces, or the one that divides most of the first
// rows into the same number of cells, and into most.
func chooseDelimiter(sample []byte, asked string, announced byte) (byte, error) {
	if d, ok := delimiterNames[strings.ToLower(asked)]; ok {
		return d, nil
	}
	if len(asked) == 1 && asked[0] < 128 && asked[0] != '"' && asked[0] != '\n' && asked[0] != '\r' {
		return asked[0], nil
	}
	if asked != "" && asked != "auto" {
		return 0, wrongCall("--delimiter %q: give one sign, or comma, semicolon, tab, pipe, auto", asked)
	}
	if announced != 0 {
		return announced, nil
	}
	best, bestEven, bestCells := byte(','), 0.0, 1
	for _, d := range []byte{',', ';', '\t', '|'} {
		rows := newRowReader(bytes.NewReader(sample), d)
		counts, seen := map[int]int{}, 0
		for seen < 50 {
			got, err := rows.next()
			if err != nil {
				break
			}
			if seen++; got.broken == "" {
				counts[len(got.cells)]++
			}
		}
		cells, even := 1, 0 // the number of cells that most rows have; a title above the table may have another
		for n, times := range counts {
			if n > 1 && (times > even || times == even && n > cells) {
				cells, even = n, times
			}
		}
		if share := float64(even) / float64(max(1, seen)); cells > 1 && (bestCells == 1 || share > bestEven ||
			share == bestEven && cells > bestCells) {
			best, bestEven, bestCells = d, share, cells
		}
	}
	return best, nil
}

func (t *table) sampleObjects() error {
	flat := &flattener{}
	kept, unreadable := sampled(t.objects(bytes.NewReader(t.source.sample), flat), sampleRows)
	if len(kept) == 0 && !t.source.whole { // the first object may be longer than the sample
		text, closeFile, err := t.source.open()
		if err != nil {
			return err
		}
		kept, unreadable = sampled(t.objects(text, flat), 1)
		if err := closeFile(); err != nil {
			return err
		}
	}
	switch {
	case len(kept) == 0 && unreadable != "":
		return wrongCall("%s begins with no object that can be read: %s", t.source.name, unreadable)
	case len(kept) == 0:
		return wrongCall("%s holds no objects", t.source.name)
	}
	if t.shopify = isShopifyJSON(flat.names); t.shopify {
		t.header = slices.Clone(shopifyJSONColumns)
		for _, raw := range kept {
			rows, _ := shopifyRows(row{raw: raw}) // one that cannot be read is refused when the file is read
			for _, r := range rows {
				t.sampled = append(t.sampled, r.cells)
			}
		}
		return nil
	}
	t.header = flat.names
	flat.wanted = t.wanted()
	for _, raw := range kept {
		if cells, err := flat.object(raw); err == nil {
			t.sampled = append(t.sampled, keepCells(cells))
		}
	}
	return nil
}

// sampled reads the first objects that can be read, and says what was wrong with the first one that cannot.
func sampled(rows rowStream, most int) (kept [][]byte, unreadable string) {
	for len(kept) < most {
		got, err := rows.next()
		if err != nil { // a sample is cut somewhere; errors behind readable objects show when the file is read
			if !errors.Is(err, io.EOF) {
				unreadable = cmp.Or(unreadable, err.Error())
			}
			break
		}
		if got.broken == "" {
			kept = append(kept, slices.Clone(got.raw))
		} else if unreadable = cmp.Or(unreadable, got.broken); most == 1 {
			break
		}
	}
	return kept, unreadable
}

func (t *table) wanted() map[string]int {
	wanted := make(map[string]int, len(t.header))
	for i, name := range t.header {
		wanted[name] = i
	}
	return wanted
}

func (t *table) objects(text io.Reader, flat *flattener) rowStream {
	if t.container == jsonLines {
		return &lineObjects{lines: bufio.NewReaderSize(text, 64<<10), flat: flat}
	}
	return &arrayObjects{values: jsontext.NewDecoder(text), flat: flat, wrapped: t.wrapped}
}

// column finds a column by its name, without case if need be. In JSON files a name that the first
// objects lack is taken too, as later ones may have it.
func (t *table) column(name string) (int, bool) {
	if name == "" {
		return 0, false
	}
	if i := slices.Index(t.header, name); i >= 0 {
		return i, true
	}
	if i := slices.IndexFunc(t.header, func(h string) bool { return strings.EqualFold(h, name) }); i >= 0 {
		return i, true
	}
	if t.container == delimited || t.shopify {
		return 0, false
	}
	t.header = append(t.header, name)
	t.unseen = append(t.unseen, name)
	return len(t.header) - 1, true
}

// reader reads rows of cells. marked is for eachRowMarked, and counts in workbooks only.
func (t *table) reader(text io.Reader, marked bool) *rowReader {
	r := newRowReader(text, t.delimiter)
	r.sheet, r.marked = t.source.sheet != "", marked && t.source.sheet != ""
	return r
}

// open reads the rows from the beginning. marked is for eachRowMarked.
func (t *table) open(marked bool) (rows rowStream, closeFile func() error, err error) {
	text, closeFile, err := t.source.open()
	if err != nil {
		return nil, nil, err
	}
	if t.container != delimited {
		rows = t.objects(text, &flattener{wanted: t.wanted(), marked: marked})
		if t.shopify {
			rows = &shopifyObjects{rowStream: rows}
		}
		return &cleanRows{rows, t}, closeFile, nil
	}
	reader := t.reader(text, marked)
	for range t.skip {
		if _, err := reader.next(); err != nil {
			return nil, nil, errors.Join(err, closeFile())
		}
	}
	if !t.headerless {
		for {
			r, err := reader.next()
			if err != nil {
				return nil, nil, errors.Join(err, closeFile())
			}
			if r.line >= t.headerLine {
				break
			}
		}
	}
	reader.number = 0
	return &cleanRows{reader, t}, closeFile, nil
}

// surplus describes non-empty cells after the last column: an unquoted delimiter in the row has shifted its cells, so
// that none of them can be trusted.
func (t *table) surplus(r row) string {
	if t.container != delimited || len(r.cells) <= len(t.header) {
		return ""
	}
	for _, cell := range r.cells[len(t.header):] {
		if len(bytes.TrimSpace(cell)) > 0 {
			return fmt.Sprintf("the row has %d cells, the header %d: is there an unquoted delimiter in a text?", len(r.cells), len(t.header))
		}
	}
	return ""
}
