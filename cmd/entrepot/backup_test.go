package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entrepot/internal/db/dbtest"
)

// plainStore is the command line on an empty PostgreSQL store of a role that is no superuser.
func plainStore(t *testing.T) *program {
	return &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(t.TempDir(), "data"),
		"ENTREPOT_DATABASE": dbtest.PlainURL(t)}}
}

// fillStore makes some accounts with people, keys and channels, and returns what the lists print of all of them.
func fillStore(p *program, names ...string) map[string]string {
	p.t.Helper()
	for _, name := range names {
		made := p.object("account", "create", "--name", name, "--owner-email", name+"@example.com", "--owner-password", "a long passphrase")
		id := made["id"].(string)
		p.object("key", "create", "--account", id, "--name", "key of "+name, "--scopes", "all")
		p.object("channel", "create", "--account", id, "--name", "shop of "+name, "--platform", "custom")
	}
	return listAll(p)
}

func listAll(p *program) map[string]string {
	p.t.Helper()
	all := map[string]string{}
	for _, noun := range []string{"account", "user", "key", "channel", "webhook"} {
		code, out, complaint := p.call(noun, "list", "--json")
		if code != done {
			p.t.Fatalf("%s list: %d %s", noun, code, complaint)
		}
		all[noun] = out
	}
	return all
}

// A PostgreSQL store of a role without privileges, whose rows row-level security hides from a session without an
// account, is backed up and restored in full.
func TestBackupOfPostgresWithAPlainRole(t *testing.T) {
	p := plainStore(t)
	before := fillStore(p, "one", "two", "three")
	file := filepath.Join(t.TempDir(), "copy.pgdump")
	made := p.object("backup", file)
	if made["file"] != file || made["rows"].(float64) < 20 || made["tables"].(float64) < 20 || made["bytes"].(float64) < 1000 {
		t.Errorf("%v", made)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy's mode: %v %v", info.Mode(), err)
	}
	if code, out, _ := p.call("backup", file); code != failed || out != "" {
		t.Errorf("a file was overwritten: %d %s", code, out)
	}
	if code, _, complaint := p.call("restore", file); code != failed || !strings.Contains(complaint, "tables already") {
		t.Errorf("restored over a store: %d %s", code, complaint)
	}

	q := plainStore(t)
	code, out, complaint := q.call("restore", file, "--json")
	var restored restoreRecord
	if err := json.Unmarshal([]byte(out), &restored); code != done || err != nil {
		t.Fatalf("%d %v %s", code, err, complaint)
	}
	if float64(restored.Rows) != made["rows"] || restored.MasterKey.ID == "" || restored.MasterKey.There ||
		!strings.Contains(complaint, restored.MasterKey.ID) {
		t.Errorf("%+v: %s", restored, complaint)
	}
	if code, _, complaint := q.call("account", "list"); code != failed || !strings.Contains(complaint, "master key") {
		t.Errorf("a store without its key was opened: %d %s", code, complaint)
	}
	q.vars["ENTREPOT_DATA"] = p.vars["ENTREPOT_DATA"] // the folder of the master key
	if after := listAll(q); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("restored\n%v\ninstead of\n%v", after, before)
	}
	if code, out, complaint := q.call("verify"); code != done {
		t.Errorf("verify: %d %s %s", code, out, complaint)
	}
	q.object("account", "create", "--name", "four", "--owner-email", "four@example.com", "--owner-password", "a long passphrase")
}

// A program that copies less than is there, as pg_dump does where it names no account, is found out, and leaves no file.
func TestShortBackupIsAnError(t *testing.T) {
	dump, err := exec.LookPath("pg_dump")
	if err != nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
		if len(found) == 0 {
			t.Skip("PostgreSQL's client programs are not installed: make postgres")
		}
		dump = found[len(found)-1]
	}
	p := plainStore(t)
	fillStore(p, "one", "two")
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/bash\nexec %s \"${@//entrepot.tenant/entrepot.nothing}\"\n", dump)
	if err := os.WriteFile(filepath.Join(bin, "pg_dump"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	folder := t.TempDir()
	code, out, complaint := p.call("backup", filepath.Join(folder, "copy.pgdump"))
	if code != failed || out != "" || !strings.Contains(complaint, "api_keys has 0 rows instead of 4") {
		t.Errorf("%d %s %s", code, out, complaint)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.WriteFile(filepath.Join(bin, "pg_dump"),
		[]byte("#!/bin/sh\n[ \"$1\" = --version ] && exec "+dump+" --version\necho no luck >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if code, _, complaint := p.call("backup", filepath.Join(folder, "copy.pgdump")); code != failed ||
		!strings.Contains(complaint, "no luck") || strings.Contains(complaint, "hidden") {
		t.Errorf("%d %s", code, complaint)
	}
}

// A copy of one engine is not taken for one of the other, and neither is anything else.
func TestCopiesOfTheOtherEngineAreRefused(t *testing.T) {
	lite := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(t.TempDir(), "data")}}
	fillStore(lite, "lite")
	post := plainStore(t)
	fillStore(post, "post")
	folder := t.TempDir()
	liteCopy, postCopy, noCopy := filepath.Join(folder, "lite"), filepath.Join(folder, "post"), filepath.Join(folder, "none")
	lite.object("backup", liteCopy)
	post.object("backup", postCopy)
	if err := os.WriteFile(noCopy, []byte("PGDMP or SQLite, who knows; this file is neither of the two, it is a text"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := plainStore(t)
	for _, c := range []struct {
		p          *program
		file, want string
	}{
		{empty, liteCopy, "copy of a SQLite store"}, {lite, postCopy, "copy of a PostgreSQL store"}, {empty, noCopy, noCopy},
		{lite, noCopy, noCopy},
		{empty, filepath.Join(folder, "missing"), "missing"}, {lite, filepath.Join(folder, "missing"), "missing"},
	} {
		if code, out, complaint := c.p.call("restore", c.file); code != failed || out != "" || !strings.Contains(complaint, c.want) {
			t.Errorf("%s: %d %s %s", c.file, code, out, complaint)
		}
	}
	if list := lite.records("account", "list"); len(list) != 1 {
		t.Errorf("the store was changed: %v", list)
	}
}

// Without its master key a restored store is not opened, and no other key is made over it.
func TestRestoreSaysWhichMasterKeyIsMissing(t *testing.T) {
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(t.TempDir(), "data")}}
	fillStore(p, "one")
	file := filepath.Join(t.TempDir(), "copy.db")
	p.object("backup", file)
	elsewhere := filepath.Join(t.TempDir(), "other")
	old := p.vars["ENTREPOT_DATA"]
	p.vars["ENTREPOT_DATA"] = elsewhere
	code, _, complaint := p.call("restore", file)
	if key := filepath.Join(elsewhere, "master.key"); code != done || !strings.Contains(complaint, key) ||
		!strings.Contains(complaint, "ENTREPOT_MASTER_KEY") {
		t.Fatalf("%d %s", code, complaint)
	}
	for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"account", "list"}, {"migrate"}} {
		if code, _, complaint := p.call(args...); code != failed || !strings.Contains(complaint, "master.key") {
			t.Errorf("%v: %d %s", args, code, complaint)
		}
	}
	text, err := os.ReadFile(filepath.Join(old, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	p.vars["ENTREPOT_MASTER_KEY"] = strings.TrimSpace(string(text))
	if list := p.records("account", "list"); len(list) != 1 {
		t.Errorf("with its key: %v", list)
	}
}
