package connector

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"

	"entrepot/internal/base/apperr"
)

// Base64HMAC returns the base64 of the HMAC-SHA256 of the joined parts. An empty secret signs nothing: "".
func Base64HMAC(secret string, parts ...[]byte) string {
	return base64.StdEncoding.EncodeToString(mac(secret, parts))
}

// HexHMAC returns the lower-case hex of the HMAC-SHA256 of the joined parts. An empty secret signs nothing: "".
func HexHMAC(secret string, parts ...[]byte) string {
	return hex.EncodeToString(mac(secret, parts))
}

func mac(secret string, parts [][]byte) []byte {
	if secret == "" {
		return nil
	}
	h := hmac.New(sha256.New, []byte(secret))
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// Matches reports whether given is one of the wanted values. Its time does not depend on where they differ, and an
// empty value matches nothing. Encoded signatures are compared as text, so that no other spelling of the right one
// passes.
func Matches(given string, wanted ...string) bool {
	found := false
	for _, w := range wanted {
		if w != "" && hmac.Equal([]byte(given), []byte(w)) {
			found = true
		}
	}
	return found
}

// Only is the value of a header that occurs exactly once in the request, else "". A repeated signature is not
// accepted, because a proxy may have checked the other one.
func Only(h http.Header, name string) string {
	if values := h.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}

// BadSignature is the error for a notification without a valid signature; kind is apperr.Invalid or
// apperr.Unauthorized (interface §5.3). It does not say what was wrong.
func BadSignature(kind apperr.Kind) error {
	return apperr.New(kind, "invalid_signature", "the notification's signature is missing or wrong")
}
