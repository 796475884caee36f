package shopify

import (
	"context"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

const (
	signatureHeader = "X-Shopify-Hmac-SHA256"
	topicHeader     = "X-Shopify-Topic"
	deliveryHeader  = "X-Shopify-Webhook-Id"
	shopHeader      = "X-Shopify-Shop-Domain"
)

// Verify checks the base64 HMAC-SHA256 of the raw body (interface §5.3). For up to an hour after a rotation of the
// client secret the platform signs with the previous one, so both are accepted. Errors: Invalid.
func (*Connector) Verify(_ context.Context, ch connector.Channel, n connector.Notification) error {
	given := connector.Only(n.Header, signatureHeader)
	now := connector.Base64HMAC(ch.Credentials["webhookSecret"], n.Body)
	before := connector.Base64HMAC(ch.Credentials["previousWebhookSecret"], n.Body)
	if !connector.Matches(given, now, before) {
		return connector.BadSignature(apperr.Invalid)
	}
	return nil
}
