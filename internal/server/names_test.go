package server_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"entrepot/internal/server"
)

// raw sends a GET over a connection of its own and returns the head of the answer, as its bytes are.
func raw(t *testing.T, s *server.Server, path string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const rest = " HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: given-1\r\nConnection: close\r\n\r\n"
	if _, err := io.WriteString(conn, "GET "+path+rest); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(answer), "\r\n\r\n")
	return head + "\r\n"
}

// Names of headers mean the same in any case, but what reads them without a parser, such as grep, finds those of the interface.
func TestHeadersAreSpelledAsInTheInterface(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		s, stop := start(t, c)
		defer stop()
		limits := []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"}
		for path, names := range map[string][]string{
			"/api/v1/openapi.json": append([]string{"ETag", "Cache-Control"}, limits...),
			"/api/v1/orders":       append([]string{"WWW-Authenticate"}, limits...),
			"/nothing":             limits,
		} {
			head := raw(t, s, path)
			for _, name := range names {
				if strings.Count(strings.ToLower(head), "\r\n"+strings.ToLower(name)+": ") != 1 || !strings.Contains(head, "\r\n"+name+": ") {
					t.Errorf("%s: no %s, once, in\n%s", path, name, head)
				}
			}
		}
	})
}

func TestEveryAnswerEchoesTheRequestID(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		s, stop := start(t, c)
		defer stop()
		for _, path := range []string{"/healthz", "/readyz", "/metrics", "/docs", "/dashboard", "/dashboard/login", "/dashboard/nothing",
			"/nothing", "/api/v1/orders"} {
			if head := raw(t, s, path); !strings.Contains(head, "\r\nX-Request-Id: given-1\r\n") {
				t.Errorf("%s: %s", path, head)
			}
		}
	})
}
