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

// A token that the platform is issuing when the service stops is stored before it ends, though nobody waits for it any more: the refresh
// token for which it was issued is not taken again.
func TestATokenOnItsWayIsStoredBeforeTheEnd(t *testing.T) {
	t.Parallel()
	waits, issued, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := unstarted(t, "sqlite")
	s.config.Log = slog.New(slog.NewTextHandler(&watched{text: "waiting for access tokens", seen: sync.OnceFunc(func() { close(waits) })}, nil))
	s.begin()
	shop := fakeshop.New()
	first := sync.OnceFunc(func() { close(issued) })
	channel := s.connectTikTok(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v2/token/refresh" {
			shop.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		shop.ServeHTTP(answer, r)
		first()
		select { // the answer is under way until the service waits for it, or has ended
		case <-waits:
		case <-ended:
		}
		_, _ = w.Write(answer.Body.Bytes())
	}), map[string]any{"pullEvery": 3600})
	s.await("the pull after the connection test", func() string {
		return unless(s.call("GET", "/api/v1/channels/"+channel, nil, 200).At("data", "lastSyncAt") != nil, s.jobs(channel))
	})
	shop.Expire()
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = s.attemptIn(ctx, "POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{})
	}()
	<-issued
	hangUp()
	<-gone
	s.stop()
	close(ended)
	s.start()
	got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
	if got.At("data", "success") != true || shop.Renewed() != 1 {
		t.Errorf("renewed %d times: %v", shop.Renewed(), got)
	}
}

// watched is a log in which a text is waited for.
type watched struct {
	text string
	seen func()
}

func (w *watched) Write(line []byte) (int, error) {
	if strings.Contains(string(line), w.text) {
		w.seen()
	}
	return len(line), nil
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
