package woocommerce

import (
	"context"
	"html"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// attribute is one of a product in the shop, or a variation's value of it. One of the whole shop, by which buyers
// filter, has an id.
type attribute struct {
	ID        flexible          `json:"id"`
	Name      flexible          `json:"name"`
	Visible   bool              `json:"visible"`
	Variation bool              `json:"variation"`
	Options   several[flexible] `json:"options"`
	Option    flexible          `json:"option"` // of a variation
}

func (a attribute) whole() bool { return a.ID.number() != 0 }

func (a attribute) named(name string) bool {
	return strings.EqualFold(html.UnescapeString(string(a.Name)), strings.TrimSpace(name))
}

// values are its options as they are meant.
func (a attribute) values() (list []string) {
	for _, o := range a.Options {
		list = append(list, html.UnescapeString(string(o)))
	}
	return list
}

// called is how a request names an attribute: by the id of the shop's own if the product has that, so that it stays
// one, else by its name.
func (u *upsert) called(name string) map[string]any {
	for _, a := range u.there.Attributes {
		if a.whole() && a.named(name) {
			return map[string]any{"id": a.ID.number()}
		}
	}
	return map[string]any{"name": name}
}

// attributes are all attributes of a product in the shop: those by which its variants differ, its others, and those
// that the merchant has given it. A list that is sent replaces the shop's.
func (s *session) attributes(ctx context.Context, u *upsert) ([]map[string]any, error) {
	list := []map[string]any{}
	add := func(name string, variation bool, options []string) {
		one := u.called(name)
		one["visible"], one["variation"], one["options"] = true, variation, options
		list = append(list, one)
	}
	var names []string
	if len(u.Variants) > 0 {
		others, err := s.othersOptions(ctx, u)
		if err != nil {
			return nil, err
		}
		for i, a := range u.Variants[0].Attributes {
			options := append(options(u.Variants, i), others[strings.ToLower(a.Name)]...)
			add(a.Name, true, options)
			names = append(names, a.Name)
		}
	}
	for _, a := range u.Attributes {
		add(a.Name, false, []string{a.Value})
		names = append(names, a.Name)
	}
	before := u.sentBefore(sentAttributes)
	for _, a := range u.there.Attributes {
		theirs := map[string]any{"visible": a.Visible, "variation": a.Variation, "options": a.values()}
		switch {
		case slices.ContainsFunc(names, a.named):
			continue
		case a.whole():
			theirs["id"] = a.ID.number()
		case slices.ContainsFunc(before, a.named): // it was ours
			continue
		default:
			theirs["name"] = html.UnescapeString(string(a.Name))
		}
		list = append(list, theirs)
	}
	u.keepSent(sentAttributes, names)
	return list, nil
}

// options are the values of variants' i-th attribute.
func options(variants []connector.Variant, i int) (list []string) {
	for _, v := range variants {
		if value := v.Attributes[i].Value; !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	return list
}

// othersOptions are the values, by the attribute's name in small letters, of variations that the merchant has added
// to a product in the shop: without them nobody could choose those. The variations are read if the product has
// options that are not ours.
func (s *session) othersOptions(ctx context.Context, u *upsert) (map[string][]string, error) {
	ours := map[string][]string{}
	more := false
	for i, a := range u.Variants[0].Attributes {
		own := options(u.Variants, i)
		ours[strings.ToLower(a.Name)] = own
		for _, there := range u.there.Attributes {
			more = more || there.named(a.Name) && slices.ContainsFunc(there.values(), func(o string) bool { return !contains(own, o) })
		}
	}
	if !more {
		return nil, nil
	}
	var known []string // of variations that are ours, or were
	for _, f := range u.forms {
		known = append(known, string(f.ID))
	}
	for _, d := range u.Dropped {
		known = append(known, d.IDs.Variant)
	}
	all, err := s.variations(ctx, u.there.ID)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, f := range all {
		if slices.Contains(known, string(f.ID)) {
			continue
		}
		for _, a := range f.Attributes {
			name, value := strings.ToLower(html.UnescapeString(string(a.Name))), html.UnescapeString(string(a.Option))
			if own, is := ours[name]; is && value != "" && !contains(own, value) && !contains(out[name], value) {
				out[name] = append(out[name], value)
			}
		}
	}
	return out, nil
}

// variations reads the variations of a product in the shop, with their attributes.
func (s *session) variations(ctx context.Context, product flexible) ([]found, error) {
	return list[found](ctx, s, "/products/"+string(product)+"/variations",
		url.Values{"orderby": {"id"}, "order": {"asc"}, "_fields": {"id,attributes"}})
}

func contains(list []string, value string) bool {
	return slices.ContainsFunc(list, func(v string) bool { return strings.EqualFold(v, value) })
}
