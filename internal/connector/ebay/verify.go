package ebay

import (
	"context"
	"crypto/ecdsa"
	"crypto/sha1" //nolint:gosec // the digest eBay signs with
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

const (
	signatureHeader = "X-Ebay-Signature"
	maxSignature    = 4 << 10 // bytes of the header; a real one has about 300
)

// Verify checks the ECDSA signature of the raw body with the public key that the signature names (interface §5.3). The
// key comes from eBay, at most once an hour. Errors: Invalid for a bad signature; Unavailable when eBay did not return
// the key, so that eBay tries again.
//
// Every app's notifications are signed with eBay's own keys, so a valid signature means "from eBay", not "for this app".
func (c *Connector) Verify(ctx context.Context, ch connector.Channel, n connector.Notification) error {
	s, ok := parseSignature(connector.Only(n.Header, signatureHeader))
	if !ok {
		return connector.BadSignature(apperr.Invalid)
	}
	key, err := c.publicKey(ctx, ch, s.kid)
	if err != nil {
		return err
	}
	if !ecdsa.VerifyASN1(key.key, key.digest(n.Body), s.der) {
		return connector.BadSignature(apperr.Invalid)
	}
	return nil
}

// signature is the content of the header. The digest in it is not used: the key's own is.
type signature struct {
	kid string // id of the public key
	der []byte // ASN.1 signature
}

// keyID lets only a plain name into the address that is called with it. eBay's are UUIDs today, which nothing promises.
var keyID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,127}$`)

// parseSignature reads the header: base64 of {"alg":"ecdsa","kid","signature":<base64 of the signature>,"digest"}.
func parseSignature(header string) (s signature, ok bool) {
	// the decoder would skip them
	if header == "" || len(header) > maxSignature || strings.ContainsAny(header, "\r\n") {
		return s, false
	}
	text, err := base64.StdEncoding.Strict().DecodeString(header)
	if err != nil {
		return s, false
	}
	var fields struct{ Alg, Kid, Signature string }
	if json.Unmarshal(text, &fields) != nil || !strings.EqualFold(fields.Alg, "ecdsa") || !keyID.MatchString(fields.Kid) {
		return s, false
	}
	der, err := base64.StdEncoding.Strict().DecodeString(fields.Signature)
	return signature{kid: fields.Kid, der: der}, err == nil
}

// digests are the digests that eBay may name for a key; without a name it is SHA1.
var digests = map[string]func([]byte) []byte{
	"":       sha1Sum,
	"SHA1":   sha1Sum,
	"SHA256": sha256Sum,
}

func sha1Sum(b []byte) []byte   { s := sha1.Sum(b); return s[:] } //nolint:gosec // the digest eBay signs with
func sha256Sum(b []byte) []byte { s := sha256.Sum256(b); return s[:] }
