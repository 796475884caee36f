package platforms

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/connector/tiktokshop/fakeshop"
)

// A token that ended is renewed once, whichever nodes and requests find out at the same time, and each uses what that one was given: the
// platform takes a refresh token once.
func TestTokensAreRenewedOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := fakeshop.New()
		channel := s.connectTikTok(shop, nil)
		nodes := []*service{s}
		if s.config.URL != "" { // nodes share a store that is no file
			nodes = append(nodes, s.another())
		}
		for round := range 4 {
			shop.Expire()
			before := shop.Renewed()
			var all sync.WaitGroup
			refused := make(chan string, 16)
			for _, node := range slices.Repeat(nodes, 3) {
				all.Go(func() {
					status, got := node.try("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{})
					if status != 200 || got.At("data", "success") != true {
						refused <- fmt.Sprint(status, got)
					}
				})
			}
			all.Wait()
			close(refused)
			for text := range refused {
				t.Errorf("round %d: %s", round, text)
			}
			if n := shop.Renewed() - before; n != 1 {
				t.Errorf("round %d: renewed %d times", round, n)
			}
		}
		if state := s.call("GET", "/api/v1/channels/"+channel, nil, 200).Text("data", "status"); state != "active" {
			t.Errorf("the channel is %s", state)
		}
	})
}

// What a renewal gave is stored before it is used: a service that ends in the first request with the new token has it after its next start.
func TestTokensAreStoredBeforeTheyAreUsed(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := fakeshop.New()
		channel := s.connectTikTok(shop, nil)
		used := make(chan struct{})
		shop.HangOnce(func() { close(used) })
		shop.Expire()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = s.attempt("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}) // it is cut off
		}()
		select {
		case <-used:
		case <-time.After(5 * time.Minute):
			t.Fatal("the new token was never used")
		}
		s.restart()
		<-ended
		got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
		if got.At("data", "success") != true || shop.Renewed() != 1 {
			t.Errorf("renewed %d times: %v", shop.Renewed(), got)
		}
	})
}

// waits is a log that reports that a service which stops waits for tokens.
type waits struct {
	slog.Handler
	begun chan struct{}
}

// Handle notes one message.
func (w waits) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "waiting for an access token") {
		close(w.begun)
	}
	return nil
}

// Enabled is for all messages.
func (waits) Enabled(context.Context, slog.Level) bool { return true }

// A service that stops while a platform answers a renewal stores what is issued, although the job that wanted it has been broken off: the
// refresh token is spent.
func TestTokensAreStoredBeforeTheServiceStops(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			shop := fakeshop.New()
			spent, release := make(chan struct{}), make(chan struct{})
			w := waits{slog.DiscardHandler, make(chan struct{})}
			s := unstarted(t, engine)
			s.config.Log = slog.New(w)
			s.begin()
			channel := s.connectTikTok(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/token/refresh") {
					shop.ServeHTTP(w, r)
					return
				}
				answer := httptest.NewRecorder()
				shop.ServeHTTP(answer, r)
				close(spent)
				<-release
				_, _ = w.Write(answer.Body.Bytes())
			}), map[string]any{"pullEvery": 3600})
			shop.Expire()
			s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull"}, 202)
			<-spent
			stopped := make(chan struct{})
			go func() { defer close(stopped); s.stop() }()
			select {
			case <-w.begun:
			case <-stopped:
				t.Error("the service has stopped before the platform answered")
			}
			close(release)
			<-stopped
			s.restart()
			got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
			if got.At("data", "success") != true || shop.Renewed() != 1 {
				t.Errorf("renewed %d times: %v", shop.Renewed(), got)
			}
		})
	}
}

// connectTikTok makes the channel of a shop and tests it.
func (s *service) connectTikTok(shop http.Handler, settings map[string]any) (channel string) {
	s.Helper()
	server := httptest.NewServer(shop)
	s.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	made := s.call("POST", "/api/v1/channels", map[string]any{"name": "TikTok", "platform": "TIKTOK_SHOP", "settings": settings,
		"credentials": map[string]any{"baseUrl": server.URL, "appKey": fakeshop.AppKey, "appSecret": fakeshop.AppSecret,
			"accessToken": fakeshop.AccessToken, "refreshToken": fakeshop.RefreshToken, "shopCipher": fakeshop.Cipher}}, 201)
	channel = made.Text("data", "channel", "id")
	if got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200); got.At("data", "success") != true {
		s.Fatalf("the test failed: %v", got)
	}
	return channel
}
