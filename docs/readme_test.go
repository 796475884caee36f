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

// The shell blocks of the README's section "First order in a minute" work unchanged, pasted into one shell in a clean clone.
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
	_, section, found := strings.Cut(string(text), "## First order in a minute\n")
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
	if err != nil || !strings.Contains(string(out), `"meta"`) || !strings.Contains(string(out), "Ada Lovelace") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// The README leads to docs/README.md, which leads to every page: two clicks. What lists pages of its own leads to them.
func TestEveryPageIsTwoClicksAway(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil || !strings.Contains(string(readme), "](docs/README.md)") {
		t.Fatal("the README does not link to docs/README.md", err)
	}
	door, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*.md", "sell/*.md", "platforms/*.md", "decisions/README.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil || len(pages) == 0 {
			t.Fatal(pattern, err)
		}
		for _, page := range pages {
			if page != "README.md" && !strings.Contains(string(door), "]("+page+")") {
				t.Errorf("docs/README.md does not link to %s", page)
			}
		}
	}
}

// commandName is how the name of a command is written.
var commandName = regexp.MustCompile(`^[a-z][a-z-]*[a-z]$`)

// Every command of entrepot that a page names is one that the program has, and so are its flags.
func TestCommandsInPagesExist(t *testing.T) {
	program := filepath.Join(t.TempDir(), "entrepot")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/entrepot").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	helps := map[string]string{}
	help := func(command string) string {
		if _, known := helps[command]; !known {
			out, err := exec.Command(program, append(strings.Fields(command), "--help")...).CombinedOutput()
			if err != nil {
				out = nil
			}
			helps[command] = string(out)
		}
		return helps[command]
	}
	seen := 0
	for _, pattern := range []string{"../*.md", "*.md", "*/*.md", "../examples/*/README.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			for _, words := range commandsIn(t, page) {
				seen++
				command := words[0]
				if len(words) > 1 && commandName.MatchString(words[1]) && strings.Contains(help(command+" "+words[1]), "entrepot "+command+" "+words[1]) {
					command += " " + words[1] // such as key create
				}
				shown := help(command)
				if !strings.Contains(shown, "entrepot "+command) {
					t.Errorf("%s: there is no command entrepot %s", page, command)
					continue
				}
				for _, w := range words {
					if flag, _, _ := strings.Cut(w, "="); strings.HasPrefix(flag, "--") && !strings.Contains(shown, flag+" ") {
						t.Errorf("%s: entrepot %s has no flag %s", page, command, flag)
					}
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d commands were found", seen)
	}
}

// commandsIn are the commands of entrepot in a page's blocks and in its text, each with its flags and arguments.
func commandsIn(t *testing.T, page string) (commands [][]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	end := regexp.MustCompile(`[|&;#\n)]`)
	blocks := regexp.MustCompile("(?s)```(?:sh)?\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	spans := regexp.MustCompile("`(entrepot [^`\n]+)`").FindAllStringSubmatch(string(text), -1)
	for _, b := range append(blocks, spans...) {
		for _, line := range end.Split(strings.ReplaceAll(b[1], "\\\n", " "), -1) {
			words := strings.Fields(line)
			for i, w := range words {
				at := strings.Trim(w[strings.LastIndexAny(w, "/(")+1:], `"`)
				if at == "entrepot" && i+1 < len(words) && words[i+1] != "entrepot" && commandName.MatchString(words[i+1]) {
					commands = append(commands, words[i+1:])
				}
			}
		}
	}
	return commands
}
