package shopify

import "testing"

// Only a domain of Shopify's own is called with the shop's token: nothing in the field makes another host of the address.
func TestShopDomain(t *testing.T) {
	for given, want := range map[string]string{
		"corner": "corner.myshopify.com", " Corner.MyShopify.com ": "corner.myshopify.com",
		"https://corner.myshopify.com/admin": "corner.myshopify.com",
		"":                                   "", "corner.example": "", "corner.myshopify.com.evil.example": "", "corner:80": "",
		"evil.example?.myshopify.com": "", "evil.example#.myshopify.com": "", `evil.example\.myshopify.com`: "",
		"corner@evil.example:443#.myshopify.com": "", "evil example.myshopify.com": "",
	} {
		if got := shopDomain(given); got != want {
			t.Errorf("%q: %q, not %q", given, got, want)
		}
	}
}
