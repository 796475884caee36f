package commerce

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"entrepot/internal/apijson"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/jsonvalue"
)

// anonymiser removes a person's data from texts. In JSON, the values of known personal members are removed whole; in
// the rest, where callers may have written anything, the person's e-mails, full names and phone numbers are replaced.
type anonymiser struct {
	known []string // as they were stored
	words *regexp.Regexp
}

// redacted replaces a name, e-mail or phone number in a text.
const redacted = "[erased]"

// collect adds e-mails, full names and phone numbers. Single words and short numbers are left out: replacing every
// "Rose" would change products.
func (a *anonymiser) collect(texts ...string) {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if customers.IsErasedEmail(text) {
			continue // of a person who is being erased in steps
		}
		distinctive := strings.ContainsAny(text, " @") && utf8.RuneCountInString(text) >= 5 || digits(text) >= 7
		if distinctive && !slices.Contains(a.known, text) {
			a.known = append(a.known, text)
			a.words = nil
		}
	}
}

func digits(text string) (n int) {
	for _, c := range text {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

// pattern matches what was collected, the longest first.
func (a *anonymiser) pattern() *regexp.Regexp {
	if a.words == nil {
		var parts []string
		for _, text := range a.known {
			parts = append(parts, anySpelling(text))
			if number := strings.TrimLeft(text, "+0"); number != text && digits(number) >= 7 {
				parts = append(parts, anySpelling(number))
			}
		}
		slices.SortFunc(parts, func(x, y string) int { return len(y) - len(x) })
		a.words = regexp.MustCompile("(?i)(?:" + strings.Join(parts, "|") + ")")
		if len(parts) == 0 {
			a.words = regexp.MustCompile(`[^\s\S]`) // nothing
		}
	}
	return a.words
}

// anySpelling is a pattern of a text as it is, with composed or decomposed accents, and as a URL has it (a@b, a%40b).
func anySpelling(text string) string {
	var b strings.Builder
	for _, c := range norm.NFC.String(text) {
		if c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
			b.WriteRune(c)
			continue
		}
		var forms []string
		for _, cased := range []rune{c, unicode.ToLower(c), unicode.ToUpper(c)} {
			for _, form := range []string{string(cased), norm.NFD.String(string(cased))} {
				forms = append(forms, regexp.QuoteMeta(form), percentEncoded(form))
			}
		}
		if c == ' ' {
			forms = append(forms, `\+`)
		}
		slices.Sort(forms)
		b.WriteString("(?:" + strings.Join(slices.Compact(forms), "|") + ")")
	}
	return b.String()
}

func percentEncoded(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

// redact replaces the person's data in a text.
func (a *anonymiser) redact(text string) string {
	return a.pattern().ReplaceAllLiteralString(text, redacted)
}

// names reports whether a text contains the person's data.
func (a *anonymiser) names(text string) bool { return a.pattern().MatchString(text) }

// namedInQuery reports whether a text contains the person's data as it is, or with the escapes of a URL's query resolved.
func (a *anonymiser) namedInQuery(text string) bool {
	if a.names(text) {
		return true
	}
	return a.names(percentEscape.ReplaceAllStringFunc(strings.ReplaceAll(text, "+", " "), func(escape string) string {
		plain, _ := hex.DecodeString(escape[1:]) // two digits are there
		return string(plain)
	}))
}

var percentEscape = regexp.MustCompile("%[0-9A-Fa-f]{2}")

// namedInside reports whether any string of a JSON text contains the person's data.
func (a *anonymiser) namedInside(text string) bool {
	v, err := jsonvalue.Parse([]byte(text))
	return err == nil && a.namedInValue(v) || err != nil && a.namedInQuery(text)
}

func (a *anonymiser) namedInValue(v *jsonvalue.Value) bool {
	return a.namedInQuery(v.Text()) || slices.ContainsFunc(v.List(), a.namedInValue)
}

// patterns are LIKE patterns that find plain texts, JSON and URLs which may contain the person's data. SQL compares in lower case;
// since one engine lowers only ASCII letters, texts with others are there in both cases.
func (a *anonymiser) patterns() (list []string) {
	seen := map[string]bool{}
	for _, text := range a.known {
		for _, cased := range []string{text, strings.ToLower(text), strings.ToUpper(text)} {
			inJSON, _ := json.Marshal(cased) // of a string there is no error
			inQuery := url.QueryEscape(cased)
			for _, form := range []string{cased, string(apijson.AppendText(nil, cased)), string(inJSON), inQuery,
				strings.ReplaceAll(inQuery, "+", "%20")} {
				pattern := db.Containing(strings.Trim(form, `"`))
				if key := lowerASCII(pattern); !seen[key] {
					seen[key], list = true, append(list, pattern)
				}
			}
		}
	}
	return list
}

func lowerASCII(text string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, text)
}
