package woocommerce

import (
	"context"
	"mime"
	"regexp"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

const (
	signatureHeader = "X-WC-Webhook-Signature"
	topicHeader     = "X-WC-Webhook-Topic"
	deliveryHeader  = "X-WC-Webhook-Delivery-ID"
)

// Verify checks the base64 HMAC-SHA256 of the raw body (interface §5.3). Errors: Invalid.
func (*Connector) Verify(_ context.Context, ch connector.Channel, n connector.Notification) error {
	want := connector.Base64HMAC(ch.Credentials["webhookSecret"], n.Body)
	if !connector.Matches(connector.Only(n.Header, signatureHeader), want) {
		return connector.BadSignature(apperr.Invalid)
	}
	return nil
}

var pingBody = regexp.MustCompile(`^webhook_id=[0-9]{1,20}$`)

// Ping recognises the form that a shop sends when a webhook is enabled, and again after every delivery until it is
// answered 200. It has neither topic nor signature; a request with anything more is no ping.
func (*Connector) Ping(n connector.Notification) bool {
	kind, _, err := mime.ParseMediaType(n.Header.Get("Content-Type"))
	return err == nil && kind == "application/x-www-form-urlencoded" && pingBody.Match(n.Body) &&
		len(n.Header.Values(signatureHeader)) == 0 && len(n.Header.Values(topicHeader)) == 0
}
