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
