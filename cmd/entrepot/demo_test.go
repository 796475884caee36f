package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

// demo is a demo that runs: what it prints, and what it complains of.
type demo struct {
	watched
	complaint bytes.Buffer
}

// startDemo runs a demo in a folder until ctx ends, and waits until it shows its key; ended gives its exit code.
func startDemo(t *testing.T, ctx context.Context, dir string) (said *demo, ended chan int) {
	t.Helper()
	shown := make(chan struct{})
	said, ended = &demo{}, make(chan int, 1)
	said.want, said.found = []string{"API key, every scope"}, sync.OnceFunc(func() { close(shown) })
	go func() {
		ended <- run(ctx, []string{"demo", "--addr", "127.0.0.1:0", "--data", dir}, func(string) string { return "" }, strings.NewReader(""),
			&said.watched, &said.complaint)
	}()
	select {
	case <-shown:
	case code := <-ended:
		t.Fatalf("exit %d: %s", code, said.complaint.String())
	}
	return said, ended
}

// The demo's password is another one at every start, and it answers only to names of this machine: a page of another site whose name was
// made to resolve here gets nothing.
func TestDemoIsForThisMachineAlone(t *testing.T) {
	dbtest.Long(t, "it seeds a sample shop")
	dir := filepath.Join(t.TempDir(), "demo")
	printed := regexp.MustCompile(`running +(http://\S+)[\s\S]*login +(\S+) +/ +(\S+)`)
	passwords := map[string]bool{}
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		said, ended := startDemo(t, ctx, dir)
		said.mu.Lock()
		found := printed.FindStringSubmatch(said.all.String())
		said.mu.Unlock()
		if found == nil {
			t.Fatalf("no login is printed: %s", said.all.String())
		}
		passwords[found[3]] = true
		for host, want := range map[string]int{"": 200, "localhost": 200, "evil.example": 403, "127.0.0.1.evil.example:80": 403} {
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, found[1]+"/api/v1/auth/login",
				strings.NewReader(fmt.Sprintf(`{"email":%q,"password":%q}`, found[2], found[3])))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			request.Host = host
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("as %q: %d", host, answer.StatusCode)
			}
		}
		cancel()
		if code := <-ended; code != done {
			t.Errorf("exit %d: %s", code, said.complaint.String())
		}
	}
	if len(passwords) != 2 {
		t.Errorf("two starts, the passwords %v", passwords)
	}
}
