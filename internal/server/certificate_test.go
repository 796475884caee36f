package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entrepot/internal/server"
)

// writeCertificate writes a new certificate with a serial number; key "" leaves the key's file as it is.
func writeCertificate(t *testing.T, serial int64, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if file == "" {
			continue
		}
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The service speaks TLS and HTTP/2 by itself, serves a renewed certificate without a restart, and the one before while the files do
// not fit each other.
func TestOwnTLS(t *testing.T) {
	folder, said := t.TempDir(), &log{}
	certFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	writeCertificate(t, 1, certFile, keyFile)
	c := config(said)
	c.Dir, c.TLSCert, c.TLSKey = t.TempDir(), certFile, keyFile
	s, stop := start(t, c)
	if !strings.HasPrefix(s.URL(), "https://") {
		t.Errorf("URL: %s", s.URL())
	}
	ask := func() (serial int64, proto string) {
		t.Helper()
		transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		defer transport.CloseIdleConnections()
		answer, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Get(s.URL() + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != 200 {
			t.Errorf("%d %v", answer.StatusCode, err)
		}
		return answer.TLS.PeerCertificates[0].SerialNumber.Int64(), answer.Proto
	}
	await := func(what string, until func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !until(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: not after a minute\n%s", what, said)
			}
		}
	}
	if serial, proto := ask(); serial != 1 || proto != "HTTP/2.0" {
		t.Errorf("certificate %d over %s", serial, proto)
	}
	writeCertificate(t, 2, certFile, "") // its key is not there yet
	await("a key that does not fit", func() bool {
		if serial, _ := ask(); serial != 1 {
			t.Fatalf("certificate %d", serial)
		}
		return strings.Contains(said.String(), "stays in use")
	})
	writeCertificate(t, 3, certFile, keyFile)
	await("a renewal", func() bool { serial, _ := ask(); return serial == 3 })
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	if serial, _ := ask(); serial != 3 {
		t.Errorf("certificate %d", serial)
	}
	plain, err := http.Get("http://" + s.Address() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	plain.Body.Close()
	if plain.StatusCode != 400 {
		t.Errorf("without TLS: %d", plain.StatusCode)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, err := server.Listen(c); err == nil || !strings.Contains(err.Error(), "key.pem") {
		t.Errorf("without its key: %v", err)
	}
}
