package platforms

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest/story"
)

// logged keeps what a service logs.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A platform that repeats all that it was sent, in every place where it says what is wrong, puts no secret of a channel into an answer, an
// event, the log or the store, in whatever way it writes them, and no part of one that was cut off.
func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	log := &logged{}
	s := unstarted(t, "sqlite").timed()
	s.config.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.begin()
	s.call("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 10, "stock": map[string]any{"quantity": 3},
		"attributes": map[string]any{"EAN": story.EAN(0)}, "images": []any{map[string]any{"url": "https://pictures.example/1.png"}}}, 201)
	var secrets []string
	var said strings.Builder
	for _, shop := range shops() {
		secrets = append(secrets, longSecrets(&shop)...)
		for _, status := range []int{200, 400, 401, 500} {
			server := httptest.NewServer(reflects(status))
			t.Cleanup(server.Close)
			said.WriteString(s.reflected(t, shop, server.URL))
		}
	}
	said.WriteString(log.String())
	for after := ""; ; {
		got := s.call("GET", "/api/v1/developer/events?limit=100&after="+after, nil, 200)
		said.WriteString(got.Text("data"))
		list := got.List("data")
		if len(list) == 0 {
			break
		}
		after = got.Text("data", len(list)-1, "id")
	}
	said.WriteString(stored(t, s.config.Dir))
	all := said.String()
	if !strings.Contains(all, "***") || !strings.Contains(all, "channel.sync_failed") {
		t.Errorf("nothing was repeated, or nothing failed: %.2000s", all)
	}
	for _, secret := range secrets {
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		in64 := base64.StdEncoding.EncodeToString([]byte(secret))
		for _, written := range []string{secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret),
			html.EscapeString(secret), strings.TrimRight(in64, "="), secret[:len(secret)/2], url.PathEscape(secret[:len(secret)/2])} {
			if at := strings.Index(all, written); at >= 0 {
				t.Errorf("%s is shown: …%s…", secret, all[max(0, at-300):min(len(all), at+100)])
			}
		}
	}
}

// stored is all that a store's files hold.
func stored(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all.Write(content)
		return err
	})
	if err != nil || all.Len() == 0 {
		t.Fatal(all.Len(), err)
	}
	return all.String()
}

// reflected makes a channel of a shop at an address, uses it in all ways, and gives all that the service says of it.
func (s *service) reflected(t *testing.T, shop story.Shop, address string) string {
	credentials := map[string]any{"url": address, "baseUrl": address}
	for name, value := range shop.Credentials {
		credentials[name] = value
	}
	var said strings.Builder
	made := s.call("POST", "/api/v1/channels", map[string]any{"name": shop.Platform, "platform": shop.Platform,
		"credentials": credentials}, 201)
	path := "/api/v1/channels/" + made.Text("data", "channel", "id")
	s.call("POST", path+"/publications", map[string]any{"skus": []string{"MUG"}}, 200)
	for _, kind := range []string{"order_pull", "product_push"} {
		s.try("POST", path+"/sync", map[string]any{"type": kind})
	}
	for began := s.Now(); s.Now().Sub(began) < 20*time.Minute; {
		s.Pass(2 * time.Minute)
	}
	tested := s.call("POST", path+"/sync/test", map[string]any{}, 200)
	for _, got := range []document{made, tested, s.call("GET", path, nil, 200), s.call("GET", path+"/publications", nil, 200),
		s.call("GET", "/api/v1/jobs?limit=100&channelId="+made.Text("data", "channel", "id"), nil, 200)} {
		said.WriteString(got.Text("data"))
	}
	s.call("DELETE", path+"?force=true", nil, 200)
	return said.String()
}
