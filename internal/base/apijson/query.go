package apijson

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
)

// Query reads query parameters and collects all errors; without values it describes itself.
type Query struct {
	values url.Values
	broken map[string]bool // parameters with a value that cannot be decoded
	errs   []apperr.Detail
	schema *Schema
}

// ReadQuery starts reading.
func ReadQuery(values url.Values) *Query { return &Query{values: values} }

// ParseQuery starts reading the text of a query. Unlike url.ParseQuery, which leaves out what it cannot read, it
// takes a semicolon as part of a value, and a wrong percent-encoding as an error of the parameter: a filter that was
// left out would select everything.
func ParseQuery(text string) *Query {
	q := &Query{values: url.Values{}, broken: map[string]bool{}}
	for pair := range strings.SplitSeq(text, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || pair == "" {
			continue
		}
		if value, err = url.QueryUnescape(value); err != nil {
			q.broken[name] = true
		}
		q.values.Add(name, value)
	}
	return q
}

// Err is the 400 that names all errors, or nil.
func (q *Query) Err() error {
	if len(q.errs) == 0 {
		return nil
	}
	return apperr.Validation(q.errs)
}

// AddError records an error of a parameter.
func (q *Query) AddError(name, format string, args ...any) {
	q.errs = append(q.errs, apperr.Detail{Path: name, Message: fmt.Sprintf(format, args...)})
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
	if q.undecoded(name) {
		return "", false
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		q.AddError(name, "must be valid UTF-8 without the character U+0000")
		return "", false
	}
	return text, text != ""
}

// undecoded reports whether a value of a parameter cannot be decoded, which is an error.
func (q *Query) undecoded(name string) bool {
	if q.broken[name] {
		q.AddError(name, "has a percent sign without two hexadecimal digits: write it as %%25")
	}
	return q.broken[name]
}

// Text reads a string of at most 255 characters.
func (q *Query) Text(name string) string {
	if q.note(name, &Schema{Type: "string", MaxLength: 255}) {
		return ""
	}
	text, _ := q.raw(name)
	if utf8.RuneCountInString(text) > 255 {
		q.AddError(name, "must be at most 255 characters long")
	}
	return text
}

// Email reads an e-mail address to look for. As no address has a space in it, one there is a '+' that was not escaped.
func (q *Query) Email(name string) string {
	return strings.ReplaceAll(q.Text(name), " ", "+")
}

// Int reads an integer, or returns other when absent. A value above most is cut to most; one below least is an error.
func (q *Query) Int(name string, other, least, most int) int {
	if q.note(name, &Schema{Type: "integer", Minimum: whole(int64(least)), Default: other,
		Description: fmt.Sprintf("a value above %d counts as %d", most, most)}) {
		return other
	}
	text, ok := q.raw(name)
	if !ok {
		return other
	}
	n, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrRange) && strings.Trim(text[1:], "0123456789") == "" {
		err = nil // n is the largest or the smallest integer
	}
	if err != nil || n < least {
		q.AddError(name, "must be an integer, %d or more", least)
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
		q.AddError(name, "must be true or false")
	}
	return b
}

// Time reads a time; a bare date is its first instant, or its last when upper.
func (q *Query) Time(name string, upper bool) (at time.Time, given bool) {
	return q.TimeIn(name, upper, time.UTC)
}

// TimeIn is Time where bare dates are days of a time zone.
func (q *Query) TimeIn(name string, upper bool, zone *time.Location) (at time.Time, given bool) {
	if q.note(name, timeSchema()) {
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
		q.AddError(name, "%s", TimeMessage)
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
		q.AddError(name, "must be a UUID")
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
			q.AddError(name, "must be one of %s", strings.Join(words(allowed), ", "))
			return nil
		}
		list = append(list, T(text))
	}
	if len(list) > 1 && !many {
		q.AddError(name, "must be given once")
	}
	return list
}

// List reads comma-separated or repeated texts.
func (q *Query) List(name string) []string {
	if q.note(name, &Schema{Type: "string", Description: "separated by commas"}) {
		return nil
	}
	var list []string
	if q.undecoded(name) {
		return nil
	}
	for _, value := range q.values[name] {
		if !utf8.ValidString(value) || strings.IndexByte(value, 0) >= 0 {
			q.AddError(name, "must be valid UTF-8 without the character U+0000")
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

// Has reports whether a parameter has a value.
func (q *Query) Has(name string) bool { return strings.TrimSpace(q.values.Get(name)) != "" }
