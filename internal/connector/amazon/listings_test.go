package amazon_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/connector/amazon/fakeshop"
	"entrepot/internal/connector/connectortest"
)

func attributes(pairs ...string) (list []connector.Attribute) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, connector.Attribute{Name: pairs[i], Value: pairs[i+1]})
	}
	return list
}

func shirt() connector.Product {
	return connector.Product{ID: "p1", SKU: "SHIRT", Name: "Shirt", OnSale: true, Price: 200000,
		Images: []connector.Image{{ID: "i1", URL: "https://pictures.example/1.png"}},
		Variants: []connector.Variant{
			{SKU: "SHIRT-S", Price: 200000, Attributes: attributes("EAN", "4006381333931", "Size", "S"), Quantity: 4},
			{SKU: "SHIRT-M", Price: 215000, Attributes: attributes("EAN", "4006381333948", "Size", "M"), Quantity: 6},
		}}
}

func mug() connector.Product {
	return connector.Product{ID: "p2", SKU: "MUG", Name: "Mug", OnSale: true, Price: 79000, Quantity: 9,
		Attributes: attributes("ASIN", "B0MUG")}
}

// shop keeps what the frame knows of items: their ids and what Amazon works on.
type shop struct {
	*account
	ids        map[string]connector.IDs
	operations map[string]string // by SKU
	failed     map[string]string
}

func newShop(t *testing.T) *shop {
	return &shop{newAccount(t), map[string]connector.IDs{}, map[string]string{}, map[string]string{}}
}

func (s *shop) take(results []connector.Result) {
	for _, r := range results {
		delete(s.operations, r.SKU)
		delete(s.failed, r.SKU)
		if r.IDs.Product != "" {
			s.ids[r.SKU] = r.IDs
		}
		switch r.State {
		case connector.Waiting:
			s.operations[r.SKU] = cmp.Or(r.Next, r.Operation)
		case connector.Failed, connector.Gone:
			s.failed[r.SKU] = r.State + ": " + r.Error
		}
	}
}

func (s *shop) item(sku string) connector.Item { return connector.Item{SKU: sku, IDs: s.ids[sku]} }

// upsert pushes products as the frame does, those that may do better later again, and waits until Amazon works on nothing more.
func (s *shop) upsert(t *testing.T, products ...connector.Product) {
	t.Helper()
	s.again(t, func() error {
		results, err := s.session.Upsert(t.Context(), products)
		if err != nil {
			return err
		}
		s.take(results)
		products = slices.DeleteFunc(products, func(p connector.Product) bool {
			return !slices.ContainsFunc(results, func(r connector.Result) bool { return r.SKU == p.SKU && r.Again })
		})
		if len(products) > 0 {
			return connector.Failf(connector.Temporary, "%d products are left", len(products))
		}
		return nil
	})
	s.poll(t)
}

// poll asks until Amazon works on nothing more.
func (s *shop) poll(t *testing.T) {
	t.Helper()
	s.again(t, func() error {
		for len(s.operations) > 0 {
			var operations []string
			for _, operation := range s.operations {
				operations = append(operations, operation)
			}
			slices.Sort(operations)
			before := maps.Clone(s.operations)
			results, err := s.session.Poll(t.Context(), slices.Compact(operations))
			for _, r := range results {
				for sku, operation := range before {
					named := slices.ContainsFunc(results, func(other connector.Result) bool { return other.SKU == sku })
					if operation == r.Operation && (sku == r.SKU || r.SKU == "" && !named) {
						one := r
						one.SKU = sku
						s.take([]connector.Result{one})
					}
				}
			}
			if err != nil {
				return err
			}
			s.Pass(30 * time.Second)
		}
		return nil
	})
}

func (s *shop) offers(t *testing.T, sku, price string, quantity int64) {
	t.Helper()
	if p, n, asin := s.Offer(sku); p != price || n != quantity || asin == "" {
		t.Errorf("%s: %q × %d, ASIN %q", sku, p, n, asin)
	}
}

func TestProductsAreListed(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{
		"a good day": {}, "answers are lost": {LoseAnswer: 3}, "done and 500": {FailAfterWrite: 4}, "broken": {Broken: 5},
		"throttled": {TooMany: 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Faults, s.Settle = faults, 20*time.Minute
			s.upsert(t, shirt(), mug())
			s.offers(t, "SHIRT-S", "20.00", 4)
			s.offers(t, "SHIRT-M", "21.50", 6)
			s.offers(t, "MUG", "7.90", 9)
			if s.Listings() != 3 || len(s.failed) != 0 || s.ids["MUG"].Product != "B0MUG" || s.ids["SHIRT-M"].Other["type"] != "PRODUCT" {
				t.Errorf("%d listings, %v, %+v", s.Listings(), s.failed, s.ids)
			}
			changed := mug()
			changed.Price = 81000
			s.upsert(t, changed)
			s.offers(t, "MUG", "8.10", 9)
			s.Faults = fakeshop.Faults{}
			connectortest.Must(s.session.Unpublish(t.Context(), []connector.Item{s.item("MUG"), s.item("NEVER")}, false))(t)
			s.offers(t, "MUG", "8.10", 0)
		})
	}
}

// What was accepted is not live: Poll says so when it is, and why when it cannot be.
func TestAcceptedIsNotLive(t *testing.T) {
	s := newShop(t)
	s.Settle = time.Hour
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	if results[0].State != connector.Waiting || results[0].Operation == "" {
		t.Fatalf("%+v", results)
	}
	if now := connectortest.Must(s.session.Poll(t.Context(), []string{results[0].Operation}))(t); len(now) != 0 {
		t.Errorf("%+v", now)
	}
	s.Pass(time.Hour)
	now := connectortest.Must(s.session.Poll(t.Context(), []string{results[0].Operation}))(t)
	if len(now) != 2 || now[0].State != connector.Live ||
		now[0].IDs.Product != "B0MUG" || now[0].URL != "https://www.amazon.de/dp/B0MUG" {
		t.Errorf("%+v", now)
	}
}

func TestWhatAmazonRefuses(t *testing.T) {
	s := newShop(t)
	nameless := mug()
	nameless.SKU, nameless.Attributes = "NAMELESS", nil
	half := shirt()
	half.Variants[1].Price = 0
	s.Own("OTHER", "B0OTHER", 3, false)
	foreign := mug()
	foreign.SKU = "OTHER"
	s.upsert(t, nameless, half, foreign, mug())
	if s.failed["NAMELESS"] == "" || s.failed["SHIRT-S"] == "" || !strings.Contains(s.failed["SHIRT-M"], "above 0") ||
		!strings.Contains(s.failed["OTHER"], "B0OTHER") || s.failed["MUG"] != "" {
		t.Errorf("%v", s.failed)
	}
	if s.Listings() != 2 { // a product that is refused in part is not listed in part
		t.Errorf("%d listings", s.Listings())
	}
	s.Settings["listing"], s.Settings["productType"], s.Settings["brand"] = "full", "MUG", "Mugs"
	s.open()
	forbidden := mug()
	forbidden.SKU, forbidden.Name = "BAD", "A "+fakeshop.Restricted+" mug"
	s.upsert(t, forbidden)
	if !strings.Contains(s.failed["BAD"], "You need approval") {
		t.Errorf("%v", s.failed)
	}
	suppressed, blemished := mug(), mug()
	suppressed.SKU, suppressed.Name = "OFF", "A "+fakeshop.Suppressed+" mug"
	blemished.SKU, blemished.Name = "SOLD", "A "+fakeshop.Blemished+" mug"
	s.upsert(t, suppressed, blemished)
	if !strings.Contains(s.failed["OFF"], "brand has to be approved") || s.failed["SOLD"] != "" {
		t.Errorf("a warning that takes it off sale, and an error that does not: %v", s.failed)
	}
}

// A SKU that the seller has there already is adopted. What Amazon ships stays Amazon's to ship.
func TestOwnListingsAreAdopted(t *testing.T) {
	s := newShop(t)
	s.Own("MUG", "B0MUG", 3, false)
	s.Own("PEN", "B0PEN", 50, true)
	pen := mug()
	pen.SKU, pen.Attributes = "PEN", nil
	s.Enter("MUG", "lead_time_to_ship_max_days", 3.0)
	s.upsert(t, mug(), pen)
	s.offers(t, "MUG", "7.90", 9)
	if days := s.Entered("MUG", "lead_time_to_ship_max_days"); days != 3.0 {
		t.Errorf("the seller's handling time is %v", days)
	}
	s.offers(t, "PEN", "7.90", 50)
	got := connectortest.Must(s.session.(connector.LevelSetter).SetLevels(t.Context(),
		[]connector.StockItem{{Item: s.item("PEN"), Quantity: 1}},
		[]connector.PriceItem{{Item: s.item("PEN"), Price: 50000}}))(t)
	s.offers(t, "PEN", "5.00", 50)
	if len(got) != 1 || !s.FBA("PEN") || s.Listings() != 2 || len(s.failed) != 0 {
		t.Errorf("%+v, %d listings, %v", got, s.Listings(), s.failed)
	}
	shown := connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{s.item("MUG"), s.item("PEN")}))(t)
	if shown["MUG"] != 9 || len(shown) != 1 {
		t.Errorf("%v", shown)
	}
}

func TestFullListings(t *testing.T) {
	s := newShop(t)
	s.Settings["listing"] = "full"
	s.open()
	s.upsert(t, shirt())
	if !strings.Contains(s.failed["SHIRT-S"], "productType") {
		t.Errorf("%v", s.failed)
	}
	s.Required = map[string][]string{"SHIRT": {"size", "color", "fabric_type"}}
	product := shirt()
	for _, lacking := range []struct{ name, setting, value string }{{"brand", "attributes", "Size=size, Colour=color, Fabric=fabric_type"},
		{"fabric_type", "brand", "Shirts"}} { // of which each is refused by its name, until the setting or the product has it
		s.Settings["productType"], s.Settings["variationTheme"], s.Settings[lacking.setting] = "SHIRT", "SIZE_NAME", lacking.value
		s.open()
		s.upsert(t, product)
		if !strings.Contains(s.failed["SHIRT-S"], "'["+lacking.name+"]' is required") || s.Listings() != 0 {
			t.Errorf("without %s: %d listings, %v", lacking.name, s.Listings(), s.failed)
		}
	}
	product.Attributes = append(product.Attributes, connector.Attribute{Name: "Fabric", Value: "cotton"},
		connector.Attribute{Name: "Size", Value: "all"}, connector.Attribute{Name: "Colour", Value: "all"})
	s.open()
	s.upsert(t, product)
	if s.Listings() != 3 || len(s.failed) != 0 {
		t.Errorf("%d listings, %v", s.Listings(), s.failed)
	}
	s.offers(t, "SHIRT-M", "21.50", 6)
	single := mug() // which claims a variant of another product
	single.SKU = "SHIRT-S"
	s.upsert(t, single)
	if s.failed["SHIRT-S"] == "" {
		t.Error("taken over")
	}
}

// Hidden products stay listed with nothing to sell, until they are on sale again.
func TestHiddenProducts(t *testing.T) {
	s := newShop(t)
	s.upsert(t, mug())
	hidden := mug()
	hidden.OnSale = false
	s.upsert(t, hidden)
	s.offers(t, "MUG", "7.90", 0)
	connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{{Item: s.item("MUG"), Quantity: 8}}))(t)
	s.offers(t, "MUG", "7.90", 0)
	s.upsert(t, mug())
	s.offers(t, "MUG", "7.90", 9)
}

func TestFewLevels(t *testing.T) {
	s := newShop(t)
	s.upsert(t, mug(), shirt())
	calls := s.Calls()
	stocks := []connector.StockItem{{Item: s.item("MUG"), Quantity: 3}, {Item: s.item("SHIRT-S")}, {Item: connector.Item{SKU: "GONE"}}}
	prices := []connector.PriceItem{{Item: s.item("MUG"), Price: 81000}, {Item: s.item("SHIRT-M"), Price: 0}}
	results := connectortest.Must(s.session.(connector.LevelSetter).SetLevels(t.Context(), stocks, prices))(t)
	s.take(results)
	s.offers(t, "MUG", "8.10", 3)
	s.offers(t, "SHIRT-S", "20.00", 0)
	if !strings.HasPrefix(s.failed["GONE"], connector.Gone) || !strings.HasPrefix(s.failed["SHIRT-M"], connector.Failed) || len(results) != 4 {
		t.Errorf("%+v", results)
	}
	if n := s.Calls()["patchListing"] - calls["patchListing"]; n != 4 {
		t.Errorf("%d requests", n)
	}
}

// Many SKUs go as one feed, whose report says what was refused.
func TestManyLevelsAreOneFeed(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{
		"a good day": {}, "answers are lost": {LoseAnswer: 3}, "done and 500": {FailAfterWrite: 4}, "broken": {Broken: 4},
		"throttled": {TooMany: 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Working = 25 * time.Minute
			var stocks []connector.StockItem
			var prices []connector.PriceItem
			for i := range 1000 {
				sku := fmt.Sprintf("SKU-%04d", i)
				s.Own(sku, "B0"+sku, 1, false)
				s.ids[sku] = connector.IDs{Product: "B0" + sku, Variant: sku, Other: map[string]string{"type": "SHIRT"}}
				stocks = append(stocks, connector.StockItem{Item: s.item(sku), Quantity: int64(i)})
				prices = append(prices, connector.PriceItem{Item: s.item(sku), Price: money.Amount(i) * 10000})
			}
			stocks = append(stocks, connector.StockItem{Item: connector.Item{SKU: "GONE"}, Quantity: 1})
			s.Faults = faults
			s.again(t, func() error {
				results, err := s.session.(connector.LevelSetter).SetLevels(t.Context(), stocks, prices)
				if err == nil {
					s.take(results)
				}
				return err
			})
			if len(s.operations) != 1001 {
				t.Fatalf("%d are waited for", len(s.operations))
			}
			s.poll(t)
			s.offers(t, "SKU-0999", "999.00", 999)
			if !strings.HasPrefix(s.failed["GONE"], connector.Gone) || !strings.HasPrefix(s.failed["SKU-0000"], connector.Failed) ||
				len(s.failed) != 2 {
				t.Errorf("%v", s.failed)
			}
			calls := s.Calls()
			if faults == (fakeshop.Faults{}) && (calls["createFeed"] != 1 || calls["createFeedDocument"] != 1 || calls["getFeedDocument"] != 1 ||
				calls["document"] != 2 || calls["patchListing"] != 0) {
				t.Errorf("%v", calls)
			}
		})
	}
}

// A feed that Amazon gives up is no reason to believe that anything of it was done.
func TestALostFeed(t *testing.T) {
	s := newShop(t)
	results := connectortest.Must(s.session.Poll(t.Context(), []string{"feed 77"}))(t)
	if len(results) != 1 || results[0].State != connector.Failed ||
		!results[0].Again || results[0].SKU != "" {
		t.Errorf("%+v", results)
	}
}

// What Amazon suppresses after it was live is seen when its stock is read, and that it is on sale again.
func TestListingsThatAmazonTakesOffSale(t *testing.T) {
	s := newShop(t)
	s.upsert(t, mug())
	for _, suppressed := range []bool{false, true, false} {
		s.Suppress("MUG", suppressed)
		connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{s.item("MUG")}))(t)
		reason, seen := s.session.(connector.Watcher).OffSale()["MUG"]
		if !seen || (reason == "The brand has to be approved.") != suppressed || (reason == "") == suppressed {
			t.Errorf("suppressed %v: %q", suppressed, reason)
		}
	}
}

// A product that gets variants is not on sale any more by its own SKU, whose stock nobody counts from then on.
func TestAProductThatGetsVariants(t *testing.T) {
	s := newShop(t)
	p := mug()
	s.upsert(t, p)
	s.offers(t, "MUG", "7.90", 9)
	p.Known = s.ids["MUG"]
	p.Variants = shirt().Variants
	s.upsert(t, p)
	s.offers(t, "MUG", "7.90", 0)
	s.offers(t, "SHIRT-S", "20.00", 4)
}
