package acme

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	pebble "github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"

	"entrepot/internal/base/secretbox"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0", "PEBBLE_AUTHZREUSE": "0"} {
		os.Setenv(name, value)
	}
	dbtest.Main(m)
}

// authority is a Pebble that looks for HTTP-01 answers on one port and for TLS-ALPN-01 answers on another.
type authority struct {
	directory, caFile string
	orders            atomic.Int64 // that it has accepted
	roots             *x509.CertPool
}

// startAuthority starts a Pebble whose certificates last so many seconds.
func startAuthority(t *testing.T, httpPort, tlsPort int, life uint64) *authority {
	t.Helper()
	quiet := stdlog.New(io.Discard, "", 0)
	store := pebble.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: life}})
	front := wfe.New(quiet, store, va.New(quiet, httpPort, tlsPort, true, "", store), issuer, []string{"pebble.letsencrypt.org"}, true, false, 1, 1)
	a := &authority{roots: x509.NewCertPool(), caFile: filepath.Join(t.TempDir(), "authority.pem")}
	handler := front.Handler()
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "order-plz") {
			a.orders.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(service.Close)
	a.directory = service.URL + wfe.DirectoryPath
	a.roots.AddCert(issuer.GetRootCert(0).Cert)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: service.Certificate().Raw})
	if err := os.WriteFile(a.caFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// freePort is a port that nothing listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// log is a log that may be read while it is written.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// node is a running server.
type node struct {
	*server.Server
	stop func()
	said *log
}

func start(t *testing.T, c server.Config) *node {
	t.Helper()
	said := &log{}
	c.Log = slog.New(slog.NewTextHandler(said, nil))
	s, err := server.Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, nil) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("%v\n%s", err, said)
		}
	})
	t.Cleanup(stop)
	return &node{s, stop, said}
}

// config is a node's configuration; httpPort 0: without a port for http.
func config(a *authority, dir, database string, port, httpPort int) server.Config {
	c := server.Config{Addr: "127.0.0.1:" + strconv.Itoa(port), Version: "test", Limits: true,
		ACME:        server.ACME{Domains: []string{"localhost"}, Email: "ops@example.com", Directory: a.directory, CAFile: a.caFile},
		StoreConfig: server.StoreConfig{Dir: dir, URL: database, MinWait: dbtest.Timeout}}
	if httpPort > 0 {
		c.ACME.HTTPAddr = "127.0.0.1:" + strconv.Itoa(httpPort)
	}
	return c
}

// serial waits until a node serves a certificate of the authority, and returns its serial number.
func (a *authority) serial(t *testing.T, n *node) string {
	t.Helper()
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{ServerName: "localhost", RootCAs: a.roots}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 10 * time.Second}
	for end := time.Now().Add(dbtest.Timeout); ; time.Sleep(20 * time.Millisecond) {
		answer, err := client.Get("https://" + n.Address() + "/healthz")
		if err == nil {
			answer.Body.Close()
			if answer.Proto != "HTTP/2.0" {
				t.Errorf("%s", answer.Proto)
			}
			return answer.TLS.PeerCertificates[0].SerialNumber.String()
		}
		if time.Now().After(end) {
			t.Fatalf("no certificate: %v\n%s", err, n.said)
		}
	}
}

func engines(t *testing.T, test func(t *testing.T, database string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, "") })
	t.Run("postgres", func(t *testing.T) { test(t, dbtest.URL(t)) })
}

// One order serves every node and every start, also after the master key was replaced.
func TestOneOrderForAll(t *testing.T) {
	engines(t, func(t *testing.T, database string) {
		httpPort := freePort(t)
		a := startAuthority(t, httpPort, freePort(t), 90*24*3600)
		dir := t.TempDir()
		first := start(t, config(a, dir, database, 0, httpPort))
		serial := a.serial(t, first)
		checkPlain(t, httpPort, first)
		if database != "" {
			if got := a.serial(t, start(t, config(a, dir, database, 0, 0))); got != serial {
				t.Errorf("the second node has %s, not %s", got, serial)
			}
		}
		first.stop()
		if got := a.serial(t, start(t, config(a, dir, database, 0, httpPort))); got != serial {
			t.Errorf("after a start again: %s, not %s", got, serial)
		}
		if n := a.orders.Load(); n != 1 {
			t.Errorf("%d orders", n)
		}
	})
}

// Replacing the master key takes the certificate and the account along.
func TestMasterKeyIsReplaced(t *testing.T) {
	engines(t, func(t *testing.T, database string) {
		httpPort := freePort(t)
		a := startAuthority(t, httpPort, freePort(t), 90*24*3600)
		c := config(a, t.TempDir(), database, 0, httpPort)
		n := start(t, c)
		serial := a.serial(t, n)
		n.stop()
		done, err := server.RotateKey(t.Context(), c.StoreConfig, secretbox.Key{})
		if err != nil || done.Encrypted != 2 {
			t.Fatalf("%+v %v", done, err)
		}
		if got := a.serial(t, start(t, c)); got != serial || a.orders.Load() != 1 {
			t.Errorf("%s, not %s; %d orders", got, serial, a.orders.Load())
		}
	})
}

// checkPlain checks the port for http.
func checkPlain(t *testing.T, port int, n *node) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	_, tlsPort, _ := net.SplitHostPort(n.Address())
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	for _, c := range []struct {
		method, path string
		status       int
		location     string
	}{
		{"GET", "/dashboard?x=1", 308, "https://localhost:" + tlsPort + "/dashboard?x=1"},
		{"POST", "/api/v1/orders", 400, ""},
		{"GET", "/.well-known/acme-challenge/unknown", 404, ""},
		{"GET", "/.well-known/acme-challenge/..%2Fx", 404, ""},
	} {
		request, _ := http.NewRequestWithContext(t.Context(), c.method, base+c.path, nil)
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.status || answer.Header.Get("Location") != c.location {
			t.Errorf("%s %s: %d %s", c.method, c.path, answer.StatusCode, answer.Header.Get("Location"))
		}
	}
}

// Without a port for http the TLS port answers the authority; a certificate is renewed a third of its life before its
// end, without a start and without a pause of the service.
func TestRenewedByTLSALPN(t *testing.T) {
	port := freePort(t)
	a := startAuthority(t, freePort(t), port, 6)
	n := start(t, config(a, t.TempDir(), "", port, 0))
	first := a.serial(t, n)
	dbtest.Until(t, "a renewed certificate", func() bool { return a.serial(t, n) != first })
}

// Of nodes that start on an empty store at once one orders, and the authority may ask a node that did not.
func TestNodesThatStartAtOnce(t *testing.T) {
	database, dir, asked := dbtest.URL(t), t.TempDir(), freePort(t)
	a := startAuthority(t, asked, freePort(t), 90*24*3600)
	var nodes []*node
	for _, port := range []int{freePort(t), asked, freePort(t)} {
		nodes = append(nodes, start(t, config(a, dir, database, 0, port)))
	}
	serial := a.serial(t, nodes[0])
	for _, n := range nodes[1:] {
		if got := a.serial(t, n); got != serial {
			t.Errorf("%s, not %s", got, serial)
		}
	}
	if n := a.orders.Load(); n != 1 {
		t.Errorf("%d orders", n)
	}
}

// A name that the authority cannot reach is reported in words, is not tried again and again, and does not end the service.
func TestNameThatLeadsElsewhere(t *testing.T) {
	a := startAuthority(t, freePort(t), freePort(t), 90*24*3600) // nothing listens there
	n := start(t, config(a, t.TempDir(), "", 0, freePort(t)))
	dbtest.Until(t, "a failed order is logged", func() bool { return strings.Contains(n.said.String(), "no certificate") })
	for _, word := range []string{"domain=localhost", "http-01", "tls-alpn-01", "the name must lead to this service", "again_in=30m0s"} {
		if !strings.Contains(n.said.String(), word) {
			t.Errorf("no %q in\n%s", word, n.said)
		}
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := client.Get("https://" + n.Address() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.TLS.PeerCertificates[0].Subject.String() != answer.TLS.PeerCertificates[0].Issuer.String() {
		t.Errorf("%d, a certificate of %s", answer.StatusCode, answer.TLS.PeerCertificates[0].Issuer)
	}
	if orders := a.orders.Load(); orders != 2 { // one for each way of proof
		t.Errorf("%d orders", orders)
	}
}
