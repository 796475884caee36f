package verify

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

// finder finds texts in bytes, in all forms in which a store may hold them.
type finder struct {
	texts   []string
	forms   [][][]byte // of each text, folded
	longest int
}

// newFinder makes a finder; empty texts are left out.
func newFinder(texts ...string) *finder {
	f := &finder{}
	for _, text := range texts {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		forms := formsOf(text)
		f.texts, f.forms = append(f.texts, text), append(f.forms, forms)
		for _, form := range forms {
			f.longest = max(f.longest, len(form))
		}
	}
	return f
}

// formsOf returns the ways in which a text may be stored: in either case, with accents composed or decomposed, as it
// is, escaped in JSON or a URL, in hex and in base64. ASCII letters are folded, because the comparison folds them.
func formsOf(text string) (forms [][]byte) {
	add := func(form string) {
		folded := foldASCII([]byte(form))
		if !slices.ContainsFunc(forms, func(f []byte) bool { return bytes.Equal(f, folded) }) {
			forms = append(forms, folded)
		}
	}
	for _, cased := range []string{text, strings.ToLower(text), strings.ToUpper(text)} {
		for _, form := range []string{cased, norm.NFC.String(cased), norm.NFD.String(cased)} {
			add(form)
			add(escapeJSON(form))
			add(url.QueryEscape(form))
			add(url.PathEscape(form))
			add(hex.EncodeToString([]byte(form)))
			add(strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(form)), "="))
		}
	}
	return forms
}

// escapeJSON writes characters outside ASCII, and those that JSON must escape, as \uXXXX or \c.
func escapeJSON(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c >= ' ' && c < 0x7f:
			b.WriteRune(c)
		default:
			for _, unit := range utf16.Encode([]rune{c}) {
				b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(unit), 16)[1:])
			}
		}
	}
	return b.String()
}

// foldASCII makes capital ASCII letters small, in place.
func foldASCII(b []byte) []byte {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return b
}

// In returns the texts that a text contains.
func (f *finder) In(text string) (found []string) {
	folded := foldASCII([]byte(text))
	for i, forms := range f.forms {
		if slices.ContainsFunc(forms, func(form []byte) bool { return bytes.Contains(folded, form) }) {
			found = append(found, f.texts[i])
		}
	}
	return found
}

// window is how many bytes of a file are searched together.
const window = 1 << 20

// Scan reads to the end and reports each position of a text.
func (f *finder) Scan(r io.Reader, found func(text string, offset int64)) error {
	buffer := make([]byte, 0, window+f.longest)
	start := int64(0) // of the buffer in what is read
	for {
		n, err := io.ReadFull(r, buffer[len(buffer):cap(buffer)])
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		if err != nil && err != io.EOF {
			return err
		}
		foldASCII(buffer[len(buffer) : len(buffer)+n])
		buffer = buffer[:len(buffer)+n]
		kept := min(len(buffer), max(f.longest-1, 0))
		next := len(buffer) - kept // the next window begins here and finds what begins here
		if err == io.EOF {
			next = len(buffer)
		}
		for i, forms := range f.forms {
			for _, at := range places(buffer, next, forms) {
				found(f.texts[i], start+int64(at))
			}
		}
		if err == io.EOF {
			return nil
		}
		start += int64(next)
		buffer = buffer[:copy(buffer, buffer[next:])]
	}
}

// places returns the offsets below a limit at which one of the forms begins.
func places(b []byte, below int, forms [][]byte) (list []int) {
	for _, form := range forms {
		for from := 0; from < below; {
			at := bytes.Index(b[from:], form)
			if at < 0 || from+at >= below {
				break
			}
			list = append(list, from+at)
			from += at + 1
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
