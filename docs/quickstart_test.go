// Package docs_test keeps the documentation true by running it.
package docs_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

// The shell blocks of quickstart.md run, and the receiver reports the shipped order as verified.
func TestQuickstart(t *testing.T) {
	out := runPage(t, "quickstart.md")
	for _, want := range []string{"verified order.received ", "verified order.shipped "} {
		if !strings.Contains(out, want) {
			t.Errorf("the receiver did not report %q; the shell printed\n%s", want, out)
		}
	}
}

// The shell blocks of integration.md run, each of which compares what it gets with what the page says.
func TestIntegration(t *testing.T) {
	if out := runPage(t, "integration.md"); !strings.Contains(out, "nothing changed, nothing comes back") {
		t.Errorf("the feed gave back what was sent twice; the shell printed\n%s", out)
	}
}

// runPage runs the shell blocks of a page, in order, in one shell that stops at the first error, and returns what it printed.
func runPage(t *testing.T, page string) string {
	t.Helper()
	dbtest.Long(t, "it builds and runs the program")
	for _, tool := range []string{"bash", "curl", "jq", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s needs %s, which is not installed here: %v", page, tool, err)
		}
	}
	script := shellBlocks(t, page)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	shell.Dir = ".." // the top folder, where the page says to be
	shell.Env = append(os.Environ(), "PORT="+freePort(t), "RECEIVER_PORT="+freePort(t), "TMPDIR="+t.TempDir())
	// A process group of its own, so that the servers it starts in the background are ended with it.
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.Cancel = func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) }
	shell.WaitDelay = 10 * time.Second
	out, err := shell.CombinedOutput()
	if shell.Process != nil {
		_ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) // whatever a failed block left running
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// shellBlocks joins the blocks tagged sh, echoing a heading before each so that an error can be placed.
func shellBlocks(t *testing.T, page string) string {
	file, err := os.Open(page)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var script strings.Builder
	heading, inside, blocks := "", false, 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		switch line := lines.Text(); {
		case inside && line == "```":
			inside = false
		case inside:
			script.WriteString(line + "\n")
		case line == "```sh":
			inside = true
			blocks++
			script.WriteString("echo '== " + strings.ReplaceAll(heading, "'", "") + "'\n")
		case strings.HasPrefix(line, "## "):
			heading = line[3:]
		}
	}
	if blocks < 10 {
		t.Fatalf("%s: only %d blocks found", page, blocks)
	}
	return script.String()
}

func freePort(t *testing.T) string {
	port, err := dbtest.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}
