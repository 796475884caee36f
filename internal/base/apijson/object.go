package apijson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/patch"
)

// Object reads the members of a JSON object and collects all errors. Without a value it describes itself: each read is
// added to its schema.
type Object struct {
	value  *jsonvalue.Value
	up     *Object
	name   string // under up
	index  int    // in a list under up, or -1
	errs   *[]apperr.Detail
	schema *Schema // when describing
}

// Read starts reading a body, which must be an object.
func Read(v *jsonvalue.Value) *Object {
	o := &Object{value: v, index: -1, errs: &[]apperr.Detail{}}
	if v == nil || v.Kind != '{' {
		o.AddError("", "the body must be a JSON object")
		o.value = &jsonvalue.Value{Kind: '{'}
	}
	return o
}

// Describing reports whether the object only builds its schema.
func (o *Object) Describing() bool { return o.schema != nil }

// Describe adds to the description of a member what the reader checks itself.
func (o *Object) Describe(name string, add func(*Schema)) {
	if o.schema != nil {
		add(o.schema.Properties[name])
	}
}

// Record gives the object a name ("CreateOrder"): the API description has it once under this name, wherever it is read.
func (o *Object) Record(kind string) {
	if o.schema != nil {
		o.schema.Record = kind
	}
}

// Errors are the errors found so far, in the order of reading.
func (o *Object) Errors() []apperr.Detail { return *o.errs }

// Err is the 400 that names all errors, or nil.
func (o *Object) Err() error {
	if len(*o.errs) == 0 {
		return nil
	}
	return apperr.Validation(*o.errs)
}

// AddError records an error of a member; name "" means the object itself.
func (o *Object) AddError(name, format string, args ...any) {
	*o.errs = append(*o.errs, apperr.Detail{Path: o.Path(name), Message: fmt.Sprintf(format, args...)})
}

// HasError reports whether an error of a member was found already. What its value must also be like is then not
// checked.
func (o *Object) HasError(name string) bool {
	path := o.Path(name)
	return slices.ContainsFunc(*o.errs, func(d apperr.Detail) bool { return d.Path == path })
}

// Path is the path of a member: "items[0].quantity".
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

// Has reports whether the member exists, null included.
func (o *Object) Has(name string) bool { return o.value.Member(name) != nil }

// NotNull says of members that they may be left out but must not be null: it is an error if none of them was found
// before.
func (o *Object) NotNull(names ...string) {
	for _, name := range names {
		if o.schema != nil {
			o.schema.Properties[name] = o.schema.Properties[name].withoutNull()
		} else if v := o.value.Member(name); v != nil && v.Kind == 'n' && !o.HasError(name) {
			o.AddError(name, "must not be null")
		}
	}
}

// IsText reports whether the member is a string or null.
func (o *Object) IsText(name string) bool {
	v := o.value.Member(name)
	return v != nil && (v.Kind == '"' || v.Kind == 'n')
}

// IsList reports whether the member is an array.
func (o *Object) IsList(name string) bool {
	v := o.value.Member(name)
	return v != nil && v.Kind == '['
}

// IsTrue reports whether the member is true.
func (o *Object) IsTrue(name string) bool {
	v := o.value.Member(name)
	return v != nil && v.Kind == 't'
}

// IsNull reports whether the member is null.
func (o *Object) IsNull(name string) bool {
	v := o.value.Member(name)
	return v != nil && v.Kind == 'n'
}

// Names are the names of the members; none when describing.
func (o *Object) Names() []string {
	if o.value == nil {
		return nil
	}
	return o.value.Names()
}

// Said is a string member as it was sent, valid or not, without white space at its ends and cut after 1,000
// characters; "" when it is no string. Error entries use it to name the item that they are about.
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

// look finds a member and handles absence and null.
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
			o.AddError(name, "is required")
		}
		return nil, f
	}
	return v, f
}

// optional describes a member that may also be null, which means the same as leaving it out, or clears it (interface
// §2.0).
func optional(s *Schema, required bool) *Schema {
	if required {
		return s
	}
	return s.orNull()
}

func (o *Object) wrongKind(name, want string, v *jsonvalue.Value) {
	o.AddError(name, "must be %s, not %s", want, v.KindName())
}
