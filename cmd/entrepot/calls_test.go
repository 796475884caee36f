package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"entrepot/internal/accounts"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/server"
)

// leaves are all commands that do something, as their words on the command line.
func leaves(t *testing.T) (list [][]string) {
	t.Helper()
	env := &environment{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if !cmd.HasSubCommands() || cmd.Name() == "bench" || cmd.Name() == "backup" {
			list = append(list, strings.Fields(cmd.CommandPath())[1:])
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRootCommand(env, func() {}))
	if len(list) < 30 {
		t.Fatalf("only %d commands found: %v", len(list), list)
	}
	return list
}

// Every command refuses a flag it does not know, an argument too many and a value of the wrong kind with exit 2, says why on stderr,
// prints no result, and makes nothing.
func TestEveryCommandRefusesAWrongCall(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(home, "data")}}
	refused := func(args ...string) {
		t.Helper()
		if code, out, complaint := p.call(args...); code != calledWrong || out != "" || complaint == "" {
			t.Errorf("entrepot %s: exit %d, printed %.200q, complained %q", strings.Join(args, " "), code, out, complaint)
		}
	}
	for _, words := range leaves(t) {
		refused(append(slices.Clone(words), "--no-such-flag")...)
		if words[0] != "bench" && words[0] != "import" && words[0] != "help" {
			refused(append(slices.Clone(words), "one", "two", "three", "four")...)
		}
		env := &environment{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }}
		cmd, _, err := newRootCommand(env, func() {}).Find(words)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if kind := f.Value.Type(); kind != "string" && !strings.HasPrefix(kind, "string") && f.Name != "help" {
				refused(append(slices.Clone(words), "--"+f.Name+"=nonsense")...)
			}
		})
	}
	if left, _ := os.ReadDir(home); len(left) != 0 {
		t.Errorf("wrong calls left something behind: %v", left)
	}
}

// A value that a flag cannot take is refused with what it takes, and not in the words of a parser.
func TestUnfitValuesAreExplained(t *testing.T) {
	home := t.TempDir()
	for name, c := range map[string]struct {
		line, variable, want string
	}{
		"flag":     {"serve --dev=maybe", "", `--dev must be true or false, not "maybe"; see: entrepot serve --help`},
		"variable": {"config print", "maybe", `dev (from ENTREPOT_DEV) must be true or false, not "maybe"`},
		"number":   {"bench --clients=many", "", `--clients must be a whole number, not "many"; see: entrepot bench --help`},
	} {
		p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(home, "data"), "ENTREPOT_DEV": c.variable}}
		if code, _, complaint := p.call(strings.Fields(c.line)...); code != calledWrong || complaint != "entrepot: "+c.want+"\n" {
			t.Errorf("%s: exit %d, %q, want %q", name, code, complaint, c.want)
		}
	}
}

// What a call lacks or gets wrong beyond the kind of its flags.
func TestWrongValuesExitWithTwo(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(home, "data")}}
	for _, line := range []string{
		"serve --addr nonsense", "serve --addr 127.0.0.1", "serve --addr :99999", "serve --database mysql://x/y", "serve --database nonsense",
		"serve --public-url shop.example", "serve --public-url ftp://shop.example", "serve --public-url https://shop.example/?a=b",
		"serve --trusted-proxies nonsense/99", "serve --tls-cert shop.pem", "serve --tls-key shop.key", "serve --allow-hosts http://x", "serve --log-format xml", "serve --webhook-retries -1s",
		"serve --retention 5m", "serve --retention d",
		"config print --addr nonsense", "config print --plan gold", "config print --rate-limits some", "config print --webhook-retries soon",
		"config print --retention 4000d",
		"config print --log-level loud", "config print --database mysql://x/y", "config print --public-url x", "config print --trusted-proxies x",
		"backup", "restore", "backup a b", "export", "export nothing --key k", "export orders", "export orders --key k --url nonsense",
		"export orders --key two words",
		"account set-plan", "account set-plan gold", "account set-plan a b c", "account set-plan a gold", "account set-plan a pro --account b",
		"account create --name= --owner-email a@b.example --owner-password long-passphrase", "account create --name x --owner-email a@b.example",
		"user set-password", "user set-password a@b.example", "user set-password a@b.example --password short",
		"user create --email a@b.example --name x --password long-passphrase --role king",
		"user create --email a@b.example --password long-passphrase --name " + strings.Repeat("x", 121),
		"account create --name x --owner-email a@b.example --owner-password long-passphrase --owner-name " + strings.Repeat("x", 121),
		"key revoke", "key revoke a b", "key revoke a --id b", "key create --name= --scopes all", "key create --name x --scopes read:everything",
		"key create --name x --scopes ,",
		"key create --name x --scopes all --expires-in -1h", "key create --name x --scopes all --expires-in 0",
		"key create --name x --scopes all --expires-in 0d",
		"key create --name x --scopes all --expires-in soon", "key create --name x --scopes all --expires-in -3d",
		"key create --name x --scopes all --expires-in 1d-1h",
		"key create --name x --scopes all --expires-in 40000d",
		"channel create --name x --platform fax", "channel create --name= --platform CUSTOM", "channel create --platform CUSTOM",
		"channel create --name x --platform SHOPIFY --credentials-file missing.json",
		"webhook delete", "webhook delete a b", "webhook create", "webhook create --url nonsense",
		"webhook create --url https://x.example --events nothing", "webhook create --url https://x.example --status asleep",
		"verify-erasure --customer 1", "verify-erasure --text ab", "doctor --addr nonsense", "doctor --https http://example.com",
		"doctor --database nonsense",
		"bench nothing --url http://127.0.0.1:1 --key k", "bench orders --url nonsense --key k",
		"bench orders --clients -1 --url http://127.0.0.1:1 --key k", "bench orders",
		"completion tcsh", "help nonsense", "import", "import orders",
	} {
		if code, out, complaint := p.call(strings.Fields(line)...); code != calledWrong || out != "" || complaint == "" {
			t.Errorf("entrepot %s: exit %d, printed %.200q, complained %q", line, code, out, complaint)
		}
	}
	if left, _ := os.ReadDir(home); len(left) != 0 {
		t.Errorf("wrong calls left something behind: %v", left)
	}
}

// Every flag of every command takes its value from its variable, unless the command line gives one.
func TestEveryFlagIsAVariable(t *testing.T) {
	values := map[string]string{"string": "v", "bool": "true", "int": "7", "intSlice": "7", "duration": "7h", "stringSlice": "v",
		"stringArray": "v", "stringToString": "a=b"}
	for _, words := range leaves(t) {
		vars := map[string]string{}
		env := &environment{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard,
			getenv: func(name string) string { return vars[name] }}
		cmd, _, err := newRootCommand(env, func() {}).Find(words)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			value, known := values[f.Value.Type()]
			if f.Name == "help" || f.Name == "config" {
				return
			}
			if !known {
				t.Errorf("%v --%s is a %s: give the test a value", words, f.Name, f.Value.Type())
				return
			}
			vars = map[string]string{"ENTREPOT_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")): value}
			if err := env.fill(cmd); err != nil || !f.Changed {
				t.Errorf("%v --%s is not taken from its variable: %v", words, f.Name, err)
			}
		})
	}
}

// Without a store, commands that do not create one fail, name the path, and create nothing there.
func TestOnlySomeCommandsMakeAStore(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		for _, line := range []string{"account list", "user list", "key list", "channel list", "webhook list", "account set-plan pro",
			"key revoke x", "webhook delete x",
			"user set-password a@b.example --password long-passphrase", "user create --email a@b.example --name x --password long-passphrase",
			"key create --name x --scopes all", "channel create --name x --platform CUSTOM", "webhook create --url https://x.example", "verify",
			"verify-erasure", "backup copy"} {
			code, out, complaint := p.call(strings.Fields(line)...)
			if code != failed || out != "" || !strings.Contains(complaint, "no store") {
				t.Errorf("%s: exit %d %s %s", line, code, out, complaint)
			}
			if p.vars["ENTREPOT_DATABASE"] == "" && !strings.Contains(complaint, p.vars["ENTREPOT_DATA"]) {
				t.Errorf("%s: names no place: %s", line, complaint)
			}
		}
		if _, err := os.Stat(p.vars["ENTREPOT_DATA"]); !os.IsNotExist(err) {
			t.Errorf("the data folder is there: %v", err)
		}
		if code, _, complaint := p.call("doctor", "--https", "", "--addr", "127.0.0.1:0"); code != done {
			t.Errorf("doctor: %d %s", code, complaint)
		}
		if code, _, _ := p.call("verify"); code != failed {
			t.Error("doctor made a store")
		}
		p.object("migrate")
		if list := p.records("account", "list"); len(list) != 0 {
			t.Errorf("%v", list)
		}
	})
}

func TestKeysThatExpireAndAreRevoked(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		fillStore(p, "one", "two")
		for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "12h": 12 * time.Hour, "1d12h": 36 * time.Hour} {
			key := p.object("key", "create", "--account", "one", "--name", text, "--scopes", "all", "--expires-in", text)
			at, err := time.Parse(time.RFC3339, key["expiresAt"].(string))
			if off := time.Until(at) - want; err != nil || off.Abs() > time.Minute {
				t.Errorf("%s: expires %v, %v", text, at, err)
			}
		}
		if key := p.object("key", "create", "--account", "one", "--name", "for ever", "--scopes", "all"); key["expiresAt"] != nil {
			t.Errorf("%v", key)
		}
		before := p.records("key", "list")
		first, second := before[0], before[1]
		if done := p.object("key", "revoke", first["id"].(string)); done["revoked"] != true {
			t.Errorf("%v", done)
		}
		p.object("key", "revoke", "--id", second["prefix"].(string))
		if after := p.records("key", "list"); len(after) != len(before)-2 {
			t.Errorf("%d keys of %d are left", len(after), len(before))
		}
		if code, _, complaint := p.call("key", "revoke", first["id"].(string)); code != failed || !strings.Contains(complaint, "no API key") {
			t.Errorf("again: %d %s", code, complaint)
		}
	})
}

func TestAccountsByName(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		fillStore(p, "one", "two", "twin")
		twin := p.object("account", "create", "--name", "twin", "--owner-email", "other-twin@example.com", "--owner-password",
			"a long passphrase")
		for _, name := range []string{"two", "TWO"} {
			if key := p.object("key", "create", "--account", name, "--name", "x", "--scopes", "read:orders"); key["accountId"] == "" {
				t.Errorf("%v", key)
			}
		}
		if list := p.records("key", "list", "--account", "two"); len(list) != 4 {
			t.Errorf("keys of two: %v", list)
		}
		code, _, complaint := p.call("key", "list", "--account", "twin")
		if code != calledWrong || strings.Count(complaint, "  twin") != 2 || !strings.Contains(complaint, twin["id"].(string)) {
			t.Errorf("two of one name: %d %s", code, complaint)
		}
		if code, _, complaint := p.call("key", "list", "--account", "nobody"); code != failed || !strings.Contains(complaint, "one") {
			t.Errorf("nobody's name: %d %s", code, complaint)
		}
		if made := p.object("account", "set-plan", "two", "starter"); made["plan"] != "starter" || made["name"] != "two" {
			t.Errorf("%v", made)
		}
		if made := p.object("account", "set-plan", "--account", twin["id"].(string), "--plan", "PRO"); made["plan"] != "pro" {
			t.Errorf("%v", made)
		}
		for _, a := range p.records("account", "list") {
			if want := map[string]string{"two": "starter"}[a["name"].(string)]; want != "" && a["plan"] != want {
				t.Errorf("%v", a)
			}
		}
	})
}

func TestPasswordsAndEndpointsAreChangedOffline(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		fillStore(p, "one", "two")
		p.stdin = "quite another passphrase\n"
		user := p.object("user", "set-password", "TWO@example.com", "--password", "-")
		if user["email"] != "two@example.com" {
			t.Errorf("%v", user)
		}
		s, err := server.OpenStore(t.Context(), server.StoreConfig{Dir: p.vars["ENTREPOT_DATA"], URL: p.vars["ENTREPOT_DATABASE"],
			MinWait: commandWait})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for password, want := range map[string]bool{"a long passphrase": false, "quite another passphrase": true} {
			if ok, err := passwordOf(t, s, "two@example.com", password); err != nil || ok != want {
				t.Errorf("%s: %v %v", password, ok, err)
			}
		}
		if code, _, complaint := p.call("user", "set-password", "nobody@example.com", "--password", "a long passphrase"); code != failed ||
			!strings.Contains(complaint, "no user") {
			t.Errorf("%d %s", code, complaint)
		}
		hook := p.object("webhook", "create", "--account", "one", "--url", "https://shop.example.com/hooks", "--status", "paused")
		if hook["status"] != "paused" {
			t.Errorf("%v", hook)
		}
		for _, account := range []string{"one", "two"} {
			p.object("webhook", "create", "--account", account, "--url", "https://shop.example.com/other")
		}
		if code, _, complaint := p.call("webhook", "delete", "https://shop.example.com/other"); code != calledWrong ||
			strings.Count(complaint, " in ") != 2 {
			t.Errorf("an address of two endpoints: %d %s", code, complaint)
		}
		p.object("webhook", "delete", "--id", "https://shop.example.com/other", "--account", "two")
		p.object("webhook", "delete", hook["id"].(string))
		if list := p.records("webhook", "list"); len(list) != 1 {
			t.Errorf("%v", list)
		}
	})
}

// A service that is not there is reported at once, and no file is left.
func TestExportFromADeadService(t *testing.T) {
	p := &program{t: t}
	file := filepath.Join(t.TempDir(), "orders.jsonl")
	began := time.Now()
	code, out, complaint := p.call("export", "orders", "--url", "http://127.0.0.1:1", "--key", "pk_live_x", "--out", file)
	if code != failed || out != "" || !strings.Contains(complaint, "http://127.0.0.1:1") {
		t.Errorf("%d %s %s", code, out, complaint)
	}
	if took := time.Since(began); took > 25*time.Second { // the client's pauses between its tries are 30 s and more
		t.Errorf("it took %s", took)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a file is left: %v", err)
	}
}

func TestSettingsFile(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"\ufeffaddr = :1\r\n# a comment\r\n\r\ndata = /a b/c   # where it is\r\n": {"addr": ":1", "data": "/a b/c"},
		"data = \"/x # y\" # z\nplan='pro'\naddr=:1#2":                            {"data": "/x # y", "plan": "pro", "addr": ":1#2"},
		"   # only a comment":   {},
		"public-url = \t# none": {"public-url": ""},
	} {
		path := filepath.Join(t.TempDir(), "entrepot.conf")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readSettings(path)
		if err != nil || len(got) != len(want) {
			t.Errorf("%q: %q %v", text, got, err)
		}
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%q: %s is %q, not %q", text, name, got[name], value)
			}
		}
	}
	for _, text := range []string{"addr", "adress = :1", "addr = :1\naddr = :2", "addr = \":1", "addr = ':1' x", "a\x00d\x00d\x00r\x00"} {
		path := filepath.Join(t.TempDir(), "entrepot.conf")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := &program{t: t}
		if code, out, complaint := p.call("config", "print", "--config", path); code != calledWrong || out != "" ||
			!strings.Contains(complaint, path) {
			t.Errorf("%q: %d %s %s", text, code, out, complaint)
		}
	}
}

// An empty flag says: not what the environment or the file has.
func TestAnEmptyFlagWins(t *testing.T) {
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATABASE": "postgres://host/name", "ENTREPOT_DEV": "on"}}
	if got := p.object("config", "print", "--database="); got["database"] != "" {
		t.Errorf("%v", got)
	}
	if got := p.object("config", "print", "--dev=false"); got["dev"] != "false" || got["database"] == "" {
		t.Errorf("%v", got)
	}
}

func TestTheShellCompletesValues(t *testing.T) {
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": filepath.Join(t.TempDir(), "data")}}
	for i, name := range []string{"Corner shop", "Market"} {
		p.object("account", "create", "--name", name, "--owner-email", fmt.Sprintf("owner%d@example.com", i), "--owner-password",
			"a long passphrase")
	}
	for line, want := range map[string][]string{
		"channel create --platform ": channels.Platforms, "account create --plan ": {"starter", "pro", "enterprise"}, "serve --plan ": {"pro"},
		"serve --log-level ":   {"debug", "warn"},
		"key create --scopes ": {"all", "read:orders"}, "key create --scopes read:orders,": {"read:orders,write:products"},
		"user create --role ":      {"owner", "viewer"},
		"webhook create --events ": {"order.received", "*"}, "webhook create --events order.received,": {"order.received,order.shipped"},
		"webhook create --status ": {"paused"},
		"key create --account ":    {"Corner shop", "Market"}, "verify --account ": {"Corner shop"}, "account set-plan ": {"Market", "pro"},
		"export ": {"orders"}, "serve --rate-limits ": {"off"},
	} {
		words := strings.Split(line, " ")
		_, out, complaint := p.call(append([]string{"__complete"}, words...)...)
		have := strings.Split(out, "\n")
		for _, w := range want {
			if !slices.Contains(have, w) {
				t.Errorf("%q does not offer %s: %q %s", line, w, have, complaint)
			}
		}
	}
	known := 1
	s, err := server.OpenStore(t.Context(), server.StoreConfig{Dir: p.vars["ENTREPOT_DATA"]})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range channels.Platforms {
		if _, ok := s.Commerce.Connectors.ByPlatform(name); ok {
			known++
		} else if name != channels.Custom {
			t.Errorf("there is no connector for %s", name)
		}
	}
	if known != len(channels.Platforms) {
		t.Errorf("%d of %d platforms", known, len(channels.Platforms))
	}
}

// passwordOf reports whether a password is a user's.
func passwordOf(t *testing.T, s *server.Store, email, password string) (bool, error) {
	t.Helper()
	var user *accounts.User
	err := s.DB.Read(t.Context(), db.Across, func(tx *db.Tx) (err error) {
		user, _, err = accounts.Login(tx, email)
		return err
	})
	if err != nil || user == nil {
		return false, err
	}
	done, err := accounts.Slot(t.Context(), accounts.Waiter{})
	if err != nil {
		return false, err
	}
	defer done()
	return accounts.Hashing{}.Matches(user.PasswordHash, password)
}

// What cobra finds wrong with a call is said in words that name the flags and lead to the command's help.
func TestWrongCallsLeadToTheHelp(t *testing.T) {
	p := &program{t: t, vars: map[string]string{"ENTREPOT_DATA": t.TempDir()}}
	for line, want := range map[string]string{
		"serve extra":              `entrepot: entrepot serve takes no argument "extra"; see: entrepot serve --help`,
		"key create":               "entrepot: give --name, --scopes; see: entrepot key create --help",
		"account list --nonsense":  "entrepot: unknown flag: --nonsense; see: entrepot account list --help",
		"import products x --what": "entrepot: unknown flag: --what; see: entrepot import --help",
	} {
		if code, _, complaint := p.call(strings.Fields(line)...); code != calledWrong || complaint != want+"\n" {
			t.Errorf("entrepot %s: exit %d, complained %q", line, code, complaint)
		}
	}
}
