package tiktokshop

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// sign returns the "sign" parameter of an API request: the HMAC-SHA256 of path, sorted parameters and body between two
// copies of the app secret, keyed with that secret, in lower-case hex. Path is without host and trailing slash; body is
// the very bytes to be sent, nil for multipart, which the platform leaves out. A parameter's first value counts.
func sign(appSecret, path string, query url.Values, body []byte) string {
	var text strings.Builder
	text.WriteString(appSecret + path)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if name != "sign" && name != "access_token" {
			text.WriteString(name + query.Get(name))
		}
	}
	return connector.HexHMAC(appSecret, []byte(text.String()), body, []byte(appSecret))
}
