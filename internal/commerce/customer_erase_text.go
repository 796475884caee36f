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

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/postal"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// anonymiser removes a person's data from texts. In JSON, the values of known personal members are removed whole; in
// the rest, where callers may have written anything, the person's e-mails, full names and phone numbers are replaced.
type anonymiser struct {
	known []string // as they were stored
	words *regexp.Regexp
}

// redacted replaces a name, e-mail or phone number in a text.
const redacted = "[erased]"

// collect adds e-mails, full names and phone numbers. It leaves out single words and short numbers: replacing every
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

// anySpelling is a pattern of a text as it is, with composed or decomposed accents, and in the spelling of a URL
// (a@b, a%40b).
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

// namedInQuery reports whether a text contains the person's data as it is, or with the escapes of a URL's query
// resolved.
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

// patterns are LIKE patterns that find plain texts, JSON and URLs which may contain the person's data. SQL compares
// in lower case; since one engine lowers only ASCII letters, texts with other letters are there in both cases.
func (a *anonymiser) patterns() (list []string) {
	seen := map[string]bool{}
	for _, text := range a.known {
		for _, cased := range []string{text, strings.ToLower(text), strings.ToUpper(text)} {
			inJSON, _ := json.Marshal(cased) // the encoding of a string never fails
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

// member writes the replacement of one member of an object.
type member func(b []byte, object, v *jsonvalue.Value) []byte

// always replaces any value by a text; null stays null.
func always(text string) member {
	return func(b []byte, _, v *jsonvalue.Value) []byte {
		if v.Kind == 'n' {
			return append(b, "null"...)
		}
		return append(b, text...)
	}
}

// The members with personal data, by kind of record. Members nested in them are removed with them.
var (
	orderMembers = map[string]member{
		"customerName": always(`""`), "customerEmail": always("null"), "customer": always(`{"name":"","email":null,"phone":null}`),
		"shippingAddress": keepCountry, "billingAddress": keepCountry, "paymentMetadata": always("null"), "notes": always("null"),
		"note": always("null"), "reason": always("null"), "tags": always("[]"),
	}
	customerMembers = map[string]member{
		"email": func(b []byte, object, _ *jsonvalue.Value) []byte {
			whose, _ := id.Parse[id.Customer](object.Member("id").Text()) // a text that is no id may be the person's
			return apijson.AppendText(b, customers.ErasedEmail(whose))
		},
		"firstName": always("null"), "lastName": always("null"), "name": always("null"), "phone": always("null"), "company": always("null"),
		"siret":             always("null"),
		"vatIntracomNumber": always("null"), "tags": always("[]"), "metadata": always("{}"), "addresses": always("[]"), "segments": always("[]"),
	}
	formMembers = map[string]member{ // the address to which a form of the dashboard led, and what it offered to undo
		"to": always(`"/"`), "flash": always("null"),
	}
	addressMembers = map[string]member{
		"name": always("null"), "company": always("null"), "line1": always("null"), "line2": always("null"), "city": always("null"),
		"state": always("null"),
		"zip":   always("null"), "postalCode": always("null"), "phone": always("null"),
	}
)

func keepCountry(b []byte, _, v *jsonvalue.Value) []byte {
	if v.Kind != '{' {
		return append(b, "null"...)
	}
	return append(b, countryOnly(v)...)
}

// countryOnly is a free-form address with everything but its country removed.
func countryOnly(v *jsonvalue.Value) string {
	for _, name := range postal.Names("country") {
		if text := v.Member(name).Text(); text != "" && len(text) <= 60 {
			return `{"country":` + string(apijson.AppendText(nil, text)) + `}`
		}
	}
	return "{}"
}

// addressOf is countryOnly for a stored text; "" stays "".
func addressOf(text string) string {
	v, err := jsonvalue.Parse([]byte(text))
	if text == "" || err != nil {
		return ""
	}
	return string(keepCountry(nil, nil, v))
}

// rewrite writes a value without the person's data; members says which members are replaced.
func (a *anonymiser) rewrite(b []byte, v *jsonvalue.Value, members map[string]member) []byte {
	switch v.Kind {
	case '{':
		b = append(b, '{')
		kids := v.List()
		for i, name := range v.Names() {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(apijson.AppendText(b, a.redact(name)), ':')
			if write, ok := members[name]; ok {
				b = write(b, v, kids[i])
			} else {
				b = a.rewrite(b, kids[i], members)
			}
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		kids := v.List()
		for i := range kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = a.rewrite(b, kids[i], members)
		}
		return append(b, ']')
	case '"':
		return apijson.AppendText(b, a.redact(v.Text()))
	case 't':
		return append(b, "true"...)
	case 'f':
		return append(b, "false"...)
	case 'n':
		return append(b, "null"...)
	}
	return append(b, v.Raw()...)
}

// json is rewrite for a stored text. A text that is no JSON is redacted as plain text.
func (a *anonymiser) json(text string, members map[string]member) string {
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		return a.redact(text)
	}
	return string(a.rewrite(make([]byte, 0, len(text)), v, members))
}

// eventMembers are the members that are replaced in an event's envelope.
func eventMembers(event string) map[string]member {
	switch kind, _, _ := strings.Cut(event, "."); kind {
	case "customer":
		return customerMembers
	case "order":
		return orderMembers
	}
	return nil
}

// answerMembers are the members that are replaced in the answer to a request, which space gives as method and path.
func answerMembers(space string) map[string]member {
	_, path, _ := strings.Cut(space, " ")
	switch {
	case strings.Contains(path, "/customers") && strings.Contains(path, "/addresses"):
		return addressMembers
	case strings.Contains(path, "/customers"):
		return customerMembers
	case strings.Contains(path, "/orders"):
		return orderMembers
	}
	return nil
}

// AnonymousEvent reports whether an event's envelope has no personal data, as after an erasure.
func AnonymousEvent(event, payload string) bool {
	return new(anonymiser).json(payload, eventMembers(event)) == payload
}

// AnonymousAnswer reports whether the stored answer to a request has no personal data; space is the request's method
// and path.
func AnonymousAnswer(space, body string) bool {
	return new(anonymiser).json(body, answerMembers(space)) == body
}

// OnlyCountry reports whether a stored free-form address has nothing but a country.
func OnlyCountry(text string) bool {
	left := addressOf(text)
	return text == left || text == postal.Normal(left)
}

// collectFromEvent collects the person's data from an event, and the ids of addresses and shipments in it: stored
// answers may be about them.
func (a *anonymiser) collectFromEvent(event, payload string) (named []string) {
	v, err := jsonvalue.Parse([]byte(payload))
	if err != nil {
		return nil
	}
	data := v.Member("data")
	switch {
	case event == webhooks.CustomerCreated || event == webhooks.CustomerUpdated:
		a.collect(data.Member("email").Text(), data.Member("phone").Text(), data.Member("firstName").Text()+" "+data.Member("lastName").Text())
		book := data.Member("addresses").List()
		for i := range book {
			named = append(named, book[i].Member("id").Text())
		}
	case event == webhooks.OrderShipmentCreated:
		named = append(named, data.Member("id").Text())
	case strings.HasPrefix(event, "order."):
		a.collect(data.Member("customerEmail").Text(), data.Member("customerName").Text())
	}
	return named
}

// collectFromRecord collects the person's data from a customer's record.
func (a *anonymiser) collectFromRecord(c *customers.Customer) {
	a.collect(c.Email, c.Phone, c.FirstName+" "+c.LastName)
}
