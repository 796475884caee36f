package docs_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

// The shell blocks of the README's section "Run it" work unchanged, pasted into one shell in a clean clone.
func TestReadmeRuns(t *testing.T) {
	dbtest.Long(t, "it builds and runs the program")
	for _, tool := range []string{"bash", "curl", "jq", "go", "git", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the README needs %s, which is not installed here: %v", tool, err)
		}
	}
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## Run it\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1)
	if !found || len(blocks) < 2 {
		t.Fatalf("%d blocks to run", len(blocks))
	}
	script := ""
	for _, b := range blocks {
		script += b[1]
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute) // the first build compiles everything
	defer cancel()
	folder := t.TempDir() // the sources by links: whatever is made stays here
	for _, name := range []string{"cmd", "internal", "go.mod", "go.sum", "Makefile", "README.md", "CHANGELOG.md", "docs", "examples"} {
		whole, err := filepath.Abs("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("cp", "-r", whole, folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script+"kill %1\nwait\n")
	shell.Dir = folder
	shell.Env = append(os.Environ(), "PORT="+freePort(t))
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.Cancel = func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) }
	shell.WaitDelay = 10 * time.Second
	out, err := shell.CombinedOutput()
	if shell.Process != nil {
		_ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL)
	}
	if err != nil || !strings.Contains(string(out), `"meta"`) || !strings.Contains(string(out), "holds") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// Every page of the documentation is found from the README, except those that another page leads to.
func TestReadmeLeadsToEveryPage(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if page != "open-points.md" && !strings.Contains(string(text), "](docs/"+page+")") {
			t.Errorf("the README does not link to docs/%s", page)
		}
	}
}
