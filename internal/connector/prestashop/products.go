package prestashop

import (
	"context"
	"slices"
	"strings"

	"entrepot/internal/connector"
	"entrepot/internal/money"
)

// upsert is one product on its way into the shop.
type upsert struct {
	*connector.Product
	there        *node // nil until the shop has it
	fresh        bool  // it was created by this push
	combinations map[string]string
	images       map[string]string
	sent         []string // ids of the categories that this push puts it in
	failed       *connector.Failure
	again        bool
}

func (u *upsert) id() string { return u.there.get("id") }

func (u *upsert) fail(_ int, f *connector.Failure, again bool) {
	if u.failed == nil {
		u.failed, u.again = f, again
	}
}

// Upsert puts products into the shop. The shop cannot create one in a single step: a product, each combination, each
// picture, the stock rows and a reduced price are separate resources, and references are not unique. So all that the
// shop has of the products is read first, and new products are enabled last, when they are complete.
func (s *session) Upsert(ctx context.Context, products []connector.Product) ([]connector.Result, error) {
	products = connector.Choosable(products)
	var askable []connector.Product
	list := make([]*upsert, len(products))
	for i := range products {
		list[i] = &upsert{Product: &products[i]}
		if longestPart(products[i].SKU) != "" {
			askable = append(askable, products[i])
			continue
		}
		list[i].fail(i, connector.Failf(connector.Rejected,
			"PrestaShop cannot be asked for the reference %q: it consists of signs of its filters", products[i].SKU), false)
	}
	f, err := s.productFacts(ctx)
	if err != nil {
		return nil, err
	}
	there, err := s.readStored(ctx, askable)
	if err != nil {
		return nil, err
	}
	possible := standing(list)
	err = connector.Each(len(possible), func(i int) error { return s.put(ctx, f, possible[i], there) },
		func(i int, f *connector.Failure, again bool) { possible[i].fail(i, f, again) })
	if err == nil {
		err = s.firstStock(ctx, standing(list))
	}
	if err == nil {
		err = s.enable(ctx, standing(list))
	}
	if err != nil {
		return nil, err
	}
	var results []connector.Result
	for _, u := range list {
		results = append(results, s.results(u)...)
	}
	return results, nil
}

// standing are the products that have not failed.
func standing(list []*upsert) []*upsert {
	return slices.DeleteFunc(slices.Clone(list), func(u *upsert) bool { return u.failed != nil })
}

func (s *session) results(u *upsert) []connector.Result {
	if u.failed != nil {
		return connector.FailedProduct(u.Product, u.failed, u.again)
	}
	url := strings.TrimSuffix(s.base, "api/") + "index.php?controller=product&id_product=" + u.id()
	results := u.Results(func(sku string) connector.Result {
		return connector.Result{SKU: sku, State: connector.Live, Priced: true, URL: url,
			IDs: connector.IDs{Product: u.id(), Variant: u.combinations[sku]}}
	})
	results[0].Images, results[0].IDs.Variant = u.images, "" // a variant may have the product's own SKU
	results[0].IDs.Other = map[string]string{sentCategories: strings.Join(u.sent, ",")}
	return results
}

// put creates or changes a product with its combinations, pictures and reduced prices.
func (s *session) put(ctx context.Context, f *shop, u *upsert, stored *stored) (err error) {
	if u.there, err = stored.product(u.Product); err != nil {
		return err
	}
	if u.fresh = u.there == nil; u.fresh {
		if u.there, err = s.createProduct(ctx, f, u); err != nil {
			return err
		}
	}
	if u.images, err = s.fill(ctx, f, u, stored); err != nil {
		if u.fresh { // it is not switched on, but a shop may show what it finds: make sure
			_ = s.patch(ctx, "products", "product", u.id(), value("active", "0"))
		}
		return err
	}
	u.combinations, err = s.upsertCombinations(ctx, f, u.Product, u.id(), stored)
	return err
}

// enable puts complete products on sale, or takes them off it if they are not to be shown, in one request.
func (s *session) enable(ctx context.Context, list []*upsert) error {
	var rows [][]field
	for _, u := range list {
		rows = append(rows, []field{value("id", u.id()), value("active", flag(u.OnSale)), value("state", "1")})
	}
	return s.patchAll(ctx, "products", "product", rows, func(i int, f *connector.Failure) { list[i].fail(i, f, false) })
}

func first(rows []*node) *node {
	if len(rows) == 0 {
		return nil
	}
	return rows[0]
}

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
func (s *session) fill(ctx context.Context, f *shop, u *upsert, stored *stored) (images map[string]string, err error) {
	p, there, fresh, id := u.Product, u.there, u.fresh, u.id()
	base, reduction := netPrice(p.Price, p.CompareAt)
	if !fresh {
		fields := []field{value("reference", p.SKU), price("price", base), texts("name", f.translated(there, "name", name(p.Name))),
			texts("link_rewrite", f.translated(there, "link_rewrite", linkRewrite(p)))}
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
		if err := s.patch(ctx, "products", "product", id, fields...); err != nil {
			return nil, err
		}
	}
	if err := s.reduceProduct(ctx, p, stored.reductions[id], id, reduction); err != nil {
		return nil, err
	}
	return s.putImages(ctx, p, there)
}

// reduceProduct sets the row with the reduced price of a product without variants. Of one with variants, each of which has its own, it
// takes away the row that it had without them, which the shop would apply to all that have none.
func (s *session) reduceProduct(ctx context.Context, p *connector.Product, rows []*node, id string, reduction money.Amount) error {
	if len(p.Variants) > 0 {
		if row := reductionOf(rows, "0"); row == nil || row.get("reduction_type") != "amount" {
			return nil
		}
		reduction = 0
	}
	return s.reduce(ctx, rows, id, "0", reduction)
}

// sentCategories is the name in connector.IDs.Other of the categories that the last push put a product in.
const sentCategories = "categories"

func (u *upsert) sentBefore() []string {
	return strings.FieldsFunc(u.Known.Other[sentCategories], func(r rune) bool { return r == ',' })
}

// withTheirs are the categories that a product shall be in: its own, and those that its merchant has put it in. The main one is its own
// unless the merchant's is another.
func (u *upsert) withTheirs(main string, own []string) (string, []string) {
	all, before := slices.Clone(own), u.sentBefore()
	for _, c := range u.there.at("associations", "categories").all("category") {
		if id := c.get("id"); id != "" && !slices.Contains(all, id) && !slices.Contains(before, id) {
			if all = append(all, id); id == u.there.get("id_category_default") {
				main = id
			}
		}
	}
	return main, all
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
	return connector.Cut(strings.Join(strings.Fields(text), " "), 128)
}

// linkRewrite is the product's part of an address: its slug, in letters and digits.
func linkRewrite(p *connector.Product) string { return slug(p.Slug, p.Name, p.SKU) }

// slug is the first of some texts of which something can stand in an address.
func slug(candidates ...string) string {
	for _, text := range candidates {
		if out := connector.Cut(connector.Slug(text), 128); out != "" {
			return out
		}
	}
	return "product"
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
