package prestashop

import (
	"context"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

const (
	defaultSignatureHeader = "X-PrestaShop-Signature"
	deliveryHeader         = "X-PrestaShop-Delivery"
)

// Verify checks the hex HMAC-SHA256 of the raw body (interface §5.3) in the header the channel names. Modules differ:
// the hex may be of either case and may follow "sha256=". Errors: Invalid.
func (*Connector) Verify(_ context.Context, ch connector.Channel, n connector.Notification) error {
	header := ch.Value("signatureHeader")
	if header == "" {
		header = defaultSignatureHeader
	}
	given := strings.TrimPrefix(strings.ToLower(connector.Only(n.Header, header)), "sha256=")
	want := connector.HexHMAC(ch.Credentials["webhookSecret"], n.Body)
	if !connector.Matches(given, want) {
		return connector.BadSignature(apperr.Invalid)
	}
	return nil
}
