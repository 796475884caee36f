package tiktokshop

import (
	"context"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

const signatureHeader = "Authorization"

// Verify checks the lower-case hex HMAC-SHA256 of app key and raw body, keyed with the app secret (interface §5.3).
// Errors: Unauthorized, on this platform alone.
func (*Connector) Verify(_ context.Context, ch connector.Channel, n connector.Notification) error {
	want := connector.HexHMAC(ch.Credentials["appSecret"], []byte(ch.Credentials["appKey"]), n.Body)
	if !connector.Matches(connector.Only(n.Header, signatureHeader), want) {
		return connector.BadSignature(apperr.Unauthorized)
	}
	return nil
}
