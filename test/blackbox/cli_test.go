package blackbox

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entrepot/test/blackbox/harness"
)

func init() {
	aboutOwn("10-first-start 5.1-login", "the first account comes from the environment, with its plan", harness.Options{Plan: "pro"},
		func(c *testCase) {
			c.like(c.as(c.account.Owner, http.MethodGet, "/api/v1/auth/me", nil), `{"data":{"email":%q,"role":"owner"}}`, harness.AdminEmail)
			c.like(c.as(c.account.Owner, http.MethodGet, "/api/v1/account", nil), `{"data":{"plan":"pro","currency":"EUR"}}`)
			if err := c.server.Stop(); err != nil {
				c.Fatalf("stopping: %v", err)
			}
			c.server.Launch() // the same environment on a store that is not empty: no second account
			out, err := c.server.Command("account", "list", "--json")
			if err != nil {
				c.Fatal(err)
			}
			if n := strings.Count(string(out), `"plan"`); n != 1 {
				c.Errorf("after a second start there are %d accounts: %s", n, out)
			}
			c.must(c.as(c.account.Owner, http.MethodGet, "/api/v1/auth/me", nil), 200)
		})

	about("10-accounts 10-exit", "accounts, users, keys, channels and endpoints from the command line while the server runs",
		func(c *testCase) {
			command := func(args ...string) harness.Answer {
				c.Helper()
				out, err := c.server.Command(args...)
				if err != nil {
					c.Fatal(err)
				}
				answer := harness.Answer{Request: strings.Join(args, " "), Body: out}
				if answer.Value() == nil {
					c.Fatalf("standard output is not one JSON value: %s", out)
				}
				return answer
			}
			made := command("account", "create", "--name", "By hand", "--plan", "starter", "--owner-email", "hand@cli.example", "--owner-password",
				"a very long pass phrase", "--json")
			account := find(made.Value(), "id")
			if account == "" {
				c.Fatalf("account create shows no id: %s", made)
			}
			if found := command("account", "list", "--json"); !strings.Contains(string(found.Body), account) {
				c.Errorf("account list misses %s: %s", account, found)
			}
			owner := c.account.Login(c, "hand@cli.example", "a very long pass phrase")
			c.like(c.as(owner, http.MethodGet, "/api/v1/account", nil), `{"data":{"name":"By hand","plan":"starter"}}`)

			key := find(command("key", "create", "--account", account, "--name", "report", "--scopes", "read:orders,read:products",
				"--json").Value(), "key")
			if !strings.HasPrefix(key, "pk_live_") {
				c.Fatalf("key create shows no key: %q", key)
			}
			reader := harness.Client{Base: c.server.Base, Key: key}
			c.must(c.as(reader, http.MethodGet, "/api/v1/orders", nil), 200)
			c.must(c.as(reader, http.MethodGet, "/api/v1/customers", nil), 403)
			if list := command("key", "list", "--json"); strings.Contains(string(list.Body), key) {
				c.Errorf("key list shows the key: %s", list)
			}

			writer := command("key", "create", "--account", account, "--name", "gone", "--scopes", "write:orders,write:products", "--json").Value()
			gone := harness.Client{Base: c.server.Base, Key: find(writer, "key")}
			c.must(c.as(gone, http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", `{"products":[{"sku":"G","name":"G","price":1}]}`), 200)
			for range 3 { // whatever a server remembers from one to the next does not outlive a change by the command line
				c.like(c.as(gone, http.MethodPost, "/api/v1/orders", order("Cli", [3]any{"G", 1, 1})), `{"data":{"status":"PENDING"}}`)
			}
			if out, err := c.server.Command("key", "revoke", find(writer, "id"), "--account", account); err != nil {
				c.Fatalf("key revoke: %v %s", err, out)
			}
			c.must(c.as(gone, http.MethodPost, "/api/v1/orders", order("Cli", [3]any{"G", 1, 1})), 401)

			channel := command("channel", "create", "--account", account, "--name", "ERP", "--platform", "CUSTOM", "--json")
			erp := harness.Client{Base: c.server.Base, Key: find(channel.Value(), "key")}
			c.must(c.as(erp, http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", `{"products":[{"sku":"C","name":"C","price":1}]}`), 200)
			c.must(c.as(erp, http.MethodGet, "/api/v1/sdk/sync/status", nil), 403)

			inbox := receiver.Inbox()
			hook := command("webhook", "create", "--account", account, "--url", inbox.URL, "--events", "order.received", "--json")
			secret := find(hook.Value(), "secret")
			if !strings.HasPrefix(secret, "whsec_") {
				c.Fatalf("webhook create shows no secret: %s", hook)
			}
			if list := command("webhook", "list", "--json"); strings.Contains(string(list.Body), secret) {
				c.Errorf("webhook list shows the secret: %s", list)
			}
			inbox.Secret(secret)
			attached := c.as(erp, http.MethodPost, "/api/v1/orders", order("Cli", [3]any{"C", 1, 1}))
			c.must(attached, 201)
			c.like(c.as(reader, http.MethodGet, "/api/v1/orders/"+find(attached.Value(), "id"), nil), `{"data":{"channelName":"ERP"}}`)
			if err := harness.Eventually(5*time.Minute, func() error {
				if len(inbox.Deliveries()) == 0 {
					return errStillThere
				}
				return nil
			}); err != nil {
				c.Error("an endpoint made by the command line got nothing")
			}
			for _, delivery := range inbox.Deliveries() {
				for _, fault := range inbox.Check(delivery) {
					c.Error(fault)
				}
			}
			command("user", "list", "--json")
			command("channel", "list", "--json")
		})

	about("10-exit", "wrong calls exit with 2, failures with 1", func(c *testCase) {
		for _, try := range []struct {
			code int
			args []string
		}{
			{2, []string{"frobnicate"}},
			{2, []string{"serve", "--no-such-flag"}},
			{2, []string{"account", "create", "--json"}},
			{1, []string{"key", "create", "--account", "019a1c52-7c1e-7d40-9a55-1f2e3d4c5b6a", "--name", "x", "--scopes", "read:orders", "--json"}},
			{0, []string{"version"}},
		} {
			out, err := c.server.Command(try.args...)
			code := 0
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if code != try.code {
				c.Errorf("%v exits with %d, want %d: %v", try.args, code, try.code, err)
			}
			if code != 0 && len(out) > 0 {
				c.Errorf("%v fails and writes to standard output: %s", try.args, out)
			}
		}
	})

	about("10-version", "version, and a config without secrets", func(c *testCase) {
		out, err := c.server.Command("version")
		if err != nil || len(strings.TrimSpace(string(out))) == 0 {
			c.Errorf("version: %v %q", err, out)
		}
		out, err = c.server.Command("config", "print")
		if err != nil {
			c.Fatal(err)
		}
		if strings.Contains(string(out), harness.AdminPassword) {
			c.Errorf("config print shows the password: %s", out)
		}
	})

	about("10-verify", "verify finds nothing wrong after work", func(c *testCase) {
		c.products([3]any{"A-1", 10, 100})
		for range 5 {
			c.must(c.call(http.MethodPost, "/api/v1/orders", order("V", [3]any{"A-1", 3, 1})), 201)
		}
		if out, err := c.server.Command("verify"); err != nil {
			c.Errorf("verify: %v\n%s", err, out)
		}
	})

	about("10-import", "products from a CSV file through the API", func(c *testCase) {
		path := filepath.Join(c.TempDir(), "products.csv")
		if err := os.WriteFile(path, []byte("sku,title,price\nCSV-1,One,1.50\nCSV-2,Two,2\n"), 0o600); err != nil {
			c.Fatal(err)
		}
		if out, err := c.server.Command("import", "products", path, "--url", c.server.Base, "--key", c.account.Key.Key, "--map", "title=name",
			"--dry-run"); err != nil {
			c.Fatalf("%v\n%s", err, out)
		}
		c.like(c.call(http.MethodGet, "/api/v1/products", nil), `{"meta":{"total":0}}`)
		if out, err := c.server.Command("import", "products", path, "--url", c.server.Base, "--key", c.account.Key.Key, "--map",
			"title=name"); err != nil {
			c.Fatalf("%v\n%s", err, out)
		}
		c.like(c.call(http.MethodGet, "/api/v1/products?sku=CSV-1", nil), `{"data":[{"name":"One","price":1.5}]}`)
		c.like(c.call(http.MethodGet, "/api/v1/products", nil), `{"meta":{"total":2}}`)
	})

	about("10-import-shipments", "tracking numbers from a file, which may be imported again", func(c *testCase) {
		c.products([3]any{"A-1", 10, 100})
		taken := map[string]string{}
		for _, reference := range []string{"WEB-1", "WEB-2", "WEB-3", "WEB-4"} {
			draft := order(reference, [3]any{"A-1", 2, 1})
			draft["externalReference"] = reference
			if reference != "WEB-4" {
				draft["initialStatus"] = "PROCESSING"
			}
			taken[reference] = find(c.must(c.call(http.MethodPost, "/api/v1/orders", draft), 201).Value(), "orderNumber")
		}
		path, report := filepath.Join(c.TempDir(), "labels.csv"), filepath.Join(c.TempDir(), "refused.csv")
		if err := os.WriteFile(path, []byte("Auftrag;Sendungsnummer;Carrier;Ship date\n"+taken["WEB-1"]+";1Z999AA10123456784;;05.03.2026\n"+
			"WEB-2;T-2;Bike;\n"+"WEB-2;T-2;Bike;\nWEB-3;;DHL;\nWEB-4;T-4;;\nNONE;T-5;;\n"), 0o600); err != nil {
			c.Fatal(err)
		}
		arguments := []string{"import", "shipments", path, "--url", c.server.Base, "--key", c.account.Key.Key, "--map", "Auftrag=order", "--map",
			"Sendungsnummer=trackingNumber", "--report", report}
		has := func(text string, wants ...string) {
			c.Helper()
			for _, want := range wants {
				if !strings.Contains(text, want) {
					c.Errorf("%q is missing in\n%s", want, text)
				}
			}
		}
		out, _ := c.server.Command(append(arguments, "--dry-run")...)
		has(string(out), "5 would be stored, 1 refused")
		c.like(c.call(http.MethodGet, "/api/v1/orders?status=SHIPPED", nil), `{"meta":{"total":0}}`)
		for range 2 {
			out, err := c.server.Command(arguments...)
			if err == nil {
				c.Errorf("refused rows are no failure: %s", out)
			}
			has(string(out), "3 stored, 3 refused", "1 × missing_number", "1 × not_found", "1 × transition_not_allowed")
			text, err := os.ReadFile(report)
			if err != nil {
				c.Fatal(err)
			}
			has(string(text), "4,5,refused", "WEB-4", "no order has this number or reference", "already_shipped")
		}
		c.like(c.call(http.MethodGet, "/api/v1/orders?status=SHIPPED", nil), `{"meta":{"total":2}}`)
		for reference, want := range map[string]string{
			"WEB-1": `{"data":[{"trackingCarrier":"UPS","trackingNumber":"1Z999AA10123456784"}]}`,
			"WEB-2": `{"data":[{"trackingCarrier":"Bike","trackingNumber":"T-2"}]}`,
		} {
			c.like(c.call(http.MethodGet, "/api/v1/orders?search="+taken[reference], nil), want)
		}
	})
}

// find is the first string under a name anywhere in a JSON value; members are looked at in alphabetical order.
func find(value any, name string) string {
	switch value := value.(type) {
	case map[string]any:
		if text, ok := value[name].(string); ok {
			return text
		}
		for _, member := range slices.Sorted(maps.Keys(value)) {
			if text := find(value[member], name); text != "" {
				return text
			}
		}
	case []any:
		for _, inner := range value {
			if text := find(inner, name); text != "" {
				return text
			}
		}
	}
	return ""
}
