package platforms

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	"entrepot/internal/db/dbtest"
)

const moduleSecret = "Zx9 & geheim"

// module is a run of the module for PrestaShop in a shop with as much of PrestaShop's core as it touches.
type module struct {
	*testing.T
	php, file, shop string
	env             []string
}

// newModule demands that PHP is there, with curl, and that both files are PHP.
func newModule(t *testing.T, address, secret string, hooks ...any) *module {
	t.Helper()
	php, err := exec.LookPath("php")
	if err != nil {
		t.Fatal("PHP is needed to run the module for PrestaShop: make php installs it")
	}
	m := &module{T: t, php: php}
	for file, path := range map[*string]string{&m.file: "../../modules/prestashop/entrepot/entrepot.php", &m.shop: "testdata/prestashop.php"} {
		if *file, err = filepath.Abs(path); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.Command(php, "-l", *file).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", path, err, said)
		}
	}
	if said, err := exec.Command(php, "-r", "exit(function_exists('curl_init') ? 0 : 1);").CombinedOutput(); err != nil {
		t.Fatalf("PHP is there without curl, which the module needs: make php installs it: %s", said)
	}
	fired, err := json.Marshal(hooks)
	if err != nil {
		t.Fatal(err)
	}
	m.env = append(os.Environ(), "ENTREPOT_MODULE="+m.file, "ENTREPOT_ADDRESS="+address, "ENTREPOT_SECRET="+secret,
		"ENTREPOT_HOOKS="+string(fired))
	return m
}

// Hooks of an order that is placed, of its state and of itself: the module sends one notification of them.
func orderHooks(id int) []any {
	return []any{[]any{"actionValidateOrder", map[string]any{"order": map[string]any{"id": id}}},
		[]any{"actionObjectOrderUpdateAfter", map[string]any{"object": map[string]any{"id": id}}},
		[]any{"actionOrderStatusPostUpdate", map[string]any{"id_order": fmt.Sprint(id)}}}
}

// run fires the hooks. It calls looks when the buyer's page is made and when the module has ended the answer to the buyer; until that
// returns, PHP waits. It returns when the module is done, and gives all that PHP said.
func (m *module) run(looks func(step string)) {
	m.Helper()
	shop := exec.CommandContext(m.Context(), m.php, m.shop)
	shop.Env = m.env
	in, err := shop.StdinPipe()
	if err != nil {
		m.Fatal(err)
	}
	out, err := shop.StdoutPipe()
	if err != nil {
		m.Fatal(err)
	}
	var warned strings.Builder
	shop.Stderr = &warned
	if err := shop.Start(); err != nil {
		m.Fatal(err)
	}
	var said []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said = append(said, lines.Text())
		looks(lines.Text())
		_, _ = io.WriteString(in, "\n")
	}
	if err := shop.Wait(); err != nil || strings.Join(said, " ") != "page answered" || warned.String() != "" {
		m.Errorf("%v: it said %q %s", err, said, &warned)
	}
}

// letter is a notification that the module sent.
type letter struct {
	header http.Header
	body   []byte
}

// postbox keeps notifications.
type postbox struct {
	mu   sync.Mutex
	kept []letter
}

func (p *postbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = append(p.kept, letter{r.Header, body})
	w.WriteHeader(http.StatusCreated)
}

func (p *postbox) letters() []letter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept
}

// The module for PrestaShop sends nothing before the buyer has the answer. Then each order, product and quantity that changed is one
// signed notification, however many hooks were called for it.
func TestPrestaShopModule(t *testing.T) {
	t.Parallel()
	var box postbox
	server := httptest.NewServer(&box)
	t.Cleanup(server.Close)
	hooks := append(orderHooks(7), []any{"actionProductUpdate", map[string]any{"id_product": 3}},
		[]any{"actionUpdateQuantity", map[string]any{"id_product": 4}}, []any{"actionUpdateQuantity", map[string]any{"id_product": 4}},
		[]any{"actionProductUpdate", map[string]any{}}, []any{"actionOrderStatusPostUpdate", map[string]any{"id_order": 0}})
	newModule(t, server.URL, moduleSecret, hooks...).run(func(step string) {
		if n := len(box.letters()); n != 0 {
			t.Errorf("%s: %d notifications were sent", step, n)
		}
	})
	var said []string
	ids := map[string]bool{}
	for _, l := range box.letters() {
		var in struct {
			ID      string `json:"event_id"`
			Event   string `json:"event"`
			Order   any    `json:"id_order"`
			Product any    `json:"id_product"`
			At      string `json:"date_upd"`
		}
		mac := hmac.New(sha256.New, []byte(moduleSecret))
		_, _ = mac.Write(l.body)
		if err := json.Unmarshal(l.body, &in); err != nil || len(in.ID) != 32 || len(in.At) != len(time.DateTime) ||
			l.header.Get("X-PrestaShop-Signature") != hex.EncodeToString(mac.Sum(nil)) ||
			l.header.Get("Content-Type") != "application/json" {
			t.Errorf("%v: %v %s", err, l.header, l.body)
		}
		ids[in.ID] = true
		said = append(said, fmt.Sprint(in.Event, " ", in.Order, " ", in.Product))
	}
	want := "order.status_changed 7 <nil>; product.updated <nil> 3; stock.updated <nil> 4"
	if got := strings.Join(said, "; "); got != want || len(ids) != 3 {
		t.Errorf("%d ids: %s, want %s", len(ids), got, want)
	}
}

// The service that the module notifies has the order, long before the next pull, with the address and the secret of its connection test.
func TestPrestaShopModuleNotifiesTheService(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := prestashop.New()
		server := httptest.NewServer(shop)
		t.Cleanup(server.Close)
		made := s.call("POST", "/api/v1/channels", map[string]any{"name": "Presta", "platform": "PRESTASHOP",
			"credentials": map[string]any{"url": server.URL, "webserviceKey": prestashop.Key}, "settings": map[string]any{"pullEvery": 3600}}, 201)
		channel := made.Text("data", "channel", "id")
		tested := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
		s.await("the pull after the connection test", func() string {
			return unless(s.call("GET", "/api/v1/channels/"+channel, nil, 200).At("data", "lastSyncAt") != nil, s.jobs(channel))
		})
		bought := shop.Buy("ada@example.com", true, prestashop.Bought{SKU: "MUG", Quantity: 1})
		var id int
		_, _ = fmt.Sscan(bought, &id)
		newModule(t, tested.Text("data", "paste", "url"), tested.Text("data", "paste", "secret"), orderHooks(id)...).run(func(string) {})
		s.await("the order", func() string {
			got := s.call("GET", "/api/v1/orders?channelId="+channel, nil, 200)
			return unless(got.Text("data", 0, "externalId") == bought, got, s.jobs(channel))
		})
	})
}

// A service that is not there, answers nothing or fails costs the buyer nothing, and the shop a few seconds of one process: the module
// gives up at the first notification that did not arrive.
func TestPrestaShopModuleWithoutService(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 100)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		reached <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(func() { silent.CloseClientConnections(); silent.Close() })
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }))
	t.Cleanup(broken.Close)
	closed, err := dbtest.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	gone := fmt.Sprintf("http://127.0.0.1:%d", closed)
	var hooks []any
	for i := range 50 {
		hooks = append(hooks, orderHooks(i+1)...)
	}
	for name, address := range map[string]string{"silent": silent.URL, "broken": broken.URL, "gone": gone,
		"no such host": "https://entrepot.invalid"} {
		var answered time.Time
		newModule(t, address, moduleSecret, hooks...).run(func(string) { answered = time.Now() })
		if took := time.Since(answered); took > 30*time.Second { // 3 s, and what a busy machine makes of them
			t.Errorf("%s: the module took %s after the answer", name, took)
		}
	}
	select {
	case <-reached: // the silent server may come to it later than the module gave up
	case <-time.After(time.Minute):
		t.Error("no notification was tried")
	}
	if n := len(reached); n != 0 {
		t.Errorf("%d more notifications were tried where nobody answers", n)
	}
}

// Web servers that run PHP without FastCGI end the answer with the script. There the module ends it by its length, which lets the buyer go
// on while the service keeps the module waiting; a page that is under way already has its text.
func TestPrestaShopModuleWithoutFastCGI(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 10)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		reached <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(func() { silent.CloseClientConnections(); silent.Close() })
	for _, c := range []struct{ path, buffer, want string }{{"/page", "4096", "200  10 Thank you."}, {"/page", "0", "200  -1 Thank you."},
		{"/placed", "4096", "302 /confirmation 0 "}, {"/placed", "0", "302 /confirmation 0 "}} {
		if answer := newModule(t, silent.URL, moduleSecret, orderHooks(1)...).serves(c.path, c.buffer); answer != c.want {
			t.Errorf("%s with a buffer of %s: %q, want %q", c.path, c.buffer, answer, c.want)
		}
		<-reached
	}
}

var listening = regexp.MustCompile(`\(http://(127\.0\.0\.1:\d+)\) started`)

// serves runs the shop as a web server and gives its answer to one request: its status, Location, length and body.
func (m *module) serves(path, buffer string) string {
	m.Helper()
	shop := exec.CommandContext(m.Context(), m.php, "-d", "output_buffering="+buffer, "-S", "127.0.0.1:0", m.shop)
	shop.Env = m.env
	said, err := shop.StderrPipe()
	if err != nil {
		m.Fatal(err)
	}
	if err := shop.Start(); err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { _ = shop.Process.Kill(); _ = shop.Wait() })
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if at := listening.FindStringSubmatch(lines.Text()); at != nil {
			client := http.Client{Timeout: 30 * time.Second,
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			got, err := client.Get("http://" + at[1] + path)
			if err != nil {
				m.Fatal(err)
			}
			defer got.Body.Close()
			body, err := io.ReadAll(got.Body)
			if err != nil {
				m.Fatal(err)
			}
			return fmt.Sprint(got.StatusCode, " ", got.Header.Get("Location"), " ", got.ContentLength, " ", string(body))
		}
	}
	m.Fatal("PHP's web server did not start")
	return ""
}
