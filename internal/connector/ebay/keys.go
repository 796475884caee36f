package ebay

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
)

const (
	keyLife     = time.Hour
	tokenMargin = time.Minute // a token is renewed this long before its end
	callTimeout = 5 * time.Second
	maxAnswer   = 64 << 10 // bytes read of an answer
)

// publicKey is one of eBay's, with the digest it signs.
type publicKey struct {
	key    *ecdsa.PublicKey
	digest func([]byte) []byte
}

var (
	errUnknownKey = errors.New("eBay has no such key")
	errTokenStale = errors.New("eBay refused the application token")
)

// publicKey returns eBay's public key with that id. Keys are cached by address too, or a channel with its own server
// could replace a key for all channels. Errors: Invalid when eBay has no such key; Unavailable when it did not answer.
func (c *Connector) publicKey(ctx context.Context, ch connector.Channel, kid string) (publicKey, error) {
	key, err := c.keys.get(ctx, connector.Key(base(ch), kid), func(ctx context.Context) (publicKey, time.Duration, error) {
		if c.guesses.spent(app(ch)) {
			return publicKey{}, 0, errors.New("too many unknown keys were asked for in this hour")
		}
		key, err := c.fetchKey(ctx, ch, kid)
		if errors.Is(err, errTokenStale) { // revoked before its time: once more with a new one
			c.tokens.forget(app(ch))
			key, err = c.fetchKey(ctx, ch, kid)
		}
		if errors.Is(err, errUnknownKey) {
			c.guesses.count(app(ch))
		}
		return key, keyLife, err
	})
	switch {
	case errors.Is(err, errUnknownKey):
		return publicKey{}, fmt.Errorf("%w: %w", connector.BadSignature(apperr.Invalid), err)
	case err != nil:
		return publicKey{}, fmt.Errorf("%w: %w", apperr.New(apperr.Unavailable, "signature_key_unavailable",
			"the key to check the signature with is not to be had at present; send it again later"), err)
	}
	return key, nil
}

func (c *Connector) fetchKey(ctx context.Context, ch connector.Channel, kid string) (publicKey, error) {
	token, err := c.appToken(ctx, ch)
	if err != nil {
		return publicKey{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base(ch)+"/commerce/notification/v1/public_key/"+kid, nil)
	if err != nil {
		return publicKey{}, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	var answer struct{ Key, Digest string }
	status, err := c.call(req, &answer)
	switch {
	case err != nil:
		return publicKey{}, err
	case status == http.StatusUnauthorized:
		return publicKey{}, errTokenStale
	case status == http.StatusNotFound || status == http.StatusBadRequest:
		return publicKey{}, errUnknownKey
	case status != http.StatusOK:
		return publicKey{}, fmt.Errorf("eBay answered %d to the look-up of a key", status)
	}
	return parseKey(answer.Key, answer.Digest)
}

// parseKey reads a key as eBay gives it: PEM without its line breaks.
func parseKey(pem, digest string) (publicKey, error) {
	sum, known := digests[strings.ToUpper(strings.ReplaceAll(digest, "-", ""))]
	if !known {
		return publicKey{}, fmt.Errorf("eBay signs with the unknown digest %.20q", digest)
	}
	text := strings.NewReplacer("-----BEGIN PUBLIC KEY-----", "", "-----END PUBLIC KEY-----", "", "\n", "", "\r", "", " ", "").Replace(pem)
	der, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return publicKey{}, fmt.Errorf("eBay's key is not base64: %w", err)
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return publicKey{}, fmt.Errorf("eBay's key is unreadable: %w", err)
	}
	key, ok := parsed.(*ecdsa.PublicKey)
	if !ok {
		return publicKey{}, fmt.Errorf("eBay's key is a %T, not an ECDSA key", parsed)
	}
	return publicKey{key: key, digest: sum}, nil
}

// app identifies the channel's application for caches and counts.
func app(ch connector.Channel) string {
	return connector.Key(base(ch), ch.Credentials["clientId"], ch.Credentials["clientSecret"])
}

// appToken returns a token of the application itself. eBay issues 1,000 a day, so each is used for its whole lifetime.
func (c *Connector) appToken(ctx context.Context, ch connector.Channel) (string, error) {
	return c.tokens.get(ctx, app(ch), func(ctx context.Context) (string, time.Duration, error) {
		form := url.Values{"grant_type": {"client_credentials"}, "scope": {"https://api.ebay.com/oauth/api_scope"}}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, base(ch)+"/identity/v1/oauth2/token", strings.NewReader(form.Encode()))
		if err != nil {
			return "", 0, err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.SetBasicAuth(ch.Credentials["clientId"], ch.Credentials["clientSecret"])
		var answer struct {
			AccessToken string `json:"access_token"`
			ExpiresIn   int64  `json:"expires_in"` // seconds
		}
		status, err := c.call(req, &answer)
		switch {
		case err != nil:
			return "", 0, err
		case status != http.StatusOK || answer.AccessToken == "":
			return "", 0, fmt.Errorf("eBay answered %d to the request for an application token", status)
		}
		return answer.AccessToken, time.Duration(min(answer.ExpiresIn, 86400))*time.Second - tokenMargin, nil
	})
}

// call sends a request and, if the answer is 200, decodes its JSON. It asks once more, at once, after a failure that
// may pass: eBay waits for the answer to the notification that the key is for.
func (c *Connector) call(req *http.Request, into any) (status int, err error) {
	status, err = c.callOnce(req, into)
	if passes := err != nil && !netguard.IsRefused(err) || connector.Passing(status); !passes || req.Context().Err() != nil {
		return status, err
	}
	if req.GetBody != nil {
		if req.Body, err = req.GetBody(); err != nil {
			return 0, err
		}
	}
	return c.callOnce(req, into)
}

func (c *Connector) callOnce(req *http.Request, into any) (status int, err error) {
	resp, err := c.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp.StatusCode, err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return 0, fmt.Errorf("eBay's answer to %s is not JSON: %w", req.URL.Path, err)
	}
	return resp.StatusCode, nil
}
