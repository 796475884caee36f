package api

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// platformBodies are the credentials of a channel of each platform; those with "secret" in their value are secret.
var platformBodies = map[string]member{
	"WOOCOMMERCE": {"url": "https://shop.example", "consumerKey": "ck_1", "consumerSecret": "secret 1", "webhookSecret": "secret 2"},
	"SHOPIFY":     {"shop": "mugs.myshopify.com", "accessToken": "secret 1", "webhookSecret": "secret 2"},
	"PRESTASHOP":  {"url": "https://shop.example", "webserviceKey": "secret 1"},
	"AMAZON": {"sellerId": "A1", "marketplaceId": "A1PA6795UKMFR9", "clientId": "c", "clientSecret": "secret 1", "refreshToken": "secret 2",
		"relaySecret": "secret 3"},
	"EBAY": {"clientId": "c", "clientSecret": "secret 1", "refreshToken": "secret 2", "marketplaceId": "EBAY_FR",
		"verificationToken": "secret-3-of-32-letters-and-a-little-more"},
	"TIKTOK_SHOP": {"appKey": "k", "appSecret": "secret 1", "accessToken": "secret 2", "refreshToken": "secret 3", "shopCipher": "c"},
}

// Credentials are sent only to the host for which they were entered: whatever names another host needs the secrets in the
// same request, on every platform (interface §4.5.7).
func TestAnotherHostNeedsTheSecrets(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		for platform, credentials := range platformBodies {
			made := s.must(t, 201, "POST", "/api/v1/channels", member{"name": platform, "platform": platform, "credentials": credentials})
			path, secrets := "/api/v1/channels/"+channelOf(made), member{}
			for name, value := range credentials {
				if strings.HasPrefix(value.(string), "secret") {
					secrets[name] = value
				}
			}
			refused := func(change member) {
				t.Helper()
				before := s.credentials(t, channelOf(made))
				got := s.must(t, 400, "PATCH", path, change)
				if text(got, "code") != "credentials_needed" {
					t.Errorf("%s %v: %v", platform, change, got)
				}
				if after := s.credentials(t, channelOf(made)); !maps.Equal(after, before) {
					t.Errorf("%s: a refused change left %v", platform, after)
				}
			}
			changes := []member{{"baseUrl": "https://elsewhere.example"}, {"baseUrl": "https://elsewhere.example:8443/x"}}
			if _, ok := credentials["url"]; ok {
				changes = append(changes, member{"url": "https://elsewhere.example"}, member{"url": "https://shop.example:8443"},
					member{"url": "https://shop.example.elsewhere.example"})
			}
			if platform == "SHOPIFY" {
				changes = append(changes, member{"shop": "cups"}, member{"shop": "cups.myshopify.com"})
			}
			for _, change := range changes {
				refused(member{"credentials": change})
				for name := range secrets {
					some := maps.Clone(change)
					maps.Copy(some, secrets)
					delete(some, name)
					if name != "webhookSecret" || platform == "SHOPIFY" { // the others' is made again
						refused(member{"credentials": some})
					}
				}
			}
			refused(member{"settings": member{"baseUrl": "https://elsewhere.example"}})
			refused(member{"settings": member{"baseUrl": "https://elsewhere.example"}, "credentials": member{"note": "x"}, "name": "Other"})
			for _, same := range []member{{"name": "Other"}, {"settings": member{"note": "x"}}, {"credentials": member{"note": "x"}}} {
				s.must(t, 200, "PATCH", path, same)
			}
			if _, ok := credentials["url"]; ok {
				for _, url := range []string{"https://shop.example/", "HTTPS://Shop.Example/fr", "https://shop.example:443/fr"} {
					s.must(t, 200, "PATCH", path, member{"credentials": member{"url": url}})
				}
			}

			if platform == "EBAY" { // its notifications could be read elsewhere, and nothing else
				refused(member{"credentials": member{"endpointUrl": "https://elsewhere.example/hook"}})
				s.must(t, 200, "PATCH", path, member{"credentials": member{"endpointUrl": "https://elsewhere.example/hook",
					"verificationToken": secrets["verificationToken"]}})
				s.must(t, 200, "PATCH", path, member{"credentials": member{"endpointUrl": "https://elsewhere.example/other"}})
			}
			with := maps.Clone(secrets)
			with["baseUrl"] = "https://elsewhere.example"
			s.must(t, 200, "PATCH", path, member{"credentials": with})
			refused(member{"credentials": member{"baseUrl": nil}}) // back to the platform's own
			refused(member{"credentials": member{"baseUrl": ""}, "settings": member{"baseUrl": "https://third.example"}})
			s.must(t, 200, "PATCH", path, member{"settings": member{"baseUrl": "https://third.example"}}) // the credential replaces it

			entries := s.must(t, 200, "GET", "/api/v1/audit-log?action=channel.updated&resourceId="+channelOf(made), nil)
			var hosts []string
			for _, e := range entries["data"].([]any) {
				for _, change := range e.(map[string]any)["changes"].([]any) {
					if c := change.(map[string]any); c["field"] == "host" {
						hosts = append(hosts, c["from"].(string)+" "+c["to"].(string))
					}
				}
			}
			if len(hosts) != 1 && platform != "EBAY" || !strings.Contains(hosts[0], " https://elsewhere.example") || strings.HasPrefix(hosts[0], " ") {
				t.Errorf("%s: the audit log has the hosts %q", platform, hosts)
			}
		}
	})
}

// What a platform issued for one host, and what the service chose for it, are not known at another one.
func TestAnotherHostGetsNothingIssuedBefore(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		for platform, gone := range map[string][]string{"WOOCOMMERCE": {"webhookSecret"}, "EBAY": {"accessToken", "accessTokenUntil"}} {
			credentials := maps.Clone(platformBodies[platform])
			credentials["accessToken"], credentials["accessTokenUntil"] = "issued", "2026-01-01T00:00:00Z"
			made := s.must(t, 201, "POST", "/api/v1/channels", member{"name": "Shop", "platform": platform, "credentials": credentials})
			change := maps.Clone(platformBodies[platform])
			delete(change, "webhookSecret")
			change["baseUrl"] = "https://elsewhere.example"
			s.must(t, 200, "PATCH", "/api/v1/channels/"+channelOf(made), member{"credentials": change})
			for name := range s.credentials(t, channelOf(made)) {
				if slices.Contains(gone, name) {
					t.Errorf("%s: %s stays", platform, name)
				}
			}
		}
	})
}
