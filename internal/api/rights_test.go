package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/connector/all"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// mustAs is must with an access token.
func (s *server) mustAs(t testing.TB, token string, want int, method, path string, body any) map[string]any {
	t.Helper()
	r := s.do(call{method: method, path: path, body: body, noKey: true, header: bearer(token)})
	answer := r.json(t)
	if r.status != want {
		t.Fatalf("%s %s: %d, not %d: %v", method, path, r.status, want, answer)
	}
	return answer
}

// userOf makes a user of a role who has ownerPassword, and logs him in.
func (s *server) userOf(t testing.TB, role accounts.Role, email string) (user accounts.User, token string) {
	t.Helper()
	s.write(s.tenant, func(tx *db.Tx) (err error) {
		user, err = s.Commerce.CreateUser(tx, accounts.Caller{},
			commerce.UserDraft{Email: email, Name: "Ursula User", Role: role, PasswordHash: ownerHash()})
		return err
	})
	return user, s.newToken(user)
}

// Whoever has a credential touches users as its power allows, and owners only as an owner (interface §5.1).
func TestWhoMayTouchUsers(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	t.Parallel()
	engines(t, func(t *testing.T, s *server) {
		_, admin := s.userOf(t, accounts.Admin, "admin@test.example")
		_, owner := s.userOf(t, accounts.Owner, "second@test.example")
		callers := map[string]map[string]string{
			"owner": bearer(owner), "admin": bearer(admin), "viewer": bearer(s.viewer(t)),
			"every scope": {"X-API-Key": s.key}, "write:users": {"X-API-Key": s.newKey("write:users")},
			"read:users": {"X-API-Key": s.newKey("read:users")},
		}
		made := 0
		target := func(role accounts.Role) string {
			made++
			user, _ := s.userOf(t, role, "target"+string(rune('a'+made%26))+strings.Repeat("x", made/26)+"@test.example")
			return "/api/v1/users/" + string(user.ID)
		}
		fresh := func(role string) any {
			made++
			return member{"email": "fresh" + string(rune('a'+made%26)) + strings.Repeat("x", made/26) + "@test.example", "name": "F", "role": role,
				"password": "quite long enough"}
		}
		const ok, no = http.StatusOK, http.StatusForbidden
		for _, c := range []struct {
			what string
			do   func() (method, path string, body any)
			want map[string]int // of the callers above
		}{
			{"make an owner", func() (string, string, any) { return "POST", "/api/v1/users", fresh("owner") },
				map[string]int{"owner": 201, "admin": no, "viewer": no, "every scope": no, "write:users": no, "read:users": no}},
			{"make an admin", func() (string, string, any) { return "POST", "/api/v1/users", fresh("admin") },
				map[string]int{"owner": 201, "admin": 201, "viewer": no, "every scope": 201, "write:users": no, "read:users": no}},
			{"make a viewer", func() (string, string, any) { return "POST", "/api/v1/users", fresh("viewer") },
				map[string]int{"owner": 201, "admin": 201, "viewer": no, "every scope": 201, "write:users": 201, "read:users": no}},
			{"raise a viewer to owner", func() (string, string, any) { return "PATCH", target(accounts.Viewer), member{"role": "owner"} },
				map[string]int{"owner": ok, "admin": no, "viewer": no, "every scope": no, "write:users": no, "read:users": no}},
			{"raise a viewer to admin", func() (string, string, any) { return "PUT", target(accounts.Viewer), member{"role": "admin"} },
				map[string]int{"owner": ok, "admin": ok, "viewer": no, "every scope": no, "write:users": no, "read:users": no}},
			{"a viewer's password", func() (string, string, any) {
				return "PATCH", target(accounts.Viewer), member{"password": "another long one"}
			},
				map[string]int{"owner": ok, "admin": ok, "viewer": no, "every scope": no, "write:users": no, "read:users": no}},
			{"an admin's e-mail", func() (string, string, any) {
				made++
				return "PATCH", target(accounts.Admin), member{"email": "moved" + string(rune('a'+made%26)) + "@test.example"}
			},
				map[string]int{"owner": ok, "admin": ok, "viewer": no, "every scope": no, "write:users": no, "read:users": no}},
			{"a viewer's name", func() (string, string, any) {
				return "PATCH", target(accounts.Viewer), member{"name": "Renamed", "status": "disabled"}
			},
				map[string]int{"owner": ok, "admin": ok, "viewer": no, "every scope": ok, "write:users": ok, "read:users": no}},
			{"an owner's name", func() (string, string, any) { return "PATCH", target(accounts.Owner), member{"name": "Renamed"} },
				map[string]int{"owner": ok, "admin": no, "viewer": no, "every scope": no, "write:users": no, "read:users": no}},
			{"an owner's password", func() (string, string, any) {
				return "PATCH", target(accounts.Owner), member{"password": "another long one"}
			},
				map[string]int{"owner": ok, "admin": no, "viewer": no, "every scope": no, "write:users": no, "read:users": no}},
			{"disable an owner", func() (string, string, any) { return "PATCH", target(accounts.Owner), member{"status": "disabled"} },
				map[string]int{"owner": ok, "admin": no, "viewer": no, "every scope": no, "write:users": no, "read:users": no}},
			{"demote an owner", func() (string, string, any) { return "PATCH", target(accounts.Owner), member{"role": "viewer"} },
				map[string]int{"owner": ok, "admin": no, "viewer": no, "every scope": no, "write:users": no, "read:users": no}},
			{"remove an owner", func() (string, string, any) { return "DELETE", target(accounts.Owner), nil },
				map[string]int{"owner": ok, "admin": no, "viewer": no, "every scope": no, "write:users": no, "read:users": no}},
			{"remove an admin", func() (string, string, any) { return "DELETE", target(accounts.Admin), nil },
				map[string]int{"owner": ok, "admin": ok, "viewer": no, "every scope": ok, "write:users": ok, "read:users": no}},
		} {
			if len(c.want) != len(callers) {
				t.Fatalf("%s: %d callers, not %d", c.what, len(c.want), len(callers))
			}
			for who, want := range c.want {
				method, path, body := c.do()
				r := s.do(call{method: method, path: path, body: body, noKey: true, header: callers[who]})
				if r.status != want || want == no && text(r.json(t), "requiredScope") == "" {
					t.Errorf("%s, %s: %d, not %d: %s", who, c.what, r.status, want, r.body)
				}
			}
		}
	})
}

// A user whom a key made reads no more than the key, until a login gives him a role.
func TestNobodyMakesAUserWhoMayMore(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	engines(t, func(t *testing.T, s *server) {
		maker := s.with(s.newKey("write:users", "read:orders"))
		made := maker.must(t, 201, "POST", "/api/v1/users",
			member{"email": "v@test.example", "name": "V", "role": "viewer", "password": "quite long enough"})
		log := func() string {
			r := s.do(call{method: "POST", path: "/api/v1/auth/login", noKey: true,
				body: member{"email": "v@test.example", "password": "quite long enough"}})
			return text(r.json(t), "data", "accessToken")
		}
		token := log()
		for path, want := range map[string]int{"/api/v1/orders": 200, "/api/v1/users": 200, "/api/v1/customers": 403, "/api/v1/products": 403} {
			s.mustAs(t, token, want, "GET", path, nil)
		}
		user := "/api/v1/users/" + text(made, "data", "id")
		s.mustAs(t, s.token, 200, "PATCH", user, member{"role": "admin"})
		s.mustAs(t, s.token, 200, "PATCH", user, member{"role": "viewer"})
		s.mustAs(t, log(), 200, "GET", "/api/v1/customers", nil)
		refused := maker.must(t, 403, "POST", "/api/v1/users",
			member{"email": "a@test.example", "name": "A", "role": "admin", "password": "quite long enough"})
		if missing := text(refused, "requiredScope"); !strings.Contains(missing, "write:orders") || strings.Contains(missing, "read:orders") {
			t.Errorf("%v", refused)
		}
	})
}

// Changing the own password or e-mail address takes the current password; guessing it is throttled like logging in (interface §5.1).
func TestOwnPasswordNeedsTheCurrentOne(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	t.Parallel()
	enginesWith(t, counted, func(t *testing.T, s *server) {
		user, token := s.userOf(t, accounts.Admin, "own@test.example")
		self := "/api/v1/users/" + string(user.ID)
		for _, change := range []member{{"password": "another long one"}, {"email": "new@test.example"}} {
			if refused := s.mustAs(t, token, 400, "PATCH", self, change); text(refused, "details", 0, "path") != "currentPassword" {
				t.Errorf("%v: %v", change, refused)
			}
			change["currentPassword"] = "not it, really"
			if refused := s.mustAs(t, token, 403, "PATCH", self, change); text(refused, "code") != "wrong_password" {
				t.Errorf("%v: %v", change, refused)
			}
		}
		s.mustAs(t, token, 200, "PATCH", self, member{"name": "Una", "email": "own@test.example"}) // the address stays
		changed := s.mustAs(t, token, 200, "PATCH", self, member{"email": "new@test.example", "currentPassword": ownerPassword})
		if text(changed, "data", "email") != "new@test.example" || at(changed, "data", "currentPassword") != nil {
			t.Errorf("%v", changed)
		}
		s.mustAs(t, token, 200, "PATCH", self, member{"password": "another long one", "currentPassword": ownerPassword})
		s.mustAs(t, token, 401, "GET", "/api/v1/auth/me", nil)
		token = s.newToken(s.readUser(t, user))
		for range 10 {
			s.mustAs(t, token, 403, "PATCH", self, member{"email": "z@test.example", "currentPassword": "not it, really"})
		}
		s.mustAs(t, token, 429, "PATCH", self, member{"email": "z@test.example", "currentPassword": "another long one"})
	})
}

// Whoever is logged in changes his own password, whatever his role, and nothing else that his role does not allow (interface §5.1).
func TestEverybodyChangesTheOwnPassword(t *testing.T) {
	dbtest.Long(t, "it hashes many passwords")
	engines(t, func(t *testing.T, s *server) {
		other, _ := s.userOf(t, accounts.Viewer, "other@test.example")
		for _, role := range accounts.Roles {
			user, token := s.userOf(t, role, string(role)+"-own@test.example")
			self, change := "/api/v1/users/"+string(user.ID), member{"password": "another long one", "currentPassword": ownerPassword}
			if role == accounts.Viewer {
				for _, no := range []member{{"name": "Una"}, {"role": "admin"}, {"status": "disabled"},
					{"email": "una@test.example", "currentPassword": ownerPassword},
					{"name": "Una", "password": "another long one", "currentPassword": ownerPassword}} {
					if refused := s.mustAs(t, token, 403, "PATCH", self, no); text(refused, "requiredScope") != "write:users" {
						t.Errorf("%v: %v", no, refused)
					}
				}
				s.mustAs(t, token, 403, "PATCH", "/api/v1/users/"+string(other.ID), change)
				s.mustAs(t, token, 403, "DELETE", self, nil)
			}
			s.mustAs(t, token, 400, "PATCH", self, member{"password": "another long one"})
			s.mustAs(t, token, 403, "PUT", self, member{"password": "another long one", "currentPassword": "not it, really"})
			s.mustAs(t, token, 200, "PATCH", self, change)
			s.mustAs(t, token, 401, "GET", "/api/v1/auth/me", nil)
			in := s.do(call{method: "POST", path: "/api/v1/auth/login", noKey: true,
				body: member{"email": user.Email, "password": "another long one"}})
			if in.status != http.StatusOK {
				t.Errorf("%s with the new password: %d %s", role, in.status, in.body)
			}
		}
	})
}

func (s *server) readUser(t testing.TB, user accounts.User) (now accounts.User) {
	t.Helper()
	if err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) (err error) {
		now, err = accounts.UserByID(tx, user.ID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return now
}

// Keys say who made them, and go with him, also those that his keys made (interface §5.1).
func TestKeysGoWithTheirMaker(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		admin, token := s.userOf(t, accounts.Admin, "maker@test.example")
		made := s.mustAs(t, token, 201, "POST", "/api/v1/developer/api-keys", member{"name": "his", "scopes": accounts.AllScopes})
		if text(made, "data", "createdBy") != string(admin.ID) {
			t.Errorf("%v", made)
		}
		his := text(made, "data", "key")
		erp := s.with(his).must(t, 201, "POST", "/api/v1/channels", member{"name": "ERP", "platform": "CUSTOM"})
		other := text(s.mustAs(t, s.token, 201, "POST", "/api/v1/developer/api-keys",
			member{"name": "other", "scopes": []string{"read:orders"}}), "data", "key")
		listed := s.mustAs(t, s.token, 200, "GET", "/api/v1/developer/api-keys?limit=100", nil)
		var makers []string
		for _, one := range listed["data"].([]any) {
			makers = append(makers, text(one, "createdBy"))
		}
		if n := len(slices.DeleteFunc(makers, func(m string) bool { return m != string(admin.ID) })); n != 2 {
			t.Errorf("%d keys by the admin: %v", n, listed)
		}
		s.mustAs(t, s.token, 200, "DELETE", "/api/v1/users/"+string(admin.ID), nil)
		for key, want := range map[string]int{his: 401, text(erp, "data", "apiKey", "key"): 401, other: 200, s.key: 200} {
			s.with(key).must(t, want, "GET", "/api/v1/orders", nil)
		}
	})
}

// A key that is made in the moment in which its maker goes does not stay behind.
func TestNoKeyOutlivesItsMaker(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for range 8 {
			admin, token := s.userOf(t, accounts.Admin, "race@test.example")
			made, gone := make(chan reply), make(chan reply)
			go func() {
				made <- s.do(call{method: "POST", path: "/api/v1/developer/api-keys", body: member{"name": "k", "scopes": []string{"read:orders"}},
					noKey: true, header: bearer(token)})
			}()
			go func() {
				gone <- s.do(call{method: "DELETE", path: "/api/v1/users/" + string(admin.ID), noKey: true, header: bearer(s.token)})
			}()
			k, d := <-made, <-gone
			if d.status != 200 || k.status != 201 && k.status != 401 {
				t.Fatalf("%d %s, %d %s", k.status, k.body, d.status, d.body)
			}
			if k.status == 201 {
				s.with(text(k.json(t), "data", "key")).must(t, 401, "GET", "/api/v1/orders", nil)
			}
		}
	})
}

// A custom channel comes with a key of ten scopes, which write:channels alone does not suffice to get (interface §5.1).
func TestACustomChannelTakesItsTenScopes(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		body := member{"name": "ERP", "platform": "CUSTOM"}
		before := s.must(t, 200, "GET", "/api/v1/channels", nil)
		refused := s.with(s.newKey("write:channels")).must(t, 403, "POST", "/api/v1/channels", body)
		for _, scope := range accounts.ChannelScopes {
			if !strings.Contains(text(refused, "message"), scope) || !strings.Contains(text(refused, "requiredScope"), scope) {
				t.Errorf("%s is not named: %v", scope, refused)
			}
		}
		one := s.with(s.newKey("write:channels", "write:products", "write:categories", "write:inventory", "write:orders", "read:customers"))
		if refused := one.must(t, 403, "POST", "/api/v1/channels", body); text(refused, "requiredScope") != "write:customers" {
			t.Errorf("%v", refused)
		}
		if after := s.must(t, 200, "GET", "/api/v1/channels", nil); number(after, "meta", "total") != number(before, "meta", "total") {
			t.Errorf("a refused channel is there: %v", after)
		}
		s.with(s.newKey("write:channels", "write:products", "write:categories", "write:inventory", "write:orders", "write:customers")).must(t,
			201, "POST", "/api/v1/channels", body)
		_, admin := s.userOf(t, accounts.Admin, "admin@test.example")
		s.mustAs(t, admin, 201, "POST", "/api/v1/channels", body)
	})
}

// The event log shows the data of what the key may read, and of the rest that it happened (interface §4.5.9).
func TestTheLogShowsWhatTheKeyMayRead(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", member{"sku": "A-1", "name": "A", "price": 1})
		s.must(t, 201, "POST", "/api/v1/categories", member{"name": "C", "externalId": "C"})
		s.must(t, 201, "POST", "/api/v1/inventory/movements", member{"sku": "A-1", "type": "receive", "quantity": 5})
		s.must(t, 201, "POST", "/api/v1/orders",
			member{"customerName": "Ada", "customerEmail": "ada@test.example", "items": []any{member{"sku": "A-1", "quantity": 1, "unitPrice": 1}}})
		whole := s.must(t, 200, "GET", "/api/v1/developer/events", nil)["data"].([]any)
		if len(whole) < 5 {
			t.Fatalf("%d events", len(whole))
		}
		for _, resource := range []string{"", "products", "categories", "inventory", "orders", "customers"} {
			scopes := []string{"read:webhooks"}
			if resource != "" {
				scopes = append(scopes, "read:"+resource)
			}
			narrow := s.with(s.newKey(scopes...)).must(t, 200, "GET", "/api/v1/developer/events", nil)["data"].([]any)
			if len(narrow) != len(whole) {
				t.Fatalf("%v: %d events of %d", scopes, len(narrow), len(whole))
			}
			shown := 0
			for i, event := range narrow {
				kind, _, _ := strings.Cut(text(event, "event"), ".")
				of := map[string]string{"product": "products", "category": "categories", "stock": "inventory", "order": "orders",
					"customer": "customers"}[kind]
				if visible := at(event, "data") != nil; visible != (of == resource) || text(event, "id") != text(whole[i], "id") ||
					text(event, "timestamp") != text(whole[i], "timestamp") {
					t.Errorf("%v: %v", scopes, event)
				} else if visible {
					shown++
				}
			}
			if (shown > 0) != (resource != "") {
				t.Errorf("%v: %d events show their data", scopes, shown)
			}
		}
	})
}

// Moving a sandbox's clock takes a write scope, whichever.
func TestTheSandboxClockTakesAWriteScope(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.write(db.Across, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE tenants SET sandbox = TRUE WHERE tenant_id = $1", s.tenant)
			return err
		})
		body := member{"advance": 1}
		reads := slices.DeleteFunc(slices.Clone(accounts.AllScopes), func(scope string) bool { return !strings.HasPrefix(scope, "read:") })
		if refused := s.with(s.newKey(reads...)).must(t, 403, "POST", "/api/v1/sandbox/clock", body); text(refused, "code") != "missing_scope" {
			t.Errorf("%v", refused)
		}
		s.mustAs(t, s.viewer(t), 403, "POST", "/api/v1/sandbox/clock", body)
		s.with(s.newKey("write:webhooks")).must(t, 200, "POST", "/api/v1/sandbox/clock", body)
		s.with(s.newKey("write:orders")).must(t, 200, "POST", "/api/v1/sandbox/clock", body)
		s.mustAs(t, s.token, 200, "POST", "/api/v1/sandbox/clock", body)
	})
}

// everyPlatform knows every platform.
func everyPlatform(t testing.TB) *connector.Set {
	t.Helper()
	set, err := all.Connectors(&http.Client{Transport: platform{}}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return set
}
