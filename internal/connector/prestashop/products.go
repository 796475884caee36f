package prestashop

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"entrepot/internal/connector"
	"entrepot/internal/money"
)

// Upsert puts products into the shop. The shop cannot create one in a single step: a product, each combination, each
// picture, the stock rows and a reduced price are separate resources, and references are not unique. So every step
// searches first, and a new product is enabled last, when it is complete.
func (s *session) Upsert(ctx context.Context, products []connector.Product) ([]connector.Result, error) {
	return connector.UpsertEach(products, func(p *connector.Product) ([]connector.Result, error) { return s.upsert(ctx, p) })
}

func (s *session) upsert(ctx context.Context, p *connector.Product) ([]connector.Result, error) {
	f, err := s.facts(ctx)
	if err != nil {
		return nil, err
	}
	there, err := s.find(ctx, p)
	if err != nil {
		return nil, err
	}
	fresh := there == nil
	if fresh {
		if there, err = s.createProduct(ctx, f, p); err != nil {
			return nil, err
		}
	}
	id := there.get("id")
	images, err := s.fill(ctx, f, p, there, fresh)
	if err != nil {
		if fresh { // it is not switched on, but a shop may show what it finds: make sure
			_ = s.patch(ctx, "products", "product", id, value("active", "0"))
		}
		return nil, err
	}
	combinations, err := s.upsertCombinations(ctx, f, p, id)
	if err != nil {
		return nil, err
	}
	if err := s.firstStock(ctx, p, id, combinations); err != nil {
		return nil, err
	}
	if err := s.patch(ctx, "products", "product", id, value("active", flag(p.OnSale)), value("state", "1")); err != nil {
		return nil, err
	}
	url := strings.TrimSuffix(s.base, "api/") + "index.php?controller=product&id_product=" + id
	results := []connector.Result{{SKU: p.SKU, State: connector.Live, Priced: true, IDs: connector.IDs{Product: id}, URL: url,
		Images: images}}
	for _, v := range p.Variants {
		results = append(results, connector.Result{SKU: v.SKU, State: connector.Live, Priced: true,
			IDs: connector.IDs{Product: id, Variant: combinations[v.SKU]}, URL: url})
	}
	return results, nil
}

// find searches the product with the SKU: by its id from the last push, else by its reference, which must be unique then.
func (s *session) find(ctx context.Context, p *connector.Product) (*node, error) {
	if p.Known.Product != "" {
		rows, err := s.list(ctx, "products", "product", full().any("id", p.Known.Product))
		if err != nil || len(rows) == 1 {
			return first(rows), err
		}
	}
	rows, err := s.list(ctx, "products", "product", full().any("reference", p.SKU))
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(n *node) bool { return n.get("reference") != p.SKU })
	if len(rows) > 1 {
		return nil, connector.Failf(connector.Rejected, "the shop has %d products with the reference %s: which one is meant cannot be known",
			len(rows), p.SKU)
	}
	if len(rows) == 1 {
		return rows[0], nil
	}
	combinations, err := s.list(ctx, "combinations", "combination", display("id", "id_product", "reference").any("reference", p.SKU))
	if err != nil {
		return nil, err
	}
	for _, c := range combinations {
		if c.get("reference") == p.SKU {
			return nil, connector.Failf(connector.Rejected, "the reference %s belongs to a combination of the shop's product %s", p.SKU,
				c.get("id_product"))
		}
	}
	return nil, nil
}

func first(rows []*node) *node {
	if len(rows) == 0 {
		return nil
	}
	return rows[0]
}

// createProduct creates the product, disabled.
func (s *session) createProduct(ctx context.Context, f *shop, p *connector.Product) (*node, error) {
	category, all, err := s.categories(ctx, f, p.Categories)
	if err != nil {
		return nil, err
	}
	kind := "standard"
	if len(p.Variants) > 0 {
		kind = "combinations"
	}
	base, _ := netPrice(p.Price, p.CompareAt)
	made, err := s.create(ctx, "products", "product",
		value("id_category_default", category), value("reference", p.SKU), price("price", base), value("active", "0"), value("state", "1"),
		value("type", "simple"), value("product_type", kind), value("available_for_order", "1"), value("show_price", "1"),
		value("minimal_quantity", "1"),
		texts("name", f.everywhere(name(p.Name))), texts("link_rewrite", f.everywhere(linkRewrite(p))),
		texts("description", f.everywhere(p.Description)),
		associations(all))
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

// fill sets texts, price, categories, pictures and a reduced price of a product. Texts that the merchant has written
// in languages other than the shop's own are sent again, because a write without them would clear them.
func (s *session) fill(ctx context.Context, f *shop, p *connector.Product, there *node, fresh bool) (images map[string]string, err error) {
	id := there.get("id")
	base, reduction := netPrice(p.Price, p.CompareAt)
	if !fresh {
		fields := []field{value("reference", p.SKU), price("price", base), texts("name", f.translated(there, "name", name(p.Name))),
			texts("description", f.translated(there, "description", p.Description)),
			texts("link_rewrite", f.translated(there, "link_rewrite", linkRewrite(p)))}
		if len(p.Categories) > 0 {
			category, all, err := s.categories(ctx, f, p.Categories)
			if err != nil {
				return nil, err
			}
			fields = append(fields, value("id_category_default", category), associations(all))
		}
		if err := s.patch(ctx, "products", "product", id, fields...); err != nil {
			return nil, err
		}
	}
	if len(p.Variants) == 0 {
		if err := s.reduce(ctx, id, "0", reduction, fresh); err != nil {
			return nil, err
		}
	}
	return s.uploadImages(ctx, there, p.Images)
}

// netPrice is the price that the shop stores and its reduction, which is a row of its own there.
func netPrice(p money.Amount, before *money.Amount) (base, reduction money.Amount) {
	if before != nil && *before > p {
		return *before, *before - p
	}
	return p, 0
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
	return cut(strings.Join(strings.Fields(text), " "), 128)
}

// linkRewrite is the product's part of an address: its slug, in letters and digits.
func linkRewrite(p *connector.Product) string { return slug(p.Slug, p.Name, p.SKU) }

func slug(candidates ...string) string {
	for _, text := range candidates {
		var b strings.Builder
		for _, r := range strings.ToLower(text) {
			switch {
			case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
				b.WriteRune(r)
			case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
				b.WriteByte('-')
			}
		}
		if out := cut(strings.Trim(b.String(), "-"), 128); out != "" {
			return out
		}
	}
	return "product"
}

func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// Unpublish takes products off sale.
func (s *session) Unpublish(ctx context.Context, items []connector.Item, remove bool) ([]connector.Result, error) {
	return connector.UnpublishEach(items, func(it connector.Item) string { return it.IDs.Product }, func(id string) error {
		if remove {
			return s.remove(ctx, "products", id)
		}
		return s.patch(ctx, "products", "product", id, value("active", "0"))
	})
}
