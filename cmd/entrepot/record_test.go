package main

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"entrepot/internal/base/apijson"
	"entrepot/internal/records"
)

// What --json prints has the members of the API's own record, and accountId; creation adds what it alone shows.
func TestRecordsAreThoseOfTheAPI(t *testing.T) {
	stores(t, func(t *testing.T, p *program) {
		members := func(write func(w *apijson.Writer), more ...string) []string {
			var sample map[string]any
			if err := json.Unmarshal(apijson.Example(write), &sample); err != nil {
				t.Fatal(err)
			}
			return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(sample)), []string{"accountId"}, more)))
		}
		same := func(what string, got map[string]any, want []string) {
			t.Helper()
			if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
				t.Errorf("%s shows %v, the API %v", what, names, want)
			}
		}
		account := func(w *apijson.Writer) { records.WriteAccount(w, "", records.SampleAccount) }
		user := func(w *apijson.Writer) { records.WriteUser(w, "", records.SampleUser) }
		key := func(secret string) func(w *apijson.Writer) {
			return func(w *apijson.Writer) { records.WriteKey(w, "", records.SampleKey, secret) }
		}
		channel := func(w *apijson.Writer) { records.WriteChannel(w, "", records.SampleChannel, records.SampleChannelSync) }
		endpoint := func(secret string) func(w *apijson.Writer) {
			return func(w *apijson.Writer) { records.WriteEndpoint(w, "", &records.SampleEndpoint, secret) }
		}
		made := p.object("account", "create", "--name", "One", "--owner-email", "one@example.com", "--owner-password", "a long passphrase")
		same("account create", made, members(account, "owner"))
		same("its owner", made["owner"].(map[string]any), members(user))
		p.stdin = "a long passphrase\n"
		same("user create", p.object("user", "create", "--email", "v@example.com", "--name", "Vera", "--password", "-"), members(user))
		same("key create", p.object("key", "create", "--name", "ops", "--scopes", "all"), members(key("pk_live_…")))
		custom := p.object("channel", "create", "--name", "ERP", "--platform", "custom")
		same("channel create", custom, members(channel, "keyId", "key", "scopes", "channel", "apiKey"))
		// Who knows the answer of POST /channels finds it as well.
		inner, apiKey := custom["channel"].(map[string]any), custom["apiKey"].(map[string]any)
		inner["accountId"] = custom["accountId"]
		same("its channel", inner, members(channel))
		if inner["id"] != custom["id"] || apiKey["key"] != custom["key"] || apiKey["id"] != custom["keyId"] || apiKey["name"] == "" ||
			len(apiKey["scopes"].([]any)) != 10 || len(apiKey) != 4 {
			t.Errorf("%v", custom)
		}
		shop := p.object("channel", "create", "--name", "Shop", "--platform", "woocommerce", "--credential", "url=https://93.184.216.34",
			"--credential", "consumerKey=ck_1", "--credential", "consumerSecret=cs_1")
		same("channel create of a platform", shop, members(channel, "channel"))
		same("webhook create", p.object("webhook", "create", "--url", "https://127.0.0.1/hook"), members(endpoint("whsec_…")))
		for what, want := range map[string][]string{"account": members(account), "user": members(user), "key": members(key("")),
			"channel": members(channel), "webhook": members(endpoint(""))} {
			list := p.records(what, "list")
			if len(list) == 0 {
				t.Errorf("%s list is empty", what)
			}
			for _, one := range list {
				same(what+" list", one, want)
			}
		}
	})
}
