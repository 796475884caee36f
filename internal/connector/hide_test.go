package connector_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
)

// However a platform writes a secret that it repeats, it does not come back, and nor does the token of the request.
func TestSecretsInAnswers(t *testing.T) {
	const secret, token = `Atzr|IwE/BI+s&c<r>"e"t é`, `tok/en+of|this"request"`
	ways := map[string]func(string) string{
		"as it is": func(s string) string { return s },
		"JSON":     func(s string) string { text, _ := json.Marshal(s); return string(text) },
		"JSON of PHP": func(s string) string {
			return strings.NewReplacer(`"`, `\"`, "/", `\/`).Replace(s)
		},
		"a form":     url.QueryEscape,
		"an address": url.PathEscape,
		"an address in small signs": func(s string) string {
			return regexp.MustCompile("%..").ReplaceAllStringFunc(url.PathEscape(s), strings.ToLower)
		},
		"a form with %20":      func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") },
		"HTML":                 html.EscapeString,
		"base64":               func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"base64 for addresses": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	}
	for name, write := range ways {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Version", url.PathEscape(token))
			_, _ = w.Write([]byte("before " + write(secret) + " between " + write(token) + " behind"))
		}))
		client, _ := newClient(t, &netguard.Guard{Dev: true})
		client.Hide(secret, "short")
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Access-Token", token)
		answer, err := client.Do(r)
		server.Close()
		if err != nil {
			t.Fatal(err)
		}
		body := string(answer.Body)
		if version := answer.Header.Get("X-Version"); version != "***" {
			t.Errorf("the header is %s", version)
		}
		if strings.Contains(body, write(secret)) || strings.Contains(body, write(token)) || !strings.HasPrefix(body, "before ") ||
			strings.Count(body, "***") != 2 || !strings.HasSuffix(body, " behind") {
			t.Errorf("%s: %s", name, body)
		}
	}
}

// What a redirect leads to is said without the secrets in it.
func TestSecretsInRedirects(t *testing.T) {
	const secret = "cs_0123456789abcdef"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login/"+r.URL.Query().Get("consumer_secret"), http.StatusFound)
	}))
	defer server.Close()
	client, _ := newClient(t, &netguard.Guard{Dev: true})
	client.Hide(secret)
	_, err := send(t, client, t.Context(), http.MethodGet, server.URL+"/?consumer_secret="+secret)
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "/login/***") {
		t.Errorf("%v", err)
	}
}

// An answer to a request for tokens that was cut off within one is not quoted.
func TestTokensOfHalfAnAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"refresh_token":"Atzr|fresh","access_token":"Atza|fre`))
	}))
	defer server.Close()
	client, at := newClient(t, &netguard.Guard{Dev: true})
	link := connector.Link{Tokens: storedTokens{"refreshToken": "old"}, Client: client, Now: func() time.Time { return at.now }}
	_, err := link.RenewToken(t.Context(), "", connector.Renewal{Refused: "refused",
		Request: func(ctx context.Context, c connector.Credentials) (*http.Request, error) {
			return connector.TokenForm(ctx, server.URL, url.Values{"refresh_token": {c["refreshToken"]}})
		}})
	if f := connector.FailureOf(err); f == nil || f.Kind != connector.Temporary || strings.Contains(f.Error(), "fre") {
		t.Errorf("%+v", f)
	}
}
