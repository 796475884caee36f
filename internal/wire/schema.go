package wire

// Schema is the part of JSON Schema 2020-12 that the interface uses.
type Schema struct {
	Ref         string             `json:"$ref,omitempty"`
	Type        any                `json:"type,omitempty"` // a word or a list of words
	Format      string             `json:"format,omitempty"`
	Description string             `json:"description,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Default     any                `json:"default,omitempty"`
	MinLength   int                `json:"minLength,omitempty"`
	MaxLength   int                `json:"maxLength,omitempty"`
	Minimum     *int64             `json:"minimum,omitempty"`
	Maximum     *int64             `json:"maximum,omitempty"`
	MinItems    int                `json:"minItems,omitempty"`
	MaxItems    int                `json:"maxItems,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
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

// Names are the properties in the order they were noted.
func (s *Schema) Names() []string { return s.order }

// DescribeBody gives the schema of what a reader reads.
func DescribeBody(read func(*Object)) *Schema {
	o := &Object{index: -1, faults: new([]faultDetail), schema: &Schema{Type: "object", Open: true}}
	read(o)
	return o.schema
}

// DescribeQuery gives the parameters that a reader reads, as properties.
func DescribeQuery(read func(*Query)) *Schema {
	q := &Query{schema: &Schema{Type: "object"}}
	read(q)
	return q.schema
}

// DescribeAnswer gives the schema of what a writer writes for a sample: a list is described by its first element.
func DescribeAnswer(write func(*Writer)) *Schema {
	w := &Writer{tree: &node{}}
	write(w)
	return w.tree.schema
}
