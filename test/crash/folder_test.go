//go:build unix

package crash

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"entrepot/test/blackbox/harness"
)

// nobody is the user and group of the programs that must not write, if the test runs as root, who is stopped by no permission.
const nobody = 65534

// A data folder that the service may not write: it ends at once and says what to do, with a new folder and with a store, and changes
// nothing. doctor says it too.
func TestFolderThatCannotBeWritten(t *testing.T) {
	folder := t.TempDir()
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(harness.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "entrepot") // a copy where everybody may run it
	if err := os.WriteFile(binary, text, 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		command := exec.CommandContext(ctx, binary, args...)
		command.Dir = "/"
		command.Env = []string{"ENTREPOT_ADMIN_EMAIL=owner@folder.example", "ENTREPOT_ADMIN_PASSWORD=correct horse battery staple 1"}
		if os.Geteuid() == 0 {
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		said, err := command.CombinedOutput()
		return string(said), err
	}
	own := func(path string) {
		t.Helper()
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 {
			if err := os.Chown(path, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
	}
	empty, store := filepath.Join(folder, "empty"), filepath.Join(folder, "store")
	own(empty)
	own(store)
	if said, err := run("account", "create", "--name", "Shop", "--owner-email", "o@folder.example", "--owner-password",
		"correct horse battery staple 1", "--data", store); err != nil {
		t.Fatalf("making the store: %v %s", err, said)
	}
	for _, path := range []string{empty, store} {
		if err := os.Chmod(path, 0o555); err != nil {
			t.Fatal(err)
		}
		before := listing(t, path)
		said, err := run("serve", "--dev", "--addr", "127.0.0.1:0", "--data", path)
		if err == nil || !strings.Contains(said, "the data folder "+path+" cannot be written") || !strings.Contains(said, "chown") {
			t.Errorf("serve in %s: %v %s", path, err, said)
		}
		said, err = run("doctor", "--https", "", "--data", path)
		if err == nil || !strings.Contains(said, "cannot be written") || strings.Contains(said, "is no SQLite file") {
			t.Errorf("doctor in %s: %v %s", path, err, said)
		}
		if after := listing(t, path); after != before {
			t.Errorf("%s was changed: %s, before %s", path, after, before)
		}
		if err := os.Chmod(path, 0o755); err != nil { // so that it can be removed
			t.Fatal(err)
		}
	}
}

// A data folder with the database of another program: nothing is made beside it.
func TestFolderOfAnotherProgram(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "entrepot.db"), []byte(strings.Repeat("notes of another program ", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	before := listing(t, folder)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	said, err := exec.CommandContext(ctx, harness.Binary(t), "serve", "--dev", "--addr", "127.0.0.1:0", "--data", folder).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "it is left untouched") {
		t.Errorf("serve: %v %s", err, said)
	}
	if after := listing(t, folder); after != before {
		t.Errorf("the folder was changed: %s, before %s", after, before)
	}
}

// listing names the files of a folder with their sizes.
func listing(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, entry.Name()+" "+info.ModTime().Format(time.RFC3339Nano))
	}
	return strings.Join(names, ", ")
}
