package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
)

// A service that has OpenTelemetry's endpoint sends its metrics there under the names of /metrics, at the latest when it
// ends.
func TestServeSendsMetrics(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signal that ends a service in order")
	}
	sent := make(chan []byte, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil && r.URL.Path == "/v1/metrics" {
			sent <- body
		}
	}))
	defer receiver.Close()
	service := asProcess(t, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--log-format", "json")
	service.Env = append(service.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.URL, "OTEL_TRACES_EXPORTER=none")
	log, err := service.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer service.Process.Kill()
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if strings.Contains(lines.Text(), `"ready"`) {
			if err := service.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := service.Wait(); err != nil {
		t.Error(err)
	}
	close(sent)
	var all []byte
	for body := range sent {
		all = append(all, body...)
	}
	for _, name := range []string{"go_goroutines", "entrepot_disk_free_bytes"} {
		if !bytes.Contains(all, []byte(name)) {
			t.Errorf("%d bytes of metrics without %s", len(all), name)
		}
	}
}
