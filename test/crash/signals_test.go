//go:build unix

package crash

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"entrepot/test/blackbox/harness"
)

// A service that was started with nohup goes on when its terminal is closed.
func TestStartedWithNohup(t *testing.T) {
	service := exec.Command("/bin/sh", "-c", `trap "" HUP; exec "$0" serve --dev --addr 127.0.0.1:0 --data "$1"`, harness.Binary(t),
		t.TempDir())
	service.Env = append(os.Environ(), "ENTREPOT_LOG_FORMAT=text")
	log, err := service.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = service.Process.Kill() }()
	base := ""
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if _, url, found := strings.Cut(lines.Text(), "url="); found && base == "" {
			base = url
		}
		if strings.Contains(lines.Text(), " ready ") {
			break
		}
	}
	for range 2 { // a second signal would end it at once
		if err := service.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		answer, err := http.Get(base + "/readyz")
		if err != nil {
			t.Fatalf("after SIGHUP: %v", err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("after SIGHUP: %s", answer.Status)
		}
	}
	if err := service.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := service.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}
