package apijson

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"entrepot/internal/apperr"
	"entrepot/internal/id"
)

// Query reads query parameters and collects all errors; without values it describes itself.
type Query struct {
	values url.Values
	faults []apperr.Detail
	schema *Schema
}

// Values are the parameters of an address, read as browsers read them: a semicolon is a character like any other, and a
// percent sign that begins no code stands for itself. url.ParseQuery would leave out such a parameter, and a search for
// "50%" would find everything.
func Values(raw string) url.Values {
	values := url.Values{}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair != "" {
			name, value, _ := strings.Cut(pair, "=")
			values.Add(unescape(name), unescape(value))
		}
	}
	return values
}

func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte(text[i])
		if text[i] == '%' && (i+2 >= len(text) || !hex(text[i+1]) || !hex(text[i+2])) {
			b.WriteString("25")
		}
	}
	plain, _ := url.QueryUnescape(b.String())
	return plain
}

func hex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

// ReadQuery starts reading.
func ReadQuery(values url.Values) *Query { return &Query{values: values} }

// Err is the 400 that names all errors, or nil.
func (q *Query) Err() error {
	if len(q.faults) == 0 {
		return nil
	}
	return apperr.Validation(q.faults)
}

// Fault records an error of a parameter.
func (q *Query) Fault(name, format string, args ...any) {
	q.faults = append(q.faults, apperr.Detail{Path: name, Message: fmt.Sprintf(format, args...)})
}

// note describes a parameter; true means that the query only describes itself.
func (q *Query) note(name string, s *Schema) bool {
	if q.schema != nil {
		q.schema.property(name, false, s)
		return true
	}
	return false
}

// raw is the first value of a parameter; an empty one counts as absent.
func (q *Query) raw(name string) (string, bool) {
	text := strings.TrimSpace(q.values.Get(name))
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		q.Fault(name, "must be valid UTF-8 without the character U+0000")
		return "", false
	}
	return text, text != ""
}

// Text reads a string of at most 255 characters.
func (q *Query) Text(name string) string {
	if q.note(name, &Schema{Type: "string", MaxLength: 255}) {
		return ""
	}
	text, _ := q.raw(name)
	if utf8.RuneCountInString(text) > 255 {
		q.Fault(name, "must be at most 255 characters long")
	}
	return text
}

// Int reads an integer, or returns other when absent. A value above most is cut to most; one below least is an error.
func (q *Query) Int(name string, other, least, most int) int {
	low := int64(least)
	if q.note(name, &Schema{Type: "integer", Minimum: &low, Default: other,
		Description: fmt.Sprintf("a value above %d counts as %d", most, most)}) {
		return other
	}
	text, ok := q.raw(name)
	if !ok {
		if q.values.Has(name) {
			q.Fault(name, "must be an integer, %d or more", least)
		}
		return other
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		q.Fault(name, "must be an integer, %d or more", least)
		return other
	}
	return min(n, most)
}

// Bool reads true or false, also 1 and 0.
func (q *Query) Bool(name string) bool {
	if q.note(name, &Schema{Type: "boolean"}) {
		return false
	}
	text, ok := q.raw(name)
	if !ok {
		return false
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		q.Fault(name, "must be true or false")
	}
	return b
}

// Time reads a time; a bare date is its first instant, or its last when upper.
func (q *Query) Time(name string, upper bool) (at time.Time, given bool) {
	return q.TimeIn(name, upper, time.UTC)
}

// TimeIn is Time where bare dates are days of a time zone.
func (q *Query) TimeIn(name string, upper bool, zone *time.Location) (at time.Time, given bool) {
	if q.note(name, &Schema{Type: "string", Description: "RFC 3339 time or date"}) {
		return at, false
	}
	text, ok := q.raw(name)
	if !ok {
		return at, false
	}
	// The '+' of an offset arrives as a space if it was not escaped.
	at, ok = ParseTimeIn(text, upper, zone)
	if i := strings.LastIndexByte(text, ' '); !ok && i > 0 {
		at, ok = ParseTimeIn(text[:i]+"+"+text[i+1:], upper, zone)
	}
	if !ok {
		q.Fault(name, "%s", timeMessage)
	}
	return at, ok
}

// QueryID reads an identifier.
func QueryID[T ~string](q *Query, name string) T {
	if q.note(name, &Schema{Type: "string", Format: "uuid"}) {
		return ""
	}
	text, ok := q.raw(name)
	if !ok {
		return ""
	}
	v, ok := id.Parse[T](text)
	if !ok {
		q.Fault(name, "must be a UUID")
	}
	return v
}

// QueryEnum reads one of the allowed words, "" when absent.
func QueryEnum[T ~string](q *Query, name string, allowed ...T) T {
	list := queryWords(q, name, false, allowed)
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// QueryEnums reads some of the allowed words: comma-separated, repeated, or both.
func QueryEnums[T ~string](q *Query, name string, allowed ...T) []T {
	return queryWords(q, name, true, allowed)
}

func queryWords[T ~string](q *Query, name string, many bool, allowed []T) []T {
	schema := &Schema{Type: "string", Enum: choices(allowed)}
	if many {
		schema = &Schema{Type: "string", Description: "one or more of " + strings.Join(words(allowed), ", ") + ", separated by commas"}
	}
	if q.note(name, schema) {
		return nil
	}
	var list []T
	for _, text := range q.List(name) {
		if !slices.Contains(allowed, T(text)) {
			q.Fault(name, "must be one of %s", strings.Join(words(allowed), ", "))
			return nil
		}
		list = append(list, T(text))
	}
	if len(list) > 1 && !many {
		q.Fault(name, "must be given once")
	}
	return list
}

// List reads comma-separated or repeated texts.
func (q *Query) List(name string) []string {
	if q.note(name, &Schema{Type: "string", Description: "separated by commas"}) {
		return nil
	}
	var list []string
	for _, value := range q.values[name] {
		if !utf8.ValidString(value) || strings.IndexByte(value, 0) >= 0 {
			q.Fault(name, "must be valid UTF-8 without the character U+0000")
			return nil
		}
		for _, text := range strings.Split(value, ",") {
			if text = strings.TrimSpace(text); text != "" {
				list = append(list, text)
			}
		}
	}
	return list
}

// Has reports whether a parameter was given, even empty.
func (q *Query) Has(name string) bool { return q.values.Has(name) }
