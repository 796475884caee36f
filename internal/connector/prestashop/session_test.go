package prestashop_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop"
	"entrepot/internal/connector/prestashop/fakeshop"
)

// shop is a fake shop that answers, pictures beside it, and the service that calls it.
type shop struct {
	*fakeshop.Shop
	*connectortest.Host
	session  connector.Session
	pictures string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{Shop: fakeshop.New(), pictures: connectortest.Pictures(t)}
	s.Host = connectortest.NewHost(nil, connector.Credentials{"webserviceKey": fakeshop.Key, "webhookSecret": "secret"})
	s.Now = s.Clock
	s.open(connectortest.Serve(t, s.Shop))
	return s
}

// open begins anew, as the next job does, with the shop at an address.
func (s *shop) open(address string) {
	s.Kept["url"] = address
	s.session = s.Open(prestashop.New())
}

// shirt has two variants, a picture and a category below another one.
func (s *shop) shirt() connector.Product {
	return connector.Product{ID: "p1", SKU: "SHIRT", Name: "Shirt <new>", Slug: "shirt", Description: "<p>Cotton</p>", OnSale: true,
		Price:    200000,
		Currency: "EUR",
		Categories: []connector.Category{{ID: "c2", Name: "Shirts", Slug: "shirts",
			Parent: &connector.Category{ID: "c1", Name: "Clothes", Slug: "clothes"}}},
		Images: []connector.Image{{ID: "i1", URL: s.pictures + "/front.png"}},
		Variants: []connector.Variant{
			{SKU: "SHIRT-S", Price: 200000, Attributes: []connector.Attribute{{Name: "Size", Value: "S"}}, Quantity: 4},
			{SKU: "SHIRT-M", Price: 215000, Attributes: []connector.Attribute{{Name: "Size", Value: "M"}}, Quantity: 6},
		}}
}

func mug() connector.Product {
	before := money.Amount(99000)
	return connector.Product{ID: "p2", SKU: "MUG", Name: "Mug", OnSale: true, Price: 79000, CompareAt: &before, Currency: "EUR", Quantity: 9}
}

func TestTestNamesWhatIsMissing(t *testing.T) {
	s := newShop(t)
	found := connectortest.Must(s.session.Test(t.Context()))(t)
	if len(found.Missing) != 0 || found.Name != "Fake shop" || found.Currency != "EUR" || found.Timezone != "Europe/Paris" ||
		found.Version != "8.2.0" || *found.PricesIncludeTax {
		t.Errorf("%+v", found)
	}
	s.Rights = map[string][]string{"products": {"GET"}}
	found = connectortest.Must(s.session.Test(t.Context()))(t)
	if !slices.Contains(found.Missing, "the key lacks Modify (PUT, PATCH) on products") ||
		!slices.Contains(found.Missing, "the key lacks View (GET) on orders") {
		t.Errorf("%v", found.Missing)
	}
	s.Off = true
	if _, err := s.session.Test(t.Context()); !connector.Is(err, connector.Forbidden) {
		t.Errorf("switched off: %v", err)
	}
}

func TestProductsAreMadeOnce(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{
		"a good day": {}, "warnings": {Warnings: true}, "answers are lost": {LoseAnswer: 5}, "written and 500": {WriteAnd500: 11},
		"busy": {Busy: 7},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			address := s.session
			s.Faults = faults
			var results []connector.Result
			for range 40 { // as the frame does: again later
				var err error
				results, err = address.Upsert(t.Context(), []connector.Product{s.shirt(), mug()})
				if err == nil && !slices.ContainsFunc(results, func(r connector.Result) bool { return r.State != connector.Live }) {
					break
				}
				s.Pass(time.Minute)
			}
			s.Faults = fakeshop.Faults{}
			if len(results) != 4 || slices.ContainsFunc(results, func(r connector.Result) bool { return r.State != connector.Live }) {
				t.Fatalf("%+v", results)
			}
			for resource, want := range map[string]int{"products": 2, "combinations": 2, "product_options": 1, "product_option_values": 2,
				"categories": 4, "specific_prices": 1, "images": 1, "stock_availables": 4} {
				if got := s.Count(resource); got != want {
					t.Errorf("%d %s, want %d", got, resource, want)
				}
			}
			if s.Field("SHIRT", "active", "") != "1" || s.Field("SHIRT", "name", "1") != "Shirt new" ||
				s.Field("SHIRT", "name", "2") != "Shirt new" {
				t.Errorf("active %s, names %q and %q", s.Field("SHIRT", "active", ""), s.Field("SHIRT", "name", "1"), s.Field("SHIRT", "name", "2"))
			}
			if s.Field("SHIRT-M", "price", "") != "1.5" || s.Field("MUG", "price", "") != "9.9" {
				t.Errorf("prices %s, %s", s.Field("SHIRT-M", "price", ""), s.Field("MUG", "price", ""))
			}
			if s.Stock("SHIRT-S") != 4 || s.Stock("SHIRT-M") != 6 || s.Stock("MUG") != 9 || s.Stock("SHIRT") != 10 {
				t.Errorf("stock %d, %d, %d, %d", s.Stock("SHIRT-S"), s.Stock("SHIRT-M"), s.Stock("MUG"), s.Stock("SHIRT"))
			}
		})
	}
}

func TestChangedProducts(t *testing.T) {
	s := newShop(t)
	made := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{s.shirt(), mug()}))(t)
	s.Translate("SHIRT", "2", "Chemise")
	s.AddCombination("SHIRT", "THEIRS", 5)
	shirt, cheap := s.shirt(), mug()
	shirt.Name, shirt.Variants, shirt.OnSale = "Better shirt", shirt.Variants[1:], false
	shirt.Dropped = []connector.Item{{SKU: "SHIRT-S", IDs: made[1].IDs}}
	cheap.CompareAt = nil
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{shirt, cheap}))(t)
	if len(results) != 3 || s.Field("SHIRT", "name", "1") != "Better shirt" || s.Field("SHIRT", "name", "2") != "Chemise" ||
		s.Field("SHIRT", "active", "") != "0" {
		t.Errorf("%+v; %q, %q", results, s.Field("SHIRT", "name", "1"), s.Field("SHIRT", "name", "2"))
	}
	if n := s.Count("combinations"); n != 2 || s.Stock("THEIRS") != 5 {
		t.Errorf("%d combinations, stock of the merchant's own %d", n, s.Stock("THEIRS"))
	}
	if s.Stock("SHIRT-S") != 0 || s.Count("specific_prices") != 0 || s.Field("MUG", "price", "") != "7.9" || s.Count("images") != 1 {
		t.Errorf("stock of the variant that is gone %d, %d reduced prices, price %s, %d pictures", s.Stock("SHIRT-S"), s.Count("specific_prices"),
			s.Field("MUG", "price", ""), s.Count("images"))
	}
	for _, r := range results { // what the shop answers to a deletion is empty
		if r.State != connector.Live {
			t.Errorf("%+v", r)
		}
	}
	foreign := mug()
	foreign.SKU = "SHIRT-M"
	if results = connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{foreign}))(t); results[0].State != connector.Failed ||
		results[0].Again {
		t.Errorf("a SKU of another product's combination: %+v", results)
	}
}

// A key with the rights that the channel cannot do without serves, also in a shop whose web service lacks the other resources: the test
// says what does not work, orders come, and products are sold.
func TestAKeyWithTheNeededRights(t *testing.T) {
	for _, absent := range []bool{false, true} {
		s := newShop(t)
		s.Rights = map[string][]string{"order_carriers": {"GET", "PUT"}}
		for resource := range strings.FieldsSeq("products combinations stock_availables order_histories images orders customers addresses " +
			"countries currencies order_states languages configurations") {
			s.Rights[resource] = []string{"GET", "POST", "PUT"}
		}
		s.Absent = absent
		found := connectortest.Must(s.session.Test(t.Context()))(t)
		lacks := "the key lacks View (GET) on order_slip, without which refunds are not known"
		if len(found.Missing) > 0 || !slices.Contains(found.Lacking, lacks) {
			t.Errorf("%q, %q", found.Missing, found.Lacking)
		}
		plain := mug()
		plain.CompareAt = nil
		plain.Categories = s.shirt().Categories
		for _, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{plain}))(t) {
			if r.State != connector.Live {
				t.Errorf("%+v", r)
			}
		}
		id := s.Buy("ada@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
		page := connectortest.Must(s.session.PullOrders(t.Context(), connector.Cursor{Since: s.Clock().Add(-time.Hour)}))(t)
		if len(page.Orders) != 1 || page.Orders[0].ExternalID != id || page.Orders[0].Lines[0].SKU != "MUG" {
			t.Errorf("%+v", page)
		}
	}
}

// A key without the right to delete pictures serves: those that a product no longer has stay in the shop.
func TestAKeyThatDeletesNoPictures(t *testing.T) {
	s := newShop(t)
	shirt := s.shirt()
	made := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{shirt}))(t)
	s.Rights = map[string][]string{"images": {"GET", "POST"}}
	for resource := range strings.FieldsSeq("products combinations stock_availables product_options product_option_values categories " +
		"specific_prices orders order_details order_histories order_carriers order_slip order_states customers addresses countries states " +
		"currencies languages configurations tax_rules taxes tax_rule_groups") {
		s.Rights[resource] = []string{"GET", "POST", "PUT", "DELETE"}
	}
	if found := connectortest.Must(s.session.Test(t.Context()))(t); len(found.Missing) > 0 {
		t.Error(found.Missing)
	}
	s.Rights["combinations"] = []string{"GET", "POST", "PUT"} // nor variants: they have no stock
	shirt.Variants, shirt.Dropped = shirt.Variants[1:], []connector.Item{{SKU: "SHIRT-S", IDs: made[1].IDs}}
	shirt.Images, shirt.DroppedImages, shirt.Settled = nil, []string{made[0].Images["i1"]}, true
	shirt.Known = made[0].IDs
	for _, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{shirt}))(t) {
		if r.State != connector.Live {
			t.Errorf("%+v", r)
		}
	}
	if shown, _ := s.Images("SHIRT"); len(shown) != 1 {
		t.Errorf("pictures %v", shown)
	}
	if n := s.Count("combinations"); n != 2 || s.Stock("SHIRT-S") != 0 {
		t.Errorf("%d combinations, stock of the variant that is gone %d", n, s.Stock("SHIRT-S"))
	}
	s.Rights = nil
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{shirt}))(t)
	if n := s.Count("combinations"); n != 1 {
		t.Errorf("with the right to delete them: %d combinations", n)
	}
	if shown, _ := s.Images("SHIRT"); len(shown) != 0 {
		t.Errorf("with the right to delete them: pictures %v", shown)
	}
}

func TestStockAndPrices(t *testing.T) {
	s := newShop(t)
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{s.shirt(), mug()}))(t)
	ids := map[string]connector.IDs{}
	for _, r := range results {
		ids[r.SKU] = r.IDs
	}
	item := func(sku string) connector.Item { return connector.Item{SKU: sku, IDs: ids[sku]} }
	before := s.Client.Calls()
	got := connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{{Item: item("SHIRT-S")},
		{Item: item("SHIRT-M"), Quantity: 6},
		{Item: item("MUG"), Quantity: 3}, {Item: connector.Item{SKU: "GONE", IDs: connector.IDs{Product: "4711"}}, Quantity: 1}}))(t)
	if calls := s.Client.Calls() - before; calls != 2 || got[3].State != connector.Gone {
		t.Errorf("%d calls: %+v", calls, got)
	}
	shown := connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{item("SHIRT-S"), item("SHIRT-M"), item("MUG")}))(t)
	if shown["SHIRT-S"] != 0 || shown["SHIRT-M"] != 6 || shown["MUG"] != 3 || len(shown) != 3 {
		t.Errorf("%v", shown)
	}
	reducedFrom := money.Amount(300000)
	connectortest.Must(s.session.SetPrices(t.Context(),
		[]connector.PriceItem{{Item: item("SHIRT"), Price: 220000}, {Item: item("SHIRT-S"), Price: 230000, CompareAt: &reducedFrom}}))(t)
	if s.Field("SHIRT", "price", "") != "22" || s.Field("SHIRT-M", "price", "") != "-0.5" || s.Field("SHIRT-S", "price", "") != "8" ||
		s.Count("specific_prices") != 2 {
		t.Errorf("%s, %s, %s, %d reduced", s.Field("SHIRT", "price", ""), s.Field("SHIRT-M", "price", ""), s.Field("SHIRT-S", "price", ""),
			s.Count("specific_prices"))
	}
}

// Shops that share their stock have a row for all of them beside that of each: whichever counts, the quantity is set.
func TestStockThatShopsShare(t *testing.T) {
	s := newShop(t)
	made := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug(), s.shirt()}))(t)
	s.Share()
	mugs, small := connector.Item{SKU: "MUG", IDs: made[0].IDs}, connector.Item{SKU: "SHIRT-S", IDs: made[2].IDs}
	for _, n := range []int64{3, 0} {
		for _, r := range connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{{Item: mugs, Quantity: n},
			{Item: small, Quantity: n + 1}}))(t) {
			if r.State != connector.Live {
				t.Errorf("%+v", r)
			}
		}
		shown := connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{mugs, small}))(t)
		if int64(s.Stock("MUG")) != n || int64(s.Stock("SHIRT-S")) != n+1 || shown["MUG"] != n || shown["SHIRT-S"] != n+1 {
			t.Errorf("%d mugs, %d shirts, shown as %v", s.Stock("MUG"), s.Stock("SHIRT-S"), shown)
		}
	}
	s.Buy("a@example.com", true, fakeshop.Bought{SKU: "SHIRT-S", Quantity: 1}) // takes from one of the rows
	if shown := connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{small}))(t); len(shown) != 0 {
		t.Errorf("rows that differ are shown as %v", shown)
	}
}

// A web server that takes the key out of the header is another failure than a wrong key, and says what to do: the key goes in addresses
// then. One of several shops of an installation is named in every request.
func TestKeyInAddressesAndShopsOfOneInstallation(t *testing.T) {
	s := newShop(t)
	var wrong []string
	s.open(connectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Authorization")
		if r.URL.Query().Get("id_shop") != s.Settings["shopNumber"] {
			wrong = append(wrong, r.URL.Path)
		}
		s.ServeHTTP(w, r)
	})))
	_, err := s.session.Test(t.Context())
	if !connector.Is(err, connector.Unauthorized) || !strings.Contains(err.Error(), "keyInAddress") {
		t.Errorf("%v", err)
	}
	s.Settings["keyInAddress"], s.Settings["shopNumber"] = "true", "3"
	s.open(s.Kept["url"])
	if found := connectortest.Must(s.session.Test(t.Context()))(t); len(found.Missing) != 0 {
		t.Errorf("%+v", found)
	}
	for _, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{s.shirt(), mug()}))(t) {
		if r.State != connector.Live {
			t.Errorf("%+v", r)
		}
	}
	s.pull(t, time.Time{})
	s.Kept["webserviceKey"] = "ANOTHERKEYANOTHERKEYANOTHERKEY12"
	s.open(s.Kept["url"])
	if _, err := s.session.Test(t.Context()); !connector.Is(err, connector.Unauthorized) || strings.Contains(err.Error(), "keyInAddress") {
		t.Errorf("a wrong key: %v", err)
	}
	if len(wrong) > 0 {
		t.Errorf("without the shop's number: %v", wrong)
	}
}
