package connector

import (
	"bytes"
	"context"
	"net/http"
	"strings"
)

// shortestSecret is how long a text must be to be hidden: a shorter one stands in many answers by chance.
const shortestSecret = 8

// hidden is what stands in place of a secret.
const hidden = "***"

// Hide keeps secrets of the channel out of what the client gives back: a platform that repeats what it was sent, or a page that shows the
// request, would put them into messages, events and logs. The token of a request is kept out in any case.
func (c *Client) Hide(secrets ...string) {
	for _, s := range secrets {
		if len(s) >= shortestSecret {
			c.secrets = append(c.secrets, s)
		}
	}
}

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

// withSecrets says of a request that its answer is to have secrets in it, such as new tokens: it is given back as it came.
func withSecrets(ctx context.Context) context.Context { return context.WithValue(ctx, openKey, true) }

// redact is an answer's body without the secrets of the channel and those in the headers of the request.
func (c *Client) redact(r *http.Request, body []byte) []byte {
	if r.Context().Value(openKey) != nil {
		return body
	}
	secrets := c.secrets
	for name, values := range r.Header {
		if name := strings.ToLower(name); !strings.Contains(name, "auth") && !strings.Contains(name, "token") {
			continue
		}
		for _, v := range values {
			if _, token, ok := strings.Cut(v, " "); ok {
				v = token
			}
			if len(v) >= shortestSecret {
				secrets = append(secrets[:len(secrets):len(secrets)], v)
			}
		}
	}
	for _, s := range secrets {
		for _, form := range []string{s, strings.ReplaceAll(s, "/", `\/`)} { // as PHP writes JSON
			if bytes.Contains(body, []byte(form)) {
				body = bytes.ReplaceAll(body, []byte(form), []byte(hidden))
			}
		}
	}
	return body
}

// redactText is a text without the secrets of the channel.
func (c *Client) redactText(text string) string {
	for _, s := range c.secrets {
		text = strings.ReplaceAll(text, s, hidden)
	}
	return text
}
