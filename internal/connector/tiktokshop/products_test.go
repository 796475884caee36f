package tiktokshop_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/tiktokshop/fakeshop"
)

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
	for name, faults := range map[string]fakeshop.Faults{"a good day": {}, "answers are lost": {LoseAnswer: 3},
		"broken": {Broken: 5, HTML: 7}} {
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
				s.Pass(time.Minute)
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
				if r := connectortest.Must(s.session.Poll(t.Context(), []string{got["SHIRT"].Operation}))(t); len(r) != 1 || r[0].State != want {
					t.Errorf("want %s: %+v", want, r)
				}
				s.Pass(time.Hour)
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
	results := by(connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{{Item: item("SHIRT-M"), Quantity: 2},
		{Item: item("SHIRT-S")}, {Item: item("MUG"), Quantity: 3}, {Item: gone, Quantity: 1}}))(t))
	if results["GONE"].State != connector.Gone || results["SHIRT-S"].State != connector.Live || results["MUG"].State != connector.Live {
		t.Errorf("%+v", results)
	}
	shown := connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{item("SHIRT-S"), item("SHIRT-M"), item("MUG"), gone}))(t)
	if len(shown) != 3 || shown["MUG"] != 3 || shown["SHIRT-M"] != 2 || shown["SHIRT-S"] != 0 {
		t.Errorf("%v", shown)
	}
	calls := s.Calls("prices/update")
	results = by(connectortest.Must(s.session.SetPrices(t.Context(),
		[]connector.PriceItem{{Item: item("SHIRT-M"), Price: 300000, Currency: "EUR"},
			{Item: item("SHIRT-S"), Price: 310000, Currency: "EUR"}}))(t))
	items, _ := s.Items()
	if items["SHIRT-S"].Price != "31.00" || items["SHIRT-M"].Price != "30.00" || s.Calls("prices/update") != calls+1 {
		t.Errorf("%+v %+v", items, results)
	}
	s.Faults.Nameless = true // a refusal that names no SKU is of all in the request
	results = by(connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{{Item: item("SHIRT-M"), Quantity: -1},
		{Item: item("SHIRT-S")}}))(t))
	if results["SHIRT-M"].State != connector.Failed || results["SHIRT-S"].State != connector.Failed {
		t.Errorf("%+v", results)
	}
	s.Faults.Nameless = false
	connectortest.Must(s.session.Unpublish(t.Context(), []connector.Item{item("SHIRT-S"), item("SHIRT-M"), gone}, false))(t)
	if items, _ := s.Items(); items["SHIRT-S"].Status != "SELLER_DEACTIVATED" {
		t.Errorf("%+v", items["SHIRT-S"])
	}
	connectortest.Must(s.session.Unpublish(t.Context(), []connector.Item{item("SHIRT-S")}, true))(t)
	if items, _ := s.Items(); items["SHIRT-S"].Product != "" {
		t.Errorf("%+v", items["SHIRT-S"])
	}
}

// What lies in a warehouse of TikTok is TikTok's to count: stock is set in the shop's own warehouses, and only these are
// compared. That holds also where TikTok lists its warehouse among the shop's.
func TestWarehousesOfTikTok(t *testing.T) {
	for _, listed := range []bool{false, true} {
		s := newShop(t, nil)
		s.Faults.ListsAll = listed
		got := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{s.mug()}))(t)
		mug := connector.Item{SKU: "MUG", IDs: got[0].IDs}
		s.SetStock("MUG", fakeshop.TikToks, 50)
		if !listed {
			s.SetStock("MUG", fakeshop.Other, 4)
			if shown := connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{mug}))(t); shown["MUG"] != 9+4 {
				t.Errorf("%v is compared", shown)
			}
		}
		set := connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{{Item: mug, Quantity: 3}}))(t)
		if items, _ := s.Items(); set[0].State != connector.Live || items["MUG"].Quantity != 3+50 {
			t.Errorf("listed %v: %+v, %+v", listed, set, items["MUG"])
		}
	}
}

// What is refused says why: at once, by the audit, or because the SKU is another product's; what the merchant deleted is gone, and made
// anew by the next push.
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
	got := by(connectortest.Must(s.session.Upsert(t.Context(),
		[]connector.Product{product("CUP", "Cup"), product("BAD", "unsellable"), unpictured,
			product("CURE", "a miracle"), s.mug()}))(t))
	for sku, want := range map[string]string{"CUP": "PLATE", "BAD": "prohibited words", "PLAIN": "picture"} {
		if got[sku].State != connector.Failed || !strings.Contains(got[sku].Error, want) {
			t.Errorf("%s: %+v", sku, got[sku])
		}
	}
	if got["BAD"].Images["i2"] == "" {
		t.Error("the picture of a refused product is sent again")
	}
	s.Pass(2 * time.Hour)
	polled := connectortest.Must(s.session.Poll(t.Context(), []string{got["CURE"].Operation, got["MUG"].Operation}))(t)
	if polled[0].State != connector.Failed || !strings.Contains(polled[0].Error, "Prohibited words") || polled[1].State != connector.Live {
		t.Errorf("%+v", polled)
	}
	s.Delete("MUG")
	if r := connectortest.Must(s.session.Poll(t.Context(), []string{got["MUG"].Operation}))(t); r[0].State != connector.Gone {
		t.Errorf("%+v", r)
	}
	again := s.mug()
	again.Known = got["MUG"].IDs
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{again}))(t)
	if results[0].State != connector.Waiting || results[0].IDs.Product == got["MUG"].IDs.Product {
		t.Errorf("made anew: %+v", results)
	}
	s.Delete("MUG")
	byHand := s.AddProduct("a mug of the merchant's", "MUG")
	again.Known = results[0].IDs
	if results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{again}))(t); results[0].IDs.Product != byHand {
		t.Errorf("made by hand meanwhile: %+v, want %s", results, byHand)
	}
}

// What TikTok takes off sale after it was live is seen when its stock is read, with the reasons, and that it is on sale again.
func TestProductsThatTikTokTakesOffSale(t *testing.T) {
	s := newShop(t, nil)
	got := by(connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{s.shirt(), s.mug()}))(t))
	var items []connector.Item
	for _, name := range []string{"SHIRT-S", "SHIRT-M", "MUG"} {
		items = append(items, connector.Item{SKU: name, IDs: got[name].IDs})
	}
	for _, off := range []bool{false, true, false} {
		s.TakeOff("SHIRT-S", off)
		if shown := connectortest.Must(s.session.ReadStock(t.Context(), items))(t); shown["SHIRT-M"] != 6 {
			t.Errorf("%v", shown)
		}
		want := map[string]string{"SHIRT-S": "", "SHIRT-M": "", "MUG": ""}
		if off {
			want["SHIRT-S"], want["SHIRT-M"] = "Product Name: Prohibited words", "Product Name: Prohibited words"
		}
		if reasons := s.session.(connector.Watcher).OffSale(); !maps.Equal(reasons, want) {
			t.Errorf("%v: %v", off, reasons)
		}
	}
}

// The price of a product that is not on sale is not set apart, which TikTok refuses; it comes with the product when that is on sale again.
func TestPricesOfHiddenProducts(t *testing.T) {
	s := newShop(t, nil)
	p := s.mug()
	put := func() connector.Item {
		r := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)
		p.Known, p.Images[0].Known = r[0].IDs, r[0].Images["i2"]
		return connector.Item{SKU: "MUG", IDs: r[0].IDs}
	}
	set := func(it connector.Item) {
		t.Helper()
		got := connectortest.Must(s.session.SetPrices(t.Context(), []connector.PriceItem{{Item: it, Price: p.Price, Currency: "EUR"}}))(t)
		if len(got) != 1 || got[0].State != connector.Live {
			t.Errorf("%+v", got)
		}
	}
	put()
	p.OnSale = false
	hidden := put()
	p.Price = 85000
	set(hidden)
	p.OnSale = true
	set(put())
	if items, _ := s.Items(); items["MUG"].Price != "8.50" {
		t.Errorf("%+v", items)
	}
}

// A text goes without images of other hosts, which TikTok refuses, and one that is too long without markup that could be cut in two.
func TestTexts(t *testing.T) {
	long := "<p>" + strings.Repeat("A <b>mug</b> to drink from. ", 500) + "</p>"
	for text, want := range map[string]string{
		`<p>A mug<IMG src="https://shop.example/a.png" alt="">.</p>`: "<p>A mug.</p>",
		`<img src="a.png">`: "Mug",
		"":                  "Mug",
		long:                strings.Repeat("A mug to drink from. ", 500)[:10_000],
	} {
		s := newShop(t, nil)
		p := s.mug()
		p.Description = text
		if r := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t); r[0].State != connector.Waiting {
			t.Errorf("%+v", r)
		}
		if got := s.Content("MUG")["description"]; got != strings.TrimSpace(want) {
			t.Errorf("%q", got)
		}
	}
}

// A trade number is a SKU's number, not a property by which buyers choose; one that the merchant has entered in the shop stays.
func TestTradeNumbers(t *testing.T) {
	s := newShop(t, nil)
	p := s.shirt()
	for i, number := range []string{"4006381333931", ""} {
		p.Variants[i].Attributes = append(p.Variants[i].Attributes, connector.Attribute{Name: "EAN", Value: number})
	}
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)
	code, kind, attributes := s.Number("SHIRT-S")
	if list, _ := attributes.([]any); code != "4006381333931" || kind != "EAN" || len(list) != 1 {
		t.Errorf("%s %s: %v", kind, code, attributes)
	}
	s.EnterNumber("SHIRT-M", "4006381333948")
	p.Name = "Better shirt"
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)
	if code, _, _ := s.Number("SHIRT-M"); code != "4006381333948" {
		t.Error(code)
	}
}

// A product that was hidden, shown or deleted, with the answer lost, is so: TikTok refuses to do it once more. One that it does not delete
// is not gone.
func TestLostAnswersAboutProducts(t *testing.T) {
	for n := 2; n < 12; n++ {
		s := newShop(t, nil)
		p := s.mug()
		put := func(shown bool) {
			p.OnSale = shown
			for range 20 {
				r, err := s.session.Upsert(t.Context(), []connector.Product{p})
				if err != nil {
					continue
				}
				if r[0].State == connector.Failed && !r[0].Again {
					t.Errorf("%d, %v: %+v", n, shown, r)
				}
				p.Known, p.Images[0].Known = r[0].IDs, r[0].Images["i2"]
				return
			}
			t.Errorf("%d, %v: no answer", n, shown)
		}
		put(true)
		s.Faults = fakeshop.Faults{LoseAnswer: n}
		put(false)
		put(true)
		r, err := s.session.Unpublish(t.Context(), []connector.Item{{SKU: "MUG", IDs: p.Known}}, true)
		if err != nil && !connector.Is(err, connector.Temporary) || err == nil && r[0].State != connector.Gone {
			t.Errorf("%d: %+v, %v", n, r, err)
		}
	}
	s := newShop(t, nil)
	p := s.mug()
	p.Name = "Mug in a campaign"
	it := connector.Item{SKU: "MUG", IDs: connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)[0].IDs}
	if r := connectortest.Must(s.session.Unpublish(t.Context(), []connector.Item{it}, true))(t); r[0].State != connector.Failed ||
		r[0].Error != "The product is in a campaign" {
		t.Errorf("%+v", r)
	}
}

// A product of which nothing is known here, because the program ended before it could store the answer, is made once, although its picture
// is sent again and has another name then, and although no search finds it yet.
func TestProductsThatNoSearchFindsYet(t *testing.T) {
	s := newShop(t, nil)
	p := s.shirt()
	first := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)
	s.Faults = fakeshop.Faults{Unfound: true}
	s.reopen()
	again := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{s.shirt()}))(t)
	if first[0].IDs.Product == "" || again[0].IDs.Product != first[0].IDs.Product || again[0].Images["i1"] == first[0].Images["i1"] {
		t.Errorf("%+v, then %+v", first[0], again[0])
	}
	if _, doubled := s.Items(); len(doubled) > 0 {
		t.Errorf("twice: %v", doubled)
	}
}

// What the merchant wrote about a product in the shop stays as long as nothing is written here.
func TestDescriptions(t *testing.T) {
	s := newShop(t, nil)
	connectortest.Descriptions(t, s.session, s.mug(), func() string { return s.Content("MUG")["description"].(string) })
}

// SKUs that TikTok takes of no product are refused before anything is sent, with what to do.
func TestSKUsThatAreNotTaken(t *testing.T) {
	s := newShop(t, nil)
	for sku, takes := range map[string]bool{"MUG": true, "Tasse-É/1": true, strings.Repeat("é", 50): true, strings.Repeat("é", 51): false,
		"MUG 1": false, "MUG\u00a01": false} {
		one := s.mug()
		one.ID, one.SKU = sku, sku
		r := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{one}))(t)[0]
		if (r.State != connector.Failed) != takes || !takes && !strings.Contains(r.Error, "give it another one") {
			t.Errorf("%q: %+v", sku, r)
		}
	}
	kept := s.shirt() // only what is sold has a SKU there
	kept.SKU = "SHIRT OF COTTON"
	if r := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{kept}))(t)[0]; r.State == connector.Failed {
		t.Errorf("%+v", r)
	}
}
