package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCheckCertificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ends := time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"shop.example"}, NotBefore: ends.AddDate(0, -3, 0), NotAfter: ends}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		keyFile, public string
		now             time.Time
		verdict, words  string
	}{
		{keyFile, "https://shop.example", ends.AddDate(0, -1, 0), "ok", "ends on 1 May 2030"},
		{keyFile, "", ends.AddDate(0, -1, 0), "ok", "ends on 1 May 2030"},
		{keyFile, "https://other.example", ends.AddDate(0, -1, 0), "warning", "is not for other.example"},
		{keyFile, "https://shop.example", ends.AddDate(0, 0, -13), "warning", "check that its renewal runs"},
		{keyFile, "https://shop.example", ends, "error", "ended on 1 May 2030"},
		{certFile, "https://shop.example", ends.AddDate(0, -1, 0), "error", "belong together"},
	} {
		if got := checkCertificate(certFile, c.keyFile, c.public, c.now); got.Verdict != c.verdict || !strings.Contains(got.Message, c.words) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
