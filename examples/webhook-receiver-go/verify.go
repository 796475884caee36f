package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how far the attempt's timestamp may be from this machine's clock, either way.
const tolerance = 5 * time.Minute

var (
	errSignature = errors.New("signature does not match")
	errStale     = errors.New("timestamp is missing or too far from now")
)

// verify checks both signatures of an attempt over the raw body (interface §5.2). The first covers the body; the
// second also covers the event's id and the time of the attempt, so that a recorded attempt cannot be replayed later.
func verify(secret string, header http.Header, body []byte, now time.Time) error {
	hexMAC := hex.EncodeToString(sum([]byte(secret), body))
	if !hmac.Equal([]byte(header.Get("X-Webhook-Signature")), []byte(hexMAC)) {
		return errSignature
	}

	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return errors.New("the secret must be whsec_ followed by base64")
	}
	id, sent := header.Get("webhook-id"), header.Get("webhook-timestamp")
	want := "v1," + base64.StdEncoding.EncodeToString(sum(key, []byte(id+"."+sent+"."), body))
	if !anyEqual(strings.Fields(header.Get("webhook-signature")), want) {
		return errSignature
	}

	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return errStale
	}
	return nil
}

// anyEqual reports whether one of the candidates is want, comparing each in constant time.
func anyEqual(candidates []string, want string) bool {
	for _, c := range candidates {
		if hmac.Equal([]byte(c), []byte(want)) {
			return true
		}
	}
	return false
}

// sum is HMAC-SHA256 over the parts, one after the other.
func sum(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		mac.Write(p)
	}
	return mac.Sum(nil)
}
