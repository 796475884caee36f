package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
)

// certificate is the certificate of the server's own TLS. It is read again after its files have changed, so that a
// renewal needs no restart.
type certificate struct {
	certFile, keyFile string // PEM: the certificate with those above it, and its key
	log               *slog.Logger
	now               func() time.Time

	mu      sync.Mutex
	current *tls.Certificate
	state   string    // of the files when they were last read
	checked time.Time // when the state was last compared
}

// checkCertificate is the least time between two comparisons of the files.
const checkCertificate = time.Second

// openCertificate reads a certificate and its key, which must fit each other.
func openCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log, now: time.Now}
	if err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// get is the certificate for a handshake. Files that cannot be used leave the one before in use: a renewal replaces
// two files, one after the other.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.checked) >= checkCertificate {
		c.checked = now
		if state := c.stateOfFiles(); state != c.state {
			if err := c.read(); err != nil {
				c.log.Error("the changed certificate cannot be used, the one before stays in use", "error", err)
			}
		}
	}
	return c.current, nil
}

// reload reads the files again, changed or not, and returns the certificate's end.
func (c *certificate) reload() (ends time.Time, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err = c.read()
	return c.current.Leaf.NotAfter, err
}

// ends is the end of the certificate in use.
func (c *certificate) ends() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current.Leaf.NotAfter
}

// read replaces the certificate by that of the files. State comes first: a change while they are read is noticed later.
func (c *certificate) read() error {
	c.state = c.stateOfFiles()
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("the certificate %s with the key %s: %w", c.certFile, c.keyFile, err)
	}
	c.current = &pair
	if ends := pair.Leaf.NotAfter; ends.Before(c.now()) {
		c.log.Warn("the certificate has expired", "file", c.certFile, "ended", ends)
	} else {
		c.log.Info("certificate", "file", c.certFile, "names", pair.Leaf.DNSNames, "ends", ends)
	}
	return nil
}

// stateOfFiles differs after one of the files has changed; links, as Kubernetes and certbot use them, are followed.
func (c *certificate) stateOfFiles() (state string) {
	for _, path := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(path)
		if err != nil {
			state += err.Error()
			continue
		}
		state += fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size(), "\n")
	}
	return state
}

// tlsOf is the server's TLS configuration, nil without a certificate. Of the two other results one is set: where the
// certificate comes from.
func tlsOf(c Config) (config *tls.Config, files *certificate, ordered *issued, err error) {
	config = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	switch {
	case len(c.ACME.Domains) > 0 && c.TLSCert+c.TLSKey != "":
		return nil, nil, nil, errors.New("tls-cert and acme-domain exclude each other: give a certificate, or have one ordered")
	case len(c.ACME.Domains) > 0:
		if ordered, err = openIssued(c.ACME, c.Log); err == nil {
			config.GetCertificate, config.NextProtos = ordered.get, append(config.NextProtos, acme.ALPNProto)
		}
		return config, nil, ordered, err
	case c.TLSCert == "" && c.TLSKey == "":
		return nil, nil, nil, nil
	case c.TLSCert == "" || c.TLSKey == "":
		return nil, nil, nil, errors.New("TLS needs both the certificate and its key")
	}
	if files, err = openCertificate(c.TLSCert, c.TLSKey, c.Log); err == nil {
		config.GetCertificate = files.get
	}
	return config, files, nil, err
}
