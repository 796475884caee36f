package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/limits"
)

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

func counted() limits.Limiter { return limits.NewLocal() }

func TestLoginGivesATokenForTwelveHours(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		r := s.do(call{method: "POST", path: "/api/v1/auth/login",
			body: map[string]string{"email": " Owner@Test.example ", "password": ownerPassword}, noKey: true})
		answer := r.json(t)
		token := text(answer, "data", "accessToken")
		if r.status != http.StatusOK || text(answer, "data", "tokenType") != "Bearer" || number(answer, "data", "expiresIn") != "43200" ||
			text(answer, "data", "user", "email") != "owner@test.example" || text(answer, "data", "user", "lastLoginAt") == "" {
			t.Fatalf("%d %s", r.status, r.body)
		}
		me := func() int {
			return s.do(call{method: "GET", path: "/api/v1/auth/me", noKey: true, header: bearer(token)}).status
		}
		if status := me(); status != http.StatusOK {
			t.Fatalf("me: %d", status)
		}
		s.now.move(accounts.TokenLife + time.Second)
		if status := me(); status != http.StatusUnauthorized {
			t.Fatalf("me with an expired token: %d", status)
		}
	})
}

func TestWrongLoginsAnswerAlike(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		login := func(email, password string) reply {
			return s.do(call{method: "POST", path: "/api/v1/auth/login", body: map[string]string{"email": email, "password": password}, noKey: true,
				header: map[string]string{"X-Request-Id": "same"}})
		}
		unknown, wrong := login("nobody@test.example", ownerPassword), login("owner@test.example", "something else")
		if unknown.status != http.StatusUnauthorized || string(unknown.body) != string(wrong.body) {
			t.Errorf("unknown %d %s\nwrong %d %s", unknown.status, unknown.body, wrong.status, wrong.body)
		}
		if unknown.header.Get("WWW-Authenticate") == "" {
			t.Error("no WWW-Authenticate")
		}
		if r := login("", "x"); r.status != http.StatusBadRequest {
			t.Errorf("no e-mail: %d", r.status)
		}
	})
}

func TestFailedLoginsAreThrottledPerAccountAndAddress(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	t.Parallel()
	enginesWith(t, counted, func(t *testing.T, s *server) {
		try := func(password string) reply {
			s.now.move(100 * time.Millisecond) // clear of the burst of one address
			return s.do(call{method: "POST", path: "/api/v1/auth/login",
				body: map[string]string{"email": "owner@test.example", "password": password}, noKey: true})
		}
		for i := range 10 {
			if r := try("wrong wrong wrong"); r.status != http.StatusUnauthorized {
				t.Fatalf("failure %d: %d", i+1, r.status)
			}
		}
		r := try(ownerPassword)
		if r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") == "" || number(r.json(t), "retryAfter") == "" {
			t.Fatalf("the eleventh: %d %s", r.status, r.body)
		}
		s.now.move(time.Minute)
		for range 12 { // successes are not counted
			if r := try(ownerPassword); r.status != http.StatusOK {
				t.Fatalf("a minute later: %d %s", r.status, r.body)
			}
		}
	})
}

func TestRepeatedLoginShowsTheSameTokenAndKeepsNoSecret(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		login := func(password string) reply {
			return s.do(call{method: "POST", path: "/api/v1/auth/login",
				body: map[string]string{"email": "owner@test.example", "password": password}, noKey: true,
				header: map[string]string{"Idempotency-Key": "login-1"}})
		}
		first, again := login(ownerPassword), login(ownerPassword)
		if first.status != http.StatusOK || string(first.body) != string(again.body) || again.header.Get("Idempotent-Replay") != "true" {
			t.Fatalf("%d %s\n%d %s", first.status, first.body, again.status, again.body)
		}
		token := text(first.json(t), "data", "accessToken")
		var kept string
		err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT fingerprint || answer FROM idempotency_keys WHERE tenant_id = $1", []any{s.tenant}, &kept)
		})
		if err != nil || strings.Contains(kept, token) || strings.Contains(kept, "owner@") {
			t.Errorf("%v: the store keeps %s", err, kept)
		}
	})
}
