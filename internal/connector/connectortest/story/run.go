package story

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// longestWait and longestTime limit waiting, in the machine's time and in the service's.
const (
	longestWait = 5 * time.Minute
	longestTime = 24 * time.Hour
)

// story is one running story.
type story struct {
	*testing.T
	Size
	service  Service
	shop     Shop
	door     *door
	pictures string
	channel  string
	products []string // their SKUs
	sold     []sold
	orders   []*order
	calls    int // at the beginning of the chapter
	began    time.Time
	started  time.Time // by the machine's time
}

// sold is something that can be bought.
type sold struct {
	sku   string
	cents int64
}

// Run runs a service through the story with a shop.
func Run(t *testing.T, service Service, shop Shop, size Size) {
	shop.check(t)
	s := &story{T: t, Size: size, service: service, shop: shop, door: &door{shop: shop.Handler, renews: shop.Renews,
		broken: make(chan struct{}, 1), kinds: map[string]int{}}}
	if shop.Clock != nil {
		shop.Clock(service.Now)
	}
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n0123456789"))
	}))
	t.Cleanup(pictures.Close)
	s.pictures = pictures.URL
	for i, chapter := range []struct {
		name string
		run  func()
	}{{"connected", s.connect}, {"products out", s.productsOut}, {"two waves of stock and prices", s.waves}, {"orders in", s.ordersIn},
		{"changes there", s.changesThere}, {"states back", s.statesBack}, {"a token that ends", s.tokenEnds},
		{"an hour's outage", s.outage}, {"the end", s.end}} {
		if size.Chapters > 0 && i == size.Chapters {
			break
		}
		s.calls, s.began, s.started = s.door.count(), service.Now(), time.Now()
		chapter.run()
		if s.door.disarm() {
			<-s.door.broken
			s.service.Restart()
		}
		t.Logf("%s: %s: %d calls in %s (%s of the machine's)", shop.Platform, chapter.name, s.door.count()-s.calls,
			service.Now().Sub(s.began).Round(time.Second), time.Since(s.started).Round(100*time.Millisecond))
		t.Logf("%s: %s", shop.Platform, s.door.frequent())
	}
}

// call sends a request and requires a status.
func (s *story) call(method, path string, body any, want int) Document {
	s.Helper()
	status, answer := s.service.Do(method, path, body)
	if status != want {
		s.Fatalf("%s %s: %d %v, want %d", method, path, status, answer, want)
	}
	return answer
}

// await advances time until a condition holds: the function returns what is missing, "" for nothing.
func (s *story) await(what string, holds func() string) {
	s.Helper()
	began, machine := s.service.Now(), time.Now()
	for step := time.Second; ; step = min(step*3/2, 20*time.Second) {
		select {
		case <-s.door.broken:
			s.door.disarm()
			s.service.Restart()
		default:
		}
		missing := holds()
		if missing == "" {
			return
		}
		if took := s.service.Now().Sub(began); time.Since(machine) > longestWait || took > longestTime {
			s.Fatalf("%s: %s, after %s: %s; %s; calls: %s", s.shop.Platform, what, took.Round(time.Second), missing, s.state(), s.door.frequent())
		}
		s.service.Pass(step)
	}
}

// state is the channel's state in the service, for messages.
func (s *story) state() string {
	return fmt.Sprint(s.call("GET", "/api/v1/channels/"+s.channel, nil, 200), s.call("GET", "/api/v1/sdk/sync/status", nil, 200))
}

func unless(holds bool, otherwise ...any) string {
	if holds {
		return ""
	}
	return fmt.Sprint(otherwise...)
}

// connect creates the channel and tests it twice: webhooks must be registered once.
func (s *story) connect() {
	if s.shop.Faults != nil {
		s.shop.Faults()
	}
	server := httptest.NewServer(s.door)
	ctx, end := context.WithCancel(context.Background())
	delivered := make(chan struct{})
	s.Cleanup(func() {
		end()
		<-delivered
		server.CloseClientConnections()
		server.Close()
	})
	go func() {
		defer close(delivered)
		if s.shop.Deliver != nil {
			s.shop.Deliver(ctx)
		}
	}()
	credentials := maps.Clone(s.shop.Credentials)
	credentials["url"], credentials["baseUrl"] = server.URL, server.URL
	s.channel = s.call("POST", "/api/v1/channels", map[string]any{"name": s.shop.Platform, "platform": s.shop.Platform,
		"credentials": credentials, "settings": s.shop.Settings}, 201).Text("data", "channel", "id")
	for range 2 {
		s.await("the connection test", func() string {
			got := s.call("POST", "/api/v1/channels/"+s.channel+"/sync/test", map[string]any{}, 200)
			if s.shop.Install != nil {
				s.shop.Install(got.Text("data", "paste", "url"), got.Text("data", "paste", "secret"))
			}
			return unless(got.At("data", "success") == true && len(got.List("data", "webhooksRegistered")) == s.shop.Topics, got)
		})
	}
}
