package api

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// opened is a channel as its platform gets it, with decrypted credentials.
func (s *server) opened(t *testing.T, channel string) (opened connector.Channel) {
	t.Helper()
	if err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
		c, err := channels.ByID(tx, id.Channel(channel))
		if err != nil {
			return err
		}
		opened, err = s.Commerce.Opened(c)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return opened
}

// credentials are a channel's, decrypted.
func (s *server) credentials(t *testing.T, channel string) connector.Credentials {
	t.Helper()
	return s.opened(t, channel).Credentials
}

// A change of credentials leaves those it does not name; null and "" take one away; what is left must do (interface §4.5).
func TestChannelCredentialsAreMerged(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		channel := channelOf(s.must(t, 201, "POST", "/api/v1/channels", shopBody()))
		path, want := "/api/v1/channels/"+channel, s.credentials(t, channel)
		if len(want) < 3 {
			t.Fatalf("stored %v", want)
		}
		change := func(status int, credentials member) {
			t.Helper()
			s.must(t, status, "PATCH", path, member{"credentials": credentials})
			if got := s.credentials(t, channel); !maps.Equal(got, want) {
				t.Errorf("after %v: %v, want %v", credentials, got, want)
			}
		}
		want["consumerSecret"] = "cs_second"
		change(200, member{"consumerSecret": "cs_second"})
		want["extra"], want["other"] = "1", "2"
		change(200, member{"extra": "1", "other": "2"})
		delete(want, "extra")
		change(200, member{"extra": nil})
		delete(want, "other")
		change(200, member{"other": ""})
		change(200, member{})
		change(400, member{"consumerKey": nil})
		change(400, member{"consumerKey": 5})
		change(400, member{"consumerSecret": " cs_third"})
		s.must(t, 200, "PATCH", path, member{"name": "Renamed"})
		change(200, member{})
	})
}

// Settings that the synchronisation reads are refused when it could not, all at once; others are kept as they are.
func TestChannelSettingsAreChecked(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		channel := channelOf(s.must(t, 201, "POST", "/api/v1/channels", shopBody()))
		path := "/api/v1/channels/" + channel
		bad := map[string][]any{
			"pullEvery": {-1, 1.5, "60", true}, "ordersFrom": {"yesterday", 5}, "stock": {"of", false}, "stockBuffer": {-1, "2"},
			"warehouses": {"MAIN", []any{1}, []any{""}}, "priceFactor": {0, -2, "z", true}, "unpublish": {"remove"}, "tracking": {"mail"},
			"statusMap": {[]any{1}, "x"}, "statusMap.on-hold": {"on-hold", nil, 5}, "oversell": {"never"},
		}
		settings := func(name string, value any) member {
			if outer, inner, ok := strings.Cut(name, "."); ok {
				return member{outer: member{inner: value}}
			}
			return member{name: value}
		}
		all := member{}
		for name, values := range bad {
			for _, value := range values {
				wrong := settings(name, value)
				maps.Copy(all, wrong)
				for method, at := range map[string]string{"POST": "/api/v1/channels", "PATCH": path} {
					body := shopBody()
					body["settings"] = wrong
					details := s.must(t, 400, method, at, body)["details"].([]any)
					if len(details) != 1 || !strings.HasPrefix(details[0].(map[string]any)["path"].(string), "settings."+name) {
						t.Errorf("%s with %v: %v", method, wrong, details)
					}
				}
			}
		}
		if n := len(s.must(t, 400, "PATCH", path, member{"settings": all})["details"].([]any)); n != len(all) {
			t.Errorf("%d errors of %d settings", n, len(all))
		}
		if n := len(s.must(t, 400, "PATCH", path, member{"settings": []any{1}})["details"].([]any)); n != 1 {
			t.Errorf("%d errors of settings that are no object", n)
		}
		good := member{"pullEvery": 1e3, "ordersFrom": "2026-01-02", "stock": nil, "stockBuffer": 0.0, "warehouses": []any{},
			"priceFactor": "1.25", "unpublish": "delete", "tracking": "note", "statusMap": member{"on-hold": "PROCESSING"},
			"note": member{"x": 1.0}, "locationId": 12345678901.0, "testOrders": true}
		stored, _ := json.Marshal(s.must(t, 200, "PATCH", path, member{"settings": good})["data"].(map[string]any)["settings"])
		for name, value := range good {
			if value == nil {
				delete(good, name)
			}
		}
		good["oversell"] = "allow" // from the creation
		if want, _ := json.Marshal(good); string(stored) != string(want) {
			t.Errorf("stored %s, not %s", stored, want)
		}
		got := s.opened(t, channel).Settings
		if got["testOrders"] != "true" || got["locationId"] != "12345678901" || got["note"] != "" {
			t.Errorf("a platform gets %v", got)
		}
	})
}

// A setting that the service does not know is kept as it was sent, also a number that no machine holds.
func TestUnknownSettingsAreKeptAsSent(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		body := shopBody()
		body["settings"] = member{"huge": json.RawMessage(`1e400`), "exact": json.RawMessage(`[1.50,-0]`)}
		made := s.must(t, 201, "POST", "/api/v1/channels", body)
		path := "/api/v1/channels/" + channelOf(made)
		s.must(t, 200, "PATCH", path, member{"settings": member{"tiny": json.RawMessage(`1E-400`), "baseUrl": nil}})
		s.must(t, 400, "PATCH", path, member{"settings": member{"baseUrl": json.RawMessage(`1e400`)}})
		read := string(s.do(call{method: "GET", path: path}).body)
		for _, kept := range []string{`"huge":1e400`, `"exact":[1.50,-0]`, `"tiny":1E-400`} {
			if !strings.Contains(read, kept) {
				t.Errorf("%s is missing in %s", kept, read)
			}
		}
	})
}

// A change of one setting leaves the others: above all, a shop that must not oversell still does not. null takes one away.
func TestSettingsThatAChangeOmitsStay(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		made := s.must(t, 201, "POST", "/api/v1/channels", member{"name": "Till", "platform": "CUSTOM",
			"settings": member{"oversell": "reject", "stockBuffer": 2, "a \"b\"": member{"c": 1}, "note": "x"}})
		path := "/api/v1/channels/" + channelOf(made)
		refused := func() bool {
			t.Helper()
			s.must(t, 200, "PATCH", "/api/v1/sdk/inventory/bulk-update", member{"updates": []any{member{"sku": "SHORT", "quantity": 0}}})
			status, _ := s.call(t, "POST", "/api/v1/orders", member{"customerName": "Ada", "channelId": channelOf(made),
				"items": []any{member{"sku": "SHORT", "quantity": 1, "unitPrice": 1}}})
			return status == 409
		}
		s.must(t, 201, "POST", "/api/v1/products", member{"sku": "SHORT", "name": "Short", "price": 1})
		for _, step := range []struct {
			change member
			want   string
			reject bool
		}{
			{member{"stockBuffer": 5}, `{"a \"b\"":{"c":1},"note":"x","oversell":"reject","stockBuffer":5}`, true},
			{member{"note": nil, "absent": nil, "new": true}, `{"a \"b\"":{"c":1},"new":true,"oversell":"reject","stockBuffer":5}`, true},
			{member{"a \"b\"": member{}}, `{"a \"b\"":{},"new":true,"oversell":"reject","stockBuffer":5}`, true},
			{member{}, `{"a \"b\"":{},"new":true,"oversell":"reject","stockBuffer":5}`, true},
			{member{"oversell": nil}, `{"a \"b\"":{},"new":true,"stockBuffer":5}`, false},
			{member{"oversell": "reject"}, `{"a \"b\"":{},"new":true,"oversell":"reject","stockBuffer":5}`, true},
		} {
			got, _ := json.Marshal(s.must(t, 200, "PATCH", path, member{"settings": step.change})["data"].(map[string]any)["settings"])
			if string(got) != step.want || refused() != step.reject {
				t.Errorf("after %v: %s, refused %v", step.change, got, !step.reject)
			}
		}
		half := strings.Repeat("x", 40<<10)
		s.must(t, 200, "PATCH", path, member{"settings": member{"first": half}})
		s.must(t, 400, "PATCH", path, member{"settings": member{"second": half}})
		s.must(t, 200, "PATCH", path, member{"settings": member{"second": half, "first": nil}})
	})
}
