package apijson

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
)

// MaxText is the bound of texts for which no other is given.
const MaxText = 255

// Text says what a string member must be like. Lengths count characters.
type Text struct {
	Required bool
	Blank    bool   // a required one may be ""
	Filled   bool   // it may be left out, but not be blank
	Min, Max int    // Max 0: MaxText
	Keep     bool   // white space at the ends stays
	Format   string // only for the description: "email", "uri"
}

// Text reads a string. Required strings must not be blank, unless the rule says so.
func (o *Object) Text(name string, r Text) patch.Field[string] {
	if r.Max == 0 {
		r.Max = MaxText
	}
	v, f := look[string](o, name, r.Required, func() *Schema {
		return textSchema(r)
	})
	if v == nil {
		return f
	}
	if v.Kind != '"' {
		o.wrongKind(name, "a string", v)
		return f
	}
	text := v.Text()
	if !r.Keep {
		text = strings.TrimSpace(text)
	}
	if message := badText(text, r); message != "" {
		o.AddError(name, "%s", message)
		return f
	}
	f.Value = text
	return f
}

// notBlank is the pattern of texts of which something must be left without white space at the ends.
const notBlank = `\S`

func textSchema(r Text) *Schema {
	s := &Schema{Type: "string", MaxLength: r.Max, MinLength: r.Min, Format: r.Format}
	if r.Required && !r.Blank || r.Filled {
		s.MinLength = max(r.Min, 1)
	}
	if s.MinLength > 0 && !r.Keep {
		s.Pattern = notBlank
	}
	return s
}

func badText(text string, r Text) string {
	n := len(text)
	if n > r.Max {
		n = utf8.RuneCountInString(text)
	}
	switch {
	case strings.IndexByte(text, 0) >= 0:
		return "must not contain the character U+0000"
	case (r.Required && !r.Blank || r.Filled) && text == "":
		return "must not be empty"
	case n < r.Min:
		return fmt.Sprintf("must be at least %d characters long", r.Min)
	case n > r.Max:
		return fmt.Sprintf("must be at most %d characters long", r.Max)
	}
	return ""
}

// TextOrNumber reads a required member that may be written as a string or a number, as text.
func (o *Object) TextOrNumber(name string) string {
	v, _ := look[string](o, name, true, func() *Schema { return &Schema{AnyOf: []*Schema{{Type: "string"}, {Type: "number"}}} })
	switch {
	case v == nil:
		return ""
	case v.Kind == '"':
		return v.Text()
	case v.Kind == '0':
		return string(v.Raw())
	}
	o.wrongKind(name, "a string or a number", v)
	return ""
}

// Int says what an integer member must be like.
type Int struct {
	Required bool
	Min, Max int64
}

// Int reads an integer; 2.0 and 1e2 are integers too.
func (o *Object) Int(name string, r Int) patch.Field[int64] {
	v, f := look[int64](o, name, r.Required, func() *Schema {
		return &Schema{Type: "integer", Minimum: whole(r.Min), Maximum: whole(r.Max)}
	})
	if v == nil {
		return f
	}
	if v.Kind != '0' {
		o.wrongKind(name, "an integer", v)
		return f
	}
	n, ok := v.Integer()
	switch {
	case !ok:
		o.AddError(name, "must be an integer from %d to %d", r.Min, r.Max)
	case n < r.Min:
		o.AddError(name, "must be at least %d", r.Min)
	case n > r.Max:
		o.AddError(name, "must be at most %d", r.Max)
	default:
		f.Value = n
	}
	return f
}

func whole(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// Money says what an amount must be like.
type Money struct {
	Required bool
	Negative bool // a negative amount is allowed
	Positive bool // 0 is not
	Max      money.Amount
}

// Money reads an exact amount: a JSON number or a decimal string.
func (o *Object) Money(name string, r Money) patch.Field[money.Amount] {
	v, f := look[money.Amount](o, name, r.Required, func() *Schema {
		return decimal(r)
	})
	if v == nil {
		return f
	}
	text := string(v.Raw())
	switch v.Kind {
	case '"':
		text = v.Text()
	case '0':
	default:
		o.wrongKind(name, "a number or a decimal string", v)
		return f
	}
	amount, err := money.Parse(text)
	switch {
	case err != nil:
		o.AddError(name, "%s", err)
	case amount < 0 && !r.Negative:
		o.AddError(name, "%s", money.ErrNegative)
	case amount == 0 && r.Positive:
		o.AddError(name, "must be greater than 0")
	case r.Max > 0 && amount > r.Max:
		o.AddError(name, "must be at most %s", r.Max)
	default:
		f.Value = amount
	}
	return f
}

// decimalText is the pattern of amounts that are written as strings.
const decimalText = `[0-9]{1,11}(\.[0-9]{1,4}0*)?$`

// decimal describes an exact amount in a body. It is a choice of two schemas, because some client generators refuse a
// list of types. Amounts with bounds of their own have no name.
func decimal(r Money) *Schema {
	most := money.Max
	if r.Max > 0 {
		most = r.Max
	}
	number := &Schema{Type: "number", Format: "double", Minimum: "0", Maximum: json.Number(most.String())}
	text := &Schema{Type: "string", Pattern: "^" + decimalText}
	kind := "Decimal"
	switch {
	case r.Negative:
		kind, number.Minimum, text.Pattern = "SignedDecimal", json.Number((-most).String()), "^-?"+decimalText
	case r.Positive:
		kind, number.Minimum = "", json.Number(money.Amount(1).String())
	case r.Max > 0:
		kind = ""
	}
	return &Schema{Record: kind, Description: "exact decimal: a number, or a string of digits with a point; at most 4 decimals, " +
		"but for the noise of a float (19.989999999999998), and 11 integer digits", AnyOf: []*Schema{number, text}}
}

// Bool reads true or false.
func (o *Object) Bool(name string) patch.Field[bool] {
	v, f := look[bool](o, name, false, func() *Schema { return &Schema{Type: "boolean"} })
	if v == nil {
		return f
	}
	if v.Kind != 't' && v.Kind != 'f' {
		o.wrongKind(name, "true or false", v)
		return f
	}
	f.Value = v.Kind == 't'
	return f
}

// UUID reads an identifier of a type.
func UUID[T ~string](o *Object, name string, required bool) patch.Field[T] {
	v, f := look[T](o, name, required, func() *Schema { return &Schema{Type: "string", Format: "uuid"} })
	if v == nil {
		return f
	}
	if v.Kind != '"' {
		o.wrongKind(name, "a string", v)
		return f
	}
	parsed, ok := id.Parse[T](v.Text())
	if !ok {
		o.AddError(name, "must be a UUID")
	}
	f.Value = parsed
	return f
}

// Enum reads one of a few words.
func Enum[T ~string](o *Object, name string, required bool, allowed ...T) patch.Field[T] {
	v, f := look[T](o, name, required, func() *Schema { return &Schema{Type: "string", Enum: choices(allowed)} })
	if v == nil {
		return f
	}
	if v.Kind != '"' {
		o.wrongKind(name, "a string", v)
		return f
	}
	if !slices.Contains(allowed, T(v.Text())) {
		o.AddError(name, "must be one of %s", strings.Join(words(allowed), ", "))
		return f
	}
	f.Value = T(v.Text())
	return f
}

func choices[T ~string](list []T) []any {
	out := make([]any, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

// Time reads a time of ISO 8601, or a bare date at 00:00 UTC.
func (o *Object) Time(name string, required bool) patch.Field[time.Time] {
	v, f := look[time.Time](o, name, required, timeSchema)
	if v == nil {
		return f
	}
	if v.Kind != '"' {
		o.wrongKind(name, "a string", v)
		return f
	}
	at, ok := ParseTime(v.Text(), false)
	if !ok {
		o.AddError(name, "%s", TimeMessage)
	}
	f.Value = at
	return f
}
