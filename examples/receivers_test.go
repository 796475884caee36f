// Package examples_test runs the webhook receivers of every language whose interpreter is here:
// their own self-tests, and then each as a running server that is sent signed requests.
package examples_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

// sample is one receiver. Its commands run in its own folder; {port} is filled in.
type sample struct {
	interpreter string
	selftest    []string
	serve       []string
}

var samples = map[string]sample{
	"webhook-receiver-node":   {"node", []string{"node", "selftest.js"}, []string{"node", "receiver.js"}},
	"webhook-receiver-python": {"python3", []string{"python3", "selftest.py"}, []string{"python3", "receiver.py"}},
	"webhook-receiver-php":    {"php", []string{"php", "selftest.php"}, []string{"php", "-S", "127.0.0.1:{port}", "receiver.php"}},
	"webhook-receiver-go":     {"go", []string{"go", "test", "."}, []string{"{built}"}},
}

func TestReceivers(t *testing.T) {
	dbtest.Long(t, "it starts programs of four languages")
	for folder, s := range samples {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(s.interpreter); err != nil {
				t.Skipf("%s was not run: %s is not installed (PHP comes with: make php)", folder, s.interpreter)
			}
			selftest := command(t, folder, s.selftest)
			if out, err := selftest.CombinedOutput(); err != nil {
				t.Fatalf("self-test: %v\n%s", err, out)
			}
			drive(t, folder, s.serve)
		})
	}
}

// drive starts the receiver and sends what a service and what a stranger would send.
func drive(t *testing.T, folder string, serve []string) {
	secret, body := readVector(t)
	port := freePort(t)
	args := make([]string, len(serve))
	for i, arg := range serve {
		args[i] = strings.ReplaceAll(arg, "{port}", port)
	}
	if args[0] == "{built}" { // not `go run`, whose child would outlive it
		args[0] = t.TempDir() + "/receiver"
		if out, err := command(t, folder, []string{"go", "build", "-o", args[0], "."}).CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
	}
	server := command(t, folder, args)
	server.Env = append(server.Env, "WEBHOOK_SECRET="+secret, "PORT="+port, "WEBHOOK_STATE="+t.TempDir())
	var printed bytes.Buffer
	server.Stdout, server.Stderr = &printed, &printed
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	stop := func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}
	defer stop()
	url := "http://127.0.0.1:" + port + "/hooks"
	waitForPort(t, port)

	now := time.Now()
	for _, step := range []struct {
		name   string
		change func(http.Header)
		body   string
		sentAt time.Time
		status int
		answer string
	}{
		{"first", nil, body, now, 200, "ok"},
		{"again", nil, body, now, 200, "duplicate"},
		{"retried a little later", nil, body, now.Add(time.Second), 200, "duplicate"},
		{"changed on the way", nil, body + " ", now, 401, "signature"},
		{"played back", nil, body, now.Add(-time.Hour), 401, "timestamp"},
		{"hex signature missing", func(h http.Header) { h.Del("X-Webhook-Signature") }, body, now, 401, "signature"},
		{"v1 signature missing", func(h http.Header) { h.Del("webhook-signature") }, body, now, 401, "signature"},
	} {
		header := sign(secret, "019a1c57-0000-7000-8000-00000000ee01", body, step.sentAt)
		if step.change != nil {
			step.change(header)
		}
		status, answer := post(t, url, header, step.body)
		if status != step.status || !strings.Contains(answer, step.answer) {
			t.Errorf("%s: answered %d %q, want %d %q", step.name, status, answer, step.status, step.answer)
		}
	}

	stop() // so that everything it printed is here
	if n := strings.Count(printed.String(), "verified order.shipped 019a1c57-0000-7000-8000-00000000ee01"); n != 1 {
		t.Errorf("handled %d times, want once; it printed:\n%s", n, printed.String())
	}
}

// sign makes the headers of interface §5.2, written out here a second time on purpose.
func sign(secret, id, body string, at time.Time) http.Header {
	seconds := strconv.FormatInt(at.Unix(), 10)
	plain := hmac.New(sha256.New, []byte(secret))
	plain.Write([]byte(body))
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	v1 := hmac.New(sha256.New, key)
	fmt.Fprintf(v1, "%s.%s.%s", id, seconds, body)

	header := http.Header{"Content-Type": {"application/json"}}
	header.Set("X-Webhook-Signature", hex.EncodeToString(plain.Sum(nil)))
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", seconds)
	header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(v1.Sum(nil)))
	return header
}

// command runs in the sample's folder and dies with the test.
func command(t *testing.T, folder string, args []string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir = folder
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	return c
}

func readVector(t *testing.T) (secret, body string) {
	text, err := os.ReadFile("webhook-vector.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Secret, Body string }
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v.Secret, v.Body
}

func post(t *testing.T, url string, header http.Header, body string) (int, string) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func freePort(t *testing.T) string {
	port, err := dbtest.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

func waitForPort(t *testing.T, port string) {
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			c.Close()
			return
		}
	}
	t.Fatalf("nothing listens on port %s", port)
}
