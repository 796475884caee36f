package importer

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// charset is how a file's bytes become text.
type charset struct {
	name    string
	bom     int               // bytes to leave out at the start
	decoder encoding.Encoding // nil: the bytes are UTF-8 already
}

// reader turns the file's bytes into UTF-8 without byte order mark.
func (c charset) reader(src io.Reader) (io.Reader, error) {
	if _, err := io.CopyN(io.Discard, src, int64(c.bom)); err != nil && err != io.EOF {
		return nil, err
	}
	if c.decoder == nil {
		return src, nil
	}
	return transform.NewReader(src, c.decoder.NewDecoder()), nil
}

// byteOrderMarks in the order in which they are looked for.
var byteOrderMarks = []struct {
	mark string
	charset
}{
	{"\xEF\xBB\xBF", charset{name: "utf-8", bom: 3}},
	{"\xFF\xFE", charset{name: "utf-16le", bom: 2, decoder: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}},
	{"\xFE\xFF", charset{name: "utf-16be", bom: 2, decoder: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}},
}

// textScan reads all bytes of a file and finds their encoding.
type textScan struct {
	head       []byte // the first bytes, at most sampleSize
	size       int64
	zeros      [2]int64 // NUL bytes at even and odd places
	invalid    bool     // not UTF-8 somewhere
	unfinished []byte   // the head of a character cut by the end of a block
}

// sampleSize is how much of the file decides on delimiter, header and decimal sign.
const sampleSize = 256 << 10

// Write takes the next block.
func (s *textScan) Write(block []byte) (int, error) {
	if room := sampleSize - len(s.head); room > 0 {
		s.head = append(s.head, block[:min(room, len(block))]...)
	}
	if !s.invalid {
		s.checkUTF8(block)
	}
	if s.size < sampleSize {
		for i, c := range block {
			if c == 0 {
				s.zeros[(s.size+int64(i))&1]++
			}
		}
	}
	s.size += int64(len(block))
	return len(block), nil
}

func (s *textScan) checkUTF8(block []byte) {
	for len(s.unfinished) > 0 && len(block) > 0 && !s.invalid {
		s.unfinished, block = append(s.unfinished, block[0]), block[1:]
		if utf8.FullRune(s.unfinished) {
			s.invalid = !utf8.Valid(s.unfinished)
			s.unfinished = nil
		}
	}
	cut := len(block)
	for i := max(0, len(block)-utf8.UTFMax+1); i < len(block); i++ {
		if utf8.RuneStart(block[i]) && !utf8.FullRune(block[i:]) {
			cut = i
			break
		}
	}
	s.invalid = s.invalid || !utf8.Valid(block[:cut])
	s.unfinished = append(s.unfinished, block[cut:]...)
}

// charset decides: a byte order mark; many NULs, as UTF-16 has in plain letters; UTF-8 if every byte of the file is
// valid; otherwise Windows-1252, which includes the printable characters of Latin-1.
func (s *textScan) charset() charset {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(s.head, []byte(m.mark)) {
			if m.decoder == nil && s.broken() {
				return charset{name: "utf-8", bom: m.bom, decoder: unicode.UTF8} // as announced; bad bytes become U+FFFD
			}
			return m.charset
		}
	}
	looked := min(s.size, sampleSize)
	switch {
	case looked > 1 && s.zeros[1]*5 > looked && s.zeros[0]*20 < looked:
		return charset{name: "utf-16le", decoder: byteOrderMarks[1].decoder}
	case looked > 1 && s.zeros[0]*5 > looked && s.zeros[1]*20 < looked:
		return charset{name: "utf-16be", decoder: byteOrderMarks[2].decoder}
	case s.broken():
		return charset{name: "windows-1252", decoder: charmap.Windows1252}
	}
	return charset{name: "utf-8"}
}

func (s *textScan) broken() bool { return s.invalid || len(s.unfinished) > 0 }

// charsetNamed is the charset a person asked for; "" and "auto" are what the scan found.
func (s *textScan) charsetNamed(name string) (charset, error) {
	found := s.charset()
	switch plain := plainName(name); plain {
	case "", "auto":
		return found, nil
	case "utf8":
		if s.broken() {
			found.decoder = unicode.UTF8
		} else {
			found.decoder = nil
		}
		return charset{name: "utf-8", bom: s.bom("utf-8"), decoder: found.decoder}, nil
	case "utf16", "utf16le":
		if found.name == "utf-16be" && plain == "utf16" {
			return found, nil
		}
		return charset{name: "utf-16le", bom: s.bom("utf-16le"), decoder: byteOrderMarks[1].decoder}, nil
	case "utf16be":
		return charset{name: "utf-16be", bom: s.bom("utf-16be"), decoder: byteOrderMarks[2].decoder}, nil
	case "latin1":
		return charset{name: "iso-8859-1", decoder: charmap.ISO8859_1}, nil
	default:
		for _, e := range charmap.All {
			if plainName(fmt.Sprint(e)) == plain {
				return charset{name: strings.ToLower(name), decoder: e}, nil
			}
		}
	}
	return charset{}, wrongCall("--encoding %s is not known; use auto, utf-8, utf-16, windows-1252, latin1 or another single-byte encoding "+
		"such as iso-8859-15", name)
}

func (s *textScan) bom(name string) int {
	for _, m := range byteOrderMarks {
		if m.name == name && bytes.HasPrefix(s.head, []byte(m.mark)) {
			return m.bom
		}
	}
	return 0
}

// plainName makes "ISO 8859-15", "iso-8859-15" and "iso8859_15" one word.
func plainName(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}
