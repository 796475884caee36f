package ebay_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/ebay"
	"entrepot/internal/connector/ebay/fakeshop"
)

// account is a fake account that answers, and the service that calls it.
type account struct {
	*fakeshop.Account
	*connectortest.Host
	session connector.Session
	refuses string // a request that contains this is refused as a whole
	lacks   string // a gateway does not let requests to this path through
}

// ServeHTTP is the account, or what refuses a request before it.
func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if a.refuses != "" && strings.Contains(string(body), a.refuses) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"errors":[{"errorId":25709,"message":"Invalid value for field title."}]}`)
		return
	}
	if a.lacks != "" && r.URL.Path == a.lacks {
		http.NotFound(w, r)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	a.Account.ServeHTTP(w, r)
}

func newAccount(t *testing.T) *account {
	t.Helper()
	a := &account{Account: fakeshop.New()}
	a.Host = connectortest.NewHost(nil, connector.Credentials{"baseUrl": connectortest.Serve(t, a), "clientId": fakeshop.ClientID,
		"clientSecret": fakeshop.ClientSecret, "refreshToken": fakeshop.RefreshToken, "marketplaceId": "EBAY_DE",
		"verificationToken": strings.Repeat("v", 32)})
	a.Now = a.Clock
	a.session = a.Open(ebay.New(http.DefaultClient, a.Now))
	return a
}

func shirt() connector.Product {
	return connector.Product{ID: "p1", SKU: "SHIRT", Name: "Shirt", OnSale: true, Price: 200000,
		Images: []connector.Image{{ID: "i1", URL: "https://pictures.example/1.png"}},
		Variants: []connector.Variant{
			{SKU: "SHIRT-S", Price: 200000, Attributes: []connector.Attribute{{Name: "Size", Value: "S"}}, Quantity: 4},
			{SKU: "SHIRT-M", Price: 215000, Attributes: []connector.Attribute{{Name: "Size", Value: "M"}}, Quantity: 6},
		}}
}

func mug() connector.Product {
	return connector.Product{ID: "p2", SKU: "MUG", Name: "Mug", OnSale: true, Price: 79000, Quantity: 9,
		Images: []connector.Image{{ID: "i2", URL: "https://pictures.example/2.png"}}}
}

func TestAccountIsTestedAndTokensRenewed(t *testing.T) {
	a := newAccount(t)
	shop := connectortest.Must(a.session.Test(t.Context()))(t)
	if shop.Name != "fake-seller" || shop.Currency != "EUR" || len(shop.Missing) != 0 {
		t.Errorf("%+v", shop)
	}
	a.Expire()
	connectortest.Must(a.session.Test(t.Context()))(t)
	if a.Renewals != 2 {
		t.Errorf("renewed %d times", a.Renewals)
	}
	a.Expire()
	a.Kept["refreshToken"] = "revoked"
	if _, err := a.session.Test(t.Context()); !connector.Is(err, connector.Unauthorized) {
		t.Errorf("%v", err)
	}
}

// Several channels of one seller have tokens of their own: one that asks for a new one ends no other.
func TestChannelsOfOneSellerHaveTheirTokens(t *testing.T) {
	first := newAccount(t)
	connectortest.Must(first.session.Test(t.Context()))(t)
	own := maps.Clone(first.Kept)
	delete(own, connector.TokenField)
	second := connectortest.NewHost(nil, own)
	connectortest.Must(second.Open(ebay.New(http.DefaultClient, first.Now)).Test(t.Context()))(t)
	connectortest.Must(first.session.Test(t.Context()))(t)
	if first.Renewals != 1 || second.Renewals != 1 {
		t.Errorf("renewed %d and %d times", first.Renewals, second.Renewals)
	}
}

// Topics are subscribed to once. They are taken away without asking eBay to look at the address again.
func TestSubscriptionsAreMadeOnce(t *testing.T) {
	a := newAccount(t)
	target := connector.WebhookTarget{URL: "https://entrepot.example/ebay"}
	for range 2 {
		on := connectortest.Must(a.session.EnsureWebhooks(t.Context(), target))(t)
		if topics, places := a.Subscriptions(); len(on) != 3 || topics != 3 || places != 1 {
			t.Errorf("%d on, %d topics, %d destinations", len(on), topics, places)
		}
	}
	a.MarkDown()
	connectortest.Must(a.session.EnsureWebhooks(t.Context(), target))(t)
	if _, places := a.Subscriptions(); places != 1 {
		t.Errorf("%d destinations work", places)
	}
	a.MarkDown()
	a.Faults.Challenge = true // which nobody answers any more
	for range 2 {
		if err := a.session.RemoveWebhooks(t.Context(), target); err != nil {
			t.Fatal(err)
		}
	}
	if topics, places := a.Subscriptions(); topics != 0 || places != 0 {
		t.Errorf("%d topics, %d destinations are left", topics, places)
	}
}

// An application has one subscription to a topic: when the service's address changes, it moves along. That of another channel stays there.
func TestSubscriptionsMove(t *testing.T) {
	a := newAccount(t)
	const path = "/api/v1/webhooks/platform/channel/ebay"
	for _, base := range []string{"https://old.example", "https://new.example"} {
		if on := connectortest.Must(a.session.EnsureWebhooks(t.Context(), connector.WebhookTarget{URL: base + path}))(t); len(on) != 3 {
			t.Errorf("%s: %v", base, on)
		}
		for _, line := range a.Notified() {
			if !strings.HasSuffix(line, base+path) {
				t.Error(line)
			}
		}
	}
	a.Channel = "other"
	second := a.Open(ebay.New(http.DefaultClient, a.Now))
	other := connector.WebhookTarget{URL: "https://new.example/api/v1/webhooks/platform/other/ebay"}
	if on := connectortest.Must(second.EnsureWebhooks(t.Context(), other))(t); len(on) != 0 || len(a.Notified()) != 3 {
		t.Errorf("%v, %v", on, a.Notified())
	}
}

// eBay sends nothing before it knows whom to tell that notifications do not arrive.
func TestAlerts(t *testing.T) {
	a := newAccount(t)
	a.Faults.NoAlerts = true
	target := connector.WebhookTarget{URL: "https://entrepot.example/ebay"}
	_, err := a.session.EnsureWebhooks(t.Context(), target)
	if !connector.Is(err, connector.Rejected) || !strings.Contains(err.Error(), "alertEmail") {
		t.Errorf("%v", err)
	}
	a.Settings["alertEmail"] = "ops@example.com"
	if on := connectortest.Must(a.session.EnsureWebhooks(t.Context(), target))(t); len(on) != 3 {
		t.Errorf("%v", on)
	}
}

func TestListings(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{"a good day": {}, "answers are lost": {LoseAnswer: 3}, "broken": {Broken: 31},
		"parts fail": {Partial: 11}, "what is missing is a bad request": {Missing400: true}} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			a.Faults = faults
			var results []connector.Result
			for range 30 { // as the frame does: again later
				var err error
				results, err = a.session.Upsert(t.Context(), []connector.Product{shirt(), mug()})
				if err == nil && !slices.ContainsFunc(results, func(r connector.Result) bool { return r.State != connector.Live }) {
					break
				}
				a.Pass(time.Minute)
			}
			a.Faults = fakeshop.Faults{Missing400: faults.Missing400}
			small, n, listing := a.Offer("SHIRT-S")
			_, _, other := a.Offer("SHIRT-M")
			if small != "20.00" || n != 4 || listing == "" || listing != other {
				t.Errorf("%s × %d, listings %q and %q: %+v", small, n, listing, other, results)
			}
			if !strings.Contains(results[0].URL, "www.ebay.de/itm/"+listing) {
				t.Errorf("%+v", results[0])
			}
			ids := map[string]connector.IDs{}
			for _, r := range results {
				ids[r.SKU] = r.IDs
			}
			item := func(sku string) connector.Item { return connector.Item{SKU: sku, IDs: ids[sku]} }
			got := connectortest.Must(a.session.SetStock(t.Context(),
				[]connector.StockItem{{Item: item("SHIRT-S")}, {Item: item("MUG"), Quantity: 3}, {Item: connector.Item{SKU: "GONE"}}}))(t)
			if got[2].State != connector.Gone || got[0].State != connector.Live {
				t.Errorf("%+v", got)
			}
			if shown := connectortest.Must(a.session.ReadStock(t.Context(),
				[]connector.Item{item("SHIRT-S"), item("MUG"), {SKU: "GONE"}}))(t); shown["MUG"] != 3 || len(shown) != 2 {
				t.Errorf("%v", shown)
			}
			connectortest.Must(a.session.SetPrices(t.Context(), []connector.PriceItem{{Item: item("MUG"), Price: 81000}}))(t)
			if price, n, _ := a.Offer("MUG"); price != "8.10" || n != 3 {
				t.Errorf("%s × %d", price, n)
			}
			foreign := mug()
			foreign.SKU = "SHIRT-M"
			if r := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{foreign}))(t); r[0].State != connector.Failed {
				t.Errorf("%+v", r)
			}
			all := []connector.Item{item("MUG"), item("SHIRT"), item("SHIRT-S"), item("SHIRT-M")}
			for _, remove := range []bool{false, false, true, true} {
				for _, r := range connectortest.Must(a.session.Unpublish(t.Context(), all, remove))(t) {
					if r.State != connector.Gone {
						t.Errorf("%+v", r)
					}
				}
				for _, sku := range []string{"MUG", "SHIRT-S", "SHIRT-M"} {
					if price, _, listing := a.Offer(sku); listing != "" || remove && price != "" {
						t.Errorf("%s is still on sale, or there", sku)
					}
				}
			}
			if n := a.Groups(); n != 0 {
				t.Errorf("%d groups of variants are left", n)
			}
		})
	}
}
