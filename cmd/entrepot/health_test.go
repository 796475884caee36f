package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	status, body := http.StatusOK, `{"status":"ready"}`
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.WriteHeader(status)
		w.Write([]byte(body))
	}))
	t.Cleanup(service.Close)
	_, port, _ := net.SplitHostPort(service.Listener.Addr().String())
	p := &program{t: t, vars: map[string]string{"ENTREPOT_ADDR": "0.0.0.0:" + port}}
	if code, out, complaint := p.call("health"); code != done || out != "ready\n" {
		t.Errorf("a ready service: exit %d, %q, %q", code, out, complaint)
	}
	status, body = http.StatusServiceUnavailable, `{"status":"disk full"}`
	if code, out, complaint := p.call("health"); code != failed || out != "" || !strings.Contains(complaint, "disk full") {
		t.Errorf("a full disk: exit %d, %q, %q", code, out, complaint)
	}
	status, body = http.StatusOK, "<html>"
	if code, _, complaint := p.call("health"); code != failed || !strings.Contains(complaint, "is not entrepot") {
		t.Errorf("another service: exit %d, %q", code, complaint)
	}
	secure := httptest.NewTLSServer(service.Config.Handler)
	t.Cleanup(secure.Close)
	body = `{"status":"ready"}`
	if code, _, complaint := p.call("health", "--addr", secure.Listener.Addr().String(), "--tls-cert", "shop.pem"); code != done {
		t.Errorf("with TLS: exit %d, %q", code, complaint)
	}
	service.Close()
	if code, _, complaint := p.call("health"); code != failed || !strings.Contains(complaint, "does not answer") {
		t.Errorf("no service: exit %d, %q", code, complaint)
	}
	if code, _, _ := p.call("health", "--addr", "nowhere"); code != calledWrong {
		t.Errorf("a wrong address: exit %d", code)
	}
}
