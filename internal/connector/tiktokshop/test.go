package tiktokshop

import (
	"context"
	"net/http"
	"net/url"

	"entrepot/internal/connector"
)

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
