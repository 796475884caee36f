package prestashop

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// createProduct creates the product, disabled.
func (s *session) createProduct(ctx context.Context, f *shop, u *upsert) (*node, error) {
	p := u.Product
	category, all, err := s.categories(ctx, f, p.Categories)
	if err != nil {
		return nil, err
	}
	u.sent = all
	kind := "standard"
	if len(p.Variants) > 0 {
		kind = "combinations"
	}
	tax, err := s.taxOf(ctx, p)
	if err != nil {
		return nil, err
	}
	base, _ := netPrice(p.Price, p.CompareAt)
	made, err := s.create(ctx, "products", "product", append(f.trade(p.Trade, nil),
		value("id_category_default", category), value("id_tax_rules_group", tax), value("reference", p.SKU), price("price", base), value("active", "0"), value("state", "1"),
		value("type", "simple"), value("product_type", kind), value("available_for_order", "1"), value("show_price", "1"),
		value("minimal_quantity", "1"),
		texts("name", f.everywhere(name(p.Name))), texts("link_rewrite", f.everywhere(linkRewrite(p))),
		texts("description", f.everywhere(p.Description)),
		associations(all))...)
	if err == nil && made.get("id") == "" {
		err = connector.Failf(connector.Temporary, "the shop did not say which product it made")
	}
	return made, err
}

func associations(categories []string) field {
	var list []field
	for _, id := range categories {
		list = append(list, group("category", value("id", id)))
	}
	return group("associations", group("categories", list...))
}

// fill sets texts, price, categories, pictures and a reduced price of a product. It sends the merchant's texts in
// other languages again, because a write without them would clear them.
func (s *session) fill(ctx context.Context, f *shop, u *upsert, stored *stored) (images map[string]string, err error) {
	p, there, fresh, id := u.Product, u.there, u.fresh, u.id()
	base, reduction := netPrice(p.Price, p.CompareAt)
	if !fresh {
		fields := []field{value("reference", p.SKU), price("price", base), texts("name", f.translated(there, "name", name(p.Name))),
			texts("link_rewrite", f.translated(there, "link_rewrite", linkRewrite(p)))}
		fields = append(fields, f.trade(p.Trade, nil)...)
		if p.Describes() {
			fields = append(fields, texts("description", f.translated(there, "description", p.Description)))
		}
		if u.sent = u.sentBefore(); len(p.Categories) > 0 || len(u.sent) > 0 && !slices.Equal(u.sent, []string{f.home}) {
			category, all, err := s.categories(ctx, f, p.Categories)
			if err != nil {
				return nil, err
			}
			category, list := u.withTheirs(category, all)
			u.sent, fields = all, append(fields, value("id_category_default", category), associations(list))
		}
		if s.taxText(p) != "" { // otherwise the shop's product keeps what it has
			tax, err := s.taxOf(ctx, p)
			if err != nil {
				return nil, err
			}
			fields = append(fields, value("id_tax_rules_group", tax))
		}
		if err := s.patch(ctx, "products", "product", id, fields...); err != nil {
			return nil, err
		}
	}
	if err := s.reduceProduct(ctx, p, stored.reductions[id], id, reduction); err != nil {
		return nil, err
	}
	return s.putImages(ctx, p, there)
}

// trade are the fields of what is set of GTIN, weight and cost: otherwise what the merchant entered in the shop stays. The
// weight of a combination is what it adds to its product's, of which base is given.
func (f *shop) trade(t connector.Trade, base *money.Amount) (fields []field) {
	if ean := t.EAN(); ean != "" {
		fields = append(fields, value("ean13", ean))
	}
	if upc := t.UPC(); upc != "" {
		fields = append(fields, value("upc", upc))
	}
	if t.Weight != nil {
		weight := *t.Weight
		if base != nil {
			weight -= *base
		}
		if text := connector.WeightIn(&weight, cmp.Or(f.settings[settingWeight], "kg")); text != "" {
			fields = append(fields, value("weight", text))
		}
	}
	if t.Cost != nil {
		fields = append(fields, price("wholesale_price", *t.Cost))
	}
	return fields
}

// everywhere is a text in every language of the shop.
func (f *shop) everywhere(text string) map[string]string {
	all := map[string]string{}
	for _, l := range f.languages {
		all[l] = text
	}
	return all
}

// translated is a text in the shop's own language, and in the others what is there already.
func (f *shop) translated(n *node, field, text string) map[string]string {
	all := f.everywhere(text)
	for _, l := range f.languages {
		if old := n.in(field, l); l != f.language && old != "" {
			all[l] = old
		}
	}
	return all
}

// name is a product's name without the characters that the shop refuses.
func name(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>;=#{}", r) {
			return ' '
		}
		return r
	}, text)
	return connector.Cut(strings.Join(strings.Fields(text), " "), 128)
}

// linkRewrite is the product's part of an address: its slug, in letters and digits.
func linkRewrite(p *connector.Product) string { return slug(p.Slug, p.Name, p.SKU) }

// slug is the first of some texts with characters that an address can have.
func slug(candidates ...string) string {
	for _, text := range candidates {
		if out := connector.Cut(connector.Slug(text), 128); out != "" {
			return out
		}
	}
	return "product"
}
