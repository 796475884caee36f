package catalog

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSlug is the largest length of a generated slug, in bytes.
const maxSlug = 120

// Slug turns text into lower-case words joined by hyphens, for addresses: "Crème brûlée, 2×" → "creme-brulee-2". Letters
// of other scripts stay. It may be empty.
func Slug(text string) string {
	if s, ok := asciiSlug(text); ok {
		return s
	}
	var b strings.Builder
	hyphen := false
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r) && r < 0x370: // the accent of a Latin letter
			continue
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			r = unicode.ToLower(r)
			if b.Len()+4 > maxSlug {
				return norm.NFC.String(b.String())
			}
			if hyphen && b.Len() > 0 {
				b.WriteByte('-')
			}
			hyphen = false
			b.WriteRune(r)
		default:
			hyphen = true
		}
	}
	return norm.NFC.String(b.String())
}

// asciiSlug is a fast Slug for ASCII text, the usual case; ok is false for other text.
func asciiSlug(text string) (slug string, ok bool) {
	b := make([]byte, 0, len(text))
	hyphen := false
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 0x80:
			return "", false
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		default:
			hyphen = true
			continue
		}
		if len(b)+2 > maxSlug {
			break
		}
		if hyphen && len(b) > 0 {
			b = append(b, '-')
		}
		hyphen = false
		b = append(b, c)
	}
	return string(b), true
}

// slugFor returns a free slug: the name's, followed by the end of the id if the name's is taken. If another product
// takes the slug meanwhile, the write fails and the operation runs again.
func slugFor(name, id string, taken func(string) bool) string {
	switch slug := Slug(name); {
	case slug == "":
		return id
	case taken(slug):
		return slug + "-" + id[len(id)-8:]
	default:
		return slug
	}
}
