package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
)

// eBayKeyID is the key id under which the simulated marketplace publishes its public key.
const eBayKeyID = "9936261a-7d7b-4621-a0f1-96ccb428af49"

var eBayKey = sync.OnceValues(func() (*ecdsa.PrivateKey, error) {
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
})

// EBaySignature signs a body as the auction marketplace does: ECDSA over its SHA-1, in a base64 JSON header.
func EBaySignature(body []byte) (string, error) {
	key, err := eBayKey()
	if err != nil {
		return "", err
	}
	digest := sha1.Sum(body)
	signature, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		return "", err
	}
	header, err := json.Marshal(map[string]string{
		"alg": "ecdsa", "kid": eBayKeyID, "signature": base64.StdEncoding.EncodeToString(signature), "digest": "SHA1",
	})
	return base64.StdEncoding.EncodeToString(header), err
}

// NewPlatform starts a simulation of the platforms' own addresses. It issues tokens and publishes the auction
// marketplace's public key; everything else is 404, so that connection tests fail in a known way.
func NewPlatform() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /identity/v1/oauth2/token", func(w http.ResponseWriter, r *http.Request) {
		reply(w, map[string]any{"access_token": "token", "expires_in": 7200, "token_type": "Application Access Token"})
	})
	mux.HandleFunc("GET /commerce/notification/v1/public_key/{kid}", func(w http.ResponseWriter, r *http.Request) {
		key, err := eBayKey()
		if err != nil || r.PathValue("kid") != eBayKeyID {
			http.NotFound(w, r)
			return
		}
		der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		reply(w, map[string]any{"algorithm": "ECDSA", "digest": "SHA1", "key": fmt.Sprintf(
			"-----BEGIN PUBLIC KEY-----%s-----END PUBLIC KEY-----", base64.StdEncoding.EncodeToString(der))})
	})
	return httptest.NewServer(mux)
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
