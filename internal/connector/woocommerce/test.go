package woocommerce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"entrepot/internal/connector"
)

// Test tests that the key may read and write: it reads orders, products and webhooks, and sends an empty batch of
// products, which the shop refuses for a key that may only read.
func (s *session) Test(ctx context.Context) (connector.Shop, error) {
	if s.base == "" {
		return connector.Shop{}, connector.Failf(connector.Rejected, "the channel names no shop")
	}
	shop := connector.Shop{URL: s.base}
	one := url.Values{"per_page": {"1"}, "_fields": {"id"}}
	if err := s.firstCall(ctx, one); err != nil {
		return shop, err
	}
	for _, probe := range []struct {
		right, method, path string
		query               url.Values
		body                any
	}{
		{"read products", http.MethodGet, "/products", one, nil},
		{"read webhooks", http.MethodGet, "/webhooks", one, nil},
		{"write", http.MethodPost, "/products/batch", nil, map[string]any{"update": []any{}}},
	} {
		_, err := s.call(connector.Repeatable(ctx), probe.method, "/wc/v3"+probe.path, probe.query, probe.body, nil)
		switch {
		case connector.Is(err, connector.Unauthorized, connector.Forbidden):
			shop.Missing = append(shop.Missing, probe.right)
		case err != nil && !connector.Is(err, connector.Rejected, connector.Missing): // it was not let in
			return shop, err
		}
	}
	s.describe(ctx, &shop)
	return shop, ctx.Err()
}

// firstCall reads orders, and finds out whether the shop has addresses of which WooCommerce reads keys.
func (s *session) firstCall(ctx context.Context, one url.Values) error {
	var list []any
	_, err := s.get(ctx, "/orders", one, &list)
	if (errors.Is(err, errNoREST) || errors.Is(err, connector.ErrElsewhere)) && s.plain(ctx) {
		return connector.Failf(connector.Rejected, "the shop has plain permalinks, with which WooCommerce reads no keys: choose another structure "+
			"in WordPress under Settings → Permalinks, and save")
	}
	if isCode(err, noRoute) {
		return connector.Failf(connector.Rejected, "the site is a WordPress without WooCommerce, or with its REST interface switched off")
	}
	return err
}

// plain reports whether the site's REST interface answers at the address of plain permalinks. The request has no key:
// WooCommerce reads keys only below wp-json/wc/.
func (s *session) plain(ctx context.Context) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/?rest_route=/wc/v3", nil)
	if err != nil {
		return false
	}
	found := false
	_, _ = s.link.Client.Call(r, func(answer *connector.Response) error {
		var is struct {
			Code      string `json:"code"`
			Namespace string `json:"namespace"`
		}
		found = connector.DecodeAnswer(answer, &is) == nil && is.Code+is.Namespace != ""
		return nil
	})
	return found
}

// describe sets what the shop reports about itself; if it does not, the test does not fail.
func (s *session) describe(ctx context.Context, shop *connector.Shop) {
	var status struct {
		Environment struct {
			Home    string `json:"home_url"`
			Version string `json:"version"`
		} `json:"environment"`
		Settings struct {
			Currency string `json:"currency"`
		} `json:"settings"`
	}
	if _, err := s.get(ctx, "/system_status", url.Values{"_fields": {"environment,settings"}}, &status); err == nil {
		shop.Version, shop.Currency = status.Environment.Version, status.Settings.Currency
		if strings.HasPrefix(status.Environment.Home, "http") {
			shop.URL = status.Environment.Home
		}
	}
	var index struct {
		Name     string   `json:"name"`
		Timezone string   `json:"timezone_string"`
		Offset   flexible `json:"gmt_offset"`
	}
	if _, err := s.call(ctx, http.MethodGet, "/", nil, nil, &index); err == nil {
		shop.Name, shop.Timezone = connector.Line(index.Name), index.Timezone
		if shop.Timezone == "" {
			shop.Timezone = offset(index.Offset)
		}
	}
	var taxed struct {
		Value flexible `json:"value"`
	}
	if _, err := s.get(ctx, "/settings/tax/woocommerce_prices_include_tax", nil, &taxed); err == nil && taxed.Value != "" {
		include := taxed.Value == "yes"
		shop.PricesIncludeTax = &include
	}
}

// offset is the offset of a site that has no time zone, in hours such as 5.5, as "+05:30"; "" if it says none.
func offset(hours flexible) string {
	h, err := strconv.ParseFloat(string(hours), 64)
	if err != nil || math.Abs(h) > 24 {
		return ""
	}
	sign, minutes := '+', int(math.Round(h*60))
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	return fmt.Sprintf("%c%02d:%02d", sign, minutes/60, minutes%60)
}
