package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// backend is in the service's stead: it answers with the headers it got, and streams below /dashboard/live.
func backend(t *testing.T, release <-chan struct{}) string {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/dashboard/live":
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("X-Accel-Buffering", "no") // as the service does
			fmt.Fprint(w, "data: first\n\n")
			_ = http.NewResponseController(w).Flush()
			<-release
			fmt.Fprint(w, "data: second\n\n")
		default:
			n, _ := io.Copy(io.Discard, r.Body)
			_ = json.NewEncoder(w).Encode(map[string]any{"host": r.Host, "for": r.Header.Get("X-Forwarded-For"),
				"proto": r.Header.Get("X-Forwarded-Proto"), "bytes": n, "path": r.URL.Path})
		}
	}))
	t.Cleanup(service.Close)
	return service.Listener.Addr().String()
}

// certificate writes a certificate for shop.example and its key, and returns a pool that trusts it.
func certificate(t *testing.T, folder string) (*x509.CertPool, string, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"shop.example"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(certFile, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool, certFile, keyFile
}

// behind tries what the service needs of a proxy whose TLS port is given.
func behind(t *testing.T, pool *x509.CertPool, port string, release chan struct{}, log *bytes.Buffer, ended <-chan struct{}) {
	t.Helper()
	client := &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "shop.example"},
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.1:"+port)
			}}}
	deadline := time.Now().Add(time.Minute)
	for { // until the proxy listens
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
			break
		}
		select {
		case <-ended:
			t.Fatalf("the proxy ended: %s", log.String())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatal("the proxy does not listen after a minute")
		}
	}
	request, err := http.NewRequest(http.MethodPost, "https://shop.example/api/v1/orders?x=1", strings.NewReader(strings.Repeat("x", 3<<20)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Forwarded-For", "203.0.113.9") // a client that claims another address
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Host, For, Proto, Path string
		Bytes                  int
	}
	err = json.NewDecoder(answer.Body).Decode(&got)
	answer.Body.Close()
	list := strings.Split(got.For, ",")
	if err != nil || got.Host != "shop.example" || got.Proto != "https" || strings.TrimSpace(list[len(list)-1]) != "127.0.0.1" || got.Bytes != 3<<20 {
		t.Errorf("%v: the service got %+v", err, got)
	}
	if answer.ProtoMajor != 2 {
		t.Errorf("the proxy speaks %s", answer.Proto)
	}
	if answer, err := client.Get("https://shop.example/metrics"); err != nil || answer.StatusCode != 404 {
		t.Errorf("/metrics can be read from outside: %v %v", answer, err)
	}
	stream, err := client.Get("https://shop.example/dashboard/live")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	first := make([]byte, len("data: first\n\n"))
	if _, err := io.ReadFull(stream.Body, first); err != nil || string(first) != "data: first\n\n" {
		t.Errorf("the first change does not come before the second: %v %q", err, first)
	}
	close(release)
	if second, err := io.ReadAll(stream.Body); err != nil || string(second) != "data: second\n\n" {
		t.Errorf("%v %q", err, second)
	}
}

// proxy starts a proxy until the test ends; ended is closed when it ends by itself, and its log may be read then.
func proxy(t *testing.T, command *exec.Cmd) (log *bytes.Buffer, ended <-chan struct{}) {
	t.Helper()
	log = &bytes.Buffer{}
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	waited := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(waited)
	}()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		<-waited
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return log, waited
}

// sample is a file of deploy/proxy with some texts replaced, each of which it must have.
func sample(t *testing.T, name string, replaced ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../deploy/proxy", name))
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for i := 0; i < len(replaced); i += 2 {
		if !strings.Contains(text, replaced[i]) {
			t.Fatalf("%s has no %q", name, replaced[i])
		}
		text = strings.ReplaceAll(text, replaced[i], replaced[i+1])
	}
	return text
}

func TestNginx(t *testing.T) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed: its sample is not tried")
	}
	folder, release := t.TempDir(), make(chan struct{})
	pool, certFile, keyFile := certificate(t, folder)
	port, plain := freePort(t), freePort(t)
	text := sample(t, "nginx.conf", "listen 80;", "listen 127.0.0.1:"+plain+";", "listen 443 ssl", "listen 127.0.0.1:"+port+" ssl",
		"/etc/ssl/certs/shop.example.pem", certFile, "/etc/ssl/private/shop.example.key", keyFile, "127.0.0.1:8080", backend(t, release))
	config := filepath.Join(folder, "nginx.conf")
	whole := "pid " + folder + "/pid;\ndaemon off;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
	if os.Geteuid() == 0 {
		whole = "user root;\n" + whole
	}
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		whole += kind + "_temp_path " + folder + "/" + kind + ";\n"
	}
	if err := os.WriteFile(config, []byte(whole+text+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log, ended := proxy(t, exec.Command(program, "-c", config, "-p", folder, "-e", "stderr"))
	behind(t, pool, port, release, log, ended)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+plain+"/dashboard?a=b", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "shop.example"
	if answer, err := client.Do(request); err != nil || answer.StatusCode != 308 || answer.Header.Get("Location") != "https://shop.example/dashboard?a=b" {
		t.Errorf("without TLS: %v %v", answer, err)
	}
}

func TestCaddy(t *testing.T) {
	program, err := exec.LookPath("caddy")
	if err != nil {
		t.Skip("Caddy is not installed: its sample is not tried")
	}
	folder, release := t.TempDir(), make(chan struct{})
	pool, certFile, keyFile := certificate(t, folder)
	port, plain := freePort(t), freePort(t)
	text := sample(t, "Caddyfile", "shop.example {", "shop.example {\n\ttls "+certFile+" "+keyFile+"\n", "127.0.0.1:8080", backend(t, release))
	config := filepath.Join(folder, "Caddyfile")
	global := "{\n\tadmin off\n\thttps_port " + port + "\n\thttp_port " + plain + "\n\tdefault_bind 127.0.0.1\n\tstorage file_system " + folder + "\n}\n"
	if err := os.WriteFile(config, []byte(global+text), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "run", "--adapter", "caddyfile", "--config", config)
	command.Env = []string{"HOME=" + folder, "PATH=/usr/bin:/bin"}
	log, ended := proxy(t, command)
	behind(t, pool, port, release, log, ended)
}

// Debian has no Traefik: its sample is only read, member by member.
func TestTraefik(t *testing.T) {
	t.Log("Debian has no Traefik: the sample is decoded strictly, not run")
	var file struct {
		HTTP struct {
			Routers map[string]struct {
				Rule        string                        `json:"rule"`
				EntryPoints []string                      `json:"entryPoints"`
				Service     string                        `json:"service"`
				TLS         struct{ CertResolver string } `json:"tls"`
			} `json:"routers"`
			Services map[string]struct {
				LoadBalancer struct {
					Servers            []struct{ URL string }                   `json:"servers"`
					HealthCheck        struct{ Path, Interval, Timeout string } `json:"healthCheck"`
					ResponseForwarding struct{ FlushInterval string }           `json:"responseForwarding"`
				} `json:"loadBalancer"`
			} `json:"services"`
		} `json:"http"`
	}
	if err := yaml.UnmarshalStrict([]byte(sample(t, "traefik.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	for name, router := range file.HTTP.Routers {
		service, is := file.HTTP.Services[router.Service]
		if !is || len(service.LoadBalancer.Servers) != 1 || !strings.Contains(router.Rule, "!Path(`/metrics`)") {
			t.Errorf("%s: %+v", name, file.HTTP)
		}
	}
	if len(file.HTTP.Routers) != 1 {
		t.Errorf("%d routers", len(file.HTTP.Routers))
	}
}
