package apijson

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"entrepot/internal/apperr"
	"entrepot/internal/jsonvalue"
	"entrepot/internal/patch"
)

// Object reads the members of a JSON object and collects what is wrong with them. Without a value it describes itself
// instead: each read is noted in its schema.
type Object struct {
	value  *jsonvalue.Value
	up     *Object
	name   string // under up
	index  int    // in a list under up, or -1
	faults *[]apperr.Detail
	schema *Schema // when describing
}

// Read starts reading a body, which must be an object.
func Read(v *jsonvalue.Value) *Object {
	o := &Object{value: v, index: -1, faults: &[]apperr.Detail{}}
	if v == nil || v.Kind != '{' {
		o.Fault("", "the body must be a JSON object")
		o.value = &jsonvalue.Value{Kind: '{'}
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
func look[T any](o *Object, name string, required bool, schema func() *Schema) (v *jsonvalue.Value, f patch.Field[T]) {
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

func (o *Object) wrongKind(name, want string, v *jsonvalue.Value) {
	o.Fault(name, "must be %s, not %s", want, v.KindName())
}
