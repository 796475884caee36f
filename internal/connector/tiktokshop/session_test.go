package tiktokshop_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/tiktokshop"
	"entrepot/internal/connector/tiktokshop/fakeshop"
	"entrepot/internal/money"
	"entrepot/internal/netguard"
	"entrepot/internal/orders"
)

// shop is a fake shop that answers, and the clock that both sides go by: sleeping moves it.
type shop struct {
	*fakeshop.Shop
	session  connector.Session
	client   *connector.Client
	kept     connector.Credentials // what Renew has stored
	pictures string
	now      time.Time
	skew     time.Duration // of the service's clock
}

func (s *shop) Renew(ctx context.Context, name, stale string,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error)) (connector.Credentials, error) {
	if s.kept[name] != stale {
		return s.kept, nil
	}
	fresh, err := renew(ctx, maps.Clone(s.kept))
	if err == nil {
		maps.Copy(s.kept, fresh)
	}
	return s.kept, err
}

func newShop(t *testing.T, settings map[string]string) *shop {
	t.Helper()
	s := &shop{Shop: fakeshop.New(), now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)}
	s.Now = func() time.Time { return s.now }
	server := httptest.NewServer(s.Shop)
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n0123456789"))
	}))
	t.Cleanup(func() { server.Close(); pictures.Close() })
	s.pictures = pictures.URL
	s.kept = connector.Credentials{"baseUrl": server.URL, "appKey": fakeshop.AppKey, "appSecret": fakeshop.AppSecret,
		"accessToken": fakeshop.AccessToken, "refreshToken": fakeshop.RefreshToken, "shopCipher": fakeshop.Cipher}
	c := tiktokshop.New()
	ours := func() time.Time { return s.now.Add(s.skew) }
	s.client = connector.NewClients(&netguard.Guard{Dev: true}, "entrepot/test").Timed(ours, func(_ context.Context, d time.Duration) error {
		s.now = s.now.Add(d)
		return nil
	}).Client("channel", c.Capabilities().Limits)
	s.session = c.Open(connector.Link{Client: s.client, Tokens: s, Now: ours,
		Channel: connector.Channel{ID: "channel", Platform: "TIKTOK_SHOP", Credentials: maps.Clone(s.kept), Settings: settings}})
	return s
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A test says whose shop it is and names what the app may not do; a token that ended is renewed with the pair that was stored, and one that
// was withdrawn is refused.
func TestShopIsTestedAndTokensRotate(t *testing.T) {
	s := newShop(t, nil)
	if got := must(s.session.Test(t.Context()))(t); got.Name != "Fake Shop" || got.Currency != "EUR" || len(got.Missing) != 0 {
		t.Errorf("%+v", got)
	}
	for n := range 3 {
		s.Expire()
		must(s.session.Test(t.Context()))(t)
		if want := fmt.Sprintf("refresh-%d", n+1); s.kept["refreshToken"] != want || s.Renewed() != n+1 {
			t.Errorf("renewed %d times, the refresh token is %s", s.Renewed(), s.kept["refreshToken"])
		}
	}
	s.NoScope = "/return_refund/"
	if got := must(s.session.Test(t.Context()))(t); len(got.Missing) != 1 || !strings.Contains(got.Missing[0], "returns") {
		t.Errorf("%+v", got)
	}
	s.Revoke()
	if _, err := s.session.Test(t.Context()); !connector.Is(err, connector.Unauthorized) {
		t.Errorf("%v", err)
	}
}

// Wrong credentials are refused as such; a clock that is wrong is set by the platform's.
func TestCredentialsAndClock(t *testing.T) {
	for name, change := range map[string]func(*shop){
		"secret": func(s *shop) { s.kept["appSecret"] = "other" }, "key": func(s *shop) { s.kept["appKey"] = "other" },
	} {
		s := newShop(t, nil)
		change(s)
		s.session = tiktokshop.New().Open(connector.Link{Client: s.client, Tokens: s, Now: s.Now, Channel: connector.Channel{Credentials: s.kept}})
		if _, err := s.session.Test(t.Context()); !connector.Is(err, connector.Unauthorized) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := newShop(t, nil)
	s.kept["shopCipher"] = "ROW_other"
	s.session = tiktokshop.New().Open(connector.Link{Client: s.client, Tokens: s, Now: s.Now, Channel: connector.Channel{Credentials: s.kept}})
	if got := must(s.session.Test(t.Context()))(t); len(got.Missing) != 1 {
		t.Errorf("another cipher: %+v", got)
	}
	for _, skew := range []time.Duration{-20 * time.Minute, 20 * time.Minute, 40 * time.Second} {
		s := newShop(t, nil)
		s.skew = skew
		must(s.session.Test(t.Context()))(t)
	}
}

// Webhooks are registered once, come back after they were turned elsewhere, and go as they came.
func TestWebhooks(t *testing.T) {
	s := newShop(t, nil)
	target := connector.WebhookTarget{URL: "https://entrepot.example/tiktok"}
	for range 2 {
		if on := must(s.session.EnsureWebhooks(t.Context(), target))(t); len(on) != 8 || len(s.Hooks()) != 8 {
			t.Errorf("%d on, the shop has %v", len(on), s.Hooks())
		}
	}
	if n := s.Calls("PUT /event"); n != 8 {
		t.Errorf("registered %d times", n)
	}
	if err := s.session.RemoveWebhooks(t.Context(), connector.WebhookTarget{URL: "https://elsewhere.example"}); err != nil || len(s.Hooks()) != 8 {
		t.Errorf("%v, %v", err, s.Hooks())
	}
	if err := s.session.RemoveWebhooks(t.Context(), target); err != nil || len(s.Hooks()) != 0 {
		t.Errorf("%v, %v", err, s.Hooks())
	}
}

// pull gives all orders that changed since a cursor, and the next cursor.
func (s *shop) pull(t *testing.T, since time.Time) (map[string]connector.Order, time.Time) {
	t.Helper()
	found, cursor := map[string]connector.Order{}, connector.Cursor{Since: since}
	for {
		page, err := s.session.PullOrders(t.Context(), cursor)
		for try := 0; connector.Is(err, connector.Temporary) && try < 5; try++ { // as the frame does
			page, err = s.session.PullOrders(t.Context(), cursor)
		}
		must(page, err)(t)
		if len(page.Unreadable) > 0 {
			t.Errorf("unreadable: %v", page.Unreadable)
		}
		for _, o := range page.Orders {
			found[o.ExternalID] = o
		}
		if cursor.Page = page.Next; page.Next == "" {
			return found, page.Until
		}
	}
}

// All orders come, also when answers are lost and the clock is wrong; a piece is a line no more, and the amounts are TikTok's.
func TestOrdersArePulled(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{"a good day": {}, "a bad one": {LoseAnswer: 5, Throttle: 7, HTML: 11}} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, nil)
			s.skew = 45 * time.Second
			s.Faults = faults
			var ids []string
			for range 250 {
				ids = append(ids, s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 3, "POT": 1}, Cents: 790, Shipping: 490, Discount: 100}))
				s.now = s.now.Add(time.Second)
			}
			unpaid := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}, Cents: 790, Unpaid: true})
			s.now = s.now.Add(2 * time.Minute)
			found, until := s.pull(t, time.Time{})
			if len(found) != 251 || until.After(s.now.Add(-time.Minute)) {
				t.Fatalf("%d orders until %s, it is %s", len(found), until, s.now)
			}
			o := found[ids[0]]
			if len(o.Lines) != 2 || o.Lines[0].Quantity != 3 || o.Lines[0].Amount != 237000 || o.Lines[0].SKU != "MUG" || o.Total != 355000 ||
				o.Shipping != 49000 || o.Discount != 10000 || o.Status != orders.Processing || o.ShipTo == nil || o.ShipTo.City != "Berlin" ||
				o.ShipTo.Country != "DE" || o.Name != "Ada Lovelace" || o.Phone != "" {
				t.Errorf("%+v %+v", o, o.ShipTo)
			}
			if o := found[unpaid]; o.Status != orders.Pending || o.ShipTo != nil {
				t.Errorf("%+v", o)
			}
			s.Faults = fakeshop.Faults{}
			if _, err := s.session.PullOrder(t.Context(), "1"); !connector.Is(err, connector.Missing) {
				t.Errorf("%v", err)
			}
		})
	}
}

// What comes with the tax in its prices goes without it, to the cent; what comes without stays as it is.
func TestTaxes(t *testing.T) {
	const cent = 100
	for _, c := range []struct {
		name            string
		wish            fakeshop.Wish
		lines, shipping money.Amount
	}{
		{"added", fakeshop.Wish{SKUs: map[string]int64{"A": 2, "B": 1}, Cents: 1000, Shipping: 500, Tax: 287}, 3000 * cent, 500 * cent},
		{"none", fakeshop.Wish{SKUs: map[string]int64{"A": 2, "B": 1}, Cents: 1000, Shipping: 500}, 3000 * cent, 500 * cent},
		{"within", fakeshop.Wish{SKUs: map[string]int64{"A": 2, "B": 1}, Cents: 1000, Shipping: 500, Tax: 559, Gross: true}, 2521 * cent,
			420 * cent},
		{"within, of each piece", fakeshop.Wish{SKUs: map[string]int64{"A": 2, "B": 1}, Cents: 1000, Shipping: 500, Tax: 559, PieceTax: 160,
			Gross: true}, 2441 * cent, 500 * cent},
		{"a gift", fakeshop.Wish{SKUs: map[string]int64{"A": 3}, Shipping: 500, Tax: 80, Gross: true}, 0, 420 * cent},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShop(t, nil)
			o := must(s.session.PullOrder(t.Context(), s.Buy(c.wish)))(t)
			var goods money.Amount
			for _, l := range o.Lines {
				goods += l.Amount
			}
			if goods != c.lines || o.Shipping != c.shipping || o.Tax != money.Amount(c.wish.Tax)*cent || o.Discount != 0 ||
				goods+o.Shipping+o.Tax != o.Total {
				t.Errorf("lines %s, shipping %s, tax %s, discount %s, total %s", goods, o.Shipping, o.Tax, o.Discount, o.Total)
			}
		})
	}
}

// What is cancelled in part or comes back is found by itself, though the order does not change by a return; a cancelled order is cancelled.
func TestReversals(t *testing.T) {
	s := newShop(t, nil)
	returned := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 3, "POT": 1}, Cents: 790})
	part := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 2}, Cents: 790})
	s.now = s.now.Add(time.Hour)
	_, until := s.pull(t, time.Time{})
	s.now = s.now.Add(time.Hour)
	at := s.now
	s.Return(returned, 2, 1580)
	s.CancelPart(part, 790)
	s.now = s.now.Add(time.Hour)
	found, _ := s.pull(t, until)
	o := found[returned]
	if len(o.Refunds) != 1 || o.Refunds[0].Amount != 158000 || len(o.Refunds[0].Lines) != 1 || o.Refunds[0].Lines[0].Quantity != 2 ||
		o.Refunds[0].Lines[0].ExternalLine != o.Lines[0].ExternalID || !o.UpdatedAt.Equal(at) {
		t.Errorf("returned: %+v", o)
	}
	if o := found[part]; len(o.Refunds) != 1 || o.Refunds[0].Lines[0].Quantity != 1 || o.Status != orders.Processing {
		t.Errorf("cancelled in part: %+v", o)
	}
	for range 2 {
		if err := s.session.PushCancel(t.Context(), connector.OrderRef{ExternalID: part}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if o := must(s.session.PullOrder(t.Context(), part))(t); o.Status != orders.Cancelled {
		t.Errorf("cancelled: %+v", o)
	}
}

func (s *shop) shirt() connector.Product {
	return connector.Product{ID: "p1", SKU: "SHIRT", Name: "Shirt", OnSale: true, Price: 200000, Currency: "EUR",
		Images: []connector.Image{{ID: "i1", URL: s.pictures + "/1.png"}},
		Variants: []connector.Variant{
			{SKU: "SHIRT-S", Price: 200000, Attributes: []connector.Attribute{{Name: "Size", Value: "S"}}, Quantity: 4},
			{SKU: "SHIRT-M", Price: 215000, Attributes: []connector.Attribute{{Name: "Size", Value: "M"}}, Quantity: 6},
		}}
}

func (s *shop) mug() connector.Product {
	return connector.Product{ID: "p2", SKU: "MUG", Name: "Mug", OnSale: true, Price: 79000, Currency: "EUR", Quantity: 9,
		Images: []connector.Image{{ID: "i2", URL: s.pictures + "/2.png"}}}
}

// results are by SKU.
func by(results []connector.Result) map[string]connector.Result {
	found := map[string]connector.Result{}
	for _, r := range results {
		found[r.SKU] = r
	}
	return found
}

// Products are made once, pending until they are audited, then live; pictures are sent once, and stock and prices apart.
func TestProducts(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{"a good day": {}, "answers are lost": {LoseAnswer: 3}, "broken": {Broken: 5, HTML: 7}} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, nil)
			s.Audit, s.Faults = time.Hour, faults
			s.AddProduct("an old mug", "MUG")
			products, got := []connector.Product{s.shirt(), s.mug()}, map[string]connector.Result{}
			for range 30 { // as the frame does: again later
				results, err := s.session.Upsert(t.Context(), products)
				for i := range products { // a picture that was sent is known
					if uri := by(results)[products[i].SKU].Images[products[i].Images[0].ID]; uri != "" {
						products[i].Images[0].Known = uri
					}
				}
				if got = by(results); err == nil && got["SHIRT"].State == connector.Waiting && got["MUG"].State == connector.Live {
					break
				}
				s.now = s.now.Add(time.Minute)
			}
			s.Faults = fakeshop.Faults{}
			items, doubled := s.Items()
			if len(doubled) > 0 || len(items) != 3 || items["SHIRT-S"].Price != "20.00" || items["SHIRT-M"].Quantity != 6 ||
				items["MUG"].Price != "7.90" || items["SHIRT-S"].Product != items["SHIRT-M"].Product {
				t.Errorf("%v, doubled %v: %+v", items, doubled, got)
			}
			if name == "a good day" && s.Pictures() != 2 {
				t.Errorf("%d pictures", s.Pictures())
			}
			for _, want := range []string{connector.Waiting, connector.Live} {
				if r := must(s.session.Poll(t.Context(), []string{got["SHIRT"].Operation}))(t); len(r) != 1 || r[0].State != want {
					t.Errorf("want %s: %+v", want, r)
				}
				s.now = s.now.Add(time.Hour)
			}
			s.levels(t, got)
		})
	}
}

func (s *shop) levels(t *testing.T, got map[string]connector.Result) {
	t.Helper()
	item := func(sku string) connector.Item { return connector.Item{SKU: sku, IDs: got[sku].IDs} }
	gone := connector.Item{SKU: "GONE", IDs: connector.IDs{Product: "1", Variant: "2"}}
	s.SetStock("MUG", fakeshop.Other, 50)
	results := by(must(s.session.SetStock(t.Context(), []connector.StockItem{{Item: item("SHIRT-M"), Quantity: 2},
		{Item: item("SHIRT-S")}, {Item: item("MUG"), Quantity: 3}, {Item: gone, Quantity: 1}}))(t))
	if results["GONE"].State != connector.Gone || results["SHIRT-S"].State != connector.Live || results["MUG"].State != connector.Live {
		t.Errorf("%+v", results)
	}
	shown := must(s.session.ReadStock(t.Context(), []connector.Item{item("SHIRT-S"), item("SHIRT-M"), item("MUG"), gone}))(t)
	if len(shown) != 3 || shown["MUG"] != 3 || shown["SHIRT-M"] != 2 || shown["SHIRT-S"] != 0 {
		t.Errorf("%v", shown)
	}
	calls := s.Calls("prices/update")
	results = by(must(s.session.SetPrices(t.Context(), []connector.PriceItem{{Item: item("SHIRT-M"), Price: 300000, Currency: "EUR"},
		{Item: item("SHIRT-S"), Price: 310000, Currency: "EUR"}}))(t))
	items, _ := s.Items()
	if items["SHIRT-S"].Price != "31.00" || items["SHIRT-M"].Price != "30.00" || s.Calls("prices/update") != calls+1 {
		t.Errorf("%+v %+v", items, results)
	}
	must(s.session.Unpublish(t.Context(), []connector.Item{item("SHIRT-S"), item("SHIRT-M"), gone}, false))(t)
	if items, _ := s.Items(); items["SHIRT-S"].Status != "SELLER_DEACTIVATED" {
		t.Errorf("%+v", items["SHIRT-S"])
	}
	must(s.session.Unpublish(t.Context(), []connector.Item{item("SHIRT-S")}, true))(t)
	if items, _ := s.Items(); items["SHIRT-S"].Product != "" {
		t.Errorf("%+v", items["SHIRT-S"])
	}
}

// What is refused says why: at once, by the audit, or because the SKU is another product's; what the merchant deleted is gone, and made anew
// by the next push.
func TestRefusedProducts(t *testing.T) {
	s := newShop(t, nil)
	s.Audit, s.Refuses = time.Hour, "miracle"
	s.AddProduct("a set", "CUP", "PLATE")
	product := func(sku, name string) connector.Product {
		p := s.mug()
		p.ID, p.SKU, p.Name = "of "+sku, sku, name
		return p
	}
	unpictured := product("PLAIN", "Plain")
	unpictured.Images = nil
	got := by(must(s.session.Upsert(t.Context(), []connector.Product{product("CUP", "Cup"), product("BAD", "unsellable"), unpictured,
		product("CURE", "a miracle"), s.mug()}))(t))
	for sku, want := range map[string]string{"CUP": "PLATE", "BAD": "prohibited words", "PLAIN": "picture"} {
		if got[sku].State != connector.Failed || !strings.Contains(got[sku].Error, want) {
			t.Errorf("%s: %+v", sku, got[sku])
		}
	}
	if got["BAD"].Images["i2"] == "" {
		t.Error("the picture of a refused product is sent again")
	}
	s.now = s.now.Add(2 * time.Hour)
	polled := must(s.session.Poll(t.Context(), []string{got["CURE"].Operation, got["MUG"].Operation}))(t)
	if polled[0].State != connector.Failed || !strings.Contains(polled[0].Error, "Prohibited words") || polled[1].State != connector.Live {
		t.Errorf("%+v", polled)
	}
	s.Delete("MUG")
	if r := must(s.session.Poll(t.Context(), []string{got["MUG"].Operation}))(t); r[0].State != connector.Gone {
		t.Errorf("%+v", r)
	}
	again := s.mug()
	again.Known = got["MUG"].IDs
	results := must(s.session.Upsert(t.Context(), []connector.Product{again}))(t)
	if results[0].State != connector.Waiting || results[0].IDs.Product == got["MUG"].IDs.Product {
		t.Errorf("made anew: %+v", results)
	}
}

// A parcel is shown once, whatever becomes of the answers: in part and wholly, where parts can be packed and where the package is split.
func TestParcelsAreShownOnce(t *testing.T) {
	for _, region := range []string{"DE", "VN"} {
		for name, faults := range map[string]fakeshop.Faults{"a good day": {}, "answers are lost": {LoseAnswer: 3}, "broken": {Broken: 4}} {
			t.Run(region+" "+name, func(t *testing.T) {
				s := newShop(t, nil)
				s.Region = region
				id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 3}, Cents: 790})
				line := must(s.session.PullOrder(t.Context(), id))(t).Lines[0].ExternalID
				first := connector.Parcel{Key: "s1", Carrier: "dhl", Number: "JD-1",
					Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 2}}}
				second := connector.Parcel{Key: "s2", Carrier: "GLS", Number: "G1",
					Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}}
				ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{first, second}}
				s.Faults = faults
				for range 6 {
					for _, p := range ref.Shipped {
						err := s.session.PushShipment(t.Context(), ref, p)
						if err != nil && !connector.Is(err, connector.Temporary) {
							t.Fatal(err)
						}
						if err != nil { // the next try begins with the first parcel again, as the frame's does
							break
						}
					}
				}
				s.Faults = fakeshop.Faults{}
				if err := s.session.PushStatus(t.Context(), ref, orders.Shipped); err != nil {
					t.Fatal(err)
				}
				if parcels, pieces, status := s.Order(id); parcels != 2 || pieces != 3 || status != "AWAITING_COLLECTION" {
					t.Errorf("%d parcels of %d pieces, %s", parcels, pieces, status)
				}
				s.Move(id, "IN_TRANSIT")
				o := must(s.session.PullOrder(t.Context(), id))(t)
				if o.Status != orders.Shipped || len(o.Parcels) != 2 || o.Parcels[0].Number != "JD-1" || o.Parcels[0].Lines[0].Quantity != 2 {
					t.Errorf("%+v", o.Parcels)
				}
			})
		}
	}
}

// What TikTok does not take is refused or skipped with the reason: an unknown carrier, a parcel without a number, a status of the carrier's.
// Where TikTok ships, the package is handed over without a number of ours.
func TestShippingWays(t *testing.T) {
	s := newShop(t, nil)
	id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}, Cents: 790})
	parcel := func(id, carrier, number string) (connector.OrderRef, connector.Parcel) {
		line := must(s.session.PullOrder(t.Context(), id))(t).Lines[0].ExternalID
		p := connector.Parcel{Key: "s1", Carrier: carrier, Number: number, Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}}
		return connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{p}}, p
	}
	ref, p := parcel(id, "Owl Post", "O1")
	if err := s.session.PushShipment(t.Context(), ref, p); !connector.Is(err, connector.Rejected) || !strings.Contains(err.Error(), "Hermes") {
		t.Errorf("an unknown carrier: %v", err)
	}
	ref, p = parcel(id, "", "")
	if err := s.session.PushShipment(t.Context(), ref, p); !connector.Is(err, connector.Rejected) {
		t.Errorf("no number: %v", err)
	}
	if err := s.session.PushStatus(t.Context(), ref, orders.Delivered); !connector.Is(err, connector.Cannot) {
		t.Errorf("delivered: %v", err)
	}
	id = s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}, Cents: 790, ByTikTok: true})
	ref, p = parcel(id, "", "")
	if err := s.session.PushShipment(t.Context(), ref, p); err != nil {
		t.Errorf("TikTok's label: %v", err)
	}
	if _, pieces, status := s.Order(id); pieces != 1 || status != "AWAITING_COLLECTION" {
		t.Errorf("%d pieces, %s", pieces, status)
	}
}
