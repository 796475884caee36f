package importer

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// legacyCharset is an encoding of one byte a letter, with the languages that are written in it. rare is how much less
// likely than Windows-1252 it is before anything was read, as a logarithm.
type legacyCharset struct {
	name      string
	encoding  *charmap.Charmap
	languages []string
	rare      float64
}

// Letters of languages beyond a to z, the most frequent first; those of English are what names and careless programs
// leave in it.
var (
	western = []string{"éâèêüöñæóáíàïôçåäøªº¹³²¢¨", "äüöß", "éàèêçîôâûùëœïüÿ",
		"óíáéñú¿ü¡º", "ãçáéíóêõúâàô", "àèòùéì", "åæøéö", "äåöé",
		"ëéïèöü", "áíéðóæúþýö", "àéòèíçóúï"}
	central = []string{"łąóężśćńź", "íáěéřýšžčůúňťď", "áíéýčšžúľťôňóä",
		"éáöőóüíúű", "šžčćđ", "ășțîâşţ"}
	russian = []string{"оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
		"оаиніврентсклдмупзяьбгйчхшжєїюцщфґ"}
)

// legacyCharsets are compared. The first three are taken when they are the most likely ones by far; the others are
// proposed to a person.
var legacyCharsets = []legacyCharset{
	{"windows-1252", charmap.Windows1252, western, 0},
	{"windows-1250", charmap.Windows1250, central, 0.5},
	{"windows-1251", charmap.Windows1251, russian, 0.5},
	{"iso-8859-2", charmap.ISO8859_2, central, 2},
	{"windows-1253", charmap.Windows1253, []string{"αοιετσνηυρπκμλςωάόγίήέδχύώθφβξζψ"}, 2},
	{"windows-1254", charmap.Windows1254, []string{"ışüğçöİ"}, 2},
	{"windows-1257", charmap.Windows1257, []string{"ėšųžįąęčū", "āšīēļūņžģķ", "äõöü"}, 2},
	{"koi8-r", charmap.KOI8R, russian, 2},
	{"macintosh", charmap.Macintosh, western, 3},
	{"ibm850", charmap.CodePage850, western, 3},
}

const (
	unlikely = 0.002 // the share of a letter that a language does not have
	borrowed = 0.01  // that of one that other languages of the encoding have: names and brands
	decides  = 0.9   // what two readings must differ by, as a logarithm
)

// detectLegacy finds the encoding of the words of a file that is not UTF-8. sure is false if others read them as
// well; then found is the most likely one and others are the next, which read something else. In a file with few such
// words, which is sparse, they are names and signs of many languages: it is Windows-1252 unless that contradicts
// them.
func detectLegacy(words []byte, sparse bool) (found charset, others []charset, sure bool) {
	if chinese, cyrillic := looksChinese(words), cyrillicOnly(words); chinese && !cyrillic {
		return charset{name: "gbk", decoder: simplifiedchinese.GBK}, nil, true
	} else if looksJapanese(words) {
		return charset{name: "shift_jis", decoder: japanese.ShiftJIS}, nil, true
	}
	type reading struct {
		charset
		score float64
		share float64 // of the letters that its language has
		text  string
	}
	var list []reading
	for _, c := range legacyCharsets {
		text, err := c.encoding.NewDecoder().Bytes(words)
		if err != nil {
			continue
		}
		one := reading{charset: charset{name: c.name, decoder: c.encoding}, score: math.Inf(-1), text: string(text)}
		for _, letters := range c.languages {
			if score, share := likelihood(words, c, letters); score-c.rare > one.score {
				one.score, one.share = score-c.rare, share
			}
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b reading) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	best := list[0]
	if best.score == 0 { // signs alone
		return best.charset, nil, true
	}
	if sparse {
		at := slices.IndexFunc(list, func(r reading) bool { return r.name == "windows-1252" })
		near := list[0].score - list[at].score
		if list[at].share >= 0.7 && (near < decides || best.name != "windows-1250" && best.name != "windows-1251") {
			return list[at].charset, nil, true
		}
	}
	sure = best.share >= 0.7 && slices.Contains([]string{"windows-1252", "windows-1250", "windows-1251"}, best.name)
	for _, r := range list[1:] {
		if r.text != best.text && (best.score-r.score < decides || !sure) && len(others) < 4 {
			others = append(others, r.charset)
		}
	}
	if !sure { // none of them: perhaps one that is written with two bytes a letter
		others = append(others, charset{name: "gbk", decoder: simplifiedchinese.GBK}, charset{name: "shift_jis", decoder: japanese.ShiftJIS})
	}
	return best.charset, others, sure && len(others) == 0
}

// likelihood is the logarithm of how likely a language writes the letters beyond ASCII in words, and the share of
// them that it has. Signs at the edge of a word, as in "£5" and "m³", show nothing.
func likelihood(words []byte, c legacyCharset, letters string) (score, share float64) {
	share = 1 // of none
	total, rank := 0.0, map[rune]float64{}
	for i, r := range []rune(letters) {
		rank[r] = 1 / float64(i+1)
		total += rank[r]
	}
	known, seen := 0.0, 0.0
	for word := range bytes.FieldsSeq(words) {
		latin := bytes.ContainsFunc(word, func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) })
		for i, b := range word {
			if b < utf8.RuneSelf || edgeSign(word, i) {
				continue
			}
			r := c.encoding.DecodeByte(b)
			lower := unicode.ToLower(r)
			weight, p := rank[lower]/total, unlikely
			if weight == 0 && slices.ContainsFunc(c.languages, func(other string) bool { return strings.ContainsRune(other, lower) }) {
				weight = borrowed
			}
			switch {
			case !latin && len(word) > 1 && lower < 0x370: // Latin words have letters of a to z
			case weight == 0 || latin && lower >= 0x370 && lower < 0x530: // Greek or Cyrillic letters among Latin ones
			case r != lower && i > 0 && word[i-1] >= 'a' && word[i-1] <= 'z': // "cafÃ"
			case r != lower:
				p = weight / 5
			default:
				p = weight
			}
			if seen++; p > unlikely {
				known++
			}
			score += math.Log(p)
		}
	}
	if seen > 0 {
		share = known / seen
	}
	return score, share
}

// edgeSign reports whether a byte of a word is a sign rather than a letter in the most common encoding, and stands
// where signs do: alone, as in "5 £", or behind at most two letters at the end, as in "m³".
func edgeSign(word []byte, i int) bool {
	if r := charmap.Windows1252.DecodeByte(word[i]); unicode.IsLetter(r) && r != 'ª' && r != 'º' {
		return false
	}
	return i == len(word)-1 && i <= 2 || slices.Contains([]byte{0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0x85, 0x99,
		0xA0, 0xA9, 0xAE, 0xB0, 0xB4, 0xB7}, word[i]) // quotes, dashes and marks, in all of Windows' encodings
}

// looksChinese reports whether the words are pairs of bytes as GBK has them for the common signs of Chinese. Those of
// Korean begin with other bytes, and Japanese in the similar EUC-JP is mostly kana.
func looksChinese(words []byte) bool {
	pairs, common, kana, beyondHangul := 0, 0, 0, 0
	for word := range bytes.FieldsSeq(words) {
		for i := 0; i < len(word); i++ {
			if word[i] < utf8.RuneSelf {
				continue
			}
			if i+1 == len(word) || word[i] == 0x80 || word[i] == 0xFF || word[i+1] < 0x40 || word[i+1] == 0x7F || word[i+1] == 0xFF {
				return false
			}
			lead, trail := word[i], word[i+1]
			i++
			pairs++
			switch {
			case trail < 0xA1:
			case lead >= 0xB0 && lead <= 0xD7:
				common++
				if lead > 0xC8 {
					beyondHangul++
				}
			case lead == 0xA4 || lead == 0xA5:
				kana++
			case lead >= 0xA1 && lead <= 0xA3: // punctuation, and letters of full width
				common++
			}
		}
	}
	return pairs >= 2 && common*10 >= pairs*8 && kana*5 < pairs && beyondHangul*10 >= pairs
}

// looksJapanese likewise of Shift_JIS, by its kana.
func looksJapanese(words []byte) bool {
	pairs, kana := 0, 0
	for word := range bytes.FieldsSeq(words) {
		for i := 0; i < len(word); i++ {
			switch lead := word[i]; {
			case lead < utf8.RuneSelf, lead >= 0xA1 && lead <= 0xDF: // kana of half width are one byte
			case lead == 0x80 || lead == 0xA0 || lead > 0xFC || i+1 == len(word) || word[i+1] < 0x40 || word[i+1] == 0x7F || word[i+1] > 0xFC:
				return false
			default:
				i++
				pairs++
				if trail := word[i]; lead == 0x82 && trail >= 0x9F && trail <= 0xF1 || lead == 0x83 && trail <= 0x96 || lead == 0x81 && trail == 0x5B {
					kana++
				}
			}
		}
	}
	return pairs >= 2 && kana*5 >= pairs
}

// cyrillicOnly reports whether all bytes beyond ASCII are letters of Windows-1251.
func cyrillicOnly(words []byte) bool {
	for _, b := range words {
		if b >= utf8.RuneSelf && b < 0xC0 && b != 0xA8 && b != 0xB8 {
			return false
		}
	}
	return true
}

// unclearEncoding is the error for a file whose encoding has to be said. It shows a word as the encodings read it.
func unclearEncoding(name string, words []byte, candidates []charset) error {
	word := words
	for one := range bytes.FieldsSeq(words) {
		word = one
		break
	}
	var read, names []string
	for _, c := range candidates[:min(len(candidates), 4)] {
		text, err := c.decoder.NewDecoder().Bytes(word)
		if err != nil || !utf8.Valid(text) {
			continue
		}
		read = append(read, fmt.Sprintf("%s (%s)", clip(text), c.name))
		names = append(names, c.name)
	}
	text := fmt.Sprintf("%s is not UTF-8, and its letters can be read in several ways: %s", name, strings.Join(read, ", "))
	return wrongChoice(text+". Say what letters are written in",
		text+"; nothing was stored. Say which it is, for example --encoding "+names[0]+"; others are windows-1250, windows-1251, windows-1252, "+
			"gbk, big5, shift_jis, euc-kr and utf-8")
}
