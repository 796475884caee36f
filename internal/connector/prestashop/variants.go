package prestashop

import (
	"cmp"
	"context"
	"slices"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// options are the shop's attribute groups and their values, by name in the shop's own language.
type options struct {
	groups map[string]string            // name to id
	values map[string]map[string]string // group to name to id
}

// option is the id of a value of a group; both are created if the shop has none of that name.
func (s *session) option(ctx context.Context, f *shop, a connector.Attribute) (string, error) {
	if s.options == nil {
		rows, err := s.list(ctx, "product_options", "product_option", display("id", "name"))
		if err != nil {
			return "", err
		}
		s.options = &options{groups: map[string]string{}, values: map[string]map[string]string{}}
		for _, r := range rows {
			s.options.groups[r.in("name", f.language)] = r.get("id")
		}
	}
	label := name(a.Name)
	id, ok := s.options.groups[label]
	if !ok {
		made, err := s.create(ctx, "product_options", "product_option", value("is_color_group", "0"), value("group_type", "select"),
			texts("name", f.everywhere(label)), texts("public_name", f.everywhere(label)))
		if err != nil {
			s.options = nil // it may be there all the same
			return "", err
		}
		id = made.get("id")
		s.options.groups[label], s.options.values[id] = id, map[string]string{}
	}
	if s.options.values[id] == nil {
		rows, err := s.list(ctx, "product_option_values", "product_option_value", display("id", "name").any("id_attribute_group", id))
		if err != nil {
			return "", err
		}
		s.options.values[id] = map[string]string{}
		for _, r := range rows {
			s.options.values[id][r.in("name", f.language)] = r.get("id")
		}
	}
	word := name(a.Value)
	if found, ok := s.options.values[id][word]; ok {
		return found, nil
	}
	made, err := s.create(ctx, "product_option_values", "product_option_value", value("id_attribute_group", id),
		texts("name", f.everywhere(word)))
	if err != nil {
		s.options = nil
		return "", err
	}
	s.options.values[id][word] = made.get("id")
	return made.get("id"), nil
}

// upsertCombinations creates or changes the combinations of a product and returns their ids by SKU.
func (s *session) upsertCombinations(ctx context.Context, f *shop, p *connector.Product, id string, stored *stored) (map[string]string,
	error) {
	if len(p.Variants) == 0 {
		return nil, nil
	}
	rows := stored.combinations[id]
	base, _ := netPrice(p.Price, p.CompareAt)
	ids := map[string]string{}
	for i, v := range p.Variants {
		own, reduction := netPrice(v.Price, v.CompareAt)
		combination, err := s.combination(ctx, f, rows, v)
		if err != nil {
			return nil, err
		}
		fields := []field{value("reference", v.SKU), price("price", own-base), value("minimal_quantity", "1")}
		more := f.trade(v.Trade, cmp.Or(p.Weight, new(money.Amount)))
		fields = append(fields, more...)
		if combination != "" && !same(rows, combination, v.SKU, own-base, more) {
			err = s.patch(ctx, "combinations", "combination", combination, fields...)
		} else if combination == "" {
			if i == 0 && len(rows) == 0 {
				fields = append(fields, value("default_on", "1"))
			}
			combination, err = s.createCombination(ctx, f, id, v, fields)
		}
		if err == nil {
			err = s.reduce(ctx, stored.reductions[id], id, combination, reduction)
		}
		if err != nil {
			return nil, err
		}
		ids[v.SKU] = combination
	}
	return ids, s.removeCombinations(ctx, p, id, rows, ids)
}

// removeCombinations takes the combinations of variants that a product has no longer off sale. Others that are not
// its own are the merchant's. One that the shop does not delete, or whose key may not, keeps a quantity of 0.
func (s *session) removeCombinations(ctx context.Context, p *connector.Product, id string, rows []*node, own map[string]string) error {
	var left []connector.StockItem
	for _, r := range rows {
		at, sku := r.get("id"), r.get("reference")
		dropped := func(d connector.Item) bool { return d.IDs.Variant == at || d.SKU == sku }
		if !slices.Contains(sortedValues(own), at) && slices.ContainsFunc(p.Dropped, dropped) {
			left = append(left, connector.StockItem{Item: connector.Item{SKU: sku, IDs: connector.IDs{Product: id, Variant: at}}})
		}
	}
	if len(left) == 0 {
		return nil
	}
	if _, err := s.SetStock(ctx, left); err != nil {
		return err
	}
	for _, l := range left {
		err := s.remove(ctx, "combinations", l.IDs.Variant)
		if f := connector.FailureOf(err); f != nil && (!f.Lasting() || f.Kind == connector.Unauthorized) {
			return err
		}
	}
	return nil
}

// same reports whether a combination has that reference and difference in price already, and some other fields.
func same(rows []*node, id, reference string, difference money.Amount, more []field) bool {
	return slices.ContainsFunc(rows, func(r *node) bool {
		differs := func(f field) bool {
			amount, err := money.Parse(f.value)
			return r.get(f.name) != f.value && (err != nil || r.amount(f.name) != amount)
		}
		return r.get("id") == id && r.get("reference") == reference && r.amount("price") == difference && r.int("minimal_quantity") == 1 &&
			!slices.ContainsFunc(more, differs)
	})
}

// combination finds the combination of a variant: by its reference, else the one that was pushed under it, else one
// without reference that has the same values.
func (s *session) combination(ctx context.Context, f *shop, rows []*node, v connector.Variant) (string, error) {
	var found []string
	for _, r := range rows {
		if r.get("reference") == v.SKU {
			found = append(found, r.get("id"))
		}
	}
	if len(found) > 1 && !slices.Contains(found, v.Known.Variant) {
		return "", connector.Failf(connector.Rejected, "the shop has %d combinations with the reference %s: which one is meant cannot be known",
			len(found), v.SKU)
	}
	if slices.Contains(found, v.Known.Variant) {
		return v.Known.Variant, nil
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if known := v.Known.Variant; known != "" && slices.ContainsFunc(rows, func(r *node) bool { return r.get("id") == known }) {
		return known, nil
	}
	for _, r := range rows {
		if r.get("reference") != "" {
			continue
		}
		same, err := s.sameValues(ctx, f, r, v)
		if same || err != nil {
			return r.get("id"), err
		}
	}
	return "", nil
}

func (s *session) sameValues(ctx context.Context, f *shop, r *node, v connector.Variant) (bool, error) {
	var have, want []string
	for _, value := range r.at("associations", "product_option_values").all("product_option_value") {
		have = append(have, value.get("id"))
	}
	for _, a := range v.Attributes {
		id, err := s.option(ctx, f, a)
		if err != nil {
			return false, err
		}
		want = append(want, id)
	}
	slices.Sort(have)
	slices.Sort(want)
	return slices.Equal(have, want), nil
}

func (s *session) createCombination(ctx context.Context, f *shop, product string, v connector.Variant,
	fields []field) (string, error) {
	var values []field
	for _, a := range v.Attributes {
		id, err := s.option(ctx, f, a)
		if err != nil {
			return "", err
		}
		values = append(values, group("product_option_value", value("id", id)))
	}
	fields = append(fields, value("id_product", product), group("associations", group("product_option_values", values...)))
	made, err := s.create(ctx, "combinations", "combination", fields...)
	if err == nil && made.get("id") == "" {
		err = connector.Failf(connector.Temporary, "the shop did not say which combination it made")
	}
	return made.get("id"), err
}

func sortedValues(m map[string]string) []string {
	var list []string
	for _, k := range sortedKeys(m) {
		list = append(list, m[k])
	}
	return list
}
