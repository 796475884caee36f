package platforms

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// What a buyer entered beside an order comes with it: texts of a line, except those of apps, and the message of a gift.
func TestWhatBuyersEnter(t *testing.T) {
	presta, shopify := prestashop.New(), shopifyshop.New()
	o := open(t, story.Shop{Platform: "SHOPIFY", Credentials: map[string]any{"shop": "fake.myshopify.com", "accessToken": shopifyshop.Token}},
		shopify)
	id := shopify.Place(shopifyshop.Wish{Lines: []shopifyshop.Bought{{SKU: "MUG", Quantity: 1, Cents: 790, Engraving: "Für Ada"}}})
	if got, err := o.PullOrder(t.Context(), id); err != nil || fmt.Sprint(got.Lines[0].Options) != "map[Engraving:Für Ada]" {
		t.Errorf("%+v, %v", got.Lines, err)
	}
	o = open(t, story.Shop{Platform: "PRESTASHOP", Credentials: map[string]any{"webserviceKey": prestashop.Key}}, presta)
	id = presta.Place(prestashop.Wish{Email: "ada@shop.example", Gift: "Get well soon"})
	if got, err := o.PullOrder(t.Context(), id); err != nil || got.Note != "Gift message: Get well soon" {
		t.Errorf("%+v, %v", got, err)
	}
}

// The way of shipping that a buyer chose comes with the order of every platform, by the name that the platform has for it.
func TestTheChosenWayOfShipping(t *testing.T) {
	names := map[string]string{"EBAY": "DE_DHLPaket", "AMAZON": "STANDARD"}
	for _, shop := range shops() {
		o := open(t, shop, shop.Handler)
		id := shop.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: "MUG", Quantity: 1, Cents: 790}}})
		got, err := o.PullOrder(t.Context(), id)
		if want := cmp.Or(names[shop.Platform], "Express & safe"); err != nil || got.Payment["shippingMethod"] != want {
			t.Errorf("%s: %v, %v, want %s", shop.Platform, got.Payment, err, want)
		}
	}
}

// A shop that no longer has what showed parcels shows them as it can: tracking numbers are notes again.
func TestWooTrackingThatIsSwitchedOff(t *testing.T) {
	inner := wooshop.New("ck_test", "cs_test")
	shop := story.Shop{Platform: "WOOCOMMERCE", Handler: inner, Clock: func(now func() time.Time) { inner.Now = now },
		Credentials: map[string]any{"consumerKey": "ck_test", "consumerSecret": "cs_test"}}
	o := open(t, shop, inner)
	inner.AddProduct("MUG", "Mug", "10", 9)
	for i, fulfillments := range []bool{true, false} {
		inner.Habits.Fulfillments = fulfillments
		id := inner.Place(wooshop.Wish{SKUs: map[string]int64{"MUG": 1}})
		if err := o.pushShipped(t, o.parcelOf(t, fmt.Sprint(id), fmt.Sprint("JD", i))); err != nil {
			t.Fatal(err)
		}
		if got := inner.Orders()[id]; got.Status != "completed" || (got.Parcels == 1) != fulfillments || (len(got.Notes) == 1) == fulfillments {
			t.Errorf("%+v", got)
		}
	}
}

// Behind a gateway that lets no refunds through, an order has the sums that it names itself.
func TestWooThatGivesNoRefunds(t *testing.T) {
	inner := wooshop.New("ck_test", "cs_test")
	shop := story.Shop{Platform: "WOOCOMMERCE", Clock: func(now func() time.Time) { inner.Now = now },
		Credentials: map[string]any{"consumerKey": "ck_test", "consumerSecret": "cs_test"}}
	o := open(t, shop, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/refunds") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"code":"rest_no_route","message":"No route was found.","data":{"status":404}}`))
			return
		}
		inner.ServeHTTP(w, r)
	}))
	inner.AddProduct("MUG", "Mug", "10", 9)
	id := inner.Place(wooshop.Wish{SKUs: map[string]int64{"MUG": 2}})
	inner.Refund(id, 1, "broken")
	got, err := o.PullOrder(t.Context(), fmt.Sprint(id))
	if err != nil {
		t.Fatal(err)
	}
	if err = o.Session.(connector.Detailer).Detail(t.Context(), &got); err != nil || len(got.Refunds) != 1 || got.Refunds[0].Amount == 0 ||
		got.Refunds[0].ExternalID == "" || got.Refunds[0].Reason != "broken" {
		t.Errorf("%+v, %v", got.Refunds, err)
	}
}

// A shop that takes notes and parcels but gives no list of them, as behind a firewall with rules, gets them all the same.
func TestWooThatGivesNoLists(t *testing.T) {
	for _, fulfillments := range []bool{false, true} {
		inner := wooshop.New("ck_test", "cs_test")
		inner.Habits.Fulfillments = fulfillments
		shop := story.Shop{Platform: "WOOCOMMERCE", Clock: func(now func() time.Time) { inner.Now = now },
			Credentials: map[string]any{"consumerKey": "ck_test", "consumerSecret": "cs_test"}}
		o := open(t, shop, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && (strings.HasSuffix(r.URL.Path, "/notes") || strings.HasSuffix(r.URL.Path, "/fulfillments")) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write([]byte(`{"code":"rest_no_route","message":"No route was found.","data":{"status":404}}`))
				return
			}
			inner.ServeHTTP(w, r)
		}))
		if fulfillments {
			o.Facts["tracking"] = "fulfillment"
		}
		inner.AddProduct("MUG", "Mug", "10", 9)
		id := inner.Place(wooshop.Wish{SKUs: map[string]int64{"MUG": 1}})
		if err := o.pushShipped(t, o.parcelOf(t, fmt.Sprint(id), "JD1")); err != nil {
			t.Fatal(err)
		}
		if got := inner.Orders()[id]; got.Status != "completed" || (got.Parcels == 1) != fulfillments || (len(got.Notes) == 1) == fulfillments {
			t.Errorf("%+v", got)
		}
	}
}

// Calls that platforms have and channels can do without may be missing, as behind a gateway that lets only some through: products go on
// sale, and stock is set.
func TestCallsThatChannelsCanDoWithout(t *testing.T) {
	parts := map[string]string{"EBAY": "/bulk_get_inventory_item /commerce/taxonomy/", "AMAZON": "identifiers=",
		"TIKTOK_SHOP": "/inventory/search"}
	for _, shop := range shops() {
		if parts[shop.Platform] == "" {
			continue
		}
		asked := map[string]bool{}
		o := open(t, shop, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for part := range strings.FieldsSeq(parts[shop.Platform]) {
				if strings.Contains(r.URL.String(), part) {
					asked[part] = true
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusNotFound)
					_, _ = w.Write([]byte(`{"code":36009009,"errors":[{"code":"NotFound","errorId":2002,"message":"Not found"}],"message":"Not found"}`))
					return
				}
			}
			shop.Handler.ServeHTTP(w, r)
		}))
		sold := o.publish(t)
		for _, item := range sold {
			results, err := o.SetStock(t.Context(), []connector.StockItem{{Item: item, Quantity: 3}})
			gone := func(r connector.Result) bool { return r.State == connector.Failed || r.State == connector.Gone }
			if err != nil || slices.ContainsFunc(results, gone) {
				t.Errorf("%s: %+v, %v", shop.Platform, results, err)
			}
		}
		if stands, _ := shop.Stands(); len(sold) != 3 || !stands["MUG"].OnSale || !stands["SHIRT-M"].OnSale {
			t.Errorf("%s: %+v", shop.Platform, stands)
		}
		if len(asked) != len(strings.Fields(parts[shop.Platform])) {
			t.Errorf("%s: %v were asked for", shop.Platform, asked)
		}
	}
}
