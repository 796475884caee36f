package secretbox_test

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"entrepot/internal/base/secretbox"
)

var place = secretbox.Place{Tenant: 7, Table: "channels", Column: "credentials", ID: "c1"}

func key(t *testing.T, pair string) secretbox.Key {
	t.Helper()
	k, err := secretbox.Parse(strings.Repeat(pair, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A secret opens with its key in its place, and nowhere else.
func TestSecretsAreBoundToTheirPlace(t *testing.T) {
	k, other := key(t, "5e"), key(t, "a1")
	for _, text := range []string{"", "s", strings.Repeat("secret ", 1000)} {
		encrypted := k.Encrypt(text, place)
		if got, err := k.Decrypt(encrypted, place); err != nil || got != text {
			t.Errorf("%q, %v", got, err)
		}
		if len(text) > 3 && strings.Contains(encrypted, text) || encrypted == k.Encrypt(text, place) || secretbox.KeyOf(encrypted) != k.ID() {
			t.Errorf("%.80s", encrypted)
		}
		if _, err := other.Decrypt(encrypted, place); err == nil || !strings.Contains(err.Error(), k.ID()) {
			t.Errorf("another key: %v", err)
		}
		for _, elsewhere := range []secretbox.Place{{8, "channels", "credentials", "c1"}, {7, "endpoints", "credentials", "c1"},
			{7, "channels", "secret", "c1"},
			{7, "channels", "credentials", "c2"}, {7, "channels", "credentialsc", "1"}, {}} {
			if got, err := k.Decrypt(encrypted, elsewhere); err == nil {
				t.Errorf("opens as %v: %q", elsewhere, got)
			}
		}
		for i := range min(len(encrypted), 80) {
			changed := []byte(encrypted)
			changed[i] ^= 1
			if got, err := k.Decrypt(string(changed), place); err == nil {
				t.Errorf("byte %d changed: %q", i, got)
			}
		}
		if _, err := k.Decrypt(strings.TrimPrefix(encrypted, "2."), place); err == nil {
			t.Error("opens without being bound")
		}
	}
	for _, bad := range []string{"", ".", "2.", "2." + k.ID(), k.ID() + ".", k.Prefix() + "AAAA", k.Prefix() + "%%%", "{}"} {
		if _, err := k.Decrypt(bad, place); err == nil {
			t.Errorf("%q opens", bad)
		}
	}
}

// Secrets from before they were bound to a place are still read.
func TestUnboundSecretsAreRead(t *testing.T) {
	raw, _ := hex.DecodeString(strings.Repeat("5e", 32))
	block, _ := aes.NewCipher(raw)
	aead, _ := cipher.NewGCM(block)
	nonce := make([]byte, aead.NonceSize())
	k := key(t, "5e")
	old := k.ID() + "." + base64.RawStdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte("whsec_old"), nil))
	if got, err := k.Decrypt(old, place); err != nil || got != "whsec_old" || secretbox.KeyOf(old) != k.ID() {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := k.Decrypt("2."+old, place); err == nil {
		t.Error("an unbound secret passes as a bound one")
	}
}

// A signature is of one text, for one place, by one key, and the same each time.
func TestSignaturesAreOfOneText(t *testing.T) {
	k, other := key(t, "5e"), key(t, "a1")
	elsewhere := place
	elsewhere.Tenant++
	signature := k.Sign("1767322800", place)
	if len(signature) != 43 || !k.Signed("1767322800", place, signature) {
		t.Errorf("%q", signature)
	}
	for what, wrong := range map[string]bool{"text": k.Signed("1767322801", place, signature), "place": k.Signed("1767322800", elsewhere, signature),
		"key": other.Signed("1767322800", place, signature), "cut": k.Signed("1767322800", place, signature[1:]), "none": k.Signed("1767322800", place, "")} {
		if wrong {
			t.Errorf("another %s is signed too", what)
		}
	}
}
