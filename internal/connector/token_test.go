package connector_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
)

// storedTokens are credentials that a renewal changes as the service's store does.
type storedTokens connector.Credentials

func (s storedTokens) Renew(ctx context.Context, _, _ string,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error)) (connector.Credentials, error) {
	change, err := renew(ctx, connector.Credentials(s))
	for name, value := range change {
		s[name] = value
	}
	return connector.Credentials(s), err
}

// A new token takes the place of the old one, a rotated refresh token too; a platform that refuses, whatever the status it chooses, has
// refused the credentials, and one that is down has not.
func TestRenewToken(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  int
		body    string
		kind    connector.Kind // "" for success
		refresh string
	}{
		{"given", 200, `{"access_token":"new"}`, "", "old"},
		{"rotated", 200, `{"access_token":"new","refresh_token":"next"}`, "", "next"},
		{"refused with 200", 200, `{"error":"invalid_grant"}`, connector.Unauthorized, "old"},
		{"no token", 200, `{"message":"The service is unavailable."}`, connector.Temporary, "old"},
		{"refused", 400, `{"error":"invalid_grant"}`, connector.Unauthorized, "old"},
		{"unauthorized", 401, `{}`, connector.Unauthorized, "old"},
		{"a page of a gateway", 401, `<!DOCTYPE html><html>`, connector.Temporary, "old"},
		{"down", 500, `oops`, connector.Temporary, "old"},
		{"busy", 429, `oops`, connector.Throttled, "old"},
		{"elsewhere", 404, `oops`, connector.Missing, "old"},
		{"no JSON", 200, `<html>`, connector.Temporary, "old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.PostFormValue("refresh_token") != "old" {
					t.Errorf("asked with %v", r.PostForm)
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer server.Close()
			stored := storedTokens{"accessToken": "stale", "refreshToken": "old"}
			link := connector.Link{Tokens: stored, Now: time.Now,
				Client: connector.NewClients(&netguard.Guard{Dev: true}, "entrepot/test").Client("channel", nil)}
			got, err := link.RenewToken(t.Context(), "stale", connector.Renewal{Refused: "it refuses the refresh token",
				Request: func(ctx context.Context, c connector.Credentials) (*http.Request, error) {
					return connector.TokenForm(ctx, server.URL, url.Values{"refresh_token": {c["refreshToken"]}})
				}})
			switch {
			case c.kind == "" && (err != nil || got["accessToken"] != "new"):
				t.Errorf("got %v, %v", got, err)
			case c.kind != "" && !connector.Is(err, c.kind):
				t.Errorf("err = %v, want %s", err, c.kind)
			case err != nil && strings.Contains(err.Error(), "refuses") != (c.kind == connector.Unauthorized):
				t.Errorf("%d is reported as %q", c.status, err)
			case stored["refreshToken"] != c.refresh:
				t.Errorf("the refresh token is %q", stored["refreshToken"])
			}
		})
	}
}
