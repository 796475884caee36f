// Package client is a small HTTP client of entrepot's API, made of the standard library alone.
//
// A Client holds the address, the key and the pauses that the server asked for; a Call is one request that may be tried
// several times; an Answer is a success; an Error is a refusal, with the members of interface §7. Every method may be
// called from many goroutines at once. It has the operations that the importer needs; Do serves any other.
package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Client calls one entrepot with one API key.
type Client struct {
	base   *url.URL
	key    string
	http   *http.Client
	agent  string
	retry  Retry
	notify func(wait time.Duration, err error)

	restUntil atomic.Int64 // Unix nanoseconds until which the server asked for no requests
	requests  atomic.Int64
	repeats   atomic.Int64
}

// Option changes a Client under construction.
type Option func(*Client)

// WithTimeout bounds one try, connecting and reading the answer included; the default is 2 minutes.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.http.Timeout = d } }

// WithRetry changes how often and how long the client tries again.
func WithRetry(r Retry) Option { return func(c *Client) { c.retry = r.orDefault() } }

// WithUserAgent names the calling program.
func WithUserAgent(name string) Option { return func(c *Client) { c.agent = name } }

// WithNotice sets a function that is called whenever a request waits before it is repeated, with the reason; it may be
// called from many goroutines at once.
func WithNotice(notify func(wait time.Duration, err error)) Option {
	return func(c *Client) { c.notify = notify }
}

// New returns a client for the service at baseURL, which has no query and may have a path
// ("https://shop.example/entrepot"). The key is sent as X-API-Key (interface §5.1) to this address only: redirects are
// not followed.
func New(baseURL, key string, options ...Option) (*Client, error) {
	base, err := url.Parse(strings.TrimSuffix(baseURL, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("the service address %q is no http:// or https:// address", baseURL)
	}
	if base.RawQuery != "" || base.Fragment != "" || base.User != nil {
		return nil, fmt.Errorf("the service address %q may hold a host, a port and a path only", base.Redacted())
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("an API key is needed: one word, as it was shown when it was created")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64 // keep a connection for every worker of an import
	c := &Client{
		base: base, key: key, agent: "entrepot-client/1", retry: Retry{}.orDefault(),
		notify: func(time.Duration, error) {},
		http: &http.Client{
			Transport: transport,
			Timeout:   2 * time.Minute,
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		},
	}
	for _, option := range options {
		option(c)
	}
	return c, nil
}

// Requests returns how many requests were sent, and how many of them were repetitions.
func (c *Client) Requests() (sent, repeated int64) { return c.requests.Load(), c.repeats.Load() }

// get reads a resource into value.
func (c *Client) get(ctx context.Context, path string, query url.Values, value any) error {
	answer, err := c.Do(ctx, Call{Method: http.MethodGet, Path: path, Query: query, Repeatable: true})
	if err != nil {
		return err
	}
	return answer.Decode(value)
}
