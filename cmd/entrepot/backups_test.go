package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// serving runs serve until a condition holds.
func (p *program) serving(what string, holds func() bool) {
	p.t.Helper()
	ctx, stop := context.WithCancel(p.t.Context())
	defer stop()
	var complaint bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--addr", "127.0.0.1:0"}, func(name string) string { return p.vars[name] }, strings.NewReader(""),
			&bytes.Buffer{}, &complaint)
	}()
	dbtest.Until(p.t, what, func() bool {
		select {
		case code := <-ended:
			p.t.Fatalf("serve ended with %d: %s", code, &complaint)
		default:
		}
		return holds()
	})
	stop()
	if code := <-ended; code != done {
		p.t.Errorf("serve: %d %s", code, &complaint)
	}
}

// verdicts are the findings of doctor, by check.
func (p *program) verdicts() map[string]finding {
	p.t.Helper()
	_, out, complaint := p.call("doctor", "--https", "", "--addr", "127.0.0.1:0", "--json")
	var list []finding
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		p.t.Fatalf("%v: %s %s", err, out, complaint)
	}
	all := map[string]finding{}
	for _, f := range list {
		all[f.Check] = f
	}
	return all
}

// wants checks a finding.
func (p *program) wants(check, verdict, text string) {
	p.t.Helper()
	if f := p.verdicts()[check]; f.Verdict != verdict || !strings.Contains(f.Message, text) {
		p.t.Errorf("doctor: %+v, want %s with %q", f, verdict, text)
	}
}

// serve makes backups, backup check tries the newest one, doctor says what is missing. A bad, an old and a missing backup
// are errors with what to do.
func TestBackupsOfAService(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		fillStore(p, "one")
		p.wants("backups", "warning", "backup-to")
		to := filepath.Join(t.TempDir(), "backups")
		if code, _, complaint := p.call("backup", "check", "--from", to); code != failed || !strings.Contains(complaint, "there is no backup") {
			t.Errorf("none: %d %s", code, complaint)
		}
		p.vars["ENTREPOT_BACKUP_TO"] = to
		p.wants("backups", "warning", "none was made yet")
		p.serving("a backup is checked", func() bool { return p.verdicts()["backup check"].Verdict == "ok" })
		p.wants("backups", "ok", to)
		checked := p.object("backup", "check")
		if lite := p.vars["ENTREPOT_DATABASE"] == ""; checked["verified"] != lite || checked["place"] != to {
			t.Errorf("%v", checked)
		} else if !lite {
			into := dbtest.URL(t)
			if checked := p.object("backup", "check", "--into", into); checked["verified"] != true {
				t.Errorf("restored: %v", checked)
			}
		}
		file := filepath.Join(to, checked["file"].(string))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text[:len(text)-1], 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, complaint := p.call("backup", "check"); code != failed || out != "" || !strings.Contains(complaint, "damaged") ||
			!strings.Contains(complaint, "make another one at once with entrepot backup FILE") {
			t.Errorf("damaged: %d %s %s", code, out, complaint)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		ext := filepath.Ext(file)
		old := filepath.Join(to, "entrepot-20200101T000000Z"+ext)
		for _, suffix := range []string{"", ".sha256"} {
			if err := os.Rename(file+suffix, old+suffix); err != nil {
				t.Fatal(err)
			}
		}
		if code, _, complaint := p.call("backup", "check"); code != failed || !strings.Contains(complaint, "look into the log of the service") {
			t.Errorf("old: %d %s", code, complaint)
		}
	})
}

// A store whose data break a rule has a backup that is not good: the check says which rule, and doctor what to do. The
// bucket of an S3 service serves as well as a folder.
func TestBackupThatBreaksARule(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("shop"); err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(gofakes3.New(backend).Server())
	defer service.Close()
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(t.TempDir(), "data"), "ENTREPOT_BACKUP_TO": "s3://shop/x",
		"ENTREPOT_S3_ENDPOINT": service.URL, "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}}
	fillStore(p, "one")
	store, err := db.Open(t.Context(), db.Config{Dir: p.vars["ENTREPOT_DATA"]})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Write(t.Context(), db.Across, func(tx *db.Tx) error {
		_, err := tx.Exec("DELETE FROM warehouses")
		return err
	})
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.serving("a backup is found bad", func() bool { return p.verdicts()["backup check"].Verdict == "error" })
	p.wants("backup check", "error", "warehouses: does not hold")
	p.wants("backups", "ok", "s3://shop/x")
	if code, _, complaint := p.call("backup", "check"); code != failed || !strings.Contains(complaint, "warehouses: does not hold") {
		t.Errorf("%d %s", code, complaint)
	}
	delete(p.vars, "AWS_SECRET_ACCESS_KEY")
	if code, _, complaint := p.call("serve"); code != calledWrong || !strings.Contains(complaint, "AWS_ACCESS_KEY_ID") {
		t.Errorf("without credentials: %d %s", code, complaint)
	}
}

// doctor warns until the master key was exported, and again after it was replaced. The exported file is the key: with it
// a restored store is opened.
func TestMasterKeyIsExported(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		before := fillStore(p, "one")
		p.wants("key copy", "warning", "entrepot key-export FILE")
		file := filepath.Join(t.TempDir(), "copy.key")
		made := p.object("key-export", file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file's mode: %v %v", info.Mode(), err)
		}
		p.wants("key copy", "ok", made["id"].(string))
		if code, _, complaint := p.call("key-export", file); code != failed || !strings.Contains(complaint, "exists already") {
			t.Errorf("overwritten: %d %s", code, complaint)
		}
		if code, out, complaint := p.call("key-export"); code != done || out != string(text) || !strings.Contains(complaint, made["id"].(string)) {
			t.Errorf("%d %q instead of %q, %s", code, out, text, complaint)
		}
		elsewhere := program{t: t, vars: maps.Clone(p.vars)}
		elsewhere.vars["ENTREPOT_DATA"] = filepath.Join(t.TempDir(), "other")
		if p.vars["ENTREPOT_DATABASE"] == "" {
			copied := filepath.Join(t.TempDir(), "copy.db")
			p.object("backup", copied)
			elsewhere.object("restore", copied)
		}
		if code, _, _ := elsewhere.call("account", "list"); code != failed {
			t.Errorf("without the key: %d", code)
		}
		elsewhere.vars["ENTREPOT_MASTER_KEY"] = strings.TrimSpace(string(text))
		if after := listAll(&elsewhere); !maps.Equal(before, after) {
			t.Errorf("%v\ninstead of %v", after, before)
		}
		if code, _, complaint := p.call("key-rotate"); code != done {
			t.Fatal(complaint)
		}
		p.wants("key copy", "warning", "was never exported")
	})
}

// Settings of backups that cannot work are refused, with what to give instead.
func TestWrongBackupSettings(t *testing.T) {
	p := &program{t: t, vars: map[string]string{}}
	for line, want := range map[string]string{
		"--backup-every 1s":                         "from 1m to 31d",
		"--backup-every 32d":                        "from 1m to 31d",
		"--backup-every daily":                      "from 1m to 31d",
		"--backup-keep 0":                           "from 1 to 1000",
		"--backup-keep many":                        "from 1 to 1000",
		"--backup-to ftp://x/y":                     "s3://bucket/prefix",
		"--backup-to s3://x":                        "AWS_ACCESS_KEY_ID",
		"--yes-i-have-a-backup=perhaps":             "true or false",
		"--backup-to s3://x --s3-endpoint minio:90": "AWS_ACCESS_KEY_ID",
	} {
		if code, _, complaint := p.call(append([]string{"config", "print"}, strings.Fields(line)...)...); code != calledWrong ||
			!strings.Contains(complaint, want) {
			t.Errorf("%s: %d %s", line, code, complaint)
		}
	}
	for _, text := range []string{"24h", "7d", "90m"} {
		code, out, complaint := p.call("config", "print", "--json", "--backup-every", text)
		if code != done || !strings.Contains(out, text) {
			t.Errorf("%s: %d %s", text, code, complaint)
		}
	}
}
