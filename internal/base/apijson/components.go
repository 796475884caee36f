package apijson

import (
	"fmt"
	"reflect"
	"slices"
)

// Components are the named records of an API description, each once.
//
// A record that is read must have the same schema wherever it is read. A record that is written is described by
// samples, whose schemas are merged.
type Components struct {
	records map[string]*Schema
	strict  map[string]bool // read, not written
}

// Read adds the records in a body's schema. It panics if a record was added with another schema before: the two need
// different names.
func (c *Components) Read(s *Schema) *Schema { return c.note(s, true) }

// Written adds the records in an answer's schema.
func (c *Components) Written(s *Schema) *Schema { return c.note(s, false) }

func (c *Components) note(s *Schema, strict bool) *Schema {
	s.each(func(one *Schema) {
		if one.Record == "" {
			return
		}
		if c.records == nil {
			c.records, c.strict = map[string]*Schema{}, map[string]bool{}
		}
		plain, _ := one.notNull()
		if plain.AnyOf != nil && !one.free() {
			copied := *plain
			copied.AnyOf = slices.DeleteFunc(slices.Clone(plain.AnyOf), func(s *Schema) bool { return s.Type == "null" })
			plain = &copied
		}
		known := c.records[one.Record]
		switch {
		case known == nil:
			c.records[one.Record], c.strict[one.Record] = plain, strict
		case reflect.DeepEqual(known, plain):
		case strict || c.strict[one.Record]:
			panic(fmt.Sprintf("the record %s is described in two ways", one.Record))
		default:
			c.records[one.Record] = either(known, plain)
		}
	})
	return s
}

// each calls f for a schema and everything in it.
func (s *Schema) each(f func(*Schema)) {
	if s == nil {
		return
	}
	f(s)
	s.Items.each(f)
	for _, name := range s.order {
		s.Properties[name].each(f)
	}
	for _, one := range s.AnyOf {
		one.each(f)
	}
}

// Schemas are the added records by name; a record inside another one is a reference.
func (c *Components) Schemas() map[string]*Schema {
	all := make(map[string]*Schema, len(c.records))
	for name, s := range c.records {
		bare := *s
		bare.Record = ""
		all[name] = Refer(&bare)
	}
	return all
}

// Refer replaces each record in a schema by a reference.
func Refer(s *Schema) *Schema {
	if s == nil {
		return nil
	}
	if s.Record != "" {
		ref := &Schema{Ref: "#/components/schemas/" + s.Record}
		_, null := s.notNull()
		if !s.free() && (null || slices.ContainsFunc(s.AnyOf, func(one *Schema) bool { return one.Type == "null" })) {
			return &Schema{AnyOf: []*Schema{ref, {Type: "null"}}}
		}
		return ref
	}
	bare := *s
	bare.Items = Refer(s.Items)
	bare.AnyOf = nil
	for _, one := range s.AnyOf {
		bare.AnyOf = append(bare.AnyOf, Refer(one))
	}
	if s.Properties != nil {
		bare.Properties = make(map[string]*Schema, len(s.Properties))
		for name, p := range s.Properties {
			bare.Properties[name] = Refer(p)
		}
	}
	return &bare
}
