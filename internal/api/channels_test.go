package api

import (
	"maps"
	"testing"

	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// credentials are a channel's, decrypted.
func (s *server) credentials(t *testing.T, channel string) (found connector.Credentials) {
	t.Helper()
	if err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
		c, err := channels.ByID(tx, id.Channel(channel))
		if err != nil {
			return err
		}
		opened, err := s.Commerce.Opened(c)
		found = opened.Credentials
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return found
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
