// Package secretbox encrypts stored secrets: AES-256-GCM under a master key that is identified by its id.
//
//	Key    the master key; encrypts and decrypts, and signs links
//	Place  the record and column of a secret: a value that is copied elsewhere cannot be decrypted
//
// file.go keeps the key in the data folder of a SQLite store, replace.go replaces it.
package secretbox

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Key encrypts and decrypts. The zero value is unusable.
type Key struct {
	id   string
	aead cipher.AEAD
	mac  [sha256.Size]byte // signs links
}

// ID identifies the key without revealing it: nodes that share a store must have the same.
func (k Key) ID() string { return k.id }

// Parse parses a master key: 32 bytes in base64 or hex.
func Parse(text string) (Key, error) {
	text = strings.TrimSpace(text)
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != 32 {
		raw, err = hex.DecodeString(text)
	}
	if err != nil || len(raw) != 32 {
		return Key{}, errors.New("the master key must be 32 bytes in base64 or hex (make one with: openssl rand -base64 32)")
	}
	return fromRaw(raw), nil
}

func fromRaw(raw []byte) Key {
	block, err := aes.NewCipher(raw)
	if err != nil {
		panic(err) // the length was checked
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(append([]byte("entrepot master key id"), raw...))
	return Key{id: hex.EncodeToString(sum[:4]), aead: aead, mac: sha256.Sum256(append([]byte("entrepot links"), raw...))}
}

// Place is the record and column of a secret. It is authenticated with the secret, which cannot be decrypted
// elsewhere: a value that is copied to another row, or to another account's, is refused.
type Place struct {
	Tenant            int64
	Table, Column, ID string
}

// bytes encodes a place so that no two places have the same bytes.
func (p Place) bytes() []byte {
	text := strconv.FormatInt(p.Tenant, 10)
	for _, part := range []string{p.Table, p.Column, p.ID} {
		text += " " + strconv.Itoa(len(part)) + ":" + part
	}
	return []byte(text)
}

// bound begins values that are bound to their place: "2.<key id>.<base64 of nonce and cipher text>". Older ones lack
// it and can be decrypted anywhere; a change of the master key binds them.
const bound = "2."

// Encrypt encrypts text and binds it to its place.
func (k Key) Encrypt(text string, place Place) string {
	nonce := make([]byte, k.aead.NonceSize())
	rand.Read(nonce)
	return k.Prefix() + base64.RawStdEncoding.EncodeToString(k.aead.Seal(nonce, nonce, []byte(text), place.bytes()))
}

// Prefix begins everything that Encrypt makes with this key.
func (k Key) Prefix() string { return bound + k.id + "." }

// KeyOf is the id of the master key of an encrypted value, "" for any other text.
func KeyOf(encrypted string) string {
	name, _, ok := strings.Cut(strings.TrimPrefix(encrypted, bound), ".")
	if _, err := hex.DecodeString(name); !ok || err != nil || len(name) != 8 {
		return ""
	}
	return name
}

// Decrypt returns the text that Encrypt encrypted with the same key for the same place. It fails for another key's
// text, for a damaged one, and for one that belongs to another place.
func (k Key) Decrypt(encrypted string, place Place) (string, error) {
	rest, isBound := strings.CutPrefix(encrypted, bound)
	name, data, ok := strings.Cut(rest, ".")
	if !ok || name != k.id {
		return "", fmt.Errorf("encrypted with the master key %s, this node has %s", KeyOf(encrypted), k.id)
	}
	raw, err := base64.RawStdEncoding.Strict().DecodeString(data)
	if err != nil || len(raw) < k.aead.NonceSize() {
		return "", errors.New("the encrypted text is damaged")
	}
	var with []byte
	if isBound {
		with = place.bytes()
	}
	n := k.aead.NonceSize()
	text, err := k.aead.Open(nil, raw[:n], raw[n:], with)
	if err != nil {
		return "", errors.New("the encrypted text is damaged, or belongs to another record")
	}
	return string(text), nil
}

// Sign is a signature of a text for its place, of 43 letters, digits, dashes and underscores. Another key, text or place gives
// another one.
func (k Key) Sign(text string, place Place) string {
	mac := hmac.New(sha256.New, k.mac[:])
	mac.Write(place.bytes())
	mac.Write([]byte(" " + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Signed reports whether a signature is that of the text for its place.
func (k Key) Signed(text string, place Place, signature string) bool {
	return hmac.Equal([]byte(signature), []byte(k.Sign(text, place)))
}
