package amazon

import (
	"context"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

const (
	secretHeader    = "X-Relay-Secret"
	signatureHeader = "X-Relay-Signature"
)

// Verify checks that the merchant's relay sent the notification, because Amazon signs nothing (interface §5.3). If the
// channel has a relaySecret, X-Relay-Secret must contain it, and if there is an X-Relay-Signature, it must be the hex
// HMAC-SHA256 of the raw body. Without a relaySecret everything is accepted. Errors: Invalid.
func (*Connector) Verify(_ context.Context, ch connector.Channel, n connector.Notification) error {
	secret := ch.Credentials["relaySecret"]
	if secret == "" {
		return nil
	}
	right := connector.Matches(connector.Only(n.Header, secretHeader), secret)
	if len(n.Header.Values(signatureHeader)) > 0 {
		right = connector.Matches(connector.Only(n.Header, signatureHeader), connector.HexHMAC(secret, n.Body)) && right
	}
	if !right {
		return connector.BadSignature(apperr.Invalid)
	}
	return nil
}
