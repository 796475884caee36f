// Package wire reads and writes the JSON of the interface.
//
//	Parse    bytes → Value: strict (no duplicate names, UTF-8 only, bounded depth), numbers and free JSON exact
//	Object   Value → fields: every fault of a body is collected with its path, none hides another (interface §7)
//	Query    the same for query parameters
//	Writer   values → bytes, appended by hand: no reflection on the hot path
//	Schema   what Object, Query and Writer tell of themselves: one description for check, answer and OpenAPI document
package wire

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"entrepot/internal/fault"
)

// Bounds of a body: how deep it may nest, and how many values it may have. The largest import that the interface takes has
// 400,000; without a bound, 10 MB of "1,1,1,…" would take more than a GB of memory.
const (
	MaxDepth  = 64
	MaxValues = 600_000
)

// Value is one parsed JSON value. Raw is its text as it came.
type Value struct {
	Kind  jsontext.Kind // 'n' 't' 'f' '"' '0' '{' '['
	Raw   []byte
	text  string   // of a string
	names []string // of an object, in order
	kids  []Value  // of an object or array
}

// Parse reads one JSON value and nothing after it. The fault is a 400 with the code invalid_json.
func Parse(body []byte) (*Value, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, fault.New(fault.Invalid, "invalid_json", "the body is empty, a JSON object is needed")
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(body))
	var v Value
	room := MaxValues
	if err := read(d, body, &v, 0, &room); err != nil {
		return nil, invalid(err, d)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Invalid, "invalid_json", "the body has more after its JSON value, at byte %d", d.InputOffset())
	}
	return &v, nil
}

func invalid(err error, d *jsontext.Decoder) error {
	if f, ok := fault.As(err); ok {
		return f
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		text := syntax.Err.Error()
		if errors.Is(syntax.Err, jsontext.ErrDuplicateName) {
			text = "the same name twice in one object"
		}
		return fault.New(fault.Invalid, "invalid_json", "the body is not valid JSON: %s, at byte %d", text, syntax.ByteOffset)
	}
	return fault.New(fault.Invalid, "invalid_json", "the body is not valid JSON: it ends too early, at byte %d", d.InputOffset())
}

// read reads one value; room is how many more there may be.
func read(d *jsontext.Decoder, body []byte, v *Value, depth int, room *int) error {
	if depth > MaxDepth {
		return fault.New(fault.Invalid, "invalid_json", "the body is nested deeper than %d", MaxDepth)
	}
	if *room--; *room < 0 {
		return fault.New(fault.Invalid, "invalid_json", "the body has more than %d values, send it in parts", MaxValues)
	}
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	v.Kind = token.Kind()
	switch v.Kind {
	case '"':
		v.text = token.String()
	case '{':
		start := d.InputOffset() - 1
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			v.names = append(v.names, name.String())
			v.kids = append(v.kids, Value{})
			if err := read(d, body, &v.kids[len(v.kids)-1], depth+1, room); err != nil {
				return err
			}
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		v.Raw = body[start:d.InputOffset()]
		return nil
	case '[':
		start := d.InputOffset() - 1
		for d.PeekKind() != ']' {
			v.kids = append(v.kids, Value{})
			if err := read(d, body, &v.kids[len(v.kids)-1], depth+1, room); err != nil {
				return err
			}
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		v.Raw = body[start:d.InputOffset()]
		return nil
	case '0':
		end := d.InputOffset()
		start := end - int64(len(token.String()))
		v.Raw = body[start:end]
		return nil
	}
	return nil
}

// Member finds a member of an object; nil if it is not there.
func (v *Value) Member(name string) *Value {
	if v == nil || v.Kind != '{' {
		return nil
	}
	for i := range v.names {
		if v.names[i] == name {
			return &v.kids[i]
		}
	}
	return nil
}

// Text is the content of a string, or "".
func (v *Value) Text() string {
	if v == nil {
		return ""
	}
	return v.text
}

// Names are an object's member names in their order.
func (v *Value) Names() []string { return v.names }

// List gives the elements of an array or the members of an object, in order.
func (v *Value) List() []Value {
	if v == nil {
		return nil
	}
	return v.kids
}

// depth is how deep a value nests: 1 for a scalar.
func (v *Value) depth() int {
	deepest := 0
	for i := range v.kids {
		deepest = max(deepest, v.kids[i].depth())
	}
	return deepest + 1
}

// kindName is the word for a kind in messages.
func kindName(k jsontext.Kind) string {
	switch k {
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
