package platforms

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
	"entrepot/internal/connector/prestashop"
	"entrepot/internal/connector/tiktokshop"
	"entrepot/internal/connector/woocommerce"
	"entrepot/internal/netguard"

	amazonconnector "entrepot/internal/connector/amazon"
	ebayconnector "entrepot/internal/connector/ebay"
	shopifyconnector "entrepot/internal/connector/shopify"
)

// connectors are those of all platforms.
func connectors() *connector.Set {
	return must(connector.NewSet(woocommerce.New(), shopifyconnector.New(), prestashop.New(), amazonconnector.New(), ebayconnector.New(http.DefaultClient, time.Now),
		tiktokshop.New()))
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
	does  connector.Capabilities
	kept  connector.Credentials // as Renew stores them
	facts map[string]string
	now   time.Time
}

// open opens a session for a shop's channel; the handler answers its requests.
func open(t *testing.T, shop story.Shop, handler http.Handler) *opened {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	o := &opened{kept: connector.Credentials{"url": server.URL, "baseUrl": server.URL}, facts: map[string]string{},
		now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)}
	for name, value := range shop.Credentials {
		o.kept[name] = value.(string)
	}
	now := func() time.Time { return o.now }
	if shop.Clock != nil {
		shop.Clock(now)
	}
	found, _ := connectors().ByPlatform(shop.Platform)
	platform := found.(connector.Platform)
	o.does = platform.Capabilities()
	client := connector.NewClients(&netguard.Guard{Dev: true}, "entrepot/test").Timed(now, func(ctx context.Context, d time.Duration) error {
		o.now = o.now.Add(d)
		return ctx.Err()
	}).Client("channel", o.does.Limits)
	o.Session = platform.Open(connector.Link{Client: client, Tokens: o, Facts: o, Now: now,
		Channel: connector.Channel{ID: "channel", Platform: shop.Platform, Credentials: maps.Clone(o.kept)}})
	return o
}

// Renew renews the stored credentials.
func (o *opened) Renew(ctx context.Context, name, stale string,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error)) (connector.Credentials, error) {
	if o.kept[name] != stale {
		return o.kept, nil
	}
	fresh, err := renew(ctx, maps.Clone(o.kept))
	if err == nil {
		maps.Copy(o.kept, fresh)
	}
	return o.kept, err
}

// Fact and Keep are what is kept of the shop.
func (o *opened) Fact(name string) string { return o.facts[name] }

// Keep keeps a fact.
func (o *opened) Keep(name, value string) { o.facts[name] = value }

// publish puts a product of two variants and one without variants on sale, and gives what can be bought of them.
func (o *opened) publish(t *testing.T) (sold []connector.Item) {
	t.Helper()
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n0123456789"))
	}))
	t.Cleanup(pictures.Close)
	images := []connector.Image{{ID: "i1", URL: pictures.URL + "/front.png"}}
	size := func(value, ean string) []connector.Attribute {
		return []connector.Attribute{{Name: "Size", Value: value}, {Name: "EAN", Value: ean}}
	}
	products := []connector.Product{
		{ID: "p1", SKU: "MUG", Name: "Mug", Slug: "mug", OnSale: true, Price: 100_000, Currency: "EUR", Quantity: 9, Images: images,
			Attributes: []connector.Attribute{{Name: "EAN", Value: ean(0)}}},
		{ID: "p2", SKU: "SHIRT", Name: "Shirt", Slug: "shirt", OnSale: true, Price: 200_000, Currency: "EUR", Images: images,
			Variants: []connector.Variant{{SKU: "SHIRT-S", Price: 200_000, Quantity: 4, Attributes: size("S", ean(1))},
				{SKU: "SHIRT-M", Price: 200_000, Quantity: 6, Attributes: size("M", ean(2))}}},
	}
	for piece := range slices.Chunk(products, max(1, o.does.Batch.Products)) {
		results, err := o.Upsert(t.Context(), piece)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.State != connector.Live && r.State != connector.Waiting {
				t.Fatalf("%+v", r)
			}
			if r.SKU != "SHIRT" {
				sold = append(sold, connector.Item{SKU: r.SKU, IDs: r.IDs})
			}
		}
	}
	o.now = o.now.Add(time.Hour) // what a platform examines is on sale by then
	return sold
}

// ean is a number of the trade with its check digit.
func ean(n int) string { return []string{"4006380000009", "4006380000016", "4006380000023"}[n] }
