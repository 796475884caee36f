package webhooks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

// secretPrefix starts every signing secret.
const secretPrefix = "whsec_"

// NewSecret makes a signing secret: "whsec_" and 32 random bytes in base64 (interface §5.2).
func NewSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw)
	return secretPrefix + base64.StdEncoding.EncodeToString(raw)
}

// Secret is a signing secret in the two forms that are used as keys.
type Secret struct {
	text []byte // as shown, for X-Webhook-Signature
	raw  []byte // its base64 part decoded, for Standard Webhooks
}

// ParseSecret parses a secret made by NewSecret.
func ParseSecret(text string) (Secret, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, secretPrefix))
	if err != nil || !strings.HasPrefix(text, secretPrefix) {
		return Secret{}, errors.New("not a signing secret")
	}
	return Secret{[]byte(text), raw}, nil
}

// Sign is X-Webhook-Signature: lower-case hex HMAC-SHA256 of the body.
func (s Secret) Sign(body []byte) string {
	mac := hmac.New(sha256.New, s.text)
	mac.Write(body)
	var sum [sha256.Size]byte
	return hex.EncodeToString(mac.Sum(sum[:0]))
}

// SignStandard is one value of webhook-signature (Standard Webhooks): over the event's id, the attempt's time in Unix
// seconds and the body.
func (s Secret) SignStandard(event, seconds string, body []byte) string {
	mac := hmac.New(sha256.New, s.raw)
	mac.Write([]byte(event + "." + seconds + "."))
	mac.Write(body)
	var sum [sha256.Size]byte
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(sum[:0]))
}
