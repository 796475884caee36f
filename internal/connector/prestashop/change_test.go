package prestashop_test

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"slices"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop/fakeshop"
)

// A shop that knows no PATCH, and a key that may not use it, serve: what is changed is written whole, and all else of it stays.
func TestResourcesThatAreWrittenWhole(t *testing.T) {
	for name, is := range map[string]func(*fakeshop.Shop){"PrestaShop 1.7": func(s *fakeshop.Shop) { s.Old = true },
		"a key without PATCH": func(s *fakeshop.Shop) { s.Whole = true }} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			is(s.Shop)
			if found := connectortest.Must(s.session.Test(t.Context()))(t); len(found.Missing) != 0 {
				t.Error(found.Missing)
			}
			connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{s.shirt(), mug()}))(t)
			s.Set("MUG", "ean13", "4006381333931")
			s.Translate("MUG", "2", "Tasse & soucoupe")
			shirt, cup := s.shirt(), mug()
			cup.Name, cup.CompareAt = "Cup", nil
			items := map[string]connector.Item{}
			for _, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{shirt, cup}))(t) {
				if r.State != connector.Live {
					t.Fatalf("%+v", r)
				}
				items[r.SKU] = connector.Item{SKU: r.SKU, IDs: r.IDs}
			}
			before := s.Client.Calls()
			for _, r := range connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{{Item: items["MUG"], Quantity: 1},
				{Item: items["SHIRT-S"], Quantity: 2}}))(t) {
				if r.State != connector.Live {
					t.Errorf("%+v", r)
				}
			}
			if calls := s.Client.Calls() - before; calls != 3 { // what there is, those two rows, and the write
				t.Errorf("%d calls", calls)
			}
			for _, r := range connectortest.Must(s.session.SetPrices(t.Context(), []connector.PriceItem{{Item: items["MUG"], Price: 60000},
				{Item: items["SHIRT-S"], Price: 230000}}))(t) {
				if r.State != connector.Live {
					t.Errorf("%+v", r)
				}
			}
			if s.Stock("MUG") != 1 || s.Stock("SHIRT-S") != 2 || s.Stock("SHIRT-M") != 6 || s.Field("MUG", "price", "") != "6" ||
				s.Field("SHIRT-S", "price", "") != "3" || s.Field("SHIRT-M", "price", "") != "1.5" {
				t.Errorf("stock %d, %d, %d, prices %s, %s, %s", s.Stock("MUG"), s.Stock("SHIRT-S"), s.Stock("SHIRT-M"), s.Field("MUG", "price", ""),
					s.Field("SHIRT-S", "price", ""), s.Field("SHIRT-M", "price", ""))
			}
			if s.Field("MUG", "ean13", "") != "4006381333931" || s.Field("MUG", "name", "1") != "Cup" ||
				s.Field("MUG", "name", "2") != "Tasse & soucoupe" || s.Field("MUG", "active", "") != "1" {
				t.Errorf("%q, %q, %q", s.Field("MUG", "ean13", ""), s.Field("MUG", "name", "1"), s.Field("MUG", "name", "2"))
			}
			order := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
			s.Pass(time.Minute)
			parcel := connector.Parcel{Key: "1", Number: "JD1"}
			if err := s.session.PushShipment(t.Context(), connector.OrderRef{ExternalID: order}, parcel); err != nil {
				t.Error(err)
			}
			if _, tracking, _ := s.Order(order); tracking != "JD1" {
				t.Errorf("tracking %q", tracking)
			}
			gone := connector.StockItem{Item: connector.Item{SKU: "X", IDs: connector.IDs{Product: "4711"}}}
			if got := connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{gone}))(t); got[0].State != connector.Gone {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A key that may change nothing is refused with the reason.
func TestAKeyThatMayChangeNothing(t *testing.T) {
	s := newShop(t)
	made := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	s.Rights = map[string][]string{"stock_availables": {"GET"}}
	item := connector.StockItem{Item: connector.Item{SKU: "MUG", IDs: made[0].IDs}, Quantity: 2}
	if got, err := s.session.SetStock(t.Context(), []connector.StockItem{item}); !connector.Is(err, connector.Forbidden) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A shop that writes only the first row of a request, as something before it may have it, gets the others one by one.
func TestRowsThatAreNotWrittenTogether(t *testing.T) {
	s := newShop(t)
	s.open(connectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			body, _ := io.ReadAll(r.Body)
			kind := regexp.MustCompile(`<(product|combination|stock_available)>`).FindSubmatch(body)
			end := []byte("</" + string(kind[1]) + ">")
			first, _, _ := bytes.Cut(body, end)
			r.Body = io.NopCloser(bytes.NewReader(slices.Concat(first, end, []byte("</prestashop>"))))
			r.ContentLength = -1
		}
		s.ServeHTTP(w, r)
	})))
	items := map[string]connector.Item{}
	for _, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{s.shirt(), mug()}))(t) {
		if r.State != connector.Live {
			t.Fatalf("%+v", r)
		}
		items[r.SKU] = connector.Item{SKU: r.SKU, IDs: r.IDs}
	}
	if s.Field("MUG", "active", "") != "1" || s.Stock("MUG") != 9 || s.Stock("SHIRT-S") != 4 || s.Stock("SHIRT-M") != 6 {
		t.Errorf("on sale %q, stock %d, %d, %d", s.Field("MUG", "active", ""), s.Stock("MUG"), s.Stock("SHIRT-S"), s.Stock("SHIRT-M"))
	}
	connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{{Item: items["MUG"], Quantity: 1}, {Item: items["SHIRT-S"]}}))(t)
	connectortest.Must(s.session.SetPrices(t.Context(), []connector.PriceItem{{Item: items["MUG"], Price: 60000},
		{Item: items["SHIRT"], Price: 210000}}))(t)
	if s.Stock("MUG") != 1 || s.Stock("SHIRT-S") != 0 || s.Field("MUG", "price", "") != "6" || s.Field("SHIRT", "price", "") != "21" {
		t.Errorf("stock %d, %d, prices %s, %s", s.Stock("MUG"), s.Stock("SHIRT-S"), s.Field("MUG", "price", ""), s.Field("SHIRT", "price", ""))
	}
}

// What the merchant wrote about a product in the shop stays as long as nothing is written here.
func TestDescriptions(t *testing.T) {
	s := newShop(t)
	connectortest.Descriptions(t, s.session, mug(), func() string { return s.Field("MUG", "description", "1") })
}

// A product that was reduced before it got variants does not reduce these.
func TestReducedProductsThatGetVariants(t *testing.T) {
	s := newShop(t)
	p := mug()
	p.Known = connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)[0].IDs
	if price, before := s.Reduced("MUG"); price != "7.900000" || before != "9.900000" {
		t.Fatalf("%s, before %s", price, before)
	}
	p.CompareAt = nil
	p.Variants = []connector.Variant{{SKU: "MUG-L", Price: 110000, Attributes: []connector.Attribute{{Name: "Size", Value: "L"}}}}
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)
	if price, before := s.Reduced("MUG-L"); price != "11.000000" || before != "" {
		t.Errorf("the variant costs %s, before %q", price, before)
	}
}

// See connectortest.TradeNumbers.
func TestTradeNumbersAreNothingToChoose(t *testing.T) {
	s := newShop(t)
	connectortest.TradeNumbers(t, s.session)
	if groups, values := s.Count("product_options"), s.Count("product_option_values"); groups != 1 || values != 2 {
		t.Errorf("%d groups with %d values", groups, values)
	}
}
