package importer

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// charset is how a file's bytes become text.
type charset struct {
	name    string
	bom     int               // bytes to leave out at the start
	decoder encoding.Encoding // nil: the bytes are UTF-8 already
	bad     bool              // some bytes are no UTF-8: their cells hold U+FFFD, and their rows are refused
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

// byteOrderMarks in the order in which they are tried.
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
	zeros      [2]int64 // NUL bytes at even and odd positions
	good, bad  int64    // bytes beyond ASCII that continue a character of UTF-8, and others
	unfinished []byte   // the head of a character cut by the end of a block
	words      []byte   // the first words with bytes beyond ASCII, at most mostWords
	word       []byte   // the one at the end of the last block
}

// mostWords bounds the text that decides on an encoding other than UTF-8, in bytes.
const mostWords = 64 << 10

// sampleSize is how much of the file decides on delimiter, header and decimal sign.
const sampleSize = 256 << 10

// Write takes the next block.
func (s *textScan) Write(block []byte) (int, error) {
	if room := sampleSize - len(s.head); room > 0 {
		s.head = append(s.head, block[:min(room, len(block))]...)
	}
	s.checkUTF8(block)
	s.collect(block)
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
	for len(s.unfinished) > 0 && len(block) > 0 {
		s.unfinished, block = append(s.unfinished, block[0]), block[1:]
		if utf8.FullRune(s.unfinished) {
			s.count(s.unfinished)
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
	s.count(block[:cut])
	s.unfinished = append(s.unfinished, block[cut:]...)
}

// count counts the bytes beyond ASCII of whole characters.
func (s *textScan) count(text []byte) {
	if utf8.Valid(text) {
		s.good += int64(len(text) - utf8.RuneCount(text))
		return
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			s.bad++
		} else {
			s.good += int64(size - 1)
		}
		text = text[size:]
	}
}

// collect adds the words of a block that hold bytes beyond ASCII. Signs and digits below 0x40 end a word: no encoding
// has these as the second byte of a letter.
func (s *textScan) collect(block []byte) {
	for len(block) > 0 && len(s.words) < mostWords {
		end := bytes.IndexFunc(block, func(r rune) bool { return r < 0x40 })
		if end < 0 {
			if s.word = append(s.word, block...); len(s.word) > mostWords {
				s.word = nil
			}
			return
		}
		s.word = append(s.word, block[:end]...)
		s.endWord()
		block = block[end+1:]
	}
}

func (s *textScan) endWord() {
	if bytes.ContainsFunc(s.word, func(r rune) bool { return r >= utf8.RuneSelf }) {
		s.words = append(append(s.words, s.word...), ' ')
	}
	s.word = s.word[:0]
}

// charset decides: a byte order mark; many NULs, as UTF-16 has in plain letters; UTF-8 if most of what is beyond
// ASCII is; otherwise what detectLegacy finds. others are encodings that may be meant as well: then a person has to
// say which.
func (s *textScan) charset() (found charset, others []charset) {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(s.head, []byte(m.mark)) {
			if m.decoder == nil && s.broken() {
				return charset{name: "utf-8", bom: m.bom, decoder: unicode.UTF8, bad: true}, nil // as announced
			}
			return m.charset, nil
		}
	}
	looked := min(s.size, sampleSize)
	switch {
	case looked > 1 && s.zeros[1]*5 > looked && s.zeros[0]*20 < looked:
		return charset{name: "utf-16le", decoder: byteOrderMarks[1].decoder}, nil
	case looked > 1 && s.zeros[0]*5 > looked && s.zeros[1]*20 < looked:
		return charset{name: "utf-16be", decoder: byteOrderMarks[2].decoder}, nil
	case !s.broken():
		return charset{name: "utf-8"}, nil
	case s.mostlyUTF8():
		return charset{name: "utf-8", decoder: unicode.UTF8, bad: true}, nil
	}
	s.endWord()
	found, others, sure := detectLegacy(s.words, s.bad*500 < s.size)
	if sure {
		others = nil
	}
	return found, others
}

// mostlyUTF8 reports whether so few bytes are no UTF-8 that these were cut or pasted into it. Pairs of bytes of
// Chinese text are valid in a part of the cases.
func (s *textScan) mostlyUTF8() bool {
	bad := s.bad + int64(len(s.unfinished))
	return s.good >= 2*bad || bad <= 2 && s.good >= bad
}

func (s *textScan) broken() bool { return s.bad > 0 || len(s.unfinished) > 0 }

// charsetNamed is the charset a person asked for; "" and "auto" are what the scan found, and others what it may be as
// well.
func (s *textScan) charsetNamed(name string) (found charset, others []charset, err error) {
	switch plain := plainName(name); plain {
	case "", "auto":
		found, others = s.charset()
	case "utf8":
		found = charset{name: "utf-8", bom: s.bom("utf-8"), bad: s.broken()}
		if found.bad {
			found.decoder = unicode.UTF8
		}
	case "utf16", "utf16le":
		if found, _ = s.charset(); found.name == "utf-16be" && plain == "utf16" {
			break
		}
		found = charset{name: "utf-16le", bom: s.bom("utf-16le"), decoder: byteOrderMarks[1].decoder}
	case "utf16be":
		found = charset{name: "utf-16be", bom: s.bom("utf-16be"), decoder: byteOrderMarks[2].decoder}
	case "latin1":
		found = charset{name: "iso-8859-1", decoder: charmap.ISO8859_1}
	default:
		found = charset{name: strings.ToLower(name), decoder: encodingNamed(plain)}
		if found.decoder == nil {
			return found, nil, wrongCall("--encoding %s is not known; use auto, utf-8, utf-16, windows-1252, windows-1250, windows-1251, "+
				"iso-8859-15, gbk, big5, shift_jis, euc-kr or another", name)
		}
	}
	return found, others, nil
}

// encodingNamed finds an encoding by its plain name; nil for an unknown one.
func encodingNamed(plain string) encoding.Encoding {
	for _, e := range charmap.All {
		if plainName(fmt.Sprint(e)) == plain {
			return e
		}
	}
	for _, e := range []struct {
		names string
		encoding.Encoding
	}{
		{"gbk gb2312 cp936 windows936", simplifiedchinese.GBK}, {"gb18030", simplifiedchinese.GB18030}, {"big5 cp950", traditionalchinese.Big5},
		{"shiftjis sjis cp932 windows31j windows932", japanese.ShiftJIS}, {"eucjp", japanese.EUCJP}, {"euckr cp949 uhc", korean.EUCKR},
		{"cp1250 win1250", charmap.Windows1250}, {"cp1251 win1251", charmap.Windows1251}, {"cp1252 win1252 ansi", charmap.Windows1252},
		{"mac macroman", charmap.Macintosh}, {"cp850", charmap.CodePage850}, {"latin2", charmap.ISO8859_2}, {"koi8r", charmap.KOI8R},
	} {
		if slices.Contains(strings.Fields(e.names), plain) {
			return e.Encoding
		}
	}
	return nil
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
