package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
)

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
