package netguard_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"entrepot/internal/base/netguard"
)

// cable is a connection that swallows what is sent once it is cut, as one to a machine that was switched off.
type cable struct {
	net.Conn
	cut *atomic.Bool
}

func (c cable) Write(b []byte) (int, error) {
	if c.cut.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// listener gives a server the connections that it is sent.
type listener struct {
	conns chan net.Conn
	ended context.Context
}

func (l listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.ended.Done():
		return nil, net.ErrClosed
	}
}
func (l listener) Close() error   { return nil }
func (l listener) Addr() net.Addr { return &net.TCPAddr{} }

// An HTTP/2 connection whose other end went away without a word is not used for ever: a later request finds the host at a new one.
func TestSilentConnectionsAreLeft(t *testing.T) {
	certified := httptest.NewTLSServer(nil)
	certificates, authority := certified.TLS.Certificates, x509.NewCertPool()
	authority.AddCert(certified.Certificate())
	certified.Close()
	synctest.Test(t, func(t *testing.T) {
		ended, end := context.WithCancel(t.Context())
		accepted := listener{make(chan net.Conn), ended}
		server := &http.Server{TLSConfig: &tls.Config{Certificates: certificates},
			Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
		go func() { _ = server.ServeTLS(accepted, "", "") }()
		var cables []*atomic.Bool
		guard := netguard.Guard{
			Lookup: resolver{"example.com": {"1.1.1.1"}}.lookup,
			Dial: func(context.Context, string, string) (net.Conn, error) {
				here, there := net.Pipe()
				cables = append(cables, new(atomic.Bool))
				accepted.conns <- there
				return cable{here, cables[len(cables)-1]}, nil
			},
		}
		transport := guard.Transport(1)
		transport.TLSClientConfig = &tls.Config{RootCAs: authority}
		get := func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://example.com/", nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := transport.RoundTrip(request)
			if err == nil {
				answer.Body.Close()
				if answer.ProtoMajor != 2 {
					t.Fatalf("%s", answer.Proto)
				}
			}
			return err
		}
		if err := get(); err != nil {
			t.Fatal(err)
		}
		cables[0].Store(true)
		failed := 0
		for failed < 10 && get() != nil {
			failed++
		}
		if failed == 0 || failed > 3 || len(cables) != 2 {
			t.Errorf("%d requests failed, %d connections were made", failed, len(cables))
		}
		transport.CloseIdleConnections()
		end()
		server.Close()
	})
}
