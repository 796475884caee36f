package tiktokshop

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// Capabilities says what TikTok Shop can do. It documents no limits: five requests a second for each shop were
// accepted in tests.
func (*Connector) Capabilities() connector.Capabilities {
	return connector.Capabilities{Products: true, Stock: true, Prices: true, Orders: true, Webhooks: true, Async: true, Watched: true,
		PartialShipments: true, Tracking: true,
		Statuses: []connector.Status{orders.Shipped, orders.Cancelled},
		Batch:    connector.Batch{Products: 24, Stock: 250, Prices: 250, Orders: byID},
		Limits:   []connector.Limit{{Every: time.Second / 5, Burst: 10, AtOnce: 4}, {Name: connector.PictureLimit, AtOnce: 4}},
		Time:     connector.Timing{Overlap: 10 * time.Minute, Tail: tail, Poll: time.Minute},
	}
}

// market is what goes with a shop's region.
type market struct {
	currency string
	net      bool // prices are without tax
	parcels  bool // a part of an order can be shipped without splitting its package first
	pounds   bool // weights and lengths in pounds and inches
	second   bool // the second version of categories
}

func (m market) weight() string { return either(m.pounds, "POUND", "KILOGRAM") }

func (m market) length() string { return either(m.pounds, "INCH", "CENTIMETER") }

func (m market) categories() string { return either(m.second, "v2", "v1") }

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

var markets = map[string]market{
	"US": {currency: "USD", net: true, parcels: true, pounds: true, second: true},
	"GB": {currency: "GBP", parcels: true}, "DE": {currency: "EUR", parcels: true}, "FR": {currency: "EUR", parcels: true},
	"IT": {currency: "EUR", parcels: true}, "ES": {currency: "EUR", parcels: true}, "IE": {currency: "EUR", parcels: true},
	"JP": {currency: "JPY", parcels: true}, "MX": {currency: "MXN"}, "BR": {currency: "BRL"},
	"ID": {currency: "IDR", second: true}, "MY": {currency: "MYR", second: true}, "PH": {currency: "PHP", second: true},
	"SG": {currency: "SGD", second: true}, "TH": {currency: "THB", second: true}, "VN": {currency: "VND", second: true},
}

// shop is a shop that the seller's authorisation covers.
type shop struct {
	ID     connector.ID `json:"id"`
	Cipher string       `json:"cipher"`
	Name   string       `json:"name"`
	Region string       `json:"region"`
}

// own finds the channel's shop among those of the authorisation; nil when it is not there.
func (s *session) own(ctx context.Context) (*shop, error) {
	var out struct {
		Shops []shop `json:"shops"`
	}
	if _, err := s.call(ctx, request{method: http.MethodGet, path: "/authorization/202309/shops", account: true}, &out); err != nil {
		return nil, err
	}
	for _, one := range out.Shops {
		if one.Cipher == s.link.Channel.Credentials["shopCipher"] {
			s.region = strings.ToUpper(one.Region)
			return &one, nil
		}
	}
	return nil, nil
}

// market is that of the shop's region.
func (s *session) market(ctx context.Context) (market, error) {
	if s.region == "" {
		if _, err := s.own(ctx); err != nil {
			return market{}, err
		}
	}
	return markets[s.region], nil
}

// Test tests what the authorisation covers: the shop, its orders, its products and a warehouse to sell from.
func (s *session) Test(ctx context.Context) (connector.Shop, error) {
	mine, err := s.own(ctx)
	if err != nil {
		return connector.Shop{}, err
	}
	if mine == nil {
		return connector.Shop{Missing: []string{"the seller's authorisation does not cover the shop with this cipher"}}, nil
	}
	known := markets[s.region]
	gross := !known.net
	out := connector.Shop{Name: mine.Name, Account: string(mine.ID), URL: "https://seller.tiktokshop.com/", Version: "202309",
		Currency: known.currency, PricesIncludeTax: &gross}
	if id := s.link.Channel.Value("shopId"); id != "" && id != string(mine.ID) {
		out.Missing = append(out.Missing, "the shop with this cipher has the id "+string(mine.ID)+", not "+id)
	}
	for _, probe := range []struct {
		right   string
		try     func() error
		without string // what is not known without it; "" if the channel does not work then
	}{
		{"logistics", func() error { _, err := s.salesWarehouse(ctx); return err }, ""},
		{"orders", func() error { return s.probe(ctx, "/order/202309/orders/search") }, ""},
		{"products", func() error { return s.probe(ctx, "/product/202502/products/search") }, ""},
		{"returns", func() error { return s.probe(ctx, "/return_refund/202309/returns/search") }, "cancellations and refunds"},
	} {
		switch f := connector.FailureOf(probe.try()); {
		case f == nil:
		case probe.without != "" && connector.Is(f, connector.Forbidden, connector.Missing):
			out.Lacking = append(out.Lacking, "the app lacks the scope for "+probe.right+", without which "+probe.without+" are not known")
		case f.Kind == connector.Forbidden:
			out.Missing = append(out.Missing, "the app lacks the scope for "+probe.right+": "+f.Error())
		case f.Kind == connector.Rejected:
			out.Missing = append(out.Missing, f.Error())
		default:
			return connector.Shop{}, f
		}
	}
	return out, nil
}

// probe reads the smallest page of a list, which for returns is ten, only to see whether the app may read it.
func (s *session) probe(ctx context.Context, path string) error {
	_, err := s.call(connector.Repeatable(ctx),
		request{method: http.MethodPost, path: path, query: url.Values{"page_size": {"10"}}, body: fields{}}, nil)
	return err
}

// salesWarehouse is the warehouse whose stock the service sets: that of the setting warehouseId, else the default one
// for sales.
func (s *session) salesWarehouse(ctx context.Context) (string, error) {
	if s.warehouse == "" {
		s.warehouse = s.link.Channel.Value("warehouseId")
	}
	if s.warehouse != "" {
		return s.warehouse, nil
	}
	there, err := s.warehouses(ctx)
	if err != nil {
		return "", err
	}
	for _, w := range there {
		if w.Type == forSales && w.Status != "DISABLED" && (s.warehouse == "" || w.Default) {
			s.warehouse = string(w.ID)
		}
	}
	if s.warehouse == "" {
		return "", connector.Failf(connector.Rejected, "the shop has no warehouse to sell from")
	}
	return s.warehouse, nil
}

// warehouse is one of the shop's warehouses.
type warehouse struct {
	ID      connector.ID `json:"id"`
	Status  string       `json:"effect_status"`
	Type    string       `json:"type"`
	Default bool         `json:"is_default"`
}

// forSales is the type of a warehouse from which orders are shipped.
const forSales = "SALES_WAREHOUSE"

// warehouses lists the shop's own warehouses. Those of TikTok, from which it ships for the shop, are not among them.
func (s *session) warehouses(ctx context.Context) ([]warehouse, error) {
	if s.listed == nil {
		var out struct {
			Warehouses []warehouse `json:"warehouses"`
		}
		if _, err := s.call(ctx, request{method: http.MethodGet, path: "/logistics/202309/warehouses"}, &out); err != nil {
			return nil, err
		}
		s.listed = append([]warehouse{}, out.Warehouses...)
	}
	return s.listed, nil
}

// wanted are the topics to register.
var wanted = []string{"ORDER_STATUS_CHANGE", "CANCELLATION_STATUS_CHANGE", "RETURN_STATUS_CHANGE", "PACKAGE_UPDATE",
	"RECIPIENT_ADDRESS_UPDATE", "PRODUCT_STATUS_CHANGE", "SELLER_DEAUTHORIZATION", "UPCOMING_AUTHORIZATION_EXPIRATION"}

const webhooksPath = "/event/202309/webhooks"

// registered are the addresses for notifications, by topic: a topic has one.
func (s *session) registered(ctx context.Context) (map[string]string, error) {
	var out struct {
		Webhooks []struct {
			Topic   string `json:"event_type"`
			Address string `json:"address"`
		} `json:"webhooks"`
	}
	if _, err := s.call(ctx, request{method: http.MethodGet, path: webhooksPath}, &out); err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, w := range out.Webhooks {
		found[w.Topic] = w.Address
	}
	return found, nil
}

// EnsureWebhooks registers all topics for the target. An app may not have every topic; one that is refused is left out.
func (s *session) EnsureWebhooks(ctx context.Context, target connector.WebhookTarget) ([]connector.Webhook, error) {
	there, err := s.registered(ctx)
	if err != nil {
		return nil, err
	}
	var on []connector.Webhook
	var refused error
	for _, topic := range wanted {
		if there[topic] != target.URL {
			_, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPut, path: webhooksPath,
				body: fields{"event_type": topic, "address": target.URL}}, nil)
			if connector.Is(err, connector.Rejected) || connector.Is(err, connector.Forbidden) {
				refused = err
				continue
			}
			if err != nil {
				return on, err
			}
		}
		on = append(on, connector.Webhook{Topic: topic, Status: "active"})
	}
	if len(on) == 0 {
		return nil, refused
	}
	return on, nil
}

// RemoveWebhooks removes the topics registered for the target.
func (s *session) RemoveWebhooks(ctx context.Context, target connector.WebhookTarget) error {
	there, err := s.registered(ctx)
	if err != nil {
		return err
	}
	for topic, address := range there {
		if address != target.URL {
			continue
		}
		if _, err := s.call(connector.Repeatable(ctx), request{method: http.MethodDelete, path: webhooksPath,
			body: fields{"event_type": topic}}, nil); err != nil {
			return err
		}
	}
	return nil
}
