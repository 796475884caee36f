package apijson

import (
	"encoding/json"
	"slices"

	"entrepot/internal/base/apperr"
)

// Schema is the part of JSON Schema 2020-12 that the interface uses.
type Schema struct {
	Record      string             `json:"-"` // its name in a description, "" for none; see Components
	Ref         string             `json:"$ref,omitempty"`
	Type        any                `json:"type,omitempty"` // a word or a list of words
	Format      string             `json:"format,omitempty"`
	Description string             `json:"description,omitempty"`
	Enum        []any              `json:"enum,omitempty"`
	Default     any                `json:"default,omitempty"`
	MinLength   int                `json:"minLength,omitempty"`
	MaxLength   int                `json:"maxLength,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Minimum     json.Number        `json:"minimum,omitempty"`
	Maximum     json.Number        `json:"maximum,omitempty"`
	MinItems    int                `json:"minItems,omitempty"`
	MaxItems    int                `json:"maxItems,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Open        bool               `json:"-"` // unknown members are ignored, as everywhere in the interface
	order       []string
}

func (s *Schema) property(name string, required bool, p *Schema) {
	if s.Properties == nil {
		s.Properties = map[string]*Schema{}
	}
	if _, twice := s.Properties[name]; !twice {
		s.order = append(s.order, name)
		if required {
			s.Required = append(s.Required, name)
		}
	}
	s.Properties[name] = p
}

// AtLeastOne says of a list that it must not be empty.
func AtLeastOne(s *Schema) { s.MinItems = 1 }

// SomeOf says of a list that it must have some of these words, at least one.
func SomeOf[T ~string](allowed ...T) func(*Schema) {
	return func(s *Schema) { s.MinItems, s.Items = 1, &Schema{Type: "string", Enum: choices(allowed)} }
}

// Like says of a text that it must match a pattern.
func Like(pattern string) func(*Schema) { return func(s *Schema) { s.Pattern = pattern } }

// orNull is the schema of the value or null.
func (s *Schema) orNull() *Schema {
	either := *s
	switch kind := s.Type.(type) {
	case string:
		either.Type = []string{kind, "null"}
	case []string:
		if !slices.Contains(kind, "null") {
			either.Type = append(slices.Clone(kind), "null")
		}
	}
	if s.Enum != nil && !slices.Contains(s.Enum, nil) {
		either.Enum = append(slices.Clone(s.Enum), nil)
	}
	if s.AnyOf != nil && !slices.ContainsFunc(s.AnyOf, func(one *Schema) bool { return one.Type == "null" }) {
		either.AnyOf = append(slices.Clone(s.AnyOf), &Schema{Type: "null"})
	}
	return &either
}

// notNull is the schema without null, and whether it had it.
func (s *Schema) notNull() (*Schema, bool) {
	kinds, ok := s.Type.([]string)
	if !ok || !slices.Contains(kinds, "null") {
		return s, false
	}
	plain := *s
	kinds = slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return kind == "null" })
	if plain.Type = any(kinds); len(kinds) == 1 {
		plain.Type = kinds[0]
	}
	return &plain, true
}

// withoutNull is the schema without null, wherever orNull has put it.
func (s *Schema) withoutNull() *Schema {
	plain, _ := s.notNull()
	all := *plain
	all.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(word any) bool { return word == nil })
	all.AnyOf = slices.DeleteFunc(slices.Clone(s.AnyOf), func(one *Schema) bool { return one.Type == "null" })
	return &all
}

// either is the schema that accepts what a or b accepts; for two objects, members that only one has may be left out.
func either(a, b *Schema) *Schema {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case b.Type == "null":
		return a.orNull()
	case a.Type == "null":
		return b.orNull()
	case a.free() || b.free():
		return free()
	case a.records() != nil && b.records() != nil && a.Record != b.Record:
		return choice(a.records(), b.records())
	case a.Type == nil || b.Type == nil: // one of them is free JSON, which accepts everything
		return free()
	}
	all := *a
	if a.Record != b.Record {
		all.Record = ""
	}
	all.Type = types(a.Type, b.Type)
	if a.Format != b.Format {
		all.Format = ""
	}
	if all.Enum = nil; a.Enum != nil && b.Enum != nil {
		all.Enum = slices.Clone(a.Enum)
		for _, word := range b.Enum {
			if !slices.Contains(all.Enum, word) {
				all.Enum = append(all.Enum, word)
			}
		}
	}
	all.Items = either(a.Items, b.Items)
	if a.Properties == nil || b.Properties == nil {
		if a.Properties == nil {
			all.Properties, all.Required, all.order = b.Properties, b.Required, b.order
		}
		return &all
	}
	all.Properties, all.Required, all.order = nil, nil, nil
	for _, name := range append(slices.Clone(a.order), b.order...) {
		if all.Properties[name] == nil {
			all.property(name, slices.Contains(a.Required, name) && slices.Contains(b.Required, name),
				either(a.Properties[name], b.Properties[name]))
		}
	}
	return &all
}

// free reports whether the schema accepts any JSON, null included.
func (s *Schema) free() bool { return s.Record == "FreeJSON" }

// records are the named schemas in a schema: itself, or the options of a choice; nil if it is something else.
func (s *Schema) records() []*Schema {
	if s.Record != "" {
		return []*Schema{s}
	}
	if slices.ContainsFunc(s.AnyOf, func(one *Schema) bool { return one.Record == "" }) {
		return nil
	}
	return s.AnyOf
}

// choice is any of some records.
func choice(a, b []*Schema) *Schema {
	all := slices.Clone(a)
	for _, one := range b {
		at := slices.IndexFunc(all, func(known *Schema) bool { return known.Record == one.Record })
		if at < 0 {
			all = append(all, one)
		} else {
			all[at] = either(all[at], one)
		}
	}
	return &Schema{AnyOf: all}
}

// free accepts any JSON. It lists the types, because validators of OpenAPI do not let an empty schema accept null.
func free() *Schema {
	return &Schema{Record: "FreeJSON", Description: "any JSON, kept as it came",
		AnyOf: []*Schema{{Type: "object"}, {Type: "array", Items: &Schema{}},
			{Type: "string"}, {Type: "number"}, {Type: "boolean"}, {Type: "null"}}}
}

// types is the union of the types of two schemas; a word if it is one type.
func types(a, b any) any {
	var list []string
	for _, one := range []any{a, b} {
		words, ok := one.([]string)
		if !ok {
			words = []string{one.(string)}
		}
		for _, word := range words {
			if !slices.Contains(list, word) {
				list = append(list, word)
			}
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// Names are the properties in the order in which they were added.
func (s *Schema) Names() []string { return s.order }

// DescribeBody returns the schema of what a reader reads.
func DescribeBody(read func(*Object)) *Schema {
	o := &Object{index: -1, errs: new([]apperr.Detail), schema: &Schema{Type: "object", Open: true}}
	read(o)
	return o.schema
}

// DescribeQuery returns the parameters that a reader reads, as properties.
func DescribeQuery(read func(*Query)) *Schema {
	q := &Query{schema: &Schema{Type: "object"}}
	read(q)
	return q.schema
}

// DescribeAnswer returns the schema of what a writer writes for a sample. Elements of a list, and members that the
// sample writes more than once, are described together: if one of them is null, the value may be null; if a member is
// absent from one of them, it may be left out.
func DescribeAnswer(write func(*Writer)) *Schema {
	w := &Writer{tree: &node{}}
	write(w)
	return w.tree.schema
}
