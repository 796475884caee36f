package dashboard

import (
	"encoding/json"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"entrepot/internal/base/jsonvalue"
)

// branch is a node of the document built from a form: an object, a list, or a value.
type branch struct {
	names   []string // of an object's members, in their order
	members map[string]*branch
	list    bool
	value   json.RawMessage // of a leaf
}

// document is the form's content in the structure of the API's body: inputs named items[0].quantity become members,
// and only declared fields are read.
func (f *form) document() *jsonvalue.Value {
	root := &branch{}
	for _, in := range f.Fields {
		if value, given := f.member(in); given {
			root.set(steps(in.Name), value)
		}
	}
	text, err := json.Marshal(root)
	if err != nil {
		panic(err) // every leaf is valid JSON
	}
	v, err := jsonvalue.Parse(text)
	if err != nil { // only if the text is not UTF-8
		v, _ = jsonvalue.Parse([]byte("{}"))
	}
	return v
}

// numeral is a number as JSON writes it.
var numeral = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// member is the JSON of a field's input; given is false when the document leaves it out. A field of kind json stands
// for other inputs: its value is what they mean.
func (f *form) member(in *field) (value json.RawMessage, given bool) {
	switch in.Kind {
	case "checkbox":
		return json.RawMessage(strconv.FormatBool(f.sent.Get(in.Name) != "")), true
	case "checks":
		list := f.sent[in.Name]
		if list == nil {
			list = []string{}
		}
		if len(list) == 0 && in.ClearBlank {
			return json.RawMessage("null"), true
		}
		return text(list), true
	case "json":
		return json.RawMessage(in.Value), true
	}
	if !f.sent.Has(in.Name) {
		return nil, false
	}
	said := f.Value(in.Name)
	if strings.TrimSpace(said) == "" {
		if in.SendBlank {
			return text(""), true
		}
		return json.RawMessage("null"), in.ClearBlank
	}
	switch in.Kind {
	case "commas":
		return text(commaList(strings.ToValidUTF8(said, "\uFFFD"))), true
	case "decimal", "int":
		var plain, words string
		switch {
		case in.Kind == "decimal" && said == in.shown:
			plain = in.exact
		case in.Kind == "decimal":
			plain, words = typedDecimal(said, f.point, in.Digits)
		default:
			plain, words = typedWhole(said, f.point)
		}
		if words != "" {
			f.ask(in.Name, words)
		}
		if numeral.MatchString(plain) {
			return json.RawMessage(plain), true
		}
	}
	return text(strings.ToValidUTF8(said, "\uFFFD")), true
}

// ask notes what is asked about an input.
func (f *form) ask(name, words string) {
	if f.unclear == nil {
		f.unclear = map[string]string{}
	}
	f.unclear[name] = words
}

func text(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts, or a list of them
	}
	return b
}

// steps are the steps of a path: items[0].quantity is items, 0, quantity.
func steps(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return c == '.' || c == '[' || c == ']' })
}

func (b *branch) set(path []string, value json.RawMessage) {
	if len(path) == 0 {
		b.value = value
		return
	}
	if b.members == nil {
		b.members = map[string]*branch{}
		_, err := strconv.Atoi(path[0])
		b.list = err == nil
	}
	next := b.members[path[0]]
	if next == nil {
		next = &branch{}
		b.members[path[0]] = next
		b.names = append(b.names, path[0])
	}
	next.set(path[1:], value)
}

// MarshalJSON writes the members in the order of the fields, and lists by index.
func (b *branch) MarshalJSON() ([]byte, error) {
	if b.value != nil {
		return b.value, nil
	}
	names := append([]string(nil), b.names...)
	if b.list {
		sort.SliceStable(names, func(i, j int) bool {
			x, _ := strconv.Atoi(names[i])
			y, _ := strconv.Atoi(names[j])
			return x < y
		})
	}
	open, shut := byte('{'), byte('}')
	if b.list {
		open, shut = '[', ']'
	}
	out := []byte{open}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		if !b.list {
			out = append(append(out, text(name)...), ':')
		}
		inner, err := b.members[name].MarshalJSON()
		if err != nil {
			return nil, err
		}
		out = append(out, inner...)
	}
	return append(out, shut), nil
}
