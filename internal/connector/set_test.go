package connector_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/connector/all"
)

func connectors(t *testing.T) *connector.Set {
	t.Helper()
	set, err := all.Connectors(http.DefaultClient, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestSet(t *testing.T) {
	set := connectors(t)
	platforms := []string{channels.Custom}
	for _, c := range set.All() {
		platforms = append(platforms, c.Profile().Platform)
	}
	if !slices.Equal(slices.Sorted(slices.Values(platforms)), slices.Sorted(slices.Values(channels.Platforms))) {
		t.Errorf("connectors of %v, channels may be of %v", platforms, channels.Platforms)
	}
	for segment, platform := range map[string]string{
		"woocommerce": "WOOCOMMERCE", "WooCommerce": "WOOCOMMERCE", "woo": "WOOCOMMERCE", "WOO": "WOOCOMMERCE",
		"shopify": "SHOPIFY", "prestashop": "PRESTASHOP", "PrestaShop": "PRESTASHOP", "amazon": "AMAZON", "eBay": "EBAY",
		"tiktok-shop": "TIKTOK_SHOP", "TikTok-Shop": "TIKTOK_SHOP", "tiktok": "TIKTOK_SHOP", "tiktok_shop": "TIKTOK_SHOP",
		"tiktokshop": "TIKTOK_SHOP",
	} {
		c, ok := set.BySegment(segment)
		if !ok || c.Profile().Platform != platform {
			t.Errorf("%s leads to %v", segment, c)
		}
		if same, ok := set.ByPlatform(platform); !ok || same != c {
			t.Errorf("%s leads to another connector than %s", platform, segment)
		}
	}
	for _, segment := range []string{"", "custom", "CUSTOM", "woo-commerce", " ebay", "ebay/challenge", "TIKTOK SHOP"} {
		if c, ok := set.BySegment(segment); ok {
			t.Errorf("%q leads to %T", segment, c)
		}
	}
	for _, platform := range []string{"", "CUSTOM", "ebay", "TIKTOK"} {
		if c, ok := set.ByPlatform(platform); ok {
			t.Errorf("the platform %q leads to %T", platform, c)
		}
	}
}

// named is a connector of any name.
type named struct {
	connector.Connector
	profile connector.Profile
}

func (n named) Profile() connector.Profile { return n.profile }

func TestSetRefusesTwins(t *testing.T) {
	ours := named{profile: connector.Profile{Slug: "a", Aliases: []string{"b"}, Platform: "A"}}
	for name, twin := range map[string]connector.Profile{
		"platform":      {Slug: "c", Platform: "A"},
		"slug":          {Slug: "a", Platform: "C"},
		"slug is alias": {Slug: "b", Platform: "C"},
		"alias":         {Slug: "c", Aliases: []string{"b"}, Platform: "C"},
	} {
		if _, err := connector.NewSet(ours, named{profile: twin}); err == nil {
			t.Errorf("the same %s twice passes", name)
		}
	}
}

// Only WooCommerce sends unsigned pings.
func TestIsPing(t *testing.T) {
	ping := connector.Notification{
		Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		Body:   []byte("webhook_id=1"),
	}
	for _, c := range connectors(t).All() {
		if got, slug := connector.IsPing(c, ping), c.Profile().Slug; got != (slug == "woocommerce") {
			t.Errorf("%s: IsPing = %v", slug, got)
		}
	}
}
