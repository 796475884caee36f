package ebay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

// Challenge answers the handshake by which eBay checks that the service owns the address (interface §4.5): the hex
// SHA-256 of code, verification token and address, in this order. The address must be exactly the one entered at eBay,
// so it is the channel's endpointUrl, else the one that the service shows; never the request's, which proxies change.
// Errors: Invalid.
func (*Connector) Challenge(ch connector.Channel, publicBase string, query url.Values) ([]byte, error) {
	code := query.Get("challenge_code")
	if code == "" {
		return nil, apperr.At("challenge_code", "is required")
	}
	token := ch.Value("verificationToken")
	if token == "" {
		return nil, apperr.New(apperr.Invalid, "no_verification_token", "the channel has no verificationToken to answer with")
	}
	address := ch.Value(connector.EndpointField)
	if address == "" && publicBase == "" {
		return nil, apperr.New(apperr.Invalid, "no_public_address", "the channel has no endpointUrl, and the service no public address")
	}
	if address == "" {
		address = strings.TrimRight(publicBase, "/") + "/api/v1/webhooks/platform/" + ch.ID + "/ebay"
	}
	sum := sha256.Sum256([]byte(code + token + address))
	return json.Marshal(map[string]string{"challengeResponse": hex.EncodeToString(sum[:])})
}
