// Package jsonvalue parses JSON text into values that preserve it exactly: numbers and free JSON as they were sent. It
// is strict (no duplicate names, UTF-8 only), and bounds depth and number of values. A Value refers to the text that it
// was parsed from; Fingerprint is equal for two spellings of one value, which is how repeated requests are compared.
package jsonvalue

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"entrepot/internal/base/apperr"
)

// Bounds of a body: its depth, and its number of values. The largest import that the interface accepts has 400,000
// values.
const (
	MaxDepth  = 64
	MaxValues = 600_000
)

// Value is one parsed JSON value: a position in the text. All values of a body are in one list in the order of the
// text, names before their values, so that a body costs a fixed number of bytes for each value (ValueSize) and nothing
// more.
type Value struct {
	Kind       jsontext.Kind // 'n' 't' 'f' '"' '0' '{' '['
	plain      bool          // a string without escapes
	start, end uint32        // of its text
	at, next   uint32        // its index in the list, and that of the next value outside of it
	in         *document
}

// ValueSize is how many bytes of memory each value or name of a parsed body takes.
const ValueSize = 32

// document is a parsed text and its values.
type document struct {
	text []byte
	all  []Value
}

// Parse parses one JSON value of at most MaxValues values, followed by nothing. Errors: Invalid, with the code
// invalid_json or too_many_values. The text must not be changed as long as the value is used.
func Parse(text []byte) (*Value, error) { return ParseWithin(text, MaxValues) }

// ParseWithin is Parse with another limit on the number of values; names of members do not count.
func ParseWithin(text []byte, most int) (*Value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, apperr.New(apperr.Invalid, "invalid_json", "the body is empty, a JSON object is needed")
	}
	if len(text) > math.MaxInt32 {
		return nil, apperr.New(apperr.TooLarge, "body_too_large", "the body is larger than 2 GB")
	}
	p := parser{in: &document{text: text, all: make([]Value, 0, min(Weigh(text), 2*most+1))}, from: jsontext.NewDecoder(bytes.NewBuffer(text)),
		most: most, room: most}
	if err := p.value(0); err != nil {
		return nil, p.invalid(err)
	}
	if _, err := p.from.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, apperr.New(apperr.Invalid, "invalid_json", "the body has more after its JSON value, at byte %d", p.from.InputOffset())
	}
	return &p.in.all[0], nil
}

// Weigh is the largest number of values and names that a text can have: each but the first follows a comma, a colon or
// an opening bracket.
func Weigh(text []byte) int {
	return 1 + bytes.Count(text, []byte{','}) + bytes.Count(text, []byte{':'}) + bytes.Count(text, []byte{'['}) +
		bytes.Count(text, []byte{'{'})
}

// parser fills a document.
type parser struct {
	in   *document
	from *jsontext.Decoder
	most int
	room int // how many more values are allowed
}

func (p *parser) invalid(err error) error {
	if f, ok := apperr.As(err); ok {
		return f
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		text := syntax.Err.Error()
		if errors.Is(syntax.Err, jsontext.ErrDuplicateName) {
			text = "the same name twice in one object"
		}
		return apperr.New(apperr.Invalid, "invalid_json", "the body is not valid JSON: %s, at byte %d", text, syntax.ByteOffset)
	}
	return apperr.New(apperr.Invalid, "invalid_json", "the body is not valid JSON: it ends too early, at byte %d", p.from.InputOffset())
}

// value parses one value with everything inside it.
func (p *parser) value(depth int) error {
	if depth > MaxDepth {
		return apperr.New(apperr.Invalid, "invalid_json", "the body is nested deeper than %d", MaxDepth)
	}
	if p.room--; p.room < 0 {
		return apperr.New(apperr.Invalid, "too_many_values", "the body has more than %d values, send it in parts", p.most)
	}
	at, err := p.token()
	if err != nil {
		return err
	}
	kind := p.in.all[at].Kind
	if kind != '{' && kind != '[' {
		return nil
	}
	for p.from.PeekKind() != kind+2 { // '}' and ']' are two code points after their opening bracket
		if kind == '{' {
			if _, err := p.token(); err != nil {
				return err
			}
		}
		if err := p.value(depth + 1); err != nil {
			return err
		}
	}
	if _, err := p.from.ReadToken(); err != nil {
		return err
	}
	p.in.all[at].end, p.in.all[at].next = uint32(p.from.InputOffset()), uint32(len(p.in.all))
	return nil
}

// token parses one token that begins or is a value, or is a name, and adds its position.
func (p *parser) token() (at int, err error) {
	start := int(p.from.InputOffset())
	token, err := p.from.ReadToken()
	if err != nil {
		return 0, err
	}
	end := int(p.from.InputOffset())
	for start < end && between[p.in.text[start]] {
		start++
	}
	at = len(p.in.all)
	v := Value{Kind: token.Kind(), start: uint32(start), end: uint32(end), at: uint32(at), next: uint32(at + 1), in: p.in}
	v.plain = v.Kind == '"' && bytes.IndexByte(p.in.text[start:end], '\\') < 0
	p.in.all = append(p.in.all, v)
	return at, nil
}

// between are the bytes allowed between two tokens.
var between = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, ',': true, ':': true}

// Raw is the value's text as it was sent.
func (v *Value) Raw() []byte {
	if v == nil || v.in == nil {
		return nil
	}
	return v.in.text[v.start:v.end:v.end]
}

// All iterates over an object's names and members, or over an array's elements with a nil name.
func (v *Value) All(yield func(name, value *Value) bool) {
	if v == nil || v.in == nil || v.Kind != '{' && v.Kind != '[' {
		return
	}
	for i := v.at + 1; i < v.next; {
		var name *Value
		if v.Kind == '{' {
			name = &v.in.all[i]
			i++
		}
		value := &v.in.all[i]
		if !yield(name, value) {
			return
		}
		i = value.next
	}
}

// is reports whether a string equals a text.
func (v *Value) is(text string) bool {
	if v.plain {
		return string(v.in.text[v.start+1:v.end-1]) == text
	}
	return v.Text() == text
}

// Member finds a member of an object; nil if it is not there.
func (v *Value) Member(name string) *Value {
	if v == nil || v.Kind != '{' {
		return nil
	}
	for key, value := range v.All {
		if key.is(name) {
			return value
		}
	}
	return nil
}

// Text is the content of a string, or "".
func (v *Value) Text() string {
	switch {
	case v == nil || v.Kind != '"' || v.in == nil:
		return ""
	case v.plain:
		return string(v.in.text[v.start+1 : v.end-1])
	}
	text, _ := jsontext.AppendUnquote(nil, v.Raw()) // checked when it was parsed
	return string(text)
}

// Names are an object's member names in their order.
func (v *Value) Names() (names []string) {
	for key := range v.All {
		if key != nil {
			names = append(names, key.Text())
		}
	}
	return names
}

// List gives the elements of an array or the members of an object, in order.
func (v *Value) List() (list []*Value) {
	for _, value := range v.All {
		list = append(list, value)
	}
	return list
}

// Len is how many elements or members there are.
func (v *Value) Len() (n int) {
	for range v.All {
		n++
	}
	return n
}

// Depth is how deep arrays and objects nest in a value: 0 for a scalar, 1 for a list of scalars.
func (v *Value) Depth() int {
	if v.Kind != '{' && v.Kind != '[' {
		return 0
	}
	deepest := 0
	for _, value := range v.All {
		deepest = max(deepest, value.Depth())
	}
	return deepest + 1
}

// KindName is the word for the value's kind in messages.
func (v *Value) KindName() string {
	switch v.Kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	}
	return "an array"
}
