package dashboard

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	amazonshop "entrepot/internal/connector/amazon/fakeshop"
	ebayshop "entrepot/internal/connector/ebay/fakeshop"
	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
	tiktokshop "entrepot/internal/connector/tiktokshop/fakeshop"
)

// platformForm is what is typed to connect a platform: address is the input for the address of its fake, secret the
// input that is wrong at first. By hand is part of the text in which the channel's page says what remains to be done
// on the platform.
type platformForm struct {
	platform, address, secret, byHand string
	fields                            map[string]string
	shop                              http.Handler
}

func platformForms() []platformForm {
	return []platformForm{
		{"PRESTASHOP", "url", "webserviceKey", "Install a module", map[string]string{"webserviceKey": prestashop.Key}, prestashop.New()},
		{"SHOPIFY", "baseUrl", "accessToken", "", map[string]string{"shop": "fake.myshopify.com", "accessToken": shopifyshop.Token,
			"webhookSecret": shopifyshop.WebhookSecret}, shopifyshop.New()},
		{"EBAY", "baseUrl", "refreshToken", "marketplace account deletion", map[string]string{"clientId": ebayshop.ClientID,
			"clientSecret": ebayshop.ClientSecret, "refreshToken": ebayshop.RefreshToken, "marketplaceId": "EBAY_DE",
			"verificationToken": strings.Repeat("v", 32)}, ebayshop.New()},
		{"TIKTOK_SHOP", "baseUrl", "appSecret", "In Partner Center", map[string]string{"appKey": tiktokshop.AppKey,
			"appSecret": tiktokshop.AppSecret, "accessToken": tiktokshop.AccessToken, "refreshToken": tiktokshop.RefreshToken,
			"shopCipher": tiktokshop.Cipher}, tiktokshop.New()},
		{"AMAZON", "baseUrl", "refreshToken", "A relay of yours", map[string]string{"sellerId": amazonshop.SellerID,
			"marketplaceId": amazonshop.MarketplaceID, "clientId": amazonshop.ClientID, "clientSecret": amazonshop.ClientSecret,
			"refreshToken": amazonshop.RefreshToken}, amazonshop.New()},
	}
}

// Each of the platforms beside WooCommerce is connected in the browser: what is missing is said beside its input, wrong credentials are
// refused by the platform, right ones connect, and the channel's page says what is left to do on the platform, and with which address.
func TestStoryOfEachPlatform(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.open("/channels/new")
	for _, p := range platformForms() {
		b.open("/channels/new")
		b.click(`a.btn[href$="platform=` + p.platform + `"]`)
		b.act("document.querySelector('main details')", "el.open = true")
		input := func(name string) string { return `[name="credentials.` + name + `"]` }
		server := httptest.NewServer(p.shop)
		b.fill("[name=name]", "Our "+p.platform)
		b.fill(input(p.address), "not an address")
		b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('main form').noValidate = true")) // the service checks, too
		b.press("Create and test")
		b.until("document.activeElement.getAttribute('aria-invalid') === 'true'")
		b.fill(input(p.address), server.URL)
		for name, value := range p.fields {
			if name == p.secret {
				value = "wrong"
			}
			b.fill(input(name), value)
		}
		b.press("Create and test")
		b.shows("Created Our " + p.platform + ". The connection does not work")
		b.fill(input(p.secret), p.fields[p.secret])
		b.press("Save and test")
		b.until("document.querySelector('.callout[data-tone=good]')?.innerText.includes('Saved. ')")
		b.shows("Active")
		page := b.text()
		if !strings.Contains(page, p.byHand) || p.byHand != "" && !strings.Contains(page, s.url+"/api/v1/webhooks/platform/") {
			t.Errorf("%s: what is left to do is not on the page: %.900s", p.platform, page)
		}
		at := eval[string](b, "document.querySelector('dl.pairs a[href^=http]')?.getAttribute('href') ?? ''")
		channel := s.shopper(t).call("GET", "/channels/"+eval[string](b, "location.pathname.split('/channels/')[1].split('/')[0]"), nil)
		if at == "" || channel["address"] != at {
			t.Errorf("%s: the page links to %q, the channel's address is %v", p.platform, at, channel["address"])
		}
		if !eval[bool](b, "[...document.querySelectorAll('main input[type=password]')].every(input => !input.value)") {
			t.Errorf("%s: the page shows a credential", p.platform)
		}
		server.Close()
	}
}

// The form of a platform says which credentials can be left out, and which replace each other.
func TestFormOfAPlatformSaysWhatIsNeeded(t *testing.T) {
	s := newSite(t, "sqlite")
	page := s.as(s.owner).get("/channels/new?platform=SHOPIFY")
	has(t, page, "begins with shpat_. Without it: Client id and Client secret", "Secret of that app. In place of Access token",
		"Base URL (optional)", "Previous webhook secret (optional)")
	for _, words := range []string{"Access token (optional)", "Client secret (optional)", "Shop (optional)"} {
		if strings.Contains(page.words(), words) {
			t.Errorf("it says %q", words)
		}
	}
}
