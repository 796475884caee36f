package apijson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"entrepot/internal/apperr"
	"entrepot/internal/id"
	"entrepot/internal/money"
)

// Field is what a body says of one member: absent (not Set), null, or a value.
type Field[T any] struct {
	Set   bool
	Null  bool
	Value T // the zero value when absent or null
}

// Given reports whether there is a value.
func (f Field[T]) Given() bool { return f.Set && !f.Null }

// Or is the value, or another one when absent or null.
func (f Field[T]) Or(other T) T {
	if f.Given() {
		return f.Value
	}
	return other
}

// Ptr is nil when absent or null.
func (f Field[T]) Ptr() *T {
	if f.Given() {
		return &f.Value
	}
	return nil
}

// Object reads the members of a JSON object and collects what is wrong with them. Without a value it describes itself
// instead: each read is noted in its schema.
type Object struct {
	value  *Value
	up     *Object
	name   string // under up
	index  int    // in a list under up, or -1
	faults *[]apperr.Detail
	schema *Schema // when describing
}

// Read starts reading a body, which must be an object.
func Read(v *Value) *Object {
	o := &Object{value: v, index: -1, faults: &[]apperr.Detail{}}
	if v == nil || v.Kind != '{' {
		o.Fault("", "the body must be a JSON object")
		o.value = &Value{Kind: '{'}
	}
	return o
}

// Describing reports that nothing is read: the object only notes its schema.
func (o *Object) Describing() bool { return o.schema != nil }

// Record names what the object is: a description shows it once, under this name ("CreateOrder"), wherever it is read.
func (o *Object) Record(kind string) {
	if o.schema != nil {
		o.schema.Record = kind
	}
}

// Errors are the errors found so far, in the order of reading.
func (o *Object) Errors() []apperr.Detail { return *o.faults }

// Err is the 400 that names all errors, or nil.
func (o *Object) Err() error {
	if len(*o.faults) == 0 {
		return nil
	}
	return apperr.Validation(*o.faults)
}

// Error notes that a member is wrong; name "" means the object itself.
func (o *Object) Fault(name, format string, args ...any) {
	*o.faults = append(*o.faults, apperr.Detail{Path: o.Path(name), Message: fmt.Sprintf(format, args...)})
}

// Path is where a member stands: "items[0].quantity".
func (o *Object) Path(name string) string {
	path := o.path()
	switch {
	case name == "":
		return path
	case path == "":
		return name
	}
	return path + "." + name
}

func (o *Object) path() string {
	if o.up == nil {
		return ""
	}
	path := o.up.Path(o.name)
	if o.index >= 0 {
		path += "[" + strconv.Itoa(o.index) + "]"
	}
	return path
}

// Has reports whether the member is there, null included.
func (o *Object) Has(name string) bool { return o.value.Member(name) != nil }

// IsText reports whether the member is a string or null.
func (o *Object) IsText(name string) bool {
	v := o.value.Member(name)
	return v != nil && (v.Kind == '"' || v.Kind == 'n')
}

// Names are the members there are; none when describing.
func (o *Object) Names() []string {
	if o.value == nil {
		return nil
	}
	return o.value.Names()
}

// Said is a string member as it was sent, be it right or wrong, without white space at its ends and cut after 1,000 characters;
// "" when it is no string. It names what an error is about.
func (o *Object) Said(name string) string {
	text := strings.TrimSpace(o.value.Member(name).Text())
	if strings.IndexByte(text, 0) >= 0 {
		return ""
	}
	if utf8.RuneCountInString(text) > 1000 {
		text = string([]rune(text)[:1000])
	}
	return text
}

// Raw is the object's text as it came; nil when describing.
func (o *Object) Raw() []byte {
	if o.value == nil {
		return nil
	}
	return o.value.Raw()
}

// look finds a member and settles absence and null.
func look[T any](o *Object, name string, required bool, schema func() *Schema) (v *Value, f Field[T]) {
	if o.schema != nil {
		o.schema.property(name, required, optional(schema(), required))
		return nil, f
	}
	v = o.value.Member(name)
	f.Set = v != nil
	f.Null = v != nil && v.Kind == 'n'
	if v == nil || f.Null {
		if required {
			o.Fault(name, "is required")
		}
		return nil, f
	}
	return v, f
}

// optional describes a member that may also be null: that is the same as leaving it out, or clears it (interface §2.0).
func optional(s *Schema, required bool) *Schema {
	if required {
		return s
	}
	return s.orNull()
}

func (o *Object) wrongKind(name, want string, v *Value) {
	o.Fault(name, "must be %s, not %s", want, kindName(v.Kind))
}

// Text says what a string member must be like. Lengths count characters.
type Text struct {
	Required bool
	Min, Max int    // Max 0: 255
	Keep     bool   // white space at the ends belongs to it
	Format   string // only described: "email", "uri"
}

// Text reads a string. Required strings must not be blank.
func (o *Object) Text(name string, r Text) Field[string] {
	if r.Max == 0 {
		r.Max = 255
	}
	v, f := look[string](o, name, r.Required, func() *Schema {
		return &Schema{Type: "string", MaxLength: r.Max, MinLength: max(r.Min, btoi(r.Required)), Format: r.Format}
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
		o.Fault(name, "%s", message)
		return f
	}
	f.Value = text
	return f
}

func badText(text string, r Text) string {
	n := len(text)
	if n > r.Max {
		n = utf8.RuneCountInString(text)
	}
	switch {
	case strings.IndexByte(text, 0) >= 0:
		return "must not contain the character U+0000"
	case r.Required && text == "":
		return "must not be empty"
	case n < r.Min:
		return fmt.Sprintf("must be at least %d characters long", r.Min)
	case n > r.Max:
		return fmt.Sprintf("must be at most %d characters long", r.Max)
	}
	return ""
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
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
func (o *Object) Int(name string, r Int) Field[int64] {
	v, f := look[int64](o, name, r.Required, func() *Schema {
		return &Schema{Type: "integer", Minimum: &r.Min, Maximum: &r.Max}
	})
	if v == nil {
		return f
	}
	if v.Kind != '0' {
		o.wrongKind(name, "an integer", v)
		return f
	}
	n, ok := integer(string(v.Raw()))
	switch {
	case !ok:
		o.Fault(name, "must be an integer from %d to %d", r.Min, r.Max)
	case n < r.Min:
		o.Fault(name, "must be at least %d", r.Min)
	case n > r.Max:
		o.Fault(name, "must be at most %d", r.Max)
	default:
		f.Value = n
	}
	return f
}

// integer reads a JSON number that is whole and fits 15 digits.
func integer(s string) (int64, bool) {
	if len(s) < 16 && !strings.ContainsAny(s, ".eE") {
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil
	}
	c := canonicalNumber(s)
	digits, power, _ := strings.Cut(c, "e")
	if c == "0" {
		return 0, true
	}
	p, err := strconv.Atoi(power)
	if err != nil || p < 0 || p > 16 || len(digits)+p > 16 {
		return 0, false
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", p), 10, 64)
	return n, err == nil
}

// Money says what an amount must be like.
type Money struct {
	Required bool
	Negative bool // a negative amount is allowed
	Max      money.Amount
}

// Money reads an exact amount: a JSON number or a decimal string.
func (o *Object) Money(name string, r Money) Field[money.Amount] {
	v, f := look[money.Amount](o, name, r.Required, func() *Schema {
		if r.Negative {
			return decimal("SignedDecimal")
		}
		return decimal("Decimal")
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
		o.Fault(name, "%s", err)
	case amount < 0 && !r.Negative:
		o.Fault(name, "%s", money.ErrNegative)
	case r.Max > 0 && amount > r.Max:
		o.Fault(name, "must be at most %s", r.Max)
	default:
		f.Value = amount
	}
	return f
}

// decimal describes an exact amount as it comes in. Generators of clients take a choice of schemas where they would refuse a list
// of types.
func decimal(kind string) *Schema {
	number := &Schema{Type: "number", Format: "double"}
	if kind == "Decimal" {
		number.Minimum = new(int64)
	}
	return &Schema{Record: kind, Description: "exact decimal: a number, or a string of digits with a point; at most 4 decimals and 11 " +
		"integer digits",
		AnyOf: []*Schema{number, {Type: "string"}}}
}

// Bool reads true or false.
func (o *Object) Bool(name string) Field[bool] {
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
func UUID[T ~string](o *Object, name string, required bool) Field[T] {
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
		o.Fault(name, "must be a UUID")
	}
	f.Value = parsed
	return f
}

// Enum reads one of a few words.
func Enum[T ~string](o *Object, name string, required bool, allowed ...T) Field[T] {
	v, f := look[T](o, name, required, func() *Schema { return &Schema{Type: "string", Enum: choices(allowed)} })
	if v == nil {
		return f
	}
	if v.Kind != '"' {
		o.wrongKind(name, "a string", v)
		return f
	}
	if !slices.Contains(allowed, T(v.Text())) {
		o.Fault(name, "must be one of %s", strings.Join(words(allowed), ", "))
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

// Time reads a moment: RFC 3339 with any offset, or a bare date at 00:00 UTC.
func (o *Object) Time(name string, required bool) Field[time.Time] {
	v, f := look[time.Time](o, name, required, func() *Schema { return &Schema{Type: "string", Description: "RFC 3339 time or date"} })
	if v == nil {
		return f
	}
	if v.Kind != '"' {
		o.wrongKind(name, "a string", v)
		return f
	}
	at, ok := ParseTime(v.Text(), false)
	if !ok {
		o.Fault(name, "%s", timeMessage)
	}
	f.Value = at
	return f
}

// Bounds of free JSON (interface §2).
const (
	FreeBytes = 64 << 10
	FreeDepth = 32
)

// Free reads free JSON and keeps its text unchanged; object says that only an object will do.
func (o *Object) Free(name string, object bool) Field[string] {
	v, f := look[string](o, name, false, func() *Schema {
		if object {
			return &Schema{Type: "object", Open: true}
		}
		return free()
	})
	if v == nil {
		return f
	}
	switch {
	case object && v.Kind != '{':
		o.wrongKind(name, "an object", v)
	case len(v.Text()) > FreeBytes || len(v.Raw()) > FreeBytes:
		o.Fault(name, "must be at most 64 KiB of JSON")
	case v.depth() > FreeDepth:
		o.Fault(name, "must be nested at most %d deep", FreeDepth)
	default:
		f.Value = v.source()
	}
	return f
}

// source is the text of a value; scalars are written anew, the rest is as it came.
func (v *Value) source() string {
	switch v.Kind {
	case '{', '[', '0':
		return string(v.Raw())
	}
	return string(v.canonical(nil))
}

// Texts reads an array of strings, each by the rule r, at most count of them.
func (o *Object) Texts(name string, required bool, count int, r Text) Field[[]string] {
	if r.Max == 0 {
		r.Max = 255
	}
	v, f := look[[]string](o, name, required, func() *Schema {
		return &Schema{Type: "array", MaxItems: count, Items: &Schema{Type: "string", MaxLength: r.Max}}
	})
	if v == nil {
		return f
	}
	if v.Kind != '[' {
		o.wrongKind(name, "an array of strings", v)
		return f
	}
	given := v.length()
	if given > count {
		o.Fault(name, "must have at most %d entries", count)
		return f
	}
	f.Value = make([]string, 0, given)
	i := -1
	for _, kid := range v.inside {
		i++
		place := name + "[" + strconv.Itoa(i) + "]"
		if kid.Kind != '"' {
			o.wrongKind(place, "a string", kid)
			continue
		}
		text := strings.TrimSpace(kid.Text())
		if message := badText(text, Text{Required: true, Max: r.Max}); message != "" {
			o.Fault(place, "%s", message)
			continue
		}
		f.Value = append(f.Value, text)
	}
	return f
}

// Object reads a nested object; inside is not called when it is absent, null or of another kind.
func (o *Object) Object(name string, required bool, inside func(*Object)) Field[*Object] {
	if o.schema != nil {
		nested := &Object{index: -1, faults: o.faults, schema: &Schema{Type: "object", Open: true}}
		inside(nested)
		o.schema.property(name, required, optional(nested.schema, required))
		return Field[*Object]{}
	}
	v, f := look[*Object](o, name, required, nil)
	if v == nil {
		return f
	}
	if v.Kind != '{' {
		o.wrongKind(name, "an object", v)
		return f
	}
	f.Value = &Object{value: v, up: o, name: name, index: -1, faults: o.faults}
	inside(f.Value)
	return f
}

// List says what an array of objects must be like.
type List struct {
	Required bool
	Min, Max int
	Apart    bool // each element keeps its own errors: one bad element does not refuse the others
}

// List reads an array of objects; each is called for every element, also for those that are no objects when Apart (they
// have an error already and no members).
func (o *Object) List(name string, r List, each func(i int, element *Object)) Field[int] {
	if o.schema != nil {
		element := &Object{index: 0, faults: o.faults, schema: &Schema{Type: "object", Open: true}}
		each(0, element)
		o.schema.property(name, r.Required, optional(&Schema{Type: "array", MinItems: r.Min, MaxItems: r.Max, Items: element.schema}, r.Required))
		return Field[int]{}
	}
	v, f := look[int](o, name, r.Required, nil)
	if v == nil {
		return f
	}
	given := v.length()
	switch {
	case v.Kind != '[':
		o.wrongKind(name, "an array", v)
		return f
	case given < r.Min:
		o.Fault(name, "must have at least %d %s", r.Min, plural(r.Min, "entry", "entries"))
		return f
	case r.Max > 0 && given > r.Max:
		o.Fault(name, "must have at most %d entries, not %d", r.Max, given)
		return f
	}
	f.Value = given
	i := -1
	for _, kid := range v.inside {
		i++
		element := &Object{value: kid, up: o, name: name, index: i, faults: o.faults}
		if r.Apart {
			element.faults, element.up, element.index = &[]apperr.Detail{}, nil, -1
		}
		if kid.Kind != '{' {
			element.Fault("", "must be an object, not %s", kindName(kid.Kind))
			if !r.Apart {
				continue
			}
			element.value = &Value{Kind: '{'}
		}
		each(i, element)
	}
	return f
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
