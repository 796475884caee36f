package apijson

import "slices"

// Writer appends JSON. Every value takes its name inside an object, and "" inside a list or at the root; End closes an
// object and EndList a list. With a tree it also builds the schema of what is written.
type Writer struct {
	b     []byte
	parts *Parts // what Cut has packed
	tree  *node
}

// Cut packs what was written, if it is large, so that a large answer takes little memory while it grows and while it
// is sent. Call it between two values. It reports whether it packed.
func (w *Writer) Cut() bool {
	if len(w.b) < BlockSize || w.parts == nil && len(w.b) < PackFrom {
		return false
	}
	if w.parts == nil {
		w.parts = &Parts{}
	}
	w.parts.add(w.b)
	w.b = w.b[:0]
	return true
}

// Parts is what Cut has packed, nil for nothing; Bytes follows it.
func (w *Writer) Parts() *Parts { return w.parts }

// Len is how many bytes were written in total.
func (w *Writer) Len() int { return w.parts.Size() + len(w.b) }

// Held is how many bytes of memory they take.
func (w *Writer) Held() int { return w.parts.Held() + len(w.b) }

// node is an open value while a schema is built.
type node struct {
	up     *node
	schema *Schema
	name   string
}

// NewWriter returns a writer with a buffer of size bytes.
func NewWriter(size int) *Writer { return &Writer{b: make([]byte, 0, size)} }

// Bytes is what was written and not packed by Cut.
func (w *Writer) Bytes() []byte { return w.b }

// Reset empties the writer and keeps its buffer.
func (w *Writer) Reset() { w.b, w.parts = w.b[:0], nil }

func (w *Writer) key(name string) {
	if n := len(w.b); n > 0 && w.b[n-1] != '{' && w.b[n-1] != '[' || n == 0 && w.parts != nil {
		w.b = append(w.b, ',')
	}
	if name != "" {
		w.b = append(w.b, '"')
		w.b = append(w.b, name...)
		w.b = append(w.b, '"', ':')
	}
}

func (w *Writer) note(name string, s *Schema) {
	if w.tree != nil {
		w.tree.add(name, s)
	}
}

func (n *node) add(name string, s *Schema) {
	switch {
	case n.schema == nil || n.up == nil:
		n.schema = either(n.schema, s)
	case n.schema.Type == "array":
		n.schema.Items = either(n.schema.Items, s)
	default:
		n.schema.property(name, true, either(n.schema.Properties[name], s))
	}
}

func (w *Writer) open(name string, bracket byte, s *Schema) {
	w.key(name)
	w.b = append(w.b, bracket)
	if w.tree != nil {
		w.tree = &node{up: w.tree, schema: s, name: name}
	}
}

// Object opens an object.
func (w *Writer) Object(name string) {
	var s *Schema
	if w.tree != nil {
		s = &Schema{Type: "object"}
	}
	w.open(name, '{', s)
}

// Record opens an object with a name ("Order"), under which the API description has it once.
func (w *Writer) Record(kind, name string) {
	var s *Schema
	if w.tree != nil {
		s = &Schema{Type: "object", Record: kind}
	}
	w.open(name, '{', s)
}

// MayBeNull notes in the API description that the member may also be null.
func (w *Writer) MayBeNull(name string) {
	if w.tree != nil {
		w.note(name, &Schema{Type: "null"})
	}
}

// MayBeAbsent notes in the API description that members of the open object may be left out.
func (w *Writer) MayBeAbsent(names ...string) {
	if w.tree != nil {
		s := w.tree.schema
		s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return slices.Contains(names, name) })
	}
}

// List opens an array.
func (w *Writer) List(name string) {
	var s *Schema
	if w.tree != nil {
		s = &Schema{Type: "array"}
	}
	w.open(name, '[', s)
}

// End closes an object.
func (w *Writer) End() { w.close('}') }

// EndList closes an array.
func (w *Writer) EndList() { w.close(']') }

func (w *Writer) close(bracket byte) {
	w.b = append(w.b, bracket)
	if w.tree != nil {
		n := w.tree
		w.tree = n.up
		w.tree.add(n.name, n.schema)
	}
}
