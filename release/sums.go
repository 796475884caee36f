package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// keyVariable names the variable with the private key that signs a release: Ed25519, PKCS #8, PEM.
const keyVariable = "ENTREPOT_RELEASE_KEY"

// writeSums writes SHA256SUMS over everything published, and its detached signature if there is a key.
func (r *release) writeSums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), e.Name())
	}
	path := filepath.Join(r.out, "SHA256SUMS")
	if err := os.WriteFile(path, []byte(sums.String()), 0o644); err != nil {
		return err
	}
	key := os.Getenv(keyVariable)
	if key == "" {
		fmt.Println("  SHA256SUMS is not signed:", keyVariable, "is not set")
		return nil
	}
	signature, err := sign([]byte(key), []byte(sums.String()))
	if err != nil {
		return fmt.Errorf("%s: %w", keyVariable, err)
	}
	return os.WriteFile(path+".sig", signature, 0o644)
}

// sign is the signature of a text. The errors say nothing of the key.
func sign(key, text []byte) ([]byte, error) {
	block, _ := pem.Decode(key)
	if block == nil {
		return nil, errors.New("must be a private key in PEM, as openssl genpkey -algorithm ed25519 writes it")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	private, is := parsed.(ed25519.PrivateKey)
	if err != nil || !is {
		return nil, errors.New("must be an Ed25519 key without a password")
	}
	return ed25519.Sign(private, text), nil
}
