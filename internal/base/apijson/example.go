package apijson

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Example is the JSON that a writer writes for a sample. If the sample writes a member more than once (see
// DescribeAnswer), the first counts.
func Example(write func(*Writer)) json.RawMessage {
	w := NewWriter(1024)
	write(w)
	d := jsontext.NewDecoder(bytes.NewReader(w.Bytes()), jsontext.AllowDuplicateNames(true))
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true))
	if err := firsts(d, e); err != nil {
		panic(err) // a writer that does not write JSON
	}
	return bytes.TrimSpace(out.Bytes())
}

// firsts copies one value without members whose name occurred before.
func firsts(d *jsontext.Decoder, e *jsontext.Encoder) error {
	if kind := d.PeekKind(); kind != '{' && kind != '[' {
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		return e.WriteValue(value)
	}
	open, err := d.ReadToken()
	if err != nil {
		return err
	}
	object := open.Kind() == '{'
	if err := e.WriteToken(open); err != nil {
		return err
	}
	seen := map[string]bool{}
	for kind := d.PeekKind(); kind != '}' && kind != ']'; kind = d.PeekKind() {
		if object {
			token, err := d.ReadToken()
			if err != nil {
				return err
			}
			name := token.String()
			if seen[name] {
				if err := d.SkipValue(); err != nil {
					return err
				}
				continue
			}
			seen[name] = true
			if err := e.WriteToken(jsontext.String(name)); err != nil {
				return err
			}
		}
		if err := firsts(d, e); err != nil {
			return err
		}
	}
	end, err := d.ReadToken()
	if err != nil {
		return err
	}
	return e.WriteToken(end)
}
