package shopify

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// product is a product that is in the shop.
type product struct {
	ID, Handle, Status, OnlineStoreURL string
	Media                              struct{ Nodes []media }
	Variants                           struct {
		PageInfo pageInfo
		Nodes    []variant
	}
}

type variant struct {
	ID, SKU, Price, InventoryPolicy string
	SelectedOptions                 []option
	InventoryItem                   struct{ ID string }
}

// media are the ids of its pictures, in their order, without those that the shop could not fetch.
func (p *product) media() (ids []string) {
	for _, m := range p.Media.Nodes {
		if m.Status != failed {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func (p *product) variant(sku string) *variant {
	for i := range p.Variants.Nodes {
		if p.Variants.Nodes[i].SKU == sku {
			return &p.Variants.Nodes[i]
		}
	}
	return nil
}

// known is the variant of a SKU, or the one that was pushed under it if its merchant gave it another SKU; nil for
// none.
func (p *product) known(sku, id string) *variant {
	found := p.variant(sku)
	for i := range p.Variants.Nodes {
		if v := &p.Variants.Nodes[i]; found == nil && id != "" && v.ID == id {
			return v
		}
	}
	return found
}

// Upsert puts products into the shop, each in one request, and new ones on its sales channels, several in one. The
// shop answers when it is done. Lists in a request replace the stored ones: all variants are sent each time, also
// those that the merchant has added, pictures only if they are others than the shop's.
func (s *session) Upsert(ctx context.Context, products []connector.Product) ([]connector.Result, error) {
	products = connector.Choosable(products)
	unknown, err := s.findNew(ctx, products)
	if err != nil {
		return nil, err
	}
	by := make([][]connector.Result, len(products))
	var unseen []int // products in the shop that no sales channel shows yet
	err = connector.Each(len(products), func(i int) (err error) {
		p := &products[i]
		by[i], err = s.upsert(ctx, p, unknown[i])
		if err == nil && p.OnSale && p.Known.Product == "" {
			unseen = append(unseen, i)
		}
		return err
	}, func(i int, f *connector.Failure, again bool) { by[i] = connector.FailedProduct(&products[i], f, again) })
	if err != nil {
		return nil, err
	}
	for piece := range slices.Chunk(unseen, mostFields) {
		if err := s.publish(ctx, products, by, piece); err != nil {
			return nil, err
		}
	}
	return slices.Concat(by...), nil
}

// upsert puts one product into the shop; unknown says that it is not there.
func (s *session) upsert(ctx context.Context, p *connector.Product, unknown bool) ([]connector.Result, error) {
	f, err := s.readShop(ctx)
	if err != nil {
		return nil, err
	}
	var there *product
	if !unknown {
		if there, err = s.find(ctx, p); err != nil {
			return nil, err
		}
	}
	in, err := input(f, p, there)
	if err != nil {
		return nil, err
	}
	v := vars{"input": in}
	if there != nil {
		v["identifier"] = vars{"id": there.ID}
	} else { // an address cannot be used twice: after a lost answer the request finds its own product
		v["identifier"] = vars{"handle": handle(p)}
	}
	var a struct {
		ProductSet struct {
			Product    *product
			UserErrors userErrors
		}
	}
	if _, err := s.call(reading(ctx), mutateProduct, v, &a); err != nil {
		return nil, err
	}
	if err := a.ProductSet.UserErrors.err(); err != nil {
		return nil, err
	}
	made := a.ProductSet.Product
	if made == nil {
		return nil, connector.Failf(connector.Temporary, "the shop did not say what became of the product")
	}
	return results(p, there, made), nil
}

// publish shows some products on the shop's sales channels: a new one is on none. Those that cannot be shown fail.
func (s *session) publish(ctx context.Context, products []connector.Product, by [][]connector.Result, some []int) error {
	f, err := s.readShop(ctx)
	if err != nil {
		return err
	}
	var on, objects []vars
	for _, p := range f.publications {
		on = append(on, vars{"publicationId": p})
	}
	if len(on) == 0 {
		return nil
	}
	for _, i := range some {
		objects = append(objects, vars{"id": by[i][0].IDs.Product, "input": on})
	}
	said, err := s.changeMany(ctx, mutatePublish, objects)
	if connector.Is(err, connector.Unauthorized) {
		return err
	}
	for k, i := range some {
		one, ok := said[k]
		failed := cmp.Or(err, one.UserErrors.err())
		if err == nil && !ok {
			failed = errUnsaid
		}
		if failure := connector.FailureOf(failed); failure != nil {
			by[i] = connector.FailedProduct(&products[i], failure, !failure.Lasting())
			continue
		}
		for r := range by[i] { // it had no address while it was on no channel
			by[i][r].URL = cmp.Or(one.Publishable.OnlineStoreURL, by[i][r].URL)
		}
	}
	return nil
}

// results says what became of a product and its variants.
func results(p *connector.Product, there, made *product) []connector.Result {
	images := map[string]string{}
	own, _ := inShop(p, there)
	for i, image := range p.Images {
		// they are in the order in which they were sent
		if images[image.ID] = own[i]; own[i] == "" && i < len(made.Media.Nodes) {
			images[image.ID] = made.Media.Nodes[i].ID
		}
	}
	one := func(sku string) connector.Result {
		r := connector.Result{SKU: sku, State: connector.Live, Priced: true, URL: made.OnlineStoreURL, IDs: connector.IDs{Product: made.ID}}
		if v := made.variant(sku); v != nil {
			r.IDs.Variant, r.IDs.Other = v.ID, map[string]string{itemID: v.InventoryItem.ID}
		}
		return r
	}
	list := p.Results(one)
	list[0].Images, list[0].Review, list[0].Shown = images, awaited(p, images, made), true
	for i := 1; i < len(list); i++ {
		if r := &list[i]; r.IDs.Variant == "" {
			*r = connector.Result{SKU: r.SKU, State: connector.Failed, Error: "the shop took the product without it", Again: true}
		}
	}
	return list
}

// itemID is the name under which a variant's inventory item is stored.
const itemID = connector.NotifiedID

// Unpublish takes products off sale.
func (s *session) Unpublish(ctx context.Context, items []connector.Item, remove bool) ([]connector.Result, error) {
	return connector.UnpublishEach(items, func(it connector.Item) string { return it.IDs.Product },
		func(id string) error { return s.takeOff(ctx, id, remove) })
}

func (s *session) takeOff(ctx context.Context, id string, remove bool) error {
	var a struct {
		ProductDelete, ProductUpdate struct{ UserErrors userErrors }
	}
	query := mutateHide
	if remove {
		query = mutateDelete
	}
	if _, err := s.call(reading(ctx), query, vars{"id": id}, &a); err != nil {
		return err
	}
	refused := append(a.ProductDelete.UserErrors, a.ProductUpdate.UserErrors...)
	for _, e := range refused {
		if strings.Contains(e.Message, "does not exist") {
			return connector.Failf(connector.Missing, "%s", connector.Line(e.Message))
		}
	}
	return refused.err()
}
