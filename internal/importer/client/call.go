package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// maxAnswer limits the bytes read of one answer; the largest page of the API is far smaller.
const maxAnswer = 64 << 20

// Call is one request.
type Call struct {
	Method string
	Path   string // below the base address, for example /api/v1/orders
	Query  url.Values
	Body   []byte // JSON, or nil

	IdempotencyKey string // interface §4.1; makes a POST repeatable
	Prefer         string // for example "wait" on the bulk import

	// Repeatable says that running it twice has the same result as once, so that the call may be repeated although the
	// first try may have arrived.
	Repeatable bool
}

// Answer is a 2xx response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// replayed is true if the server had done this already and returned the stored answer.
func (a *Answer) replayed() bool { return a.Header.Get("Idempotent-Replay") == "true" }

// Decode reads the JSON body.
func (a *Answer) Decode(value any) error {
	decoder := json.NewDecoder(bytes.NewReader(a.Body))
	decoder.UseNumber()
	if err := decoder.Decode(value); err != nil {
		return fmt.Errorf("the answer %d is not the JSON expected: %w", a.Status, err)
	}
	return nil
}

// Do sends a call and repeats it after 429, 5xx and network errors, as far as that is safe and the client's Retry
// allows. A final answer other than 2xx is returned as an *Error.
func (c *Client) Do(ctx context.Context, call Call) (*Answer, error) {
	retries := c.retry.begin()
	for tries := 1; ; tries++ {
		if err := c.rest(ctx); err != nil {
			return nil, err
		}
		c.requests.Add(1)
		if tries > 1 {
			c.repeats.Add(1)
		}
		answer, err := c.send(ctx, call)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		wait, again := retries.after(err, call.repeatable())
		if !again {
			return nil, err
		}
		c.notify(wait, err)
		if tooFast(err) {
			c.restFor(wait) // an exhausted quota stops every caller of this key, not only this one
			continue
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

func (c Call) repeatable() bool {
	return c.Repeatable || c.IdempotencyKey != "" || c.Method == http.MethodGet
}

// send is one try.
func (c *Client) send(ctx context.Context, call Call) (*Answer, error) {
	address := c.base.JoinPath(call.Path)
	address.RawQuery = call.Query.Encode()
	var body io.Reader
	if call.Body != nil {
		body = bytes.NewReader(call.Body)
	}
	request, err := http.NewRequestWithContext(ctx, call.Method, address.String(), body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-API-Key", c.key)
	request.Header.Set("User-Agent", c.agent)
	request.Header.Set("Accept", "application/json")
	if call.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if call.IdempotencyKey != "" {
		request.Header.Set("Idempotency-Key", call.IdempotencyKey)
	}
	if call.Prefer != "" {
		request.Header.Set("Prefer", call.Prefer)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer %d: %w", response.StatusCode, err)
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("the answer %d is longer than %d bytes", response.StatusCode, maxAnswer)
	case response.StatusCode < 200 || response.StatusCode > 299:
		return nil, refusal(response, text)
	}
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: text}, nil
}
