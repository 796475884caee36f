package shopify

import (
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// option is one of the values by which a variant differs from the others of its product.
type option struct{ Name, Value string }

// alone is the option of the one variant that each product without variants has.
var alone = []option{{"Title", "Default Title"}}

// variants are the options and variants of a product in the shop: its own, and behind them those that the merchant
// has added there, which would be deleted if they were not sent. Errors: Failure Rejected if these differ in other
// options.
func variants(f *shop, p *connector.Product, there *product) (options, list []vars, err error) {
	forms := p.Forms()
	old := make([]*variant, len(forms))
	if there != nil {
		for i, form := range forms {
			old[i] = there.known(form.SKU, form.Known.Variant)
		}
	}
	others, err := there.others(p, old)
	if err != nil {
		return nil, nil, err
	}
	if len(p.Variants) == 0 && len(others) > 0 && old[0] == nil {
		return nil, nil, connector.Failf(connector.Rejected,
			"the shop's product has variants of its merchant's own and none with the SKU %s", p.SKU)
	}
	values := make([][]option, len(forms))
	for i, form := range forms {
		switch {
		case len(p.Variants) > 0:
			for _, a := range form.Attributes {
				values[i] = append(values[i], option{a.Name, connector.Cut(a.Value, 255)})
			}
		case len(others) > 0: // the merchant has given it variants in the shop
			values[i] = old[i].SelectedOptions
		default:
			values[i] = alone
		}
	}
	for _, other := range others {
		named, ok := other.named(values[0])
		if !ok {
			return nil, nil, connector.Failf(connector.Rejected,
				"the shop's product has a variant %q of its merchant's own, which differs in other options than its variants here", other.label())
		}
		if at := slices.IndexFunc(values, func(v []option) bool { return sameValues(v, named) }); at < 0 {
			kept := vars{"id": other.ID}
			other.keepPolicy(kept)
			list, values = append(list, kept), append(values, named)
		} else if at < len(forms) && old[at] == nil { // it is what is sold here, under another SKU
			old[at] = other
		}
	}
	own := make([]vars, len(forms))
	for i, form := range forms {
		own[i] = variantInput(f, form, old[i])
	}
	list = append(own, list...)
	for i := range list {
		list[i]["optionValues"] = optionValues(values[i])
	}
	return optionsOf(values), list, nil
}

// others are the shop's variants that are none of a product's, and were none when it was pushed last; old are those
// that are.
func (p *product) others(of *connector.Product, old []*variant) (list []*variant, err error) {
	if p == nil {
		return nil, nil
	}
	for i := range p.Variants.Nodes {
		v := &p.Variants.Nodes[i]
		dropped := func(d connector.Item) bool { return d.IDs.Variant == v.ID || d.SKU == v.SKU }
		if !slices.Contains(old, v) && !slices.ContainsFunc(of.Dropped, dropped) && !v.alone() {
			list = append(list, v)
		}
	}
	if p.Variants.PageInfo.HasNextPage {
		err = connector.Failf(connector.Rejected, "the shop's product has more than %d variants", len(p.Variants.Nodes))
	}
	return list, err
}

// alone reports whether it is the variant of a product without variants. One that is not what is sold here any more
// goes.
func (v *variant) alone() bool {
	return slices.Equal(v.SelectedOptions, alone) || len(v.SelectedOptions) == 0
}

// keepPolicy sends a variant's policy for sales without stock back unchanged: it is its merchant's decision, and a
// push without it would reset it.
func (v *variant) keepPolicy(in vars) {
	if v.InventoryPolicy != "" {
		in["inventoryPolicy"] = v.InventoryPolicy
	}
}

// label is what people call a variant.
func (v *variant) label() string {
	if v.SKU != "" {
		return v.SKU
	}
	var values []string
	for _, o := range v.SelectedOptions {
		values = append(values, o.Value)
	}
	return strings.Join(values, " / ")
}

// named are a variant's values under the names of other options: of the same name, else at the same place.
func (v *variant) named(like []option) (out []option, ok bool) {
	if len(v.SelectedOptions) != len(like) {
		return nil, false
	}
	for i, l := range like {
		at := slices.IndexFunc(v.SelectedOptions, func(o option) bool { return strings.EqualFold(o.Name, l.Name) })
		if at < 0 {
			at = i
		}
		out = append(out, option{l.Name, v.SelectedOptions[at].Value})
	}
	return out, true
}

func sameValues(a, b []option) bool {
	return slices.EqualFunc(a, b, func(x, y option) bool { return strings.EqualFold(x.Value, y.Value) })
}

func optionValues(values []option) (list []vars) {
	for _, o := range values {
		list = append(list, vars{"optionName": o.Name, "name": o.Value})
	}
	return list
}

// optionsOf are the options of variants, each with all its values.
func optionsOf(variants [][]option) (list []vars) {
	for i, o := range variants[0] {
		var all []vars
		var seen []string
		for _, v := range variants {
			if value := v[i].Value; !slices.Contains(seen, value) {
				seen, all = append(seen, value), append(all, vars{"name": value})
			}
		}
		list = append(list, vars{"name": o.Name, "position": i + 1, "values": all})
	}
	return list
}
