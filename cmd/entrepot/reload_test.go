package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

// A service takes SIGHUP as the request to reload: what can change while it runs changes, one line says so and names what
// waits for a restart, and a wrong file changes nothing.
func TestReloadAtHangup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGHUP")
	}
	folder := t.TempDir()
	file, certFile, keyFile := filepath.Join(folder, "conf"), filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	writePair(t, certFile, keyFile, "localhost", time.Now().AddDate(0, 1, 0))
	write := func(lines string) {
		t.Helper()
		lines = fmt.Sprintf("addr = 127.0.0.1:0\ndata = %s\ntls-cert = %s\ntls-key = %s\n%s", filepath.Join(folder, "data"), certFile, keyFile, lines)
		if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("log-level = info\n")
	service := asProcess(t, "serve", "--config", file)
	errors, err := service.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer service.Process.Kill()
	lines := bufio.NewScanner(errors)
	next := func(msg string) (line map[string]any) {
		t.Helper()
		for lines.Scan() {
			line = nil
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				t.Fatalf("%s: %v", lines.Text(), err)
			}
			if text, _ := line["msg"].(string); strings.HasPrefix(text, msg) {
				return line
			}
		}
		t.Fatalf("the service ended without a line %q", msg)
		return nil
	}
	hangUp := func() {
		t.Helper()
		if err := service.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	address, _ := next("listening")["url"].(string)
	next("ready")
	write("log-level = debug\naccess-log = off\nretention = 7d\nadmin-password = secretsecret\n")
	writePair(t, certFile, keyFile, "localhost", time.Date(2199, 1, 2, 0, 0, 0, 0, time.UTC))
	hangUp()
	line := next("reloaded")
	if line["changed"] != "log-level=debug access-log=off" || line["restart_needed_for"] != "admin-password retention" ||
		line["certificate"] != "certificate read, ends 2199-01-02" {
		t.Errorf("%v", line)
	}
	request, err := http.NewRequestWithContext(t.Context(), "GET", address+"/api/v1/orders", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := unverified(dbtest.Timeout).Do(request) // leaves no line
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	write("log-level = loud\n")
	hangUp()
	if line := next("re"); line["msg"] == "request" || !strings.Contains(fmt.Sprint(line["error"]), `not "loud"`) {
		t.Errorf("%v", line)
	}
	write("log-level = warn\naccess-log = off\nretention = 30d\n")
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	hangUp()
	if line := next("reload: the certificate"); line["level"] != "ERROR" {
		t.Errorf("%v", line)
	}
	if line := next("reloaded"); line["changed"] != "log-level=warn" || line["restart_needed_for"] != "" {
		t.Errorf("%v", line)
	}
	if err := service.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		t.Errorf("with log-level warn: %s", lines.Text())
	}
	if err := service.Wait(); err != nil {
		t.Error(err)
	}
}
