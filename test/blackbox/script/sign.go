package script

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"entrepot/test/blackbox/harness"
)

// sign computes a platform's signature over the body as sent (interface §5.3) and returns the header for it:
//
//	@sign: woocommerce SECRET
//	@sign: shopify SECRET
//	@sign: prestashop SECRET [Header-Name]
//	@sign: tiktok APPKEY APPSECRET
//	@sign: ebay
func (r *run) sign(rest string, body []byte) (name, value string, err error) {
	words := strings.Fields(rest)
	kind, words := words[0], append(words[1:], "", "", "")
	switch kind {
	case "woocommerce":
		return "X-WC-Webhook-Signature", base64.StdEncoding.EncodeToString(mac(words[0], body)), nil
	case "shopify":
		return "X-Shopify-Hmac-SHA256", base64.StdEncoding.EncodeToString(mac(words[0], body)), nil
	case "prestashop":
		header := words[1]
		if header == "" {
			header = "X-PrestaShop-Signature"
		}
		return header, hex.EncodeToString(mac(words[0], body)), nil
	case "tiktok":
		return "Authorization", hex.EncodeToString(mac(words[1], append([]byte(words[0]), body...))), nil
	case "ebay":
		header, err := harness.EBaySignature(body)
		return "X-EBAY-SIGNATURE", header, err
	}
	return "", "", fmt.Errorf("@sign: no such kind: %s", kind)
}

func mac(key string, text []byte) []byte {
	h := hmac.New(sha256.New, []byte(key))
	h.Write(text)
	return h.Sum(nil)
}
