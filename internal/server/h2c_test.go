package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"entrepot/internal/server"
)

// Proxies may speak HTTP/2 to the service without TLS.
func TestHTTP2WithoutTLS(t *testing.T) {
	c := config(&log{})
	c.Dir = t.TempDir()
	s, stop := start(t, c)
	defer stop()
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	defer transport.CloseIdleConnections()
	for _, path := range []string{"/readyz", "/api/v1/openapi.json", "/dashboard/login"} {
		answer, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != 200 || answer.Proto != "HTTP/2.0" || n == 0 {
			t.Errorf("%s: %d over %s, %d bytes, %v", path, answer.StatusCode, answer.Proto, n, err)
		}
	}
}

// The state of a node is shown to processes of its machine; everybody else gets the answer without it.
func TestReadyzVerbose(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		s, stop := start(t, c)
		defer stop()
		get := func(path string, header ...string) (text string) {
			t.Helper()
			request, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+s.Address()+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(header); i += 2 {
				request.Header.Set(header[i], header[i+1])
				if header[i] == "Host" {
					request.Host = header[i+1]
				}
			}
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != 200 {
				t.Fatalf("%d %v", answer.StatusCode, err)
			}
			return string(body)
		}
		const short = "{\"status\":\"ready\"}\n"
		if text := get("/readyz"); text != short {
			t.Errorf("without verbose: %s", text)
		}
		var state struct {
			Status, Version, Engine, Role        string
			Schema, SchemaKnown, DeliveringNodes int
			DiskFreeBytes                        int64
		}
		if text := get("/readyz?verbose"); json.Unmarshal([]byte(text), &state) != nil || state.Status != "ready" || state.Version != "test" ||
			state.Role != "primary" || state.Schema < 11 || state.Schema != state.SchemaKnown || state.DiskFreeBytes == 0 ||
			!strings.Contains(text, `"deliveringNodes":0`) || !strings.Contains(t.Name(), state.Engine) {
			t.Errorf("verbose: %s", text)
		}
		for _, header := range []string{"X-Forwarded-For", "Forwarded", "Via", "X-Real-Ip"} {
			if text := get("/readyz?verbose", header, "127.0.0.1"); text != short {
				t.Errorf("with %s: %s", header, text)
			}
		}
		if text := get("/readyz?verbose", "Host", "shop.example"); text != short {
			t.Errorf("through a proxy that passes the host on: %s", text)
		}
	})
}

// A certificate is either given or ordered, and a port that is taken is reported before the store is touched.
func TestOrderedCertificateIsConfigured(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for words, change := range map[string]func(c *server.Config){
		"exclude each other":            func(c *server.Config) { c.TLSCert, c.TLSKey = "a", "b" },
		"acme-ca":                       func(c *server.Config) { c.ACME.CAFile = "/nowhere" },
		"acme-http-addr names another ": func(c *server.Config) { c.ACME.HTTPAddr = taken.Addr().String() },
	} {
		c := config(&log{})
		c.ACME = server.ACME{Domains: []string{"localhost"}, Directory: "https://127.0.0.1:1/"}
		change(&c)
		if _, err := server.Listen(c); err == nil || !strings.Contains(fmt.Sprint(err), words) {
			t.Errorf("%v, not %q", err, words)
		}
	}
}
