package woocommerce_test

import (
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// A product that is adopted stays of its kind: as a plain one, a subscription or bundle would lose all that makes it one.
func TestAdoptedProductsKeepTheirKind(t *testing.T) {
	s := newShop(t)
	for sku, kind := range map[string]string{"BOX": "bundle", "PLAN": "subscription", "SET": "grouped", "TIERS": "variable-subscription"} {
		s.AddProduct(sku, "Theirs", "5", 1)
		s.Specialise(sku, kind)
	}
	product := func(sku string) connector.Product {
		return connector.Product{ID: sku, SKU: sku, Name: "Ours", Slug: "ours", OnSale: true, Price: 90000, Currency: "EUR", Quantity: 3}
	}
	tiers, set := product("TIERS"), product("SET")
	for _, p := range []*connector.Product{&tiers, &set} {
		p.Variants = []connector.Variant{{SKU: p.SKU + "-1", Price: 90000, Quantity: 1,
			Attributes: []connector.Attribute{{Name: "Size", Value: "S"}}}}
	}
	all := []connector.Product{product("BOX"), product("PLAN"), tiers, set, product("NEW")}
	for _, r := range connectortest.Must(s.session.Upsert(t.Context(), all))(t) {
		if failed := r.SKU == "SET"; (r.State == connector.Failed) != failed {
			t.Errorf("%+v", r)
		}
	}
	items, _ := s.Items()
	for sku, kind := range map[string]string{"BOX": "bundle", "PLAN": "subscription", "SET": "grouped", "TIERS": "variable-subscription",
		"TIERS-1": "variation", "NEW": "simple"} {
		if items[sku].Kind != kind {
			t.Errorf("%s is %+v, not %s", sku, items[sku], kind)
		}
	}
	if items["BOX"].Name != "Ours" || items["BOX"].Regular != "9.00" || items["SET"].Name != "Theirs" {
		t.Errorf("%+v, %+v", items["BOX"], items["SET"])
	}
}

// A product that its merchant deletes is gone, also while it is in the bin, where it can still be written. The next push makes it again,
// once.
func TestProductsThatTheMerchantDeletes(t *testing.T) {
	s := newShop(t)
	mug := connector.Product{ID: "1", SKU: "MUG", Name: "Mug", Slug: "mug", OnSale: true, Price: 90000, Currency: "EUR", Quantity: 3}
	shirt := connector.Product{ID: "2", SKU: "SHIRT", Name: "Shirt", Slug: "shirt", OnSale: true, Price: 90000, Currency: "EUR",
		Variants: []connector.Variant{{SKU: "SHIRT-S", Price: 90000, Quantity: 1, Attributes: []connector.Attribute{{Name: "Size", Value: "S"}}}}}
	for name, remove := range map[string]func(string){"into the bin": s.Bin, "for good": s.Remove} {
		results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug, shirt}))(t)
		cup, small := connector.Item{SKU: "MUG", IDs: results[0].IDs}, connector.Item{SKU: "SHIRT-S", IDs: results[2].IDs}
		remove("MUG")
		remove("SHIRT")
		if shown := connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{cup, small}))(t); len(shown) != 0 {
			t.Errorf("%s: the shop shows %v", name, shown)
		}
		stock := []connector.StockItem{{Item: cup, Quantity: 4}, {Item: small, Quantity: 5}}
		prices := []connector.PriceItem{{Item: cup, Price: 80000, Currency: "EUR"}, {Item: small, Price: 80000, Currency: "EUR"}}
		for _, r := range append(connectortest.Must(s.session.SetStock(t.Context(), stock))(t),
			connectortest.Must(s.session.SetPrices(t.Context(), prices))(t)...) {
			if r.State != connector.Gone {
				t.Errorf("%s: %+v", name, r)
			}
		}
		for _, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug, shirt}))(t) {
			if r.State != connector.Live || r.IDs.Product == cup.IDs.Product || r.IDs.Product == small.IDs.Product {
				t.Errorf("%s: made again as %+v", name, r)
			}
		}
		if items, doubled := s.Items(); len(doubled) != 0 || items["MUG"].Status != "publish" || items["SHIRT"].Status != "publish" {
			t.Errorf("%s: %+v, twice %v", name, items, doubled)
		}
	}
}

// A product or variation that got another SKU in the shop is the same still: its number is read, so that setting it does not go on forever,
// and the next push makes no second one of it.
func TestProductsThatGotAnotherSKUInTheShop(t *testing.T) {
	s := newShop(t)
	mug := connector.Product{ID: "1", SKU: "MUG", Name: "Mug", Slug: "mug", OnSale: true, Price: 90000, Currency: "EUR", Quantity: 3}
	shirt := connector.Product{ID: "2", SKU: "SHIRT", Name: "Shirt", Slug: "shirt", OnSale: true, Price: 90000, Currency: "EUR",
		Variants: []connector.Variant{{SKU: "SHIRT-S", Price: 90000, Quantity: 4, Attributes: []connector.Attribute{{Name: "Size", Value: "S"}}}}}
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug, shirt}))(t)
	mug.Known, shirt.Known, shirt.Variants[0].Known = results[0].IDs, results[1].IDs, results[2].IDs
	for _, sku := range []string{"MUG", "SHIRT", "SHIRT-S"} {
		s.Rename(sku, "THEIR-"+sku)
	}
	sold := []connector.Item{{SKU: "MUG", IDs: mug.Known}, {SKU: "SHIRT-S", IDs: shirt.Variants[0].Known}}
	if shown := connectortest.Must(s.session.ReadStock(t.Context(), sold))(t); shown["MUG"] != 3 || shown["SHIRT-S"] != 4 {
		t.Errorf("%v", shown)
	}
	for i, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug, shirt}))(t) {
		if r.State != connector.Live || r.IDs.Product != results[i].IDs.Product || r.IDs.Variant != results[i].IDs.Variant {
			t.Errorf("%+v, was %+v", r, results[i])
		}
	}
	items, doubled := s.Items()
	if len(items) != 3 || len(doubled) != 0 || items["SHIRT-S"].Parent != items["SHIRT"].ID || items["MUG"].ID == 0 {
		t.Errorf("%+v, twice %v", items, doubled)
	}
	before := s.Calls()[""]
	connectortest.Must(s.session.ReadStock(t.Context(), sold))(t)
	if n := s.Calls()[""] - before; n != 1 {
		t.Errorf("%d requests to read the stock of products under their own SKUs", n)
	}
}

// What the merchant wrote about a product in the shop stays as long as nothing is written here.
func TestDescriptions(t *testing.T) {
	s := newShop(t)
	p := connector.Product{ID: "p2", SKU: "MUG", Name: "Mug", OnSale: true, Price: 79000, Currency: "EUR", Quantity: 9}
	connectortest.Descriptions(t, s.session, p, func() string { return s.Description("MUG") })
}

// See connectortest.TradeNumbers.
func TestTradeNumbersAreNothingToChoose(t *testing.T) {
	s := newShop(t)
	connectortest.TradeNumbers(t, s.session)
	if got := s.Attributes("SHIRT"); len(got) != 1 || got[0] != "Size: M|S" {
		t.Error(got)
	}
}

// The shop has GTIN, weight in its unit and tax class of products and variations. See connectortest.Trade.
func TestTrade(t *testing.T) {
	s := newShop(t)
	connectortest.Trade(t, s.session)
	for sku, want := range map[string][3]string{"CUP": {"4006381333931", "350", "reduced-rate"}, "TEE-S": {"036000291452", "150", ""},
		"TEE-M": {"", "200", ""}} {
		gtin, weight, tax := s.Trade(sku)
		if got := [3]string{gtin, weight, tax}; got != want {
			t.Errorf("%s: %q, not %q", sku, got, want)
		}
	}
}
