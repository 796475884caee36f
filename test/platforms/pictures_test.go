package platforms

import (
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest/story"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// pictureServer serves a picture at each address, which contains its path.
func pictureServer(t *testing.T) string {
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n" + r.URL.Path))
	}))
	t.Cleanup(pictures.Close)
	return pictures.URL
}

// gallery is a product with pictures in a shop.
type gallery struct {
	*channelOf
	pictures string
	sku, id  string // of the product; the id is the service's
}

// hang publishes a product with pictures.
func (s *service) hang(t *testing.T, shop story.Shop, names string) *gallery {
	t.Helper()
	settings := map[string]any{"pullEvery": 3600}
	if shop.Platform == "AMAZON" {
		settings["listing"], settings["productType"], settings["brand"] = "full", "MUG", "Mugs"
	}
	g := &gallery{s.connectShop(t, shop, settings), pictureServer(t), "MUG-" + shop.Platform, ""}
	g.publish(t, map[string]any{"sku": g.sku, "name": "Mug " + shop.Platform, "price": 10, "stock": map[string]any{"quantity": 50},
		"attributes": map[string]any{"EAN": "4006381333931"}, "images": g.list(names)}, g.sku)
	g.id = s.call("GET", "/api/v1/products?sku="+g.sku, nil, 200).Text("data", 0, "id")
	return g
}

func (g *gallery) list(names string) []any {
	list := []any{}
	for i, name := range strings.Fields(names) {
		list = append(list, map[string]any{"url": g.pictures + "/" + name + ".png", "position": i})
	}
	return list
}

// change changes the product.
func (g *gallery) change(members map[string]any) {
	g.call("PATCH", "/api/v1/products/"+g.id, members, 200)
}

// set gives the product pictures, by their names.
func (g *gallery) set(names string) { g.change(map[string]any{"images": g.list(names)}) }

// shows are the names of the pictures that the shop shows, and how many it took.
func (g *gallery) shows() (names string, taken int) {
	shown, taken := g.Images(g.sku)
	for i, address := range shown {
		shown[i] = strings.TrimSuffix(path.Base(address), ".png")
	}
	return strings.Join(shown, " "), taken
}

// becomes waits until the shop shows pictures, and then until nothing is under way; took is how many it took for it.
func (g *gallery) becomes(t *testing.T, names string, took int) {
	t.Helper()
	_, before := g.shows()
	g.becomesFrom(t, names, before+took)
}

func (g *gallery) becomesFrom(t *testing.T, names string, taken int) {
	t.Helper()
	g.passUntil(t, names, func() string { now, _ := g.shows(); return unless(now == names, now) })
	g.settle(t)
	if now, all := g.shows(); now != names || all != taken && all != 0 {
		t.Errorf("%s shows %s and took %d pictures, want %s and %d", g.Platform, now, all, names, taken)
	}
}

// Pictures are sent once: not again with stock, prices, another content or a publication that is repeated. One that is added is sent alone;
// what is removed, replaced or in another order is so in the shop, without another upload.
func TestPicturesAreSentOnce(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		g := s.hang(t, shop, "a b")
		g.becomesFrom(t, "a b", 2)

		s.call("PATCH", "/api/v1/sdk/inventory/bulk-update",
			map[string]any{"updates": []any{map[string]any{"sku": g.sku, "quantity": 42}}}, 200)
		s.call("PATCH", "/api/v1/sdk/prices/bulk-update",
			map[string]any{"updates": []any{map[string]any{"sku": g.sku, "price": "11"}}}, 200)
		g.becomes(t, "a b", 0)
		before := len(g.written())
		g.change(map[string]any{"name": "Large mug", "description": "<p>Larger.</p>"})
		g.becomes(t, "a b", 0)
		if len(g.written()) == before {
			t.Error("the content was not sent")
		}
		s.call("POST", "/api/v1/channels/"+g.channelOf.id+"/publications", map[string]any{"skus": []any{g.sku}}, 200)
		g.becomes(t, "a b", 0)
		g.set("a b c")
		g.becomes(t, "a b c", 1)
		g.set("c a b")
		g.becomes(t, "c a b", 0)
		g.set("c b")
		g.becomes(t, "c b", 0)
		g.set("c d")
		g.becomes(t, "c d", 1)
		g.set("d")
		g.becomes(t, "d", 0)
	})
}

// The answer to a push of pictures is lost: WooCommerce and PrestaShop, which would have two of each, are not sent them again.
func TestPicturesAfterALostAnswer(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		g := s.hang(t, shop, "a b")
		g.becomesFrom(t, "a b", 2)
		g.loses.Store(1)
		g.set("a b c")
		g.becomes(t, "a b c", 1)
		if g.loses.Load() > 0 {
			t.Error("no answer was lost")
		}
	}, "WOOCOMMERCE", "PRESTASHOP") // others replace what they have
}

// The answer to a push of a product's content is lost. The content that comes back here meanwhile is what the shop shows in the end.
func TestContentThatComesBack(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		g := s.hang(t, shop, "a b")
		g.becomesFrom(t, "a b", 2)
		g.loses.Store(1 << 30)
		g.set("b a")
		g.passUntil(t, "b a", func() string { now, _ := g.shows(); return unless(now == "b a", now) })
		g.down.Store(true)
		g.set("a b")
		for range 10 {
			s.Pass(time.Minute)
		}
		g.loses.Store(0)
		g.down.Store(false)
		for range 30 {
			s.Pass(time.Minute)
		}
		g.passUntil(t, "a b", func() string { now, _ := g.shows(); return unless(now == "a b", now) })
		g.settle(t)
		if now, _ := g.shows(); now != "a b" {
			t.Errorf("%s shows %s", g.Platform, now)
		}
	})
}

// A merchant adds a picture to a product in the shop, and deletes one there that was sent: the first stays behind those that are sent, the
// other one is sent again with the next change of the product.
func TestPicturesThatAMerchantChanges(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		switch inner := shop.Handler.(type) {
		case *shopifyshop.Shop:
			g := s.hang(t, shop, "a b")
			g.becomesFrom(t, "a b", 2)
			inner.AddImage(g.sku, g.pictures+"/m.png")
			g.set("b a c")
			g.becomes(t, "b a c m", 1)
			inner.RemoveImage(g.sku)
			g.change(map[string]any{"name": "Large mug"})
			g.becomes(t, "b a c m", 1)
		case *wooshop.Shop:
			g := s.hang(t, shop, "a b")
			g.becomesFrom(t, "a b", 2)
			inner.ForgetImages()
			g.change(map[string]any{"name": "Large mug"})
			g.becomes(t, "a b", 2)
		}
	}, "SHOPIFY", "WOOCOMMERCE")
}

// A picture that Shopify cannot fetch fails after the product was written: its merchant learns of it, and the product stays on
// sale. Published again when the address serves, the picture is there.
func TestPicturesThatFailLater(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		t.Run("SHOPIFY", func(t *testing.T) {
			shop := shopifyshop.New()
			g := s.hang(t, shopifyStory(shop), "a broken")
			state := func() document {
				return s.call("GET", "/api/v1/products/"+g.id, nil, 200).Object("data", "publications", 0)
			}
			g.passUntil(t, "failed", func() string { now := state(); return unless(now.Text("status") == "failed", now) })
			if now := state(); now.Text("error") != g.sku+": the shop could not take picture 2: Image could not be downloaded" {
				t.Errorf("%v", now)
			}
			if v, _ := shop.Variant(g.sku); v.Status != "ACTIVE" || !v.Published {
				t.Errorf("%+v", v)
			}
			shop.Serves()
			s.call("POST", "/api/v1/channels/"+g.channelOf.id+"/publications", map[string]any{"skus": []any{g.sku}}, 200)
			g.passUntil(t, "published", func() string { now := state(); return unless(now.Text("status") == "published", now) })
			if names, taken := g.shows(); names != "a broken" || taken != 3 {
				t.Errorf("%s, %d taken", names, taken)
			}
		})
	}, timed)
}
