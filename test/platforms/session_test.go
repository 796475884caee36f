package platforms

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
	"entrepot/internal/connector/all"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/connectortest/story"
)

// connectors are those of all platforms.
func connectors() *connector.Set {
	return must(all.Connectors(http.DefaultClient, time.Now))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// opened is a connector's session with a handler in place of its platform, without a service. Both sides go by one clock, which sleeping
// moves.
type opened struct {
	connector.Session
	*connectortest.Host
	does  connector.Capabilities
	known connector.Profile

	pictures string // where they can be fetched
}

// open opens a session for a shop's channel; the handler answers its requests.
func open(t *testing.T, shop story.Shop, handler http.Handler) *opened {
	t.Helper()
	return openAt(shop, connectortest.Serve(t, handler), nil)
}

// openAt opens a session for the channel of a shop that is at an address.
func openAt(shop story.Shop, address string, guard *netguard.Guard) *opened {
	credentials := connector.Credentials{"url": address, "baseUrl": address}
	for name, value := range shop.Credentials {
		credentials[name] = value.(string)
	}
	found, _ := connectors().ByPlatform(shop.Platform)
	platform := found.(connector.Platform)
	o := &opened{Host: connectortest.NewHost(guard, credentials), does: platform.Capabilities(), known: platform.Profile()}
	if shop.Clock != nil {
		shop.Clock(o.Clock)
	}
	o.Session = o.Open(platform)
	return o
}

// hide keeps the channel's secrets out of answers, as the service does.
func (o *opened) hide() { o.Client.Hide(o.known.Secrets(o.Kept)...) }

// mug is a product without variants.
func (o *opened) mug(t *testing.T) connector.Product {
	if o.pictures == "" {
		o.pictures = connectortest.Pictures(t)
	}
	return connector.Product{ID: "p1", SKU: "MUG", Name: "Mug", Slug: "mug", OnSale: true, Price: 100_000, Currency: "EUR", Quantity: 9,
		Images:     []connector.Image{{ID: "i1", URL: o.pictures + "/front.png"}},
		Attributes: []connector.Attribute{{Name: "EAN", Value: story.EAN(0)}}}
}

// publish puts a product of two variants and one without variants on sale, and gives what can be bought of them.
func (o *opened) publish(t *testing.T) (sold []connector.Item) {
	t.Helper()
	mug, shirt := o.mug(t), o.mug(t)
	size := func(value, ean string) []connector.Attribute {
		return []connector.Attribute{{Name: "Size", Value: value}, {Name: "EAN", Value: ean}}
	}
	shirt.ID, shirt.SKU, shirt.Name, shirt.Slug, shirt.Attributes = "p2", "SHIRT", "Shirt", "shirt", nil
	shirt.Variants = []connector.Variant{{SKU: "SHIRT-S", Price: 200_000, Quantity: 4, Attributes: size("S", story.EAN(1))},
		{SKU: "SHIRT-M", Price: 200_000, Quantity: 6, Attributes: size("M", story.EAN(2))}}
	return o.put(t, []connector.Product{mug, shirt})
}

// put puts products on sale.
func (o *opened) put(t *testing.T, products []connector.Product) (sold []connector.Item) {
	t.Helper()
	for piece := range slices.Chunk(products, max(1, o.does.Batch.Products)) {
		var results []connector.Result
		o.accepted(t, func() (_ []connector.Result, err error) {
			results, err = o.Upsert(t.Context(), piece)
			return results, err
		})
		for _, r := range results {
			if r.State != connector.Live && r.State != connector.Waiting {
				t.Fatalf("%+v", r)
			}
			parent := slices.ContainsFunc(piece, func(p connector.Product) bool { return p.SKU == r.SKU && len(p.Variants) > 0 })
			if !parent {
				sold = append(sold, connector.Item{SKU: r.SKU, IDs: r.IDs})
			}
		}
	}
	o.Pass(time.Hour) // what a platform examines is on sale by then
	return sold
}
