package woocommerce

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// consumer is a shop's REST API key.
type consumer struct{ key, secret string }

// sign returns the address with a one-legged OAuth 1.0a signature in its query. Shops on plain http accept nothing
// else; over https the key is sent by Basic authentication. The shop refuses a time that is off by more than 15
// minutes and a nonce that it has seen. The body is not signed.
func (c consumer) sign(method, address, nonce string, at time.Time) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("sign %s: %w", method, err)
	}
	query := u.Query()
	query.Set("oauth_consumer_key", c.key)
	query.Set("oauth_nonce", nonce)
	query.Set("oauth_signature_method", "HMAC-SHA256")
	query.Set("oauth_timestamp", strconv.FormatInt(at.Unix(), 10))

	parameters := encode(query)
	u.RawQuery = ""
	base := method + "&" + escape(u.String()) + "&" + escape(parameters)
	signature := connector.Base64HMAC(c.secret+"&", []byte(base)) // no token, so nothing follows the "&"
	u.RawQuery = parameters + "&oauth_signature=" + escape(signature)
	return u.String(), nil
}

// encode writes a query sorted by encoded name, then by encoded value.
func encode(query url.Values) string {
	var pairs []string
	for name, values := range query {
		for _, v := range values {
			pairs = append(pairs, escape(name)+"="+escape(v))
		}
	}
	slices.SortFunc(pairs, func(a, b string) int {
		aName, aValue, _ := strings.Cut(a, "=")
		bName, bValue, _ := strings.Cut(b, "=")
		if aName != bName {
			return strings.Compare(aName, bName)
		}
		return strings.Compare(aValue, bValue)
	})
	return strings.Join(pairs, "&")
}

// escape percent-encodes all but letters, digits and "-._~" (RFC 3986).
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
