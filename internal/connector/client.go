package connector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"entrepot/internal/base/netguard"
)

// Bounds of a call.
const (
	callTime   = 60 * time.Second // of one attempt, until the end of the answer
	maxAnswer  = 16 << 20         // bytes of an answer
	maxRetries = 2                // of a request that may be repeated
	firstRest  = time.Second      // before the first of them, doubled for each more
	longestIn  = 10 * time.Second // the longest pause within a call; a longer one ends it
)

// ErrTooLarge is in the failure for an answer that is larger than the client takes.
var ErrTooLarge = errors.New("the answer is too large")

// Clients send the requests of all channels: each channel has its own limits, and the rules about addresses apply to
// all.
type Clients struct {
	http    *http.Client
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
	spread  func(time.Duration) time.Duration // see Later
	agent   string
	mu      sync.Mutex
	byOwner map[string]*limiter
}

// NewClients returns the clients of a service. guard decides which addresses they may call (interface §6.2); agent is
// the service's name.
func NewClients(guard *netguard.Guard, agent string) *Clients {
	return &Clients{
		http: &http.Client{
			Transport:     guard.Transport(4),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		now: time.Now, sleep: sleep, spread: randomPart, agent: agent, byOwner: map[string]*limiter{},
	}
}

// Through sends every request through a wrapper of the transport.
func (c *Clients) Through(wrap func(http.RoundTripper) http.RoundTripper) *Clients {
	c.http.Transport = wrap(c.http.Transport)
	return c
}

// Timed sets another clock, for tests. Its waits have no random part, unless Spread sets one afterwards.
func (c *Clients) Timed(now func() time.Time, sleep func(context.Context, time.Duration) error) *Clients {
	c.now, c.sleep, c.spread = now, sleep, func(time.Duration) time.Duration { return 0 }
	return c
}

// Spread sets how much is added to a wait, for tests.
func (c *Clients) Spread(part func(wait time.Duration) time.Duration) *Clients {
	c.spread = part
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
	if len(c.byOwner) > 10_000 { // a limiter that is created again starts full
		clear(c.byOwner)
	}
	l := c.byOwner[channel]
	if l == nil {
		l = newLimiter(limits)
		c.byOwner[channel] = l
	}
	return &Client{all: c, limiter: l}
}

// Client sends requests of one channel to its platform. It waits for the channel's limits, obeys Retry-After, connects
// only to allowed addresses (interface §6.2), follows no redirect, and limits time and size of answers.
type Client struct {
	all     *Clients
	limiter *limiter
	calls   int64
	secrets []string
	ahead   time.Duration // see Ahead
	dated   bool
}

type contextKey int

const (
	bucketKey contextKey = iota
	repeatKey
	signKey
	openKey
	whileKey
)

// Within chooses the platform's limit that requests count against (Limit.Name).
func Within(ctx context.Context, limit string) context.Context {
	return context.WithValue(ctx, bucketKey, limit)
}

// Repeatable marks writes that may be sent twice without harm, so that they are repeated when their answer is lost.
func Repeatable(ctx context.Context) context.Context { return context.WithValue(ctx, repeatKey, true) }

// While sets a function that each request waits for just before it is sent; with an error it is not sent. A node that
// stood still may have lost the job that it calls for.
func While(ctx context.Context, stands func(context.Context) error) context.Context {
	return context.WithValue(ctx, whileKey, stands)
}

// Signed sets a function that signs a request each time it is sent, because platforms refuse a nonce that they have
// seen, even in a repeated request. sign may change anything in the request.
func Signed(ctx context.Context, sign func(*http.Request) error) context.Context {
	return context.WithValue(ctx, signKey, sign)
}

// Calls is how many requests were sent.
func (c *Client) Calls() int64 { return c.calls }

// Ahead is how far the platform's clock is ahead of the service's, by the dates of the answers so far; negative when
// it is behind. It may be too small by the second that a date leaves out and by the time that an answer took, and is
// never too large. known is false without an answer.
func (c *Client) Ahead() (ahead time.Duration, known bool) { return c.ahead, c.dated }

// noteDate compares an answer's date with the time at which it came. A stored answer has an old date, and pictures
// are not the platform's.
func (c *Client) noteDate(bucket string, header http.Header, now time.Time) {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil || header.Get("Age") != "" || bucket == PictureLimit {
		return
	}
	if ahead := date.Sub(now); !c.dated || ahead > c.ahead {
		c.ahead, c.dated = ahead, true
	}
}

// Do sends a request and reads the whole answer, whatever its status; only a redirect is a failure. It repeats a
// request a little later that had no effect, because it was answered with 429 or no connection came about. It repeats
// reads, and requests whose context is Repeatable, also when the answer is lost or says that the platform, or a
// gateway before it, is out of order. Errors: Failure Temporary when no answer came, Throttled when the platform asks
// for a longer pause than the call may take, Refused for an address that must not be called, Rejected for a redirect.
func (c *Client) Do(r *http.Request) (*Response, error) {
	return c.send(r, func(*Response) error { return nil })
}

// Call is Do, and read converts the answer. If read returns Temporary for a success, such as a page of a proxy or
// half of a document, the answer counts as lost: the platform may have seen the request, which is repeated if it may
// be. If read returns Throttled, the answer counts as a 429, with the failure's After as its Retry-After. Errors: as
// Do, and those of read, with the answer.
func (c *Client) Call(r *http.Request, read func(*Response) error) (*Response, error) {
	answer, err := c.send(r, read)
	if err == nil && !answer.succeeded() {
		err = read(answer)
	}
	return answer, err
}

// send sends a request until there is nothing to repeat, and read converts answers that are successes.
func (c *Client) send(r *http.Request, read func(*Response) error) (*Response, error) {
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
		if err == nil && answer.succeeded() {
			err = read(answer)
		}
		after := c.asked(answer, err)
		refused := isRefusal(answer, err)
		wait := max(rest, after)
		if refused && after == 0 {
			wait = max(rest, c.limiter.every(bucket)<<try) // earlier the platform has no permit to give
		}
		later := c.all.Later(wait)
		if after > 0 {
			c.limiter.hold(bucket, c.all.now().Add(after+later-wait))
		}
		if !again(answer, err) || !repeat && !refused && !unsent(err) || try == maxRetries || ctx.Err() != nil || wait > longestIn {
			return answer, err
		}
		if c.all.sleep(ctx, later) != nil {
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

// isRefusal reports whether the platform wants fewer requests: this one had no effect, so writes may be repeated,
// too.
func isRefusal(answer *Response, err error) bool {
	return answer != nil && (answer.Status == http.StatusTooManyRequests || Is(err, Throttled))
}

// unsent reports whether no connection came about, so that nothing was sent.
func unsent(err error) bool {
	var op *net.OpError
	var name *net.DNSError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &name)
}

// again reports whether a later try may succeed.
func again(answer *Response, err error) bool {
	if err != nil {
		return Is(err, Temporary, Throttled)
	}
	return answer.Status == http.StatusTooManyRequests || Passing(answer.Status)
}

// enter waits for the channel's limits.
func (c *Client) enter(ctx context.Context, bucket string) error {
	for {
		wait := c.limiter.enter(bucket, c.all.now())
		if wait == 0 {
			return nil
		}
		// A context's deadline is in the machine's time.
		if deadline, ok := ctx.Deadline(); wait > callTime || ok && wait > time.Until(deadline) {
			return &Failure{Kind: Throttled, Message: "the platform wants no request just now", After: wait}
		}
		if err := c.all.sleep(ctx, wait); err != nil {
			return &Failure{Kind: Temporary, Message: "the call was broken off", Err: err}
		}
	}
}

// asked is how long an answer asks to wait; 0 if it does not. err is the error of reading the answer.
func (c *Client) asked(answer *Response, err error) time.Duration {
	switch {
	case answer == nil:
		return 0
	case Is(err, Throttled):
		return FailureOf(err).After
	case answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusServiceUnavailable:
		return answer.RetryAfter(c.all.now())
	}
	return 0
}

// Hold stops requests of a limit for a time, for platforms that ask for it in the body of an answer.
func (c *Client) Hold(limit string, d time.Duration) { c.limiter.hold(limit, c.all.now().Add(d)) }

// Pace changes the rate of a limit, for platforms whose answers give it. A number that is not above 0 changes nothing.
func (c *Client) Pace(limit string, perSecond float64) {
	if perSecond > 0 {
		c.limiter.pace(limit, time.Duration(float64(time.Second)/perSecond))
	}
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
	if stands, ok := ctx.Value(whileKey).(func(context.Context) error); ok {
		if err := stands(ctx); err != nil {
			return nil, &Failure{Kind: Temporary, Message: "the call was broken off", Err: err}
		}
	}
	c.calls++
	resp, err := c.all.http.Do(r)
	if err != nil {
		return nil, unreached(r, err)
	}
	defer func() { _ = resp.Body.Close() }()
	bucket, _ := ctx.Value(bucketKey).(string)
	c.noteDate(bucket, resp.Header, c.all.now())
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, unreached(r, err)
	case len(body) > maxAnswer:
		return nil, &Failure{Kind: Rejected, Err: ErrTooLarge,
			Message: fmt.Sprintf("the answer of %s is larger than %d MB", r.URL.Host, maxAnswer>>20)}
	}
	body = c.redact(r, resp.Header, body)
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return nil, redirected(resp)
	}
	return &Response{Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
}
