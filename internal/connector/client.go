package connector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/netguard"
)

// Bounds of a call.
const (
	callTime   = 60 * time.Second // of one attempt, answer included, however slowly it comes
	maxAnswer  = 16 << 20         // bytes of an answer
	maxRetries = 2                // of a request that may be repeated
	firstRest  = time.Second      // before the first of them, doubled for each more
	longestIn  = 10 * time.Second // a rest that is waited for within a call; a longer one ends it
)

// Clients sends the requests of all channels: each has limits of its own, and all obey the same rules about addresses.
type Clients struct {
	http    *http.Client
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
	agent   string
	mu      sync.Mutex
	byOwner map[string]*limiter
}

// NewClients makes the clients of a service. guard says where they may go (interface §6.2); agent names the service.
func NewClients(guard *netguard.Guard, agent string) *Clients {
	return &Clients{
		http: &http.Client{
			Transport:     guard.Transport(4),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		now: time.Now, sleep: sleep, agent: agent, byOwner: map[string]*limiter{},
	}
}

// Timed gives clients by another clock, for tests.
func (c *Clients) Timed(now func() time.Time, sleep func(context.Context, time.Duration) error) *Clients {
	c.now, c.sleep = now, sleep
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Client is the client of one channel.
func (c *Clients) Client(channel string, limits []Limit) *Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byOwner) > 10_000 { // channels come and go; a limiter that is made again begins full
		clear(c.byOwner)
	}
	l := c.byOwner[channel]
	if l == nil {
		l = newLimiter(limits)
		c.byOwner[channel] = l
	}
	return &Client{all: c, limiter: l}
}

// Client sends requests of one channel to its platform. It waits for the channel's limits, obeys Retry-After, connects only where the
// service may (interface §6.2), follows no redirect, and bounds time and size of answers.
type Client struct {
	all     *Clients
	limiter *limiter
	calls   int64
}

// Response is an answer, read to its end.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Date is the platform's clock as the answer says, the zero time if it does not.
func (r *Response) Date() time.Time {
	at, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

type contextKey int

const (
	bucketKey contextKey = iota
	repeatKey
	signKey
)

// Within says from which of the platform's limits requests take (Limit.Name).
func Within(ctx context.Context, limit string) context.Context {
	return context.WithValue(ctx, bucketKey, limit)
}

// Repeatable says of writes that doing them twice is as good as once, so that they may be repeated when their answer is lost.
func Repeatable(ctx context.Context) context.Context { return context.WithValue(ctx, repeatKey, true) }

// Signed has a request signed right before each time it is sent: platforms refuse a nonce that they have seen, also of a request that is
// repeated. sign may replace what it likes in the request that it is given.
func Signed(ctx context.Context, sign func(*http.Request) error) context.Context {
	return context.WithValue(ctx, signKey, sign)
}

// Calls is how many requests were sent so far.
func (c *Client) Calls() int64 { return c.calls }

// Do sends a request and reads the answer whole, whatever its status; a redirect alone is a failure. A request that was answered 429 is
// repeated a little later; one that reads, or whose context is Repeatable, also when the answer is lost or is 502, 503 or 504.
// Errors: Failure Temporary when no answer came, Throttled when the platform wants to be left alone for longer than the call may last,
// Refused for an address that must not be called, Rejected for a redirect.
func (c *Client) Do(r *http.Request) (*Response, error) {
	ctx := r.Context()
	bucket, _ := ctx.Value(bucketKey).(string)
	repeat := r.Method == http.MethodGet || r.Method == http.MethodHead || ctx.Value(repeatKey) != nil
	rest := firstRest
	for try := 0; ; try++ {
		if err := c.enter(ctx, bucket); err != nil {
			return nil, err
		}
		answer, err := c.attempt(r)
		c.limiter.leave(bucket)
		after := c.obey(answer, bucket)
		refused := answer != nil && answer.Status == http.StatusTooManyRequests // without any effect, so writes may be repeated, too
		if !again(answer, err) || !repeat && !refused || try == maxRetries || ctx.Err() != nil {
			return answer, err
		}
		wait := max(rest, after)
		if wait > longestIn {
			return answer, err
		}
		if c.all.sleep(ctx, wait) != nil {
			return answer, err
		}
		rest *= 2
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				return nil, &Failure{Kind: Temporary, Message: "the request could not be repeated", Err: err}
			}
		}
	}
}

// again reports whether the outcome may be another one a little later.
func again(answer *Response, err error) bool {
	if err != nil {
		return Is(err, Temporary)
	}
	switch answer.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// enter waits for the channel's limits.
func (c *Client) enter(ctx context.Context, bucket string) error {
	for {
		wait := c.limiter.enter(bucket, c.all.now())
		if wait == 0 {
			return nil
		}
		if deadline, ok := ctx.Deadline(); wait > callTime || ok && wait > time.Until(deadline) { // a context's end is of the machine's time
			return &Failure{Kind: Throttled, Message: "the platform wants no request just now", After: wait}
		}
		if err := c.all.sleep(ctx, wait); err != nil {
			return &Failure{Kind: Temporary, Message: "the call was broken off", Err: err}
		}
	}
}

// obey holds the channel back for as long as an answer says, and gives that time.
func (c *Client) obey(answer *Response, bucket string) time.Duration {
	if answer == nil || answer.Status != http.StatusTooManyRequests && answer.Status != http.StatusServiceUnavailable {
		return 0
	}
	after := answer.RetryAfter(c.all.now())
	if after > 0 {
		c.limiter.hold(bucket, c.all.now().Add(after))
	}
	return after
}

// Hold sends nothing more within a limit for a time, where a platform says so in the body of its answer.
func (c *Client) Hold(limit string, d time.Duration) { c.limiter.hold(limit, c.all.now().Add(d)) }

// Pace changes how often requests may be sent within a limit, where a platform says in its answers how many it takes. A number that is not
// above 0 changes nothing.
func (c *Client) Pace(limit string, perSecond float64) {
	if perSecond > 0 {
		c.limiter.pace(limit, time.Duration(float64(time.Second)/perSecond))
	}
}

// RetryAfter is the time that the answer's header of that name asks for, at most an hour; 0 for none.
func (r *Response) RetryAfter(now time.Time) time.Duration {
	text := r.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return min(max(0, time.Duration(seconds)), 3600) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, at.Sub(now)), time.Hour)
	}
	return 0
}

// attempt sends the request once.
func (c *Client) attempt(r *http.Request) (*Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), callTime)
	defer cancel()
	r = r.WithContext(ctx)
	r.Header.Set("User-Agent", c.all.agent)
	if sign, ok := ctx.Value(signKey).(func(*http.Request) error); ok {
		if err := sign(r); err != nil {
			return nil, &Failure{Kind: Rejected, Message: "the request could not be signed", Err: err}
		}
	}
	c.calls++
	resp, err := c.all.http.Do(r)
	if err != nil {
		return nil, unreached(r, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, unreached(r, err)
	case len(body) > maxAnswer:
		return nil, Failf(Rejected, "the answer of %s is larger than %d MB", r.URL.Host, maxAnswer>>20)
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, redirected(resp)
	}
	return &Response{Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
}

// unreached says why no answer came, without the credentials that a URL may carry.
func unreached(r *http.Request, err error) error {
	var refused *netguard.Refused
	if errors.As(err, &refused) {
		return Failf(Refused, "the address must not be called: %s", refused.Reason)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) { // its text has the whole URL
		err = wrapped.Err
	}
	reason := netguard.Plain(err)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		reason = "it did not answer in time"
	}
	return &Failure{Kind: Temporary, Message: fmt.Sprintf("no answer from %s: %s", r.URL.Host, line(reason)), Err: err}
}

// redirected is the failure for an answer that points elsewhere: credentials go nowhere but to the address they were given for.
func redirected(resp *http.Response) error {
	to, err := resp.Location()
	if err != nil {
		return Failf(Rejected, "%s redirects, but not to an address", resp.Request.URL.Host)
	}
	return Failf(Rejected, "%s redirects to %s: if that is the right address, enter it for the channel", resp.Request.URL.Host,
		line(to.Scheme+"://"+to.Host))
}

// line is the first line of a text, cut to what a message can take.
func line(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(strings.ToValidUTF8(text, "?")), "\n")
	if r := []rune(text); len(r) > 200 {
		text = string(r[:200]) + "…"
	}
	return text
}

// Line is a text of a platform as a message may show it: without markup, on one line, cut to 200 characters.
func Line(text string) string {
	var out strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case r == '<':
			depth++
		case r == '>' && depth > 0:
			depth--
			out.WriteByte(' ')
		case depth > 0:
		case r < ' ':
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return line(strings.Join(strings.Fields(out.String()), " "))
}

// HTTPFailure is what an answer's status means where the platform says nothing better; nil below 400. Text is the platform's own.
func HTTPFailure(answer *Response, now time.Time, code, text string) *Failure {
	f := &Failure{Code: line(code), Message: Line(text)}
	if f.Message == "" {
		f.Message = fmt.Sprintf("the platform answered %d", answer.Status)
	}
	switch s := answer.Status; {
	case s < 400:
		return nil
	case s == http.StatusUnauthorized:
		f.Kind = Unauthorized
	case s == http.StatusForbidden:
		f.Kind = Forbidden
	case s == http.StatusNotFound || s == http.StatusGone:
		f.Kind = Missing
	case s == http.StatusTooManyRequests:
		f.Kind, f.After = Throttled, answer.RetryAfter(now)
	case s >= 500 || s == http.StatusRequestTimeout:
		f.Kind, f.After = Temporary, answer.RetryAfter(now)
	default:
		f.Kind = Rejected
	}
	return f
}
