package platforms

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"entrepot/internal/connector/woocommerce/fakeshop"
)

// A new channel is not tested until a test has succeeded. A shop that takes only some of the webhooks at first has the others registered
// later, without a person; until then they are pending.
func TestWebhooksThatAreRegisteredInPart(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := fakeshop.New("ck_test", "cs_test")
		var made, open atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/webhooks") && open.Load() == 0 && made.Add(1) > 2 {
				_, _ = io.Copy(io.Discard, r.Body)
				http.Error(w, `{"code":"internal_server_error","message":"critical"}`, http.StatusInternalServerError)
				return
			}
			shop.ServeHTTP(w, r)
		}))
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		made1 := s.call("POST", "/api/v1/channels", map[string]any{"name": "Woo", "platform": "WOOCOMMERCE", "settings": map[string]any{"pullEvery": 1},
			"credentials": map[string]any{"url": server.URL, "consumerKey": "ck_test", "consumerSecret": "wrong"}}, 201)
		channel := made1.Text("data", "channel", "id")
		tested := func() string {
			c := s.call("GET", "/api/v1/channels/"+channel, nil, 200)
			return fmt.Sprint(c.At("data", "status"), " ", c.At("data", "tested"))
		}
		if got := made1.At("data", "channel", "tested"); got != false || tested() != "active false" {
			t.Errorf("new: %v, %s", got, tested())
		}
		path := "/api/v1/channels/" + channel + "/sync/test"
		if got := s.call("POST", path, map[string]any{}, 200); got.At("data", "success") != false || tested() != "needs_reauth false" {
			t.Errorf("a wrong secret: %v, %s", got, tested())
		}
		s.call("PATCH", "/api/v1/channels/"+channel, map[string]any{"credentials": map[string]any{"consumerSecret": "cs_test"}}, 200)
		got := s.call("POST", path, map[string]any{}, 200)
		if got.At("data", "success") != true || len(got.List("data", "webhooksRegistered")) != 2 ||
			!strings.Contains(got.Text("data", "message"), "2 of 5 notifications are switched on") || tested() != "active true" {
			t.Errorf("in part: %v, %s", got, tested())
		}
		hooks := func() string {
			states := map[string]int{}
			c := s.call("GET", "/api/v1/channels/"+channel, nil, 200)
			for i := range c.List("data", "webhooks") {
				states[c.Text("data", "webhooks", i, "status")]++
			}
			return fmt.Sprint(states)
		}
		if got := hooks(); got != "map[active:2 pending:3]" {
			t.Errorf("webhooks %s", got)
		}
		open.Store(1)
		s.await("the other webhooks", func() string { return unless(hooks() == "map[active:5]" && len(shop.Hooks()) == 5, hooks()) })
		if own := s.call("POST", "/api/v1/channels", map[string]any{"name": "ERP", "platform": "CUSTOM"}, 201); own.At("data", "channel", "tested") != true {
			t.Errorf("a custom channel: %v", own)
		}
	})
}
