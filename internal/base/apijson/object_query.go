package apijson

import (
	"net/url"

	"entrepot/internal/base/jsonvalue"
)

// Query reads a nested object, which may be absent, whose members are the parameters of a list: texts, numbers, booleans, and
// arrays of these for parameters that take several values. null counts as absent, as does no object. read reads the parameters,
// and its errors are the body's.
func (o *Object) Query(name, description string, read func(*Query)) {
	v, _ := look[string](o, name, false, func() *Schema { return &Schema{Type: "object", Open: true, Description: description} })
	if o.schema != nil {
		return
	}
	q := &Query{values: url.Values{}}
	switch {
	case v == nil || emptyList(v):
	case v.Kind != '{':
		o.wrongKind(name, "an object", v)
		return
	default:
		for _, member := range v.Names() {
			for _, one := range valuesOf(v.Member(member)) {
				text, ok := parameter(one)
				if !ok {
					q.AddError(member, "must be a text, a number, a boolean, or an array of these")
					continue
				}
				q.values.Add(member, text)
			}
		}
	}
	read(q)
	for _, e := range q.errs {
		o.AddError(name+"."+e.Path, "%s", e.Message)
	}
}

// valuesOf are the values of a member: those of an array, or the one.
func valuesOf(v *jsonvalue.Value) []*jsonvalue.Value {
	if v.Kind == '[' {
		return v.List()
	}
	return []*jsonvalue.Value{v}
}

// parameter is a value as a query has it; "" for null.
func parameter(v *jsonvalue.Value) (text string, ok bool) {
	switch v.Kind {
	case '"':
		return v.Text(), true
	case '0', 't', 'f':
		return string(v.Raw()), true
	case 'n':
		return "", true
	}
	return "", false
}
