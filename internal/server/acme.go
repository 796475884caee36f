package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"

	"entrepot/internal/base/secretbox"
	"entrepot/internal/certificates"
	"entrepot/internal/db"
)

// ACME says how the server's certificates are ordered from an authority such as Let's Encrypt (RFC 8555). The zero
// value: not at all.
type ACME struct {
	Domains   []string // lower case; a connection that names none of them gets the certificate of the first
	Email     string   // to which the authority may write, "" for none
	Directory string   // the authority's address
	CAFile    string   // PEM of the certificates that the authority's own TLS is checked with; "": those of the system
	HTTPAddr  string   // listens for HTTP-01 challenges and redirects everything else to https; "": TLS-ALPN-01 only
}

const (
	orderTime       = 2 * time.Minute  // for one order; then other nodes may try
	orderPause      = 30 * time.Minute // after a failed order: Let's Encrypt counts five failures an hour
	lookCertificate = time.Minute      // the longest time after which a node uses what another one has renewed
	lookFirst       = 2 * time.Second  // the same while a domain has no certificate
)

// issued keeps the certificates that an authority issues. The store holds them, so that all nodes use the same and one
// of them orders at a time: package autocert, of the same module as the client, would order on every node.
type issued struct {
	ACME
	log   *slog.Logger
	roots *x509.CertPool         // of CAFile, nil for the system's
	store atomic.Pointer[Store]  // nil while the service starts
	again chan struct{}          // ends a pause after a failure
	until map[string]time.Time   // of a domain: when a failure that was logged may be logged again
	bare  func() tls.Certificate // served while there is no other

	mu   sync.RWMutex
	held map[string]*tls.Certificate // by domain
}

// openIssued checks the settings; nothing is ordered before run.
func openIssued(c ACME, log *slog.Logger) (*issued, error) {
	i := &issued{ACME: c, log: log, again: make(chan struct{}, 1), held: map[string]*tls.Certificate{}, until: map[string]time.Time{},
		bare: sync.OnceValue(selfSigned)}
	if c.CAFile != "" {
		text, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("acme-ca: %w", err)
		}
		i.roots = x509.NewCertPool()
		if !i.roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("acme-ca: %s holds no certificate in PEM", c.CAFile)
		}
	}
	return i, nil
}

// get is the certificate for a handshake. While a domain has none, a self-signed one encrypts the connection: programs
// and people refuse it, health checks do not.
func (i *issued) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	domain := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
		return i.challenged(hello.Context(), domain)
	}
	if !slices.Contains(i.Domains, domain) {
		domain = i.Domains[0]
	}
	if pair := i.heldFor(domain); pair != nil {
		return pair, nil
	}
	bare := i.bare()
	return &bare, nil
}

func (i *issued) heldFor(domain string) *tls.Certificate {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.held[domain]
}

// challenged is the certificate that answers a TLS-ALPN-01 challenge, also one of another node.
func (i *issued) challenged(ctx context.Context, domain string) (*tls.Certificate, error) {
	if !slices.Contains(i.Domains, domain) {
		return nil, fmt.Errorf("a challenge for %q, which is no domain of this service", domain)
	}
	text, err := i.secret(ctx, certificates.Challenge, tlsALPN+" "+domain)
	if err != nil {
		return nil, err
	}
	if text == "" {
		return nil, fmt.Errorf("a challenge for %s, whose certificate is not being ordered", domain)
	}
	pair, err := tls.X509KeyPair([]byte(text), []byte(text))
	return &pair, err
}

// secret reads a secret from the store, "" if there is none.
func (i *issued) secret(ctx context.Context, kind certificates.Kind, name string) (text string, err error) {
	s := i.store.Load()
	if s == nil {
		return "", errors.New("the service is starting")
	}
	return readSecret(ctx, s.DB, s.Commerce.Key, kind, name)
}

func readSecret(ctx context.Context, store *db.DB, key secretbox.Key, kind certificates.Kind, name string) (text string, err error) {
	err = store.Read(ctx, db.Across, func(tx *db.Tx) error {
		text, err = certificates.Read(tx, kind, name)
		return err
	})
	if err != nil || text == "" {
		return "", err
	}
	return key.Decrypt(text, certificates.Place(kind, name))
}

// IssuedCertificate reads the certificate of a domain from a store, nil if the store has none of that directory.
func IssuedCertificate(ctx context.Context, store *db.DB, key secretbox.Key, domain, directory string) (*tls.Certificate, error) {
	text, err := readSecret(ctx, store, key, certificates.Certificate, certificates.Name(domain, directory))
	if err != nil || text == "" {
		return nil, err
	}
	return parsePair(text)
}

// run uses what the store has and orders what is missing or due, until ctx ends.
func (i *issued) run(ctx context.Context) {
	for {
		next := i.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-i.again:
			s := i.store.Load()
			err := s.DB.Write(ctx, db.Across, func(tx *db.Tx) error { certificates.EndPauses(tx); return nil })
			if err != nil && ctx.Err() == nil {
				i.log.Error("a failed order of a certificate is not tried again at once", "error", err)
			}
			clear(i.until)
		case <-time.After(next):
		}
	}
}

// retry orders again at once what failed.
func (i *issued) retry() {
	select {
	case i.again <- struct{}{}:
	default:
	}
}

// look goes through the domains once and returns the time until the next look.
func (i *issued) look(ctx context.Context) time.Duration {
	next := lookCertificate
	for _, domain := range i.Domains {
		due, err := i.keep(ctx, domain)
		switch {
		case ctx.Err() != nil:
			return next
		case err != nil:
			i.failed(domain, err)
		case due > 0:
			next = min(next, due)
		}
		if i.heldFor(domain) == nil {
			next = min(next, lookFirst)
		}
	}
	return max(next, time.Second)
}

// failed logs an error of a domain, the same at most once in a pause.
func (i *issued) failed(domain string, err error) {
	now := i.store.Load().DB.Now()
	if now.Before(i.until[domain]) {
		return
	}
	i.until[domain] = now.Add(orderPause)
	list := []any{"domain", domain, "error", err, "again_in", orderPause.String()}
	if pair := i.heldFor(domain); pair != nil {
		list = append(list, "ends", pair.Leaf.NotAfter)
	}
	i.log.Error("no certificate: the name must lead to this service, on port 443 and for HTTP-01 on port 80", list...)
}

// keep reads a domain's certificate from the store and orders it when it is due. It returns the time until then, or 0
// when another node orders it.
func (i *issued) keep(ctx context.Context, domain string) (due time.Duration, err error) {
	s := i.store.Load()
	pair, err := i.stored(ctx, domain)
	if err != nil {
		return 0, err
	}
	if pair != nil {
		i.use(domain, pair)
		if due = certificates.Renewal(pair.Leaf).Sub(s.DB.Now()); due > 0 {
			return due, nil
		}
	}
	claimed := false
	err = s.DB.Write(ctx, db.Across, func(tx *db.Tx) error {
		claimed, err = certificates.Claim(tx, domain, tx.Now().Add(orderTime+orderTime/4))
		return err
	})
	if err != nil || !claimed {
		return 0, err
	}
	if again, err := i.stored(ctx, domain); err == nil && again != nil && certificates.Renewal(again.Leaf).After(s.DB.Now()) {
		i.use(domain, again) // another node was first
		return certificates.Renewal(again.Leaf).Sub(s.DB.Now()), i.release(ctx, domain)
	}
	return i.orderAndSave(ctx, domain)
}

// orderAndSave orders a domain's certificate and stores it, or a pause if that failed.
func (i *issued) orderAndSave(ctx context.Context, domain string) (due time.Duration, err error) {
	s := i.store.Load()
	limited, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	text, failed := i.order(limited, domain)
	if failed != nil && ctx.Err() != nil { // the service stops: another node, or the next start, orders
		return 0, i.release(context.WithoutCancel(ctx), domain)
	}
	if failed != nil {
		err := s.DB.Write(ctx, db.Across, func(tx *db.Tx) error {
			certificates.Release(tx, domain)
			certificates.Pause(tx, domain, tx.Now().Add(orderPause))
			return nil
		})
		return 0, errors.Join(failed, err)
	}
	pair, err := parsePair(text)
	if err != nil {
		return 0, err
	}
	err = s.DB.Write(context.WithoutCancel(ctx), db.Across, func(tx *db.Tx) error {
		certificates.Release(tx, domain)
		return i.put(tx, certificates.Certificate, certificates.Name(domain, i.Directory), text, pair.Leaf.NotAfter)
	})
	if err != nil {
		return 0, err
	}
	i.use(domain, pair)
	return certificates.Renewal(pair.Leaf).Sub(s.DB.Now()), nil
}

func (i *issued) release(ctx context.Context, domain string) error {
	return i.store.Load().DB.Write(ctx, db.Across, func(tx *db.Tx) error { certificates.Release(tx, domain); return nil })
}

// put encrypts and stores a secret.
func (i *issued) put(tx *db.Tx, kind certificates.Kind, name, text string, until time.Time) error {
	encrypted, err := i.store.Load().Commerce.Encrypt(tx, text, certificates.Place(kind, name))
	if err == nil {
		certificates.Put(tx, kind, name, encrypted, until)
	}
	return err
}

// stored is a domain's certificate in the store, nil if it has none.
func (i *issued) stored(ctx context.Context, domain string) (*tls.Certificate, error) {
	s := i.store.Load()
	return IssuedCertificate(ctx, s.DB, s.Commerce.Key, domain, i.Directory)
}

// parsePair reads a private key and the chain of its certificate, PEM.
func parsePair(text string) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair([]byte(text), []byte(text))
	return &pair, err
}

// use serves a certificate from now on, and logs a new one.
func (i *issued) use(domain string, pair *tls.Certificate) {
	i.mu.Lock()
	before := i.held[domain]
	i.held[domain] = pair
	i.mu.Unlock()
	if before == nil || !before.Leaf.Equal(pair.Leaf) {
		delete(i.until, domain)
		i.log.Info("certificate", "domain", domain, "issuer", pair.Leaf.Issuer.String(), "ends", pair.Leaf.NotAfter)
	}
}

// ends is the first end of a certificate in use; false while there is none.
func (i *issued) ends() (at time.Time, known bool) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	for _, pair := range i.held {
		if !known || pair.Leaf.NotAfter.Before(at) {
			at, known = pair.Leaf.NotAfter, true
		}
	}
	return at, known
}

// challengePath begins the addresses at which HTTP-01 challenges are asked for.
const challengePath = "/.well-known/acme-challenge/"

// plain answers on the port for http: challenges, also those of other nodes, and otherwise a redirect to https. A
// request that would send a body is refused, because the body has crossed the network unencrypted already.
func (i *issued) plain(port string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token, is := strings.CutPrefix(r.URL.Path, challengePath); is {
			i.answerChallenge(w, r, token)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "this port takes no data: use https", http.StatusBadRequest)
			return
		}
		host := strings.ToLower(r.Host)
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !slices.Contains(i.Domains, host) {
			host = i.Domains[0]
		}
		if port != "443" {
			host = net.JoinHostPort(host, port)
		}
		http.Redirect(w, r, "https://"+host+r.URL.RequestURI(), http.StatusPermanentRedirect)
	})
}

// answerChallenge answers an HTTP-01 challenge. A token is 22 or more characters of base64url (RFC 8555, section 8.3).
func (i *issued) answerChallenge(w http.ResponseWriter, r *http.Request, token string) {
	if token == "" || len(token) > 256 || strings.Trim(token, tokenCharacters) != "" {
		http.NotFound(w, r)
		return
	}
	text, err := i.secret(r.Context(), certificates.Challenge, http01+" "+token)
	switch {
	case err != nil:
		i.log.Error("an ACME challenge could not be answered", "error", err)
		http.Error(w, "try again", http.StatusServiceUnavailable)
	case text == "":
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write([]byte(text))
	}
}

const tokenCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
