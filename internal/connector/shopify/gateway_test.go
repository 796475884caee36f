package shopify_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
	"entrepot/internal/connector/shopify"
)

// A page of a gateway, such as of a guard against attacks, does not refuse the token of an app that cannot get another one: it passes.
func TestPagesOfGatewaysDoNotRefuseTheToken(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		for body, want := range map[string]connector.Kind{"<!DOCTYPE html><html><title>Attention Required!</title></html>": connector.Temporary,
			`{"errors":"[API] Invalid API key or access token"}`: connector.Unauthorized} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}))
			t.Cleanup(server.Close)
			c := shopify.New()
			session := c.Open(connector.Link{Now: time.Now,
				Client: connector.NewClients(&netguard.Guard{Dev: true}, "entrepot/test").Client("channel", c.Capabilities().Limits),
				Channel: connector.Channel{ID: "channel", Platform: "SHOPIFY",
					Credentials: connector.Credentials{"shop": "fake.myshopify.com", "baseUrl": server.URL, "accessToken": "shpat_1"}}})
			if _, err := session.Test(t.Context()); !connector.Is(err, want) {
				t.Errorf("%d %s: %v", status, body, err)
			}
		}
	}
}
