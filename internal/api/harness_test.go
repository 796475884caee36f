package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/bucket"
	"entrepot/internal/base/id"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

func TestMain(m *testing.M) {
	dbtest.Waiting() // the parallel ones for commerce.RefusalTime
	dbtest.Main(m)
}

// server is the API on a fresh store, with one account that everything is called for unless said otherwise.
type server struct {
	*API
	t       testing.TB
	tenant  id.Tenant
	account accounts.Account
	owner   accounts.User
	key     string // of every scope; call sends it
	token   string // the owner's
	now     *clock
	config  db.Config
	second  *API  // another node's, see twin
	trace   *hook // called with every statement that reads
	wrote   *hook // called with every statement that is queued to write
}

// clock is the time of a test: for the limits it stays the same until the test moves it; the store sees each reading
// later than the one before.
type clock struct{ micros atomic.Int64 }

func (c *clock) Now() time.Time { return time.UnixMicro(c.micros.Load()).UTC() }

// move turns the clock.
func (c *clock) move(d time.Duration) { c.micros.Add(d.Microseconds()) }

// tick is the store's reading.
func (c *clock) tick() time.Time { return time.UnixMicro(c.micros.Add(1)).UTC() }

const ownerPassword = "correct horse battery"

// quick lets hashing take little time; what it costs in the service is tested in package server.
var quick = accounts.Hashing{Memory: 64, Passes: 1}

// ownerHash is ownerPassword's.
var ownerHash = sync.OnceValue(func() string {
	hash, err := quick.Hash(context.Background(), ownerPassword)
	if err != nil {
		panic(err)
	}
	return hash
})

// engines runs a test against the API on each engine, without rate limits.
func engines(t *testing.T, test func(t *testing.T, s *server)) {
	t.Helper()
	enginesWith(t, func() limits.Limiter { return limits.Off{} }, test)
}

// enginesWith is engines with a fresh limiter for each.
func enginesWith(t *testing.T, limiter func() limits.Limiter, test func(t *testing.T, s *server)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { test(t, newServer(t, engine, limiter())) })
	}
}

func newServer(t testing.TB, engine string, limiter limits.Limiter) *server {
	t.Helper()
	now := &clock{}
	now.micros.Store(time.Now().UnixMicro())
	config := db.Config{Dir: dbtest.StoreDir(t), Unsafe: true, Now: now.tick}
	if engine == "postgres" {
		config = db.Config{URL: dbtest.StoreURL(t), Now: now.tick, Pool: 12}
	}
	master, err := secretbox.Parse(strings.Repeat("5e", 32))
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, now: now, trace: new(hook), wrote: new(hook)}
	config.Trace, config.Wrote = called(s.trace), called(s.wrote)
	store := dbtest.Open(t, config)
	s.config = config
	pictures, err := bucket.Open(t.TempDir(), bucket.S3{})
	if err != nil {
		t.Fatal(err)
	}
	s.API = New(Config{DB: store, Commerce: &commerce.Service{Key: master, Numbers: orders.NewNumbers(), Hashing: quick, Dev: true,
		Media: pictures},
		Limiter: limiter,
		Now:     now.Now, Version: "test", Dev: true})
	s.account, s.owner = s.newAccount("Test", accounts.Enterprise, "owner@test.example")
	s.tenant = s.account.Tenant
	s.key = s.newKey(accounts.AllScopes...)
	s.token = s.newToken(s.owner)
	return s
}

// hook is what is called with statements at the time, if anything is.
type hook = atomic.Pointer[func(sql string, args []any)]

func called(h *hook) func(sql string, args []any) {
	return func(sql string, args []any) {
		if run := h.Load(); run != nil {
			(*run)(sql, args)
		}
	}
}

// newAccount makes an account whose owner has ownerPassword.
func (s *server) newAccount(name string, plan accounts.Plan, email string) (account accounts.Account, owner accounts.User) {
	s.t.Helper()
	s.write(db.Across, func(tx *db.Tx) error {
		made, user, err := s.Commerce.CreateAccount(tx, accounts.Caller{}, commerce.AccountDraft{Name: name, Plan: plan,
			Owner: &commerce.UserDraft{Email: email, Name: "Olga Owner", PasswordHash: ownerHash()}})
		account, owner = made, *user
		return err
	})
	return account, owner
}

// write runs one transaction on the store.
func (s *server) write(tenant id.Tenant, run func(tx *db.Tx) error) {
	s.t.Helper()
	if err := s.DB.Write(s.t.Context(), tenant, run); err != nil {
		s.t.Fatal(err)
	}
}

// newKey makes an API key of the server's account.
func (s *server) newKey(scopes ...string) (secret string) {
	s.t.Helper()
	s.write(s.tenant, func(tx *db.Tx) (err error) {
		_, secret, err = s.Commerce.CreateKey(tx, accounts.Caller{}, commerce.KeyDraft{Name: "test", Scopes: scopes})
		return err
	})
	return secret
}

// newToken logs a user of the server's account in.
func (s *server) newToken(user accounts.User) (token string) {
	s.t.Helper()
	s.write(s.tenant, func(tx *db.Tx) error {
		token = s.Commerce.LogIn(tx, &user, accounts.Origin{})
		return nil
	})
	return token
}

// stranger is the same API for a second account, whose ids are foreign to the first.
func (s *server) stranger() *server {
	s.t.Helper()
	other := *s
	other.account, other.owner = s.newAccount("Stranger", accounts.Enterprise, "stranger"+id.New[string]()+"@test.example")
	other.tenant = other.account.Tenant
	other.key = other.newKey(accounts.AllScopes...)
	other.token = other.newToken(other.owner)
	return &other
}

// twin is another node on the same store; on SQLite, which one process serves, the same one.
func (s *server) twin() *server {
	s.t.Helper()
	other := *s
	if s.config.URL == "" {
		return &other
	}
	if s.second == nil {
		c := s.Commerce
		service := &commerce.Service{Key: c.Key, Numbers: orders.NewNumbers(), Connectors: c.Connectors, Guard: c.Guard, HTTP: c.HTTP, Log: c.Log,
			Clients: c.Clients, PullEvery: c.PullEvery, Hashing: c.Hashing, Dev: c.Dev, AtOnce: c.AtOnce, Media: c.Media}
		s.second = New(Config{DB: dbtest.Open(s.t, s.config), Commerce: service, Limiter: s.Limiter, Now: s.now.Now, Version: "test", Dev: true,
			Log: s.Log})
	}
	other.API = s.second
	return &other
}

// with is the same server called with another key.
func (s *server) with(key string) *server {
	other := *s
	other.key = key
	return &other
}

// reply is an answer, read whole.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// call says how a request differs from the usual one: JSON in both directions, with the server's key.
type call struct {
	method, path string
	body         any // nil sends none; a string or []byte goes as it is; else it is marshalled
	header       map[string]string
	noKey        bool
}

// do makes a call through the whole edge, without a socket.
func (s *server) do(c call) reply {
	s.t.Helper()
	var body io.Reader
	switch b := c.body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	case []byte:
		body = bytes.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	hr := httptest.NewRequestWithContext(s.t.Context(), c.method, c.path, body)
	if body != nil {
		hr.Header.Set("Content-Type", "application/json")
	}
	if !c.noKey {
		hr.Header.Set("X-API-Key", s.key)
	}
	for name, value := range c.header {
		hr.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, hr)
	header := http.Header{} // with the names that a client of net/http would see
	for name, values := range w.Header() {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return reply{w.Code, header, w.Body.Bytes()}
}

// call sends a request with the server's key and decodes the answer; numbers are json.Number.
func (s *server) call(t testing.TB, method, path string, body any) (status int, answer map[string]any) {
	t.Helper()
	r := s.do(call{method: method, path: path, body: body})
	return r.status, r.json(t)
}

// login is call with the owner's access token instead of a key.
func (s *server) login(t testing.TB, method, path string, body any) (status int, answer map[string]any) {
	t.Helper()
	r := s.do(call{method: method, path: path, body: body, noKey: true, header: map[string]string{"Authorization": "Bearer " + s.token}})
	return r.status, r.json(t)
}

// must is call for a status that the test depends on.
func (s *server) must(t testing.TB, want int, method, path string, body any) map[string]any {
	t.Helper()
	status, answer := s.call(t, method, path, body)
	if status != want {
		t.Fatalf("%s %s: %d, not %d: %v", method, path, status, want, answer)
	}
	return answer
}

// json decodes an answer; an empty one is nil.
func (r reply) json(t testing.TB) map[string]any {
	t.Helper()
	if len(r.body) == 0 {
		return nil
	}
	var answer map[string]any
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.UseNumber()
	if err := decoder.Decode(&answer); err != nil {
		t.Fatalf("the answer is no JSON object: %v: %s", err, r.body)
	}
	return answer
}

// at returns the value in decoded JSON at a path of names and positions; nil if there is none.
func at(value any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}

// text is at for a string.
func text(value any, path ...any) string {
	s, _ := at(value, path...).(string)
	return s
}

// number is at for a number, as it was written.
func number(value any, path ...any) string {
	n, _ := at(value, path...).(json.Number)
	return n.String()
}

// eventsSince returns the names of the account's events from the given position on, in commit order, and the next position.
func (s *server) eventsSince(from int64) (names []string, next int64) {
	s.t.Helper()
	next = from
	err := s.DB.Read(s.t.Context(), s.tenant, func(tx *db.Tx) error {
		return tx.Each(func(r db.Rows) error {
			var name string
			err := r.Scan(&name, &next)
			names = append(names, name)
			return err
		}, "SELECT event, stamp FROM events WHERE tenant_id = $1 AND stamp > $2 ORDER BY stamp", s.tenant, from)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return names, next
}
