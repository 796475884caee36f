package dashboard

import (
	"bytes"
	"context"
	"flag"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/api"
	"entrepot/internal/api/reference"
	"entrepot/internal/base/bucket"
	"entrepot/internal/base/id"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/commerce"
	"entrepot/internal/connector/all"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

// beside is how many tests run beside each other, however many processors there are: a page that is open takes some 50 MB, and the two that
// axe-core examines most of a gigabyte.
const beside = "3"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", beside); err != nil { // -parallel is read later
		panic(err)
	}
	dbtest.Main(m)
}

const password = "correct horse battery"

// quick lets hashing take little time; what it costs in the service is tested in package server.
var quick = accounts.Hashing{Memory: 64, Passes: 1}

var passwordHash = sync.OnceValue(func() string {
	hash, err := quick.Hash(context.Background(), password)
	if err != nil {
		panic(err)
	}
	return hash
})

// site is a dashboard and the API on a fresh store, with one account.
type site struct {
	*Dashboard
	t       testing.TB
	url     string
	account accounts.Account
	owner   accounts.User
	log     *bytes.Buffer
	samples map[string]string // of seed: "/orders" → an id
	placed  int64             // orders made by tests
	key     string            // of seed, for the API
	config  db.Config

	limitsAt atomic.Pointer[time.Time] // the time of limits once stopLimits was called
	looks    atomic.Int64              // how often limitsNow was asked before
}

// stopLimits stops the clock of limits: what is counted by the minute counts together, however long the test takes.
func (s *site) stopLimits() {
	now := time.Now()
	s.limitsAt.Store(&now)
}

// limitsNow is the clock of limits. It advances by a minute at each look, so that no test meets a limit that it is not about.
func (s *site) limitsNow() time.Time {
	if at := s.limitsAt.Load(); at != nil {
		return *at
	}
	return time.Now().Add(time.Duration(s.looks.Add(1)) * time.Minute)
}

// parallel lets a test run beside others: each has a store, a service and cookies of its own. Parts of a test run one after the other.
func parallel(t testing.TB) {
	t.Helper()
	if whole, ok := t.(*testing.T); ok && !strings.Contains(t.Name(), "/") {
		if _, already := parallels.LoadOrStore(t, true); !already {
			whole.Parallel()
		}
	}
}

var parallels sync.Map // *testing.T → true

// alone lets no other test run beside this one, which takes much memory or all of the machine.
func alone(t *testing.T) { parallels.Store(t, true) }

// sites runs a test on each engine.
func sites(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	sitesWith(t, func(*db.Config) {}, test)
}

// sitesWith is sites with other settings of the store.
func sitesWith(t *testing.T, set func(*db.Config), test func(t *testing.T, s *site)) {
	t.Helper()
	parallel(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { test(t, newSiteOn(t, engine, set)) })
	}
}

// noon lets a store's clock go from tomorrow's noon on: no day ends in a test that counts by days.
func noon(c *db.Config) {
	ahead := time.Until(time.Now().UTC().Truncate(24 * time.Hour).Add(36 * time.Hour))
	c.Now = func() time.Time { return time.Now().Add(ahead) }
}

// nodes runs a test on each engine with two nodes on one store: what is done there shows here. SQLite has one node, which is both.
func nodes(t *testing.T, test func(t *testing.T, here, there *site)) {
	t.Helper()
	sites(t, func(t *testing.T, here *site) { test(t, here, here.node2(t)) })
}

// node2 is another node on the site's store; on SQLite, which has one, the site itself.
func (s *site) node2(t *testing.T) *site {
	t.Helper()
	if s.config.URL == "" {
		return s
	}
	other := serve(t, s.config)
	other.account, other.owner = s.account, s.owner
	return other
}

func newSite(t testing.TB, engine string) *site {
	t.Helper()
	return newSiteOn(t, engine, func(*db.Config) {})
}

// newSiteOn is newSite with other settings of the store.
func newSiteOn(t testing.TB, engine string, set func(*db.Config)) *site {
	t.Helper()
	s := emptySite(t, engine, set)
	s.account, s.owner = s.newAccount("Atelier Lumen", "owner@test.example")
	return s
}

// emptySite is a site on a store without accounts.
func emptySite(t testing.TB, engine string, set func(*db.Config)) *site {
	t.Helper()
	parallel(t)
	config := db.Config{Dir: dbtest.StoreDir(t), Unsafe: true}
	if engine == "postgres" {
		config = db.Config{URL: dbtest.StoreURL(t), Pool: 12}
	}
	set(&config)
	return serve(t, config)
}

// serve opens a store and serves a site on it.
func serve(t testing.TB, config db.Config) *site {
	t.Helper()
	master, err := secretbox.Parse(strings.Repeat("5e", 32))
	if err != nil {
		t.Fatal(err)
	}
	store := dbtest.Open(t, config)
	connectors, err := all.Connectors(http.DefaultClient, store.Now)
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := bucket.Open(t.TempDir(), bucket.S3{})
	if err != nil {
		t.Fatal(err)
	}
	service := &commerce.Service{Media: pictures, Key: master, Numbers: orders.NewNumbers(), Hashing: quick, Dev: true, Connectors: connectors}
	limiter := limits.NewLocal()
	s := &site{t: t, log: &bytes.Buffer{}, config: config}
	s.Dashboard = New(Config{DB: store, Commerce: service, Limiter: limiter, Version: "test", Dev: true, Now: s.limitsNow,
		Look: 100 * time.Millisecond, Log: slog.New(slog.NewTextHandler(s.log, nil))})
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(s.Drain)
	s.url, s.PublicURL = server.URL, server.URL
	mux.Handle(prefix, s.Dashboard)
	mux.Handle(prefix+"/", s.Dashboard)
	interfaces := api.New(api.Config{DB: store, Commerce: service, Limiter: limiter, Version: "test", Dev: true, Now: s.limitsNow,
		PublicURL: server.URL})
	mux.Handle("/docs/", reference.Handler(interfaces.Description, s.Reader, Tokens()))
	mux.Handle("/", interfaces)
	return s
}

// newAccount makes an account whose owner has the password.
func (s *site) newAccount(name, email string) (account accounts.Account, owner accounts.User) {
	s.t.Helper()
	s.do(db.Across, func(tx *db.Tx) error {
		made, user, err := s.Commerce.CreateAccount(tx, accounts.Caller{}, commerce.AccountDraft{Name: name, Plan: accounts.Enterprise,
			Owner: &commerce.UserDraft{Email: email, Name: "Olga Owner", PasswordHash: passwordHash()}})
		account, owner = made, *user
		return err
	})
	return account, owner
}

// newUser adds a user with the password to the site's account.
func (s *site) newUser(email string, role accounts.Role) (user accounts.User) {
	s.t.Helper()
	s.do(s.account.Tenant, func(tx *db.Tx) (err error) {
		user, err = s.Commerce.CreateUser(tx, accounts.Caller{}, commerce.UserDraft{Email: email, Name: "Vera Viewer", Role: role,
			PasswordHash: passwordHash()})
		return err
	})
	return user
}

// do runs one write on the store.
func (s *site) do(tenant id.Tenant, run func(tx *db.Tx) error) {
	s.t.Helper()
	if err := s.DB.Write(s.t.Context(), tenant, run); err != nil {
		s.t.Fatal(err)
	}
}

// browser is a client with cookies; it follows no redirect.
type browser struct {
	s      *site
	client *http.Client
	header http.Header // of every request
}

func (s *site) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &browser{s: s, header: http.Header{}, client: &http.Client{Jar: jar, Timeout: 5 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// as is a browser in which a user is logged in.
func (s *site) as(user accounts.User) *browser {
	s.t.Helper()
	b := s.browser()
	var text string
	tenant := s.account.Tenant
	s.do(db.Across, func(tx *db.Tx) error {
		found, own, err := accounts.Login(tx, user.Email)
		if err == nil {
			user, tenant = *found, own
		}
		return err
	})
	s.do(tenant, func(tx *db.Tx) error {
		text = s.Commerce.OpenSession(tx, &user, accounts.Origin{Agent: "a test"})
		return nil
	})
	at, err := url.Parse(s.url + prefix + "/")
	if err != nil {
		s.t.Fatal(err)
	}
	b.client.Jar.SetCookies(at, []*http.Cookie{{Name: cookieName, Value: text, Path: prefix}, {Name: cookieName, Value: text, Path: "/docs"}})
	return b
}

// reply is an answer, read whole.
type reply struct {
	status int
	header http.Header
	body   string
}

// words is what a reader sees of a page.
func (r reply) words() string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(r.body, " "))), " ")
}

var tags = regexp.MustCompile(`<[^>]*>`)

// to is where a redirect leads.
func (r reply) to() string { return r.header.Get("Location") }

func (b *browser) send(method, path string, body io.Reader, kind string) reply {
	b.s.t.Helper()
	request, err := http.NewRequestWithContext(b.s.t.Context(), method, b.s.url+path, body)
	if err != nil {
		b.s.t.Fatal(err)
	}
	for name, values := range b.header {
		request.Header[name] = values
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	response, err := b.client.Do(request)
	if err != nil {
		b.s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.s.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(text)}
}

// get reads a page; the path is below the prefix.
func (b *browser) get(path string) reply {
	b.s.t.Helper()
	return b.send("GET", prefix+path, nil, "")
}

// post sends a form; the path is below the prefix.
func (b *browser) post(path string, values url.Values) reply {
	b.s.t.Helper()
	return b.send("POST", prefix+path, strings.NewReader(values.Encode()), "application/x-www-form-urlencoded")
}

// follow reads the page that a redirect leads to.
func (b *browser) follow(r reply) reply {
	b.s.t.Helper()
	if r.status != http.StatusSeeOther {
		b.s.t.Fatalf("no redirect: %d %.300s", r.status, r.words())
	}
	return b.send("GET", r.to(), nil, "")
}

// key is the key of the form that a page sends to an action below the prefix.
func (r reply) key(t testing.TB, action string) string {
	t.Helper()
	_, rest, ok := strings.Cut(r.body, `action="`+prefix+action+`"`)
	found := keyInput.FindStringSubmatch(rest)
	if !ok || found == nil {
		t.Fatalf("no form to %s with a key in: %.500s", action, r.words())
	}
	return found[1]
}

var keyInput = regexp.MustCompile(`name="_key" value="([^"]+)"`)
