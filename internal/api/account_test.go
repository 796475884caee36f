package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

func TestKeyIsShownOnceAndRevokedAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		status, made := s.login(t, "POST", "/api/v1/developer/api-keys",
			map[string]any{"name": "ops", "scopes": []string{"read:users", "read:users"}})
		secret, key := text(made, "data", "key"), text(made, "data", "id")
		if status != http.StatusCreated || !strings.HasPrefix(secret, "pk_live_") || len(secret) < len("pk_live_")+32 {
			t.Fatalf("%d %v", status, made)
		}
		if status, answer := s.with(secret).call(t, "GET", "/api/v1/users", nil); status != http.StatusOK {
			t.Fatalf("the key: %d %v", status, answer)
		}
		if status, answer := s.with(secret).call(t, "POST", "/api/v1/users", map[string]any{}); status != http.StatusForbidden ||
			text(answer, "requiredScope") != "write:users" {
			t.Errorf("beyond its scopes: %d %v", status, answer)
		}
		_, read := s.login(t, "GET", "/api/v1/developer/api-keys/"+key, nil)
		if at(read, "data", "key") != nil || text(read, "data", "lastUsedAt") == "" || len(at(read, "data", "scopes").([]any)) != 1 {
			t.Errorf("read: %v", read)
		}
		if status, answer := s.login(t, "DELETE", "/api/v1/developer/api-keys/"+key, nil); status != http.StatusOK ||
			at(answer, "data", "deleted") != true {
			t.Fatalf("%d %v", status, answer)
		}
		if status, _ := s.with(secret).call(t, "GET", "/api/v1/users", nil); status != http.StatusUnauthorized {
			t.Errorf("the revoked key: %d", status)
		}
		for _, method := range []string{"GET", "DELETE"} {
			if status, _ := s.login(t, method, "/api/v1/developer/api-keys/"+key, nil); status != http.StatusNotFound {
				t.Errorf("%s of the revoked key: %d", method, status)
			}
		}
		_, list := s.login(t, "GET", "/api/v1/developer/api-keys", nil)
		if number(list, "meta", "total") != "1" { // the harness's own
			t.Errorf("list: %v", list)
		}
	})
}

func TestKeysNeedAnAdministratorsLogin(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		if status, _ := s.call(t, "GET", "/api/v1/developer/api-keys", nil); status != http.StatusForbidden {
			t.Errorf("with a key: %d", status)
		}
		viewer := *s
		viewer.token = s.viewer(t)
		status, answer := viewer.login(t, "POST", "/api/v1/developer/api-keys", map[string]any{"name": "x", "scopes": []string{"read:users"}})
		if status != http.StatusForbidden || text(answer, "requiredScope") == "" {
			t.Errorf("a viewer: %d %v", status, answer)
		}
		other := s.stranger()
		_, made := s.login(t, "POST", "/api/v1/developer/api-keys", map[string]any{"name": "x", "scopes": []string{"read:users"}})
		if status, _ := other.login(t, "DELETE", "/api/v1/developer/api-keys/"+text(made, "data", "id"), nil); status != http.StatusNotFound {
			t.Errorf("another account: %d", status)
		}
	})
}

// viewer adds a user who may only look and gives the token.
func (s *server) viewer(t *testing.T) string {
	t.Helper()
	var viewer accounts.User
	s.write(s.tenant, func(tx *db.Tx) (err error) {
		viewer, err = s.Commerce.CreateUser(tx, accounts.Caller{},
			commerce.UserDraft{Email: "viewer@test.example", Name: "Vera", Role: accounts.Viewer, PasswordHash: ownerHash()})
		return err
	})
	return s.newToken(viewer)
}

func TestKeyDraftsAreChecked(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for _, body := range []any{
			map[string]any{}, map[string]any{"name": "x"}, map[string]any{"name": "x", "scopes": []string{}},
			map[string]any{"name": "x", "scopes": []string{"read:everything"}}, map[string]any{"name": "", "scopes": []string{"read:users"}},
			map[string]any{"name": "x", "scopes": "read:users"},
			map[string]any{"name": "x", "scopes": []string{"read:users"}, "expiresAt": "2020-01-01"},
		} {
			if status, answer := s.login(t, "POST", "/api/v1/developer/api-keys", body); status != http.StatusBadRequest ||
				text(answer, "code") != "validation_failed" {
				t.Errorf("%v: %d %v", body, status, answer)
			}
		}
		soon := s.DB.Now().Add(time.Minute)
		_, made := s.login(t, "POST", "/api/v1/developer/api-keys",
			map[string]any{"name": "x", "scopes": []string{"read:users"}, "expiresAt": soon.Format(time.RFC3339Nano)})
		short := s.with(text(made, "data", "key"))
		if status, _ := short.call(t, "GET", "/api/v1/users", nil); status != http.StatusOK {
			t.Errorf("before it expires: %d", status)
		}
		s.now.move(2 * time.Minute)
		if status, _ := short.call(t, "GET", "/api/v1/users", nil); status != http.StatusUnauthorized {
			t.Errorf("after it expired: %d", status)
		}
	})
}

func TestRepeatedKeyCreationShowsTheSameKeyWithoutStoringIt(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		create := func() reply {
			return s.do(call{method: "POST", path: "/api/v1/developer/api-keys", noKey: true,
				body:   map[string]any{"name": "x", "scopes": []string{"read:users"}},
				header: map[string]string{"Authorization": "Bearer " + s.token, "Idempotency-Key": "k"}})
		}
		first, again := create(), create()
		if first.status != 201 || again.status != 201 || string(first.body) != string(again.body) ||
			again.header.Get("Idempotent-Replay") != "true" {
			t.Fatalf("%d %s\n%d %s", first.status, first.body, again.status, again.body)
		}
		var kept string
		if err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT answer FROM idempotency_keys WHERE tenant_id = $1", []any{s.tenant}, &kept)
		}); err != nil || strings.Contains(kept, text(first.json(t), "data", "key")) || kept == "" {
			t.Errorf("%v: the store keeps %s", err, kept)
		}
	})
}

// What a user's own change made of the user (another password, the end of the login) does not refuse its repetition;
// any other body does, and no password can be guessed from the stored fingerprint at the speed of its hash.
func TestRepeatedUserChanges(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		me := "/api/v1/users/" + text(s.mustAs(t, s.token, 200, "GET", "/api/v1/auth/me", nil), "data", "id")
		const next = "another battery staple"
		logIn := func(password string) string {
			return text(s.do(call{method: "POST", path: "/api/v1/auth/login", noKey: true,
				body: map[string]string{"email": "owner@test.example", "password": password}}).json(t), "data", "accessToken")
		}
		token := s.token
		change := func(zone, password, current string) reply {
			body := map[string]any{"timeZone": zone, "currentPassword": current, "email": "owner@test.example", `unknown "x":{`: 1, "": 2}
			if password != "" {
				body["password"] = password
			}
			return s.do(call{method: "PATCH", path: me, noKey: true, body: body,
				header: map[string]string{"Authorization": "Bearer " + token, "Idempotency-Key": "k" + password}})
		}
		for _, password := range []string{"", next} {
			first := change("Europe/Paris", password, ownerPassword)
			if password != "" {
				token = logIn(password)
			}
			again := change("Europe/Paris", password, ownerPassword)
			if first.status != 200 || again.status != 200 ||
				string(first.body) != string(again.body) || again.header.Get("Idempotent-Replay") != "true" {
				t.Errorf("%q: %d %s\n%d %s", password, first.status, first.body, again.status, again.body)
			}
			if r := change("Asia/Tokyo", password, ownerPassword); r.status != 409 {
				t.Errorf("%q: another time zone: %d %s", password, r.status, r.body)
			}
			if r := change("Europe/Paris", password, "not the password"); r.status != 409 {
				t.Errorf("%q: another current password: %d %s", password, r.status, r.body)
			}
			body, err := jsonvalue.Parse(fmt.Appendf(nil,
				`{"timeZone":"Europe/Paris","currentPassword":%q,"email":"owner@test.example","unknown \"x\":{":1,"":2}`, ownerPassword))
			if err != nil {
				t.Fatal(err)
			}
			var plain int
			if err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
				return tx.Row("SELECT count(*) FROM idempotency_keys WHERE tenant_id = $1 AND fingerprint = $2",
					[]any{s.tenant, body.Fingerprint()}, &plain)
			}); err != nil || plain != 0 {
				t.Errorf("%v: %d fingerprints of the plain body", err, plain)
			}
		}
	})
}

func TestUsersComeAndGo(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	engines(t, func(t *testing.T, s *server) {
		made := s.mustAs(t, s.token, 201, "POST", "/api/v1/users",
			map[string]any{"email": "Ann@Test.example", "name": "Ann", "role": "admin", "password": "quite long enough"})
		user := "/api/v1/users/" + text(made, "data", "id")
		if text(made, "data", "status") != "active" || at(made, "data", "lastLoginAt") != nil || at(made, "data", "password") != nil {
			t.Errorf("%v", made)
		}
		if status, _ := s.login(t, "POST", "/api/v1/users",
			map[string]any{"email": "ann@test.EXAMPLE", "name": "Ann", "role": "viewer",
				"password": "quite long enough"}); status != http.StatusConflict {
			t.Errorf("the same e-mail again: %d", status)
		}
		token := func(password string) (int, string) {
			r := s.do(call{method: "POST", path: "/api/v1/auth/login", noKey: true,
				body: map[string]string{"email": "ann@test.example", "password": password}})
			return r.status, text(r.json(t), "data", "accessToken")
		}
		_, ann := token("quite long enough")
		me := func() int {
			return s.do(call{method: "GET", path: "/api/v1/auth/me", noKey: true, header: bearer(ann)}).status
		}
		if me() != http.StatusOK {
			t.Fatal("Ann is not logged in")
		}
		changed := s.mustAs(t, s.token, 200, "PATCH", user, map[string]any{"role": "viewer", "name": "Anna", "password": "another long one"})
		if text(changed, "data", "role") != "viewer" || text(changed, "data", "name") != "Anna" ||
			text(changed, "data", "email") != "Ann@Test.example" {
			t.Errorf("%v", changed)
		}
		if me() != http.StatusUnauthorized {
			t.Error("a new password left the old login open")
		}
		if status, _ := token("quite long enough"); status != http.StatusUnauthorized {
			t.Errorf("the old password: %d", status)
		}
		if _, ann = token("another long one"); me() != http.StatusOK {
			t.Error("the new password does not work")
		}
		s.mustAs(t, s.token, 200, "PUT", user, map[string]any{"status": "disabled"})
		if status, _ := token("another long one"); me() != http.StatusUnauthorized || status != http.StatusUnauthorized {
			t.Errorf("a disabled user: %d", status)
		}
		if list := s.mustAs(t, s.token, 200, "GET", "/api/v1/users?limit=1&page=2", nil); number(list, "meta", "total") != "2" ||
			text(list, "data", 0, "name") != "Anna" {
			t.Errorf("%v", list)
		}
		s.mustAs(t, s.token, 200, "DELETE", user, nil)
		s.mustAs(t, s.token, 404, "GET", user, nil)
		s.mustAs(t, s.token, 404, "DELETE", user, nil)
		s.mustAs(t, s.token, 404, "PATCH", "/api/v1/users/nonsense", map[string]any{"name": "x"})
	})
}

func TestUserDraftsAreChecked(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		good := func(member string, value any) map[string]any {
			body := map[string]any{"email": "ann@test.example", "name": "Ann", "role": "viewer", "password": "quite long enough"}
			body[member] = value
			return body
		}
		user := "/api/v1/users/" + string(s.owner.ID)
		for _, body := range []any{good("email", "ann"), good("email", nil), good("name", ""), good("role", "boss"), good("password", "short"),
			good("password", strings.Repeat("x", 300)), map[string]any{}} {
			if status, answer := s.call(t, "POST", "/api/v1/users", body); status != http.StatusBadRequest {
				t.Errorf("%v: %d %v", body, status, answer)
			}
		}
		for _, body := range []any{map[string]any{"email": nil}, map[string]any{"name": ""}, map[string]any{"role": nil},
			map[string]any{"status": "gone"}, map[string]any{"password": "short"}} {
			if status, answer := s.call(t, "PATCH", user, body); status != http.StatusBadRequest {
				t.Errorf("PATCH %v: %d %v", body, status, answer)
			}
		}
	})
}

func TestTheLastOwnerStays(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		owner := "/api/v1/users/" + string(s.owner.ID)
		for _, c := range []struct {
			method string
			body   any
		}{{"DELETE", nil}, {"PATCH", map[string]any{"role": "admin"}}, {"PATCH", map[string]any{"status": "disabled"}}} {
			if status, answer := s.login(t, c.method, owner, c.body); status != http.StatusConflict {
				t.Errorf("%s %v: %d %v", c.method, c.body, status, answer)
			}
		}
		made := s.mustAs(t, s.token, 201, "POST", "/api/v1/users",
			map[string]any{"email": "two@test.example", "name": "Two", "role": "owner", "password": "quite long enough"})
		paths := []string{owner, "/api/v1/users/" + text(made, "data", "id")}
		statuses := make([]int, 2)
		var both sync.WaitGroup
		for i, path := range paths {
			both.Add(1)
			go func() {
				defer both.Done()
				statuses[i] = s.do(call{method: "DELETE", path: path, noKey: true, header: bearer(s.token)}).status
			}()
		}
		both.Wait()
		slices.Sort(statuses)
		// 401: the caller was the first to go, and his login with him.
		if !slices.Equal(statuses, []int{200, 409}) && !slices.Equal(statuses, []int{200, 401}) {
			t.Errorf("two owners removed at once: %v", statuses)
		}
	})
}

func TestAccountIsReadAndChanged(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		narrow := s.with(s.newKey("read:orders"))
		read := narrow.must(t, 200, "GET", "/api/v1/account", nil)
		if text(read, "data", "id") != string(s.account.ID) || text(read, "data", "currency") != "EUR" ||
			at(read, "data", "strictWarehouses") != false {
			t.Errorf("%v", read)
		}
		narrow.must(t, 403, "PATCH", "/api/v1/account", map[string]any{"name": "x"})
		changed := s.must(t, 200, "PATCH", "/api/v1/account", map[string]any{"name": "Corner shop", "currency": "jpy", "strictWarehouses": true})
		if text(changed, "data", "currency") != "JPY" || at(changed, "data", "strictWarehouses") != true ||
			text(changed, "data", "name") != "Corner shop" {
			t.Errorf("%v", changed)
		}
		for _, body := range []any{map[string]any{"currency": "ZZZ"}, map[string]any{"name": nil}, map[string]any{"strictWarehouses": nil},
			map[string]any{"strictWarehouses": 1}} {
			s.must(t, 400, "PATCH", "/api/v1/account", body)
		}
		log := s.must(t, 200, "GET", "/api/v1/audit-log?limit=1", nil)
		if text(log, "data", 0, "action") != "account.updated" || !strings.HasPrefix(text(log, "data", 0, "actor"), "key:") ||
			text(log, "data", 0, "details", "fields") != "name,currency,strictWarehouses" {
			t.Errorf("%v", log)
		}
		narrow.must(t, 403, "GET", "/api/v1/audit-log", nil)
		if none := s.must(t, 200, "GET", "/api/v1/audit-log?to=2001-01-01", nil); number(none, "meta", "total") != "0" {
			t.Errorf("%v", none)
		}
		if other := s.stranger().must(t, 200, "GET", "/api/v1/audit-log", nil); strings.Contains(text(other, "data", 0, "details", "fields"),
			"strict") {
			t.Errorf("another account's log: %v", other)
		}
	})
}
