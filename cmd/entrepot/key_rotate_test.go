package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entrepot/internal/base/disk"
)

// The master key of a folder is replaced by a new one; the former stays beside it, and a store with one of the two missing is not served.
func TestKeyRotateReplacesTheFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": dir}}
	p.object("account", "create", "--name", "One", "--owner-email", "one@example.com", "--owner-password", "a long passphrase")
	p.object("webhook", "create", "--url", "https://shop.example/hook", "--events", "*")
	path := filepath.Join(dir, "master.key")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	code, out, complaint := p.call("key-rotate")
	after, err := os.ReadFile(path)
	if code != done || err != nil || string(after) == string(before) || !strings.Contains(out, "1 secrets") {
		t.Fatalf("%d %s %s, %v", code, out, complaint, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	kept, err := filepath.Glob(path + ".*")
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v, %v", kept, err)
	}
	if former, err := os.ReadFile(kept[0]); err != nil || string(former) != string(before) {
		t.Errorf("the former key is not kept: %v", err)
	}
	p.records("webhook", "list")
	if err := os.WriteFile(path, before, 0o600); err != nil { // as after a kill before the new file took its place
		t.Fatal(err)
	}
	if code, _, complaint := p.call("webhook", "list"); code != failed || !strings.Contains(complaint, "master key") {
		t.Errorf("with the former key: %d %s", code, complaint)
	}
	if err := os.WriteFile(path+".new", after, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, complaint := p.call("key-rotate"); code != done {
		t.Errorf("ending what was broken off: %d %s %s", code, out, complaint)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(after) {
		t.Errorf("the new key is not in its place: %v", err)
	}
	p.records("webhook", "list")
}

// With the key in the environment the new one comes from there, too; a store that is served keeps its key.
func TestKeyRotateFromTheEnvironment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	old, key := strings.Repeat("5e", 32), strings.Repeat("a1", 32)
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": dir, "ENTREPOT_MASTER_KEY": old}}
	p.object("account", "create", "--name", "One", "--owner-email", "one@example.com", "--owner-password", "a long passphrase")
	for _, bad := range []string{"", "short"} {
		p.vars["ENTREPOT_NEW_MASTER_KEY"] = bad
		if code, _, complaint := p.call("key-rotate"); code != calledWrong {
			t.Errorf("%q: %d %s", bad, code, complaint)
		}
	}
	p.vars["ENTREPOT_NEW_MASTER_KEY"] = key
	release, err := holdServeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if code, _, complaint := p.call("key-rotate"); code != failed || !strings.Contains(complaint, "served") {
		t.Errorf("a served store: %d %s", code, complaint)
	}
	release()
	if code, _, complaint := p.call("key-rotate"); code != done {
		t.Fatalf("%d %s", code, complaint)
	}
	if code, _, complaint := p.call("account", "list"); code != failed || !strings.Contains(complaint, "master key") {
		t.Errorf("the former key: %d %s", code, complaint)
	}
	p.vars["ENTREPOT_MASTER_KEY"] = key
	p.records("account", "list")
}

// holdServeLock plays a process that serves the folder.
func holdServeLock(dir string) (release func(), err error) {
	file, err := os.OpenFile(filepath.Join(dir, "serve.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	free, err := disk.TryLock(file)
	if err == nil && !free {
		err = os.ErrExist
	}
	return func() { file.Close() }, err
}
