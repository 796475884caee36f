package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(actVariable) != "" {
		main()
	}
	ownCommandWait, commandWait = commandWait, dbtest.Timeout
	dbtest.Main(m)
}

// ownCommandWait is the program's, which tests replace.
var ownCommandWait time.Duration

// Commands beside a loaded service wait longer for its database than requests do, which give up after five seconds.
func TestCommandsArePatient(t *testing.T) {
	if ownCommandWait <= 5*time.Second {
		t.Errorf("a command waits %s", ownCommandWait)
	}
}

// program is the command line on one store.
type program struct {
	t     *testing.T
	vars  map[string]string
	stdin string
}

// stores runs a test with the command line on an empty store of each engine.
func stores(t *testing.T, test func(t *testing.T, p *program)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(t.TempDir(), "data")}})
	})
	t.Run("postgres", func(t *testing.T) {
		test(t, &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(t.TempDir(), "data"), "ENTREPOT_DATABASE": dbtest.URL(t)}})
	})
}

// call runs the program.
func (p *program) call(args ...string) (code int, stdout, stderr string) {
	p.t.Helper()
	var out, complaint bytes.Buffer
	code = run(context.Background(), args, func(name string) string { return p.vars[name] }, strings.NewReader(p.stdin), &out, &complaint)
	return code, out.String(), complaint.String()
}

// object is call for a command that must succeed and print one JSON object.
func (p *program) object(args ...string) (record map[string]any) {
	p.t.Helper()
	code, out, complaint := p.call(append(args, "--json")...)
	if code != done {
		p.t.Fatalf("%v: exit %d: %s", args, code, complaint)
	}
	if err := json.Unmarshal([]byte(out), &record); err != nil {
		p.t.Fatalf("%v: %v: %s", args, err, out)
	}
	return record
}

// records is object for a list.
func (p *program) records(args ...string) (list []map[string]any) {
	p.t.Helper()
	code, out, complaint := p.call(append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &list); code != done || err != nil {
		p.t.Fatalf("%v: exit %d, %v: %s %s", args, code, err, out, complaint)
	}
	return list
}

func TestAccountsUsersKeysAndChannelsWithoutAService(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		account := p.object("account", "create", "--name", "One", "--plan", "starter", "--owner-email", "one@example.com", "--owner-password",
			"a long passphrase")
		if account["plan"] != "starter" || account["id"] == "" {
			t.Errorf("%v", account)
		}
		key := p.object("key", "create", "--name", "ops", "--scopes", "read:orders,write:products") // the only account
		if secret, _ := key["key"].(string); !strings.HasPrefix(secret, "pk_live_") || len(key["scopes"].([]any)) != 2 {
			t.Errorf("%v", key)
		}
		p.stdin = "from standard input\n"
		if user := p.object("user", "create", "--email", "vera@example.com", "--name", "Vera", "--role", "viewer", "--password",
			"-"); user["role"] != "viewer" {
			t.Errorf("%v", user)
		}
		channel := p.object("channel", "create", "--name", "ERP", "--platform", "custom")
		if channel["platform"] != "CUSTOM" || len(channel["scopes"].([]any)) != 10 || channel["keyId"] == "" ||
			channel["hasCredentials"] != false || channel["lastSyncAt"] != nil {
			t.Errorf("%v", channel)
		}
		if account["accountId"] != account["id"] {
			t.Errorf("%v", account)
		}
		sandbox := p.object("account", "create", "--name", "Two", "--sandbox", "--currency", "usd", "--owner-email", "two@example.com",
			"--owner-password", "a long passphrase")
		if sandbox["currency"] != "USD" || sandbox["plan"] != "enterprise" {
			t.Errorf("%v", sandbox)
		}
		if code, _, complaint := p.call("key", "create", "--name", "x", "--scopes", "all"); code != calledWrong ||
			!strings.Contains(complaint, "--account") {
			t.Errorf("two accounts and none named: %d %s", code, complaint)
		}
		test := p.object("key", "create", "--account", sandbox["id"].(string), "--name", "x", "--scopes", "all")
		if !strings.HasPrefix(test["key"].(string), "pk_test_") || len(test["scopes"].([]any)) != 20 {
			t.Errorf("%v", test)
		}
		for command, want := range map[string]int{"account": 2, "user": 3, "key": 3, "channel": 1} {
			if list := p.records(command, "list"); len(list) != want {
				t.Errorf("%s list: %d, not %d", command, len(list), want)
			}
		}
		if list := p.records("user", "list", "--account", sandbox["id"].(string)); len(list) != 1 {
			t.Errorf("users of one account: %v", list)
		}
		if _, out, _ := p.call("key", "list"); !strings.Contains(out, "ops") || strings.Contains(out, key["key"].(string)) {
			t.Errorf("key list: %s", out)
		}
		if code, out, _ := p.call("account", "create", "--name", "Three", "--owner-email", "one@example.com", "--owner-password",
			"a long passphrase"); code != failed || out != "" {
			t.Errorf("an e-mail with a login: %d %s", code, out)
		}
		if p.object("migrate")["current"] != true {
			t.Error("migrate")
		}
	})
}

func TestWrongCallsExitWithTwoAndPrintNothing(t *testing.T) {
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": t.TempDir()}}
	for _, args := range [][]string{
		{"nonsense"}, {"account", "nonsense"}, {"completion", "tcsh"}, {"serve", "extra"}, {"serve", "--nonsense"}, {"serve", "--dev=perhaps"},
		{"serve", "--plan", "gold"},
		{"serve", "--log-level", "loud"}, {"serve", "--rate-limits", "some"}, {"serve", "--webhook-retries", "soon"}, {"account", "create"},
		{"account", "create", "--name", "x", "--owner-email", "no", "--owner-password", "a long passphrase"},
		{"account", "create", "--name", "x", "--owner-email", "a@b.example", "--owner-password", "short"},
		{"account", "create", "--name", "x", "--owner-email", "a@b.example", "--owner-password", "a long passphrase", "--currency", "ZZZ"},
		{"key", "create", "--name", "x", "--scopes", "read:everything"},
		{"channel", "create", "--name", "x", "--platform", "fax"}, {"backup"}, {"config", "print", "--config", "testdata/unknown-setting.conf"},
		{"config", "print", "--config", "missing.conf"},
	} {
		if code, out, complaint := p.call(args...); code != calledWrong || out != "" || complaint == "" {
			t.Errorf("%v: exit %d, printed %q, complained %q", args, code, out, complaint)
		}
	}
	p.vars["ENTREPOT_DATA"] = filepath.Join(t.TempDir(), "nothing here")
	for _, args := range [][]string{{"backup", filepath.Join(t.TempDir(), "copy.db")}, {"restore", "missing.db"},
		{"key", "create", "--account", "019a1c52-7c1e-7d40-9a55-1f2e3d4c5b6a", "--name", "x", "--scopes", "all"}} {
		if code, out, complaint := p.call(args...); code != failed || out != "" || complaint == "" {
			t.Errorf("%v: exit %d, printed %q, complained %q", args, code, out, complaint)
		}
	}
	for _, args := range [][]string{{}, {"account"}, {"config"}, {"completion"}} { // a group alone is a call without its command
		if code, out, complaint := p.call(args...); code != calledWrong || out != "" || !strings.Contains(complaint, "Usage:") {
			t.Errorf("%v: exit %d, printed %q, complained %q", args, code, out, complaint)
		}
	}
	for _, args := range [][]string{{"--help"}, {"account", "--help"}, {"help", "serve"}, {"completion", "bash"}, {"version"}} {
		if code, out, _ := p.call(args...); code != done || out == "" {
			t.Errorf("%v: exit %d, printed %q", args, code, out)
		}
	}
	if got := p.object("version", "--json"); len(got) != 1 || got["version"] != version() {
		t.Errorf("version --json: %v", got)
	}
}

func TestFlagsWinOverEnvironmentOverFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "entrepot.conf")
	text := "# settings\naddr = :1\ndata = \"/from the file\"\nplan = pro\nadmin-password = hidden in the file\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, vars: map[string]string{"ENTREPOT_CONFIG": file, "ENTREPOT_ADDR": ":2", "ENTREPOT_PLAN": "starter",
		"ENTREPOT_MASTER_KEY": strings.Repeat("0f", 32),
		"ENTREPOT_DATABASE":   "postgres://me:hidden@host/name?password=hidden&sslpassword=hidden"}}
	got := p.object("config", "print", "--addr", ":3")
	want := map[string]any{"addr": ":3", "data": "/from the file", "plan": "starter", "admin-password": "***", "master-key": "***",
		"rate-limits": "on",
		"database":    "postgres://me:***@host/name?password=***&sslpassword=***"}
	for name := range maps.Keys(want) {
		if got[name] != want[name] {
			t.Errorf("%s is %v, not %v", name, got[name], want[name])
		}
	}
	_, out, _ := p.call("config", "print", "--addr", ":3")
	for _, piece := range []string{"flag", "environment", "file", "default"} {
		if !strings.Contains(out, piece) {
			t.Errorf("nothing comes from %s: %s", piece, out)
		}
	}
	if strings.Contains(out, "hidden") || strings.Contains(out, "0f0f") {
		t.Errorf("a secret is shown: %s", out)
	}
}

func TestBackupAndRestoreBringTheStoreBack(t *testing.T) {
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(t.TempDir(), "data")}}
	p.object("account", "create", "--name", "One", "--owner-email", "one@example.com", "--owner-password", "a long passphrase")
	copied := filepath.Join(t.TempDir(), "copy.db")
	if made := p.object("backup", copied); made["file"] != copied {
		t.Errorf("%v", made)
	}
	p.object("account", "create", "--name", "Two", "--owner-email", "two@example.com", "--owner-password", "a long passphrase")
	if made := p.object("restore", copied); made["setAside"] == "" {
		t.Errorf("%v", made)
	}
	if list := p.records("account", "list"); len(list) != 1 {
		t.Errorf("%d accounts", len(list))
	}
	p.vars["ENTREPOT_DATABASE"] = "postgres://me:hidden@127.0.0.1:1/name"
	for _, command := range []string{"backup", "restore"} {
		if code, out, complaint := p.call(command, copied+".new"); code != failed || out != "" || complaint == "" ||
			strings.Contains(complaint, "hidden") {
			t.Errorf("%s from a database that does not answer: %d %s %s", command, code, out, complaint)
		}
	}
}

func TestDoctorFindsAWrongMasterKey(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		verdicts := func() map[string]string {
			_, out, _ := p.call("doctor", "--https", "", "--addr", "127.0.0.1:0", "--json")
			var findings []finding
			if err := json.Unmarshal([]byte(out), &findings); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			all := map[string]string{}
			for _, f := range findings {
				if all[f.Check] != "error" {
					all[f.Check] = f.Verdict
				}
			}
			return all
		}
		if v := verdicts(); v["store"] != "ok" || v["master key"] != "ok" {
			t.Errorf("nothing there yet: %v", v)
		}
		p.object("migrate")
		v := verdicts()
		if v["store"] != "ok" || v["schema"] != "ok" || v["address"] != "ok" || v["disk"] == "" || v["data folder"] != "ok" {
			t.Errorf("a new store: %v", v)
		}
		if p.vars["ENTREPOT_DATABASE"] != "" && (v["row-level security"] != "warning" || v["database clock"] != "ok") {
			t.Errorf("a superuser's PostgreSQL: %v", v)
		}
		if v["durability"] != "warning" && p.vars["ENTREPOT_DATABASE"] != "" && os.Getenv("ENTREPOT_TEST_POSTGRES") == "" {
			t.Errorf("a PostgreSQL that forces nothing to the disk: %v", v)
		}
		for _, c := range [][4]string{{"", "", "warning", "warning"}, {"https://shop.example", "", "ok", "ok"},
			{"http://10.0.0.5", "", "warning", "ok"}, {"", "10.0.0.7", "ok", "warning"}} {
			p.vars["ENTREPOT_PUBLIC_URL"], p.vars["ENTREPOT_TRUSTED_PROXIES"] = c[0], c[1]
			if v := verdicts(); v["sessions"] != c[2] || v["public address"] != c[3] {
				t.Errorf("%q: %v", c, v)
			}
		}
		p.vars["ENTREPOT_PUBLIC_URL"], p.vars["ENTREPOT_TRUSTED_PROXIES"] = "", ""
		p.vars["ENTREPOT_MASTER_KEY"] = strings.Repeat("ab", 32)
		if code, _, _ := p.call("doctor", "--https", ""); code != failed {
			t.Errorf("exit %d with a wrong master key", code)
		}
		if v := verdicts(); v["master key"] != "error" {
			t.Errorf("a wrong master key: %v", v)
		}
	})
}

func TestEndpointsWithoutAService(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		p.object("account", "create", "--name", "One", "--owner-email", "one@example.com", "--owner-password", "a long passphrase")
		code, out, complaint := p.call("webhook", "create", "--url", "http://127.0.0.1:9/hooks", "--events", "order.received,stock.updated",
			"--json")
		if code != done || !strings.Contains(out, `"secret":"whsec_`) || !strings.Contains(complaint, "--dev") {
			t.Errorf("%d %s %s", code, out, complaint)
		}
		all := p.object("webhook", "create", "--url", "https://shop.example.com/hooks", "--ordered")
		if description, there := all["description"]; !there || description != nil {
			t.Errorf("without a description: %v", all)
		}
		if events := all["events"].([]any); len(events) != 1 || events[0] != "*" || all["ordered"] != true {
			t.Errorf("%v", all)
		}
		if list := p.records("webhook", "list"); len(list) != 2 || list[0]["secret"] != nil {
			t.Errorf("%v", list)
		}
		for _, args := range [][]string{{"--url", "http://10.0.0.1/x"}, {"--url", "nonsense"}, {"--url", "https://shop.example.com/", "--events",
			"order.eaten"}, {}} {
			if code, out, _ := p.call(append([]string{"webhook", "create"}, args...)...); code != calledWrong || out != "" {
				t.Errorf("%v: %d %s", args, code, out)
			}
		}
	})
}

// The demo fills a store, serves it, and its receiver verifies the events of the order it places; a second run finds the same shop.
func TestDemoShowsVerifiedEvents(t *testing.T) {
	dbtest.Long(t, "it seeds a sample shop")
	dir := filepath.Join(t.TempDir(), "demo")
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		said := &watched{want: []string{"order.received         verified", "API key"}, found: cancel}
		var complaint bytes.Buffer
		code := run(ctx, []string{"demo", "--addr", "127.0.0.1:0", "--data", dir}, func(string) string { return "" }, strings.NewReader(""), said,
			&complaint)
		cancel()
		if code != done || len(said.want) > 0 {
			t.Fatalf("exit %d, misses %q: %s\n%s", code, said.want, said.all.String(), complaint.String())
		}
	}
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": dir}}
	p.object("account", "create", "--name", "Other", "--owner-email", "other@example.com", "--owner-password", "a long passphrase")
	if list := p.records("webhook", "list"); len(list) != 2 {
		t.Errorf("%d endpoints after two runs", len(list))
	}
}

// watched is a standard output that calls found once it holds every text that is wanted.
type watched struct {
	mu    sync.Mutex
	all   bytes.Buffer
	want  []string
	found func()
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(b)
	w.want = slices.DeleteFunc(w.want, func(text string) bool { return strings.Contains(w.all.String(), text) })
	if len(w.want) == 0 {
		w.found()
	}
	return len(b), nil
}

func TestDemoRefusesAStoreOfSomethingElse(t *testing.T) {
	dbtest.Long(t, "it seeds a sample shop")
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(t.TempDir(), "data")}}
	p.object("account", "create", "--name", "One", "--owner-email", "one@example.com", "--owner-password", "a long passphrase")
	if code, _, complaint := p.call("demo", "--addr", "127.0.0.1:0"); code != failed || !strings.Contains(complaint, "not the sample shop") {
		t.Errorf("%d %s", code, complaint)
	}
}

// What serve would refuse of the first owner on an empty store, config print refuses at once, and it prints no password.
func TestConfigPrintChecksTheFirstOwner(t *testing.T) {
	for name, c := range map[string]struct {
		email, password string
		code            int
		says            string
	}{
		"both good":            {"me@example.com", "a long passphrase", done, ""},
		"neither":              {"", "", done, ""},
		"a short password":     {"me@example.com", "short", calledWrong, "admin-password"},
		"the e-mail itself":    {"me@example.com", "me@example.com", calledWrong, "admin-password"},
		"a password alone":     {"", "password1", calledWrong, "admin-password"},
		"an e-mail of nothing": {"nobody", "a long passphrase", calledWrong, "admin-email"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &program{t: t, vars: map[string]string{"ENTREPOT_ADMIN_EMAIL": c.email, "ENTREPOT_ADMIN_PASSWORD": c.password}}
			code, out, complaint := p.call("config", "print")
			if code != c.code || !strings.Contains(complaint, c.says) || code != done && out != "" {
				t.Errorf("code %d, said %q, printed %q", code, complaint, out)
			}
			if c.password != "" && c.password != c.email && strings.Contains(out+complaint, c.password) {
				t.Errorf("the password was printed: %s%s", out, complaint)
			}
		})
	}
}
