package connector

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// shortestSecret is the least length of a text that is hidden: a shorter one occurs in many answers by chance.
const shortestSecret = 8

// hidden replaces a secret.
const hidden = "***"

// Hide removes secrets of the channel from the client's results: a platform that repeats a request, or a page that
// shows it, would put them into messages, events and logs. The token of a request is removed in any case.
func (c *Client) Hide(secrets ...string) {
	for _, s := range secrets {
		c.secrets = append(c.secrets, writings(s)...)
	}
}

// writings are the ways in which a secret may be written in an answer: plain, in JSON (PHP escapes it in its own
// way), in addresses and forms, in HTML, and in base64. A secret that is too short has none.
func writings(secret string) (list []string) {
	if len(secret) < shortestSecret {
		return nil
	}
	add := func(texts ...string) {
		for _, text := range texts {
			if !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	quoted, _ := json.Marshal(secret) // a text can always be written
	inner := string(quoted[1 : len(quoted)-1])
	plainly := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(secret)
	form, path := url.QueryEscape(secret), url.PathEscape(secret)
	add(secret, inner, plainly, strings.ReplaceAll(inner, "/", `\/`), strings.ReplaceAll(plainly, "/", `\/`), html.EscapeString(secret))
	for _, text := range []string{form, path, strings.ReplaceAll(form, "+", "%20")} {
		add(text, escapes.ReplaceAllStringFunc(text, strings.ToLower))
	}
	add(strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="),
		strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(secret)), "="))
	return list
}

// escapes are the signs that stand escaped in an address.
var escapes = regexp.MustCompile(`%[0-9A-F]{2}`)

// Secrets are the values of the profile's secret fields, and the access token.
func (p Profile) Secrets(c Credentials) (list []string) {
	for _, f := range p.Known() {
		if f.Form == Secret && c[f.Name] != "" {
			list = append(list, c[f.Name])
		}
	}
	if token := c[TokenField]; token != "" {
		list = append(list, token)
	}
	return list
}

// withSecrets marks a request whose answer is expected to have secrets, such as new tokens: its body is returned
// unchanged.
func withSecrets(ctx context.Context) context.Context { return context.WithValue(ctx, openKey, true) }

// redact removes from an answer the secrets of the channel and those in the headers of the request.
func (c *Client) redact(r *http.Request, header http.Header, body []byte) []byte {
	secrets := c.secretsOf(r)
	for _, values := range header {
		for i := range values {
			values[i] = string(without(secrets, []byte(values[i])))
		}
	}
	// a picture's server gets no secrets
	if ctx := r.Context(); ctx.Value(openKey) != nil || ctx.Value(bucketKey) == PictureLimit {
		return body
	}
	return without(secrets, body)
}

// secretsOf are the secrets of the channel and those in the headers of a request, as they may be written in its answer.
func (c *Client) secretsOf(r *http.Request) []string {
	secrets := slices.Clip(c.secrets)
	for name, values := range r.Header {
		if name := strings.ToLower(name); !strings.Contains(name, "auth") && !strings.Contains(name, "token") {
			continue
		}
		for _, v := range values {
			if _, token, ok := strings.Cut(v, " "); ok {
				v = token
			}
			secrets = append(secrets, writings(v)...)
		}
	}
	return secrets
}

// without replaces the secrets in a text.
func without(secrets []string, text []byte) []byte {
	for _, s := range secrets {
		if bytes.Contains(text, []byte(s)) {
			text = bytes.ReplaceAll(text, []byte(s), []byte(hidden))
		}
	}
	return text
}
