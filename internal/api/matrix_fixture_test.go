package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/connector/all"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// fixture is one account of a server with the records that operations need: rows create them through the interface
// itself, and every answer is checked against the document. Two fixtures that create the same records in the same order
// use the same SKUs, references, codes and e-mail addresses, so that only the account separates them.
type fixture struct {
	*server
	validator *validator
	names     int
	kept      map[string]string
	keys      map[string]string
}

// platform is what answers in the place of platforms and receivers.
type platform struct{}

func (platform) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

// complaints are the service's own words about what went wrong inside, for the test's log.
type complaints struct{ t testing.TB }

func (c complaints) Write(line []byte) (int, error) {
	c.t.Log(string(line))
	return len(line), nil
}

// newFixture is the first account of a fresh server, which knows every platform.
func newFixture(t testing.TB, engine string) *fixture {
	t.Helper()
	s := newServer(t, engine, limits.Off{})
	client := &http.Client{Transport: platform{}}
	set, err := all.Connectors(client, s.Now)
	if err != nil {
		t.Fatal(err)
	}
	s.Commerce.Connectors, s.Commerce.HTTP = set, client
	s.Log = slog.New(slog.NewTextHandler(complaints{t}, &slog.HandlerOptions{Level: slog.LevelError}))
	return &fixture{server: s, validator: newValidator(t, s.API), kept: map[string]string{}, keys: map[string]string{}}
}

// neighbour is a second account on the same server.
func (w *fixture) neighbour() *fixture {
	w.t.Helper()
	return &fixture{server: w.stranger(), validator: w.validator, kept: map[string]string{}, keys: map[string]string{}}
}

// name returns a text that this fixture has not used yet.
func (w *fixture) name(prefix string) string {
	w.names++
	return fmt.Sprintf("%s-%d", prefix, w.names)
}

// once makes something the first time it is asked for.
func (w *fixture) once(what string, make func() string) string {
	if w.kept[what] == "" {
		w.kept[what] = make()
	}
	return w.kept[what]
}

// owner is the header of the owner's access token.
func (w *fixture) asOwner() map[string]string { return withToken(w.token) }

func withKey(key string) map[string]string { return map[string]string{"X-API-Key": key} }

// keyOf is a key of exactly these scopes.
func (w *fixture) keyOf(scopes ...string) string {
	w.t.Helper()
	name := strings.Join(scopes, " ")
	if w.keys[name] == "" {
		w.keys[name] = w.newKey(scopes...)
	}
	return w.keys[name]
}

// keyWithout is a key of every scope but these.
func (w *fixture) keyWithout(scopes ...string) string {
	w.t.Helper()
	rest := slices.DeleteFunc(slices.Clone(accounts.AllScopes), func(s string) bool { return slices.Contains(scopes, s) })
	return w.keyOf(rest...)
}

// user makes a user of a role and logs him in.
func (w *fixture) user(role accounts.Role) (user accounts.User, token string) {
	w.t.Helper()
	w.write(w.tenant, func(tx *db.Tx) (err error) {
		user, err = w.Commerce.CreateUser(tx, accounts.Caller{}, commerce.UserDraft{Email: w.newLogin(),
			Name: "Ursula User", Role: role, PasswordHash: ownerHash()})
		return err
	})
	return user, w.newToken(user)
}

// req is one request for an operation: what its path's places stand for, its query, body and headers.
type req struct {
	ids    map[string]string
	query  string
	body   any // as of call
	header map[string]string
	token  string // the access token it is to be made with, else the owner's or the fixture's key
	status int    // what it is answered when it is not the route's usual success
}

// target is the address of a request.
func (a req) target(r *route) string {
	path := pathParameter.ReplaceAllStringFunc(r.path, func(place string) string { return url.PathEscape(a.ids[strings.Trim(place, "{}")]) })
	if a.query != "" {
		path += "?" + a.query
	}
	return path
}

// wants is the status of a request that is in order.
func (a req) wants(r *route) int {
	if a.status != 0 {
		return a.status
	}
	return r.success()
}

// credential is the header that opens a route when nothing is wrong.
func (w *fixture) credential(r *route, a req) map[string]string {
	switch {
	case r.access == public:
		return nil
	case a.token != "":
		return withToken(a.token)
	case r.access == loginOnly:
		return w.asOwner()
	}
	return withKey(w.key)
}

// send makes a request with the given credential and checks the answer.
func (w *fixture) send(r *route, a req, credential map[string]string) reply {
	w.t.Helper()
	header := map[string]string{}
	for _, some := range []map[string]string{credential, a.header} {
		for name, value := range some {
			header[name] = value
		}
	}
	got := w.do(call{method: r.method, path: a.target(r), body: a.body, header: header, noKey: true})
	if problem := w.validator.check(r, got); problem != "" {
		w.t.Errorf("%s %s: the answer %d is not as documented: %s\n%s", r.method, r.path, got.status, short([]byte(problem)), short(got.body))
	}
	return got
}

// make has the interface do something that must succeed, and gives the answer.
func (w *fixture) make(method, path string, body any) map[string]any {
	w.t.Helper()
	if strings.HasPrefix(path, "/api/v1/developer/api-keys") {
		return w.makeAs(method, path, body, w.asOwner())
	}
	return w.makeAs(method, path, body, withKey(w.key))
}

func (w *fixture) makeAs(method, path string, body any, credential map[string]string) map[string]any {
	w.t.Helper()
	got := w.do(call{method: method, path: path, body: body, header: credential, noKey: true})
	if got.status >= 300 {
		w.t.Fatalf("%s %s: %d %s", method, path, got.status, got.body)
	}
	return got.json(w.t)
}

// queryNames are the parameters that a route reads.
func queryNames(r *route) []string {
	if r.query == nil {
		return nil
	}
	return apijson.DescribeQuery(r.query).Names()
}

// short is the beginning of a body, for messages.
func short(body []byte) string {
	if len(body) > 600 {
		return string(body[:600]) + "…"
	}
	return string(body)
}

// member is a JSON object.
type member = map[string]any

// encode returns a body as it is sent.
func encode(t testing.TB, body any) []byte {
	t.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(b)
	case []byte:
		return b
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(text.Bytes())
}

func withToken(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}
