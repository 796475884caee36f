package catalog

import (
	"slices"

	"entrepot/internal/base/jsonvalue"
)

// Option is an attribute in which variants of a product may differ, such as Size, with the values that variants have.
type Option struct {
	Name   string
	Values []string
}

// Options derives the options from the attributes of the variants: names and values in the order in which they first
// appear. Values that are no text, number or boolean are left out.
func (p *Product) Options() (list []Option) {
	for i := range p.Variants {
		for _, o := range p.Variants[i].Options() {
			at := slices.IndexFunc(list, func(known Option) bool { return known.Name == o.Name })
			if at < 0 {
				list = append(list, o)
			} else if !slices.Contains(list[at].Values, o.Values[0]) {
				list[at].Values = append(list[at].Values, o.Values[0])
			}
		}
	}
	return list
}

// Options are the attributes of one variant, each with one value.
func (v *Variant) Options() (list []Option) {
	if v.Attributes == "{}" || v.Attributes == "" {
		return nil
	}
	parsed, err := jsonvalue.Parse([]byte(v.Attributes))
	if err != nil {
		return nil
	}
	for _, name := range parsed.Names() {
		value := parsed.Member(name)
		switch value.Kind {
		case '"':
			list = append(list, Option{name, []string{value.Text()}})
		case '0', 't', 'f':
			list = append(list, Option{name, []string{string(value.Raw())}})
		}
	}
	return list
}
