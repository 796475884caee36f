// Package seal keeps secrets unreadable at rest: AES-256-GCM under a master key that is named by its id.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Key seals and opens. The zero value is unusable.
type Key struct {
	id   string
	aead cipher.AEAD
}

// ID names the key without telling it: nodes that share a store must have the same.
func (k Key) ID() string { return k.id }

// Parse reads a master key: 32 bytes in base64 or hex.
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
		panic(err) // the length is checked
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(append([]byte("entrepot master key id"), raw...))
	return Key{id: hex.EncodeToString(sum[:4]), aead: aead}
}

// Seal makes text unreadable: "<key id>.<base64 of nonce and cipher text>".
func (k Key) Seal(text string) string {
	nonce := make([]byte, k.aead.NonceSize())
	rand.Read(nonce)
	return k.id + "." + base64.RawStdEncoding.EncodeToString(k.aead.Seal(nonce, nonce, []byte(text), nil))
}

// Open reads what Seal made with the same key.
func (k Key) Open(sealed string) (string, error) {
	name, data, ok := strings.Cut(sealed, ".")
	if !ok || name != k.id {
		return "", fmt.Errorf("sealed with the master key %s, this node has %s", name, k.id)
	}
	raw, err := base64.RawStdEncoding.DecodeString(data)
	if err != nil || len(raw) < k.aead.NonceSize() {
		return "", errors.New("the sealed text is damaged")
	}
	n := k.aead.NonceSize()
	text, err := k.aead.Open(nil, raw[:n], raw[n:], nil)
	return string(text), err
}
