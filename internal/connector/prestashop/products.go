package prestashop

import (
	"context"
	"slices"
	"strings"

	"entrepot/internal/connector"
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
	f, err := s.withLanguages(ctx)
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
