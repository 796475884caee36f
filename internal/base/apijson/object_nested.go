package apijson

import (
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/patch"
)

// Bounds of free JSON (interface §2).
const (
	freeBytes = 64 << 10
	freeDepth = 32
)

// Free reads free JSON and keeps its text unchanged; object says that only an object will do.
func (o *Object) Free(name string, object bool) patch.Field[string] {
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
	case object && emptyList(v):
		f.Value = "{}"
	case object && v.Kind != '{':
		o.wrongKind(name, "an object", v)
	case len(v.Text()) > freeBytes || len(v.Raw()) > freeBytes:
		o.AddError(name, "must be at most 64 KiB of JSON")
	case v.Depth() > freeDepth:
		o.AddError(name, "must be nested at most %d deep", freeDepth)
	default:
		f.Value = v.Source()
	}
	return f
}

// emptyList reports whether a value is []: PHP writes a map without members like that, so it is an empty object where
// one is expected.
func emptyList(v *jsonvalue.Value) bool { return v.Kind == '[' && v.Len() == 0 }

// Texts reads an array of strings, each by the rule r, at most count of them.
func (o *Object) Texts(name string, required bool, count int, r Text) patch.Field[[]string] {
	return texts(o, name, required, count, r, func(text string) (string, string) { return text, "" })
}

// UUIDs reads an array of identifiers of a type, at most count of them.
func UUIDs[T ~string](o *Object, name string, required bool, count int) patch.Field[[]T] {
	return texts(o, name, required, count, Text{Format: "uuid"}, func(text string) (parsed T, message string) {
		parsed, ok := id.Parse[T](text)
		if !ok {
			message = "must be a UUID"
		}
		return parsed, message
	})
}

// texts reads an array of strings, each by the rule r, and parses them; parse returns what is wrong with a string, ""
// for nothing.
func texts[T any](o *Object, name string, required bool, count int, r Text, parse func(text string) (T, string)) patch.Field[[]T] {
	if r.Required = true; r.Max == 0 {
		r.Max = MaxText
	}
	v, f := look[[]T](o, name, required, func() *Schema {
		return &Schema{Type: "array", MaxItems: count, Items: textSchema(r)}
	})
	if v == nil {
		return f
	}
	if v.Kind != '[' {
		o.wrongKind(name, "an array of strings", v)
		return f
	}
	given := v.Len()
	if given > count {
		o.AddError(name, "must have at most %d entries", count)
		return f
	}
	f.Value = make([]T, 0, given)
	i := -1
	for _, kid := range v.All {
		i++
		place := name + "[" + strconv.Itoa(i) + "]"
		if kid.Kind != '"' {
			o.wrongKind(place, "a string", kid)
			continue
		}
		text := strings.TrimSpace(kid.Text())
		message := badText(text, r)
		var entry T
		if message == "" {
			entry, message = parse(text)
		}
		if message != "" {
			o.AddError(place, "%s", message)
			continue
		}
		f.Value = append(f.Value, entry)
	}
	return f
}

// Object reads a nested object, which may be absent; inside is not called if it is absent, null or of another type.
func (o *Object) Object(name string, inside func(*Object)) patch.Field[*Object] {
	if o.schema != nil {
		nested := &Object{index: -1, errs: o.errs, schema: &Schema{Type: "object", Open: true}}
		inside(nested)
		o.schema.property(name, false, nested.schema.orNull())
		return patch.Field[*Object]{}
	}
	v, f := look[*Object](o, name, false, nil)
	if v == nil {
		return f
	}
	if emptyList(v) {
		v = &jsonvalue.Value{Kind: '{'}
	}
	if v.Kind != '{' {
		o.wrongKind(name, "an object", v)
		return f
	}
	f.Value = &Object{value: v, up: o, name: name, index: -1, errs: o.errs}
	inside(f.Value)
	return f
}

// List says what an array of objects must be like.
type List struct {
	Required bool
	Min, Max int
	Apart    bool // each element has its own errors: one bad element does not reject the others
}

// List reads an array of objects; each is called for every element. With Apart, that includes elements that are no
// objects: they have an error and no members.
func (o *Object) List(name string, r List, each func(i int, element *Object)) patch.Field[int] {
	if o.schema != nil {
		element := &Object{index: 0, errs: o.errs, schema: &Schema{Type: "object", Open: true}}
		each(0, element)
		o.schema.property(name, r.Required, optional(&Schema{Type: "array", MinItems: r.Min, MaxItems: r.Max, Items: element.schema}, r.Required))
		return patch.Field[int]{}
	}
	v, f := look[int](o, name, r.Required, nil)
	if v == nil {
		return f
	}
	given := v.Len()
	switch {
	case v.Kind != '[':
		o.wrongKind(name, "an array", v)
		return f
	case given < r.Min:
		o.AddError(name, "must have at least %d %s", r.Min, plural(r.Min, "entry", "entries"))
		return f
	case r.Max > 0 && given > r.Max:
		o.AddError(name, "must have at most %d entries, not %d", r.Max, given)
		return f
	}
	f.Value = given
	i := -1
	for _, kid := range v.All {
		i++
		element := &Object{value: kid, up: o, name: name, index: i, errs: o.errs}
		if r.Apart {
			element.errs, element.up, element.index = &[]apperr.Detail{}, nil, -1
		}
		if kid.Kind != '{' {
			element.AddError("", "must be an object, not %s", kid.KindName())
			if !r.Apart {
				continue
			}
			element.value = &jsonvalue.Value{Kind: '{'}
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
