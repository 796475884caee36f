package main

import (
	"crypto/x509"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// Certificates of public authorities are trusted where the system has no roots. The system's roots are read once a process, so a
// process of its own looks.
func TestRootsWithoutASystem(t *testing.T) {
	if os.Getenv("ENTREPOT_TEST_NO_ROOTS") == "" {
		again := exec.Command(os.Args[0], "-test.run", "^TestRootsWithoutASystem$")
		again.Env = append(os.Environ(), "ENTREPOT_TEST_NO_ROOTS=1", "SSL_CERT_FILE="+os.DevNull, "SSL_CERT_DIR="+t.TempDir())
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	for root := range bundle.Roots() {
		certificate, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := certificate.Verify(x509.VerifyOptions{KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err != nil {
			t.Errorf("%s: %v", certificate.Subject, err)
		}
		return // one is enough: all of them come from one bundle
	}
	t.Error("no roots")
}
