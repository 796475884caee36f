package fakeshop

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// tokens issues a new pair; the refresh token is valid once.
func (s *Shop) tokens(q url.Values) reply {
	if q.Get("app_key") != AppKey || q.Get("app_secret") != AppSecret || q.Get("grant_type") != "refresh_token" ||
		q.Get("refresh_token") != s.refresh {
		return refused(36004004, "Invalid refresh token")
	}
	s.renewed++
	s.access, s.refresh = fmt.Sprintf("access-%d", s.renewed), fmt.Sprintf("refresh-%d", s.renewed)
	s.ends = s.Now().Add(7 * 24 * time.Hour)
	access, refresh := any(s.ends.Unix()), any(s.ends.Add(30*24*time.Hour).Unix())
	if s.Relative {
		access, refresh = 7*24*60*60, "3196800"
	}
	return good(object{"access_token": s.access, "refresh_token": s.refresh, "access_token_expire_in": access,
		"refresh_token_expire_in": refresh})
}

// refusal returns why a request is not let in, code 0 when it is.
func (s *Shop) refusal(r *http.Request, body []byte) reply {
	q := r.URL.Query()
	stamp, _ := strconv.ParseInt(q.Get("timestamp"), 10, 64)
	off := s.Now().Sub(time.Unix(stamp, 0))
	forAccount := strings.HasPrefix(r.URL.Path, "/authorization/") || strings.HasSuffix(r.URL.Path, "/images/upload")
	switch {
	case r.Header.Get("x-tts-access-token") != s.access || !s.ends.IsZero() && !s.Now().Before(s.ends):
		s.ended++
		return reply{status: http.StatusUnauthorized, code: 105002, message: "Expired credentials"}
	case off > 5*time.Minute || off < -30*time.Second:
		return reply{status: http.StatusUnauthorized, code: 36009004, message: "Invalid timestamp"}
	case q.Get("app_key") != AppKey || q.Get("sign") != signature(r, q, body):
		return reply{status: http.StatusUnauthorized, code: 106001, message: "Invalid credentials. The 'sign' query parameter is invalid."}
	case forAccount && q.Has("shop_cipher"):
		return refused(36009001, "shop_cipher is not allowed here")
	case !forAccount && q.Get("shop_cipher") != Cipher:
		return refused(106013, "Invalid shop_cipher")
	case s.NoScope != "" && strings.HasPrefix(r.URL.Path, s.NoScope):
		return reply{status: http.StatusForbidden, code: 105005, message: "Access denied: the app lacks the scope"}
	}
	return reply{}
}

// signature returns what a request must be signed with.
func signature(r *http.Request, q url.Values, body []byte) string {
	var names []string
	for name := range q {
		if name != "sign" && name != "access_token" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	text := AppSecret + r.URL.Path
	for _, name := range names {
		text += name + q.Get(name)
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		body = nil
	}
	return hex.EncodeToString(fakeshop.MAC(AppSecret, []byte(text), body, []byte(AppSecret)))
}

// Expire ends the access token; Revoke ends the refresh token, too.
func (s *Shop) Expire() { s.change(func() { s.access = "ended" }) }

// Revoke ends the authorisation.
func (s *Shop) Revoke() { s.change(func() { s.access, s.refresh = "ended", "ended" }) }

// Ended returns how often a request came with a token that was not good any more.
func (s *Shop) Ended() (n int) { s.change(func() { n = s.ended }); return n }

// Renewed returns how often tokens were given.
func (s *Shop) Renewed() (n int) { s.change(func() { n = s.renewed }); return n }
