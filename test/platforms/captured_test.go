package platforms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/connector/connectortest/story"
)

// signatures are the headers that prove who sent a notification, by platform.
var signatures = map[string]string{"WOOCOMMERCE": "X-Wc-Webhook-Signature", "PRESTASHOP": "X-Prestashop-Signature",
	"SHOPIFY": "X-Shopify-Hmac-Sha256", "EBAY": "X-Ebay-Signature", "TIKTOK_SHOP": "Authorization", "AMAZON": "X-Relay-Secret"}

// captured is a notification as it arrived.
type captured struct {
	path   string
	header http.Header
	body   []byte
}

// man is in between the platforms and the service: he passes on what they send, and keeps the signed notifications that were accepted.
type man struct {
	to      string
	passing sync.RWMutex // held while something is passed on
	stopped string       // the channel to which nothing is passed on any more
	mu      sync.Mutex
	kept    []captured
}

// stop lets nothing more through to a channel.
func (m *man) stop(channel string) {
	m.passing.Lock()
	defer m.passing.Unlock()
	m.stopped = channel
}

func (m *man) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	one := captured{r.URL.Path, r.Header.Clone(), body}
	m.passing.RLock()
	defer m.passing.RUnlock()
	if m.stopped != "" && strings.Contains(r.URL.Path, m.stopped) {
		return
	}
	status, answer, err := m.send(r.Method, r.URL.RequestURI(), one)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if r.Method == http.MethodPost && status == http.StatusCreated {
		m.mu.Lock()
		m.kept = append(m.kept, one)
		m.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}

// send sends a request to the service.
func (m *man) send(method, path string, c captured) (int, []byte, error) {
	r, err := http.NewRequest(method, m.to+path, bytes.NewReader(c.body))
	if err != nil {
		return 0, nil, err
	}
	r.Header = c.header.Clone()
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer got.Body.Close()
	answer, err := io.ReadAll(got.Body)
	return got.StatusCode, answer, err
}

// of is an accepted notification of a channel; ok is false while there is none.
func (m *man) of(channel string) (c captured, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.kept {
		if strings.Contains(c.path, channel) {
			return c, true
		}
	}
	return c, false
}

// Of every platform, over HTTP: a notification that comes again, as often as it may, is answered as a duplicate; one that was changed, has
// another signature or none is refused; a body of more than 5 MB is not read. None of these has an effect.
func TestCapturedNotifications(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	fronts := map[*service]*man{}
	engines(t, func(t *testing.T, s *service) {
		mu.Lock()
		between := fronts[s]
		mu.Unlock()
		between.to = s.base
		for _, shop := range shops() {
			t.Run(shop.Platform, func(t *testing.T) { s.replays(t, shop, between) })
		}
	}, func(s *service) {
		between := &man{}
		front := httptest.NewServer(between)
		s.Cleanup(front.Close)
		s.config.PublicURL = front.URL
		mu.Lock()
		fronts[s] = between
		mu.Unlock()
	})
}

// replays lets a shop notify the service once, and repeats and changes what it sent.
func (s *service) replays(t *testing.T, shop story.Shop, between *man) {
	server := httptest.NewServer(shop.Handler)
	t.Cleanup(server.Close)
	credentials := maps.Clone(shop.Credentials)
	credentials["url"], credentials["baseUrl"] = server.URL, server.URL
	if shop.Deliver == nil {
		credentials["relaySecret"] = "relay secret 0123456789"
	} else {
		go shop.Deliver(t.Context())
	}
	made := s.call("POST", "/api/v1/channels", map[string]any{"name": shop.Platform, "platform": shop.Platform, "credentials": credentials,
		"settings": map[string]any{"pullEvery": 3600}}, 201)
	channel := made.Text("data", "channel", "id")
	tested := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
	if shop.Install != nil {
		shop.Install(tested.Text("data", "paste", "url"), tested.Text("data", "paste", "secret"))
	}
	shop.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: "MUG", Quantity: 1, Cents: 790}}})
	if shop.Deliver == nil {
		c := captured{"/api/v1/webhooks/platform/" + channel + "/amazon", http.Header{"Content-Type": {"application/json"},
			"X-Relay-Secret": {"relay secret 0123456789"}}, []byte(`{"NotificationType":"ORDER_CHANGE","NotificationMetadata":` +
			`{"NotificationId":"n-1"},"Payload":{"OrderChangeNotification":{"AmazonOrderId":"902-1-1"}}}`)}
		if status, answer, err := between.send("POST", c.path, c); status != 201 {
			t.Fatalf("%d %s, %v", status, answer, err)
		}
		between.kept = append(between.kept, c)
	}
	var got captured
	s.await(shop.Platform+": a notification", func() (missing string) {
		var ok bool
		got, ok = between.of(channel)
		return unless(ok, tested, s.jobs(channel))
	})
	between.stop(channel) // a further notification of the order has an effect
	jobs := func() []any { return s.call("GET", "/api/v1/jobs?limit=100&channelId="+channel, nil, 200).List("data") }
	s.await("the jobs of the channel have ended", func() string {
		list := jobs()
		return unless(!slices.ContainsFunc(list, func(job any) bool { return job.(map[string]any)["completedAt"] == nil }), list)
	})
	before := len(jobs())
	refused := http.StatusBadRequest
	if shop.Platform == "TIKTOK_SHOP" {
		refused = http.StatusUnauthorized
	}
	header := signatures[shop.Platform]
	with := func(change func(*captured)) captured {
		c := captured{got.path, got.header.Clone(), bytes.Clone(got.body)}
		change(&c)
		return c
	}
	if got.header.Get(header) == "" {
		t.Fatalf("it has no header %s: %v", header, got.header)
	}
	for name, sent := range map[string]struct {
		captured
		status int
	}{
		"again":        {with(func(*captured) {}), 201},
		"once more":    {with(func(*captured) {}), 201},
		"no signature": {with(func(c *captured) { c.header.Del(header) }), refused},
		"another signature": {with(func(c *captured) {
			c.header.Set(header, strings.Map(func(r rune) rune {
				if r == 'a' || r == 'b' {
					return 'a' + 'b' - r
				}
				return r
			}, "ab"+c.header.Get(header)))
		}), refused},
		"two signatures": {with(func(c *captured) { c.header.Add(header, "x") }), refused},
		"a byte more":    {with(func(c *captured) { c.body = append(c.body, ' ') }), refused},
		"4 MB":           {with(func(c *captured) { c.body = bytes.Repeat([]byte(" "), 4<<20) }), refused},
		"5 MB and more":  {with(func(c *captured) { c.body = bytes.Repeat([]byte(" "), 5<<20+1) }), 413},
	} {
		if shop.Platform == "AMAZON" && (name == "a byte more" || name == "two signatures") {
			continue // its relay proves with a secret who it is, and signs no body
		}
		status, answer, err := between.send("POST", sent.path, sent.captured)
		var out map[string]any
		_ = json.Unmarshal(answer, &out)
		switch {
		case err != nil || status != sent.status:
			t.Errorf("%s: %d %.200s, %v, want %d", name, status, answer, err, sent.status)
		case status == 201 && out["duplicate"] != true:
			t.Errorf("%s: %s", name, answer)
		case status >= 400 && out["message"] == nil:
			t.Errorf("%s: it does not say why: %.200s", name, answer)
		}
	}
	if n := len(jobs()); n != before {
		t.Errorf("%d jobs, there were %d: %v", n, before, fmt.Sprint(s.jobs(channel)))
	}
}
