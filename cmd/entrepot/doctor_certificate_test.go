package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writePair writes a certificate for a name, which is its own authority, and its key.
func writePair(t *testing.T, certFile, keyFile, name string, ends time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: ends.AddDate(0, -3, 0), NotAfter: ends}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheckCertificate(t *testing.T) {
	ends := time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	writePair(t, certFile, keyFile, "shop.example", ends)
	for _, c := range []struct {
		keyFile, public string
		now             time.Time
		verdict, words  string
	}{
		{keyFile, "https://shop.example", ends.AddDate(0, -1, 0), "warning", "certificates between it and the authority"},
		{keyFile, "https://other.example", ends.AddDate(0, -1, 0), "warning", "is not for other.example"},
		{keyFile, "https://shop.example", ends.AddDate(0, 0, -13), "warning", "check that its renewal runs"},
		{keyFile, "https://shop.example", ends, "error", "ended on 1 May 2030"},
		{keyFile, "https://shop.example", ends.AddDate(0, -4, 0), "error", "begins on 1 February 2030: this machine's clock"},
		{certFile, "https://shop.example", ends.AddDate(0, -1, 0), "error", "belong together"},
	} {
		if got := checkCertificate(certFile, c.keyFile, c.public, c.now); got.Verdict != c.verdict || !strings.Contains(got.Message, c.words) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// doctor says of each setting of TLS and of the log what is wrong and what to do; a wrong combination is refused.
func TestDoctorOfTLSAndLog(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		p.object("migrate")
		says := func(args ...string) (text string) {
			t.Helper()
			_, out, complaint := p.call(append([]string{"doctor", "--https", "", "--addr", "127.0.0.1:0"}, args...)...)
			return out + complaint
		}
		for words, args := range map[string][]string{
			"there is none for localhost yet":       {"--acme-domain", "localhost"},
			"localhost leads to":                    {"--acme-domain", "localhost"},
			"forward port 443 to it":                {"--acme-domain", "localhost"},
			"comes to port 80: forward it":          {"--acme-domain", "localhost", "--acme-http-addr", "127.0.0.1:0"},
			"looks at port 443 only":                {"--acme-domain", "localhost", "--acme-http-addr", "off"},
			"nothing.invalid does not resolve here": {"--acme-domain", "nothing.invalid"},
			"acme-ca must name a file":              {"--acme-domain", "localhost", "--acme-ca", "/nowhere"},
			"log-level is debug":                    {"--log-level", "debug"},
			"log-level is error":                    {"--log-level", "error"},
			"access-log is off":                     {"--access-log", "off"},
			"level info, a line for requests: 0.5":  {"--access-log", "0.5"},
			"exclude each other":                    {"--acme-domain", "localhost", "--tls-cert", "a", "--tls-key", "b"},
			`not "*.shop.example"`:                  {"--acme-domain", "*.shop.example"},
			`not "192.0.2.1"`:                       {"--acme-domain", "shop.example, 192.0.2.1"},
			"acme-directory must be":                {"--acme-domain", "localhost", "--acme-directory", "http://acme.example"},
			"acme-http-addr must be":                {"--acme-domain", "localhost", "--acme-http-addr", "none"},
			"acme-email":                            {"--acme-domain", "localhost", "--acme-email", "nobody"},
			"access-log must be":                    {"--access-log", "2"},
		} {
			if text := says(args...); !strings.Contains(text, words) {
				t.Errorf("%v: no %q in\n%s", args, words, text)
			}
		}
	})
}

// asProcess is the program as a process of its own.
func asProcess(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	process.Env = append(os.Environ(), fmt.Sprint(actVariable, "=1"))
	return process
}
