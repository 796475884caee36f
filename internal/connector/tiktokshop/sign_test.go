package tiktokshop

import (
	"net/url"
	"testing"
)

func TestSign(t *testing.T) {
	const secret = "sek-0123456789"
	search := url.Values{
		"app_key": {"ak123456"}, "timestamp": {"1790000000"}, "shop_cipher": {"ROW_cipher01"},
		"page_size": {"50"}, "sort_field": {"update_time"}, "sort_order": {"ASC"},
	}
	signed := url.Values{"sign": {"x"}, "access_token": {"y"}}
	for name, values := range search {
		signed[name] = values
	}
	const window = `{"update_time_ge":1789990000,"update_time_lt":1789999880}`
	for _, c := range []struct {
		name, secret, path string
		query              url.Values
		body               string
		want               string
	}{
		{"the platform's own vector", "e59af819cc", "/authorization/202309/shops",
			url.Values{"app_key": {"29a39d"}, "timestamp": {"1623812664"}}, "",
			"b596b73e0cc6de07ac26f036364178ab16b0a907af13d43f0a0cd2345f582dc8"},
		{"post", secret, "/order/202309/orders/search", search, window,
			"b00905dbfbbc2336538b78a4d329476b29235e05e473fd9d50e29c15172c5f27"},
		{"sign and token left out", secret, "/order/202309/orders/search", signed, window,
			"b00905dbfbbc2336538b78a4d329476b29235e05e473fd9d50e29c15172c5f27"},
		{"multipart, body left out", secret, "/product/202309/images/upload",
			url.Values{"app_key": {"ak123456"}, "timestamp": {"1790000000"}}, "",
			"dd231514459e722d6b50d99d0a59ada27fda9a747f1b8e1490ec3a308741a635"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sign(c.secret, c.path, c.query, []byte(c.body)); got != c.want {
				t.Errorf("sign = %s, want %s", got, c.want)
			}
		})
	}
}
