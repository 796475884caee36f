package connector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"entrepot/internal/base/netguard"
)

// Response is a complete answer.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// succeeded reports whether the status is not that of a refusal.
func (r *Response) succeeded() bool { return r.Status < http.StatusBadRequest }

// Date is the platform's time in the answer's header, the zero time if there is none.
func (r *Response) Date() time.Time {
	at, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// RetryAfter is how long the answer's header asks to wait, at most an hour; 0 if it does not. Some platforms write
// seconds with decimals. A date is by the platform's clock, which the answer shows unless a cache stored it; now is
// ours.
func (r *Response) RetryAfter(now time.Time) time.Duration {
	text := r.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(seconds) {
		return time.Duration(min(max(0, seconds), 3600) * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		if theirs := r.Date(); !theirs.IsZero() && r.Header.Get("Age") == "" {
			now = theirs
		}
		return min(max(0, at.Sub(now)), time.Hour)
	}
	return 0
}

// unreached says why no answer came, without the credentials that a URL may contain.
func unreached(r *http.Request, err error) error {
	var refused *netguard.Refused
	if errors.As(err, &refused) {
		return Failf(Refused, "the address must not be called: %s", refused.Reason)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) { // its text contains the whole URL
		err = wrapped.Err
	}
	reason := netguard.Plain(err)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		reason = "it did not answer in time"
	}
	return &Failure{Kind: Temporary, Message: fmt.Sprintf("no answer from %s: %s", r.URL.Host, line(reason)), Err: err}
}

// ErrElsewhere is in the failure for a redirect to another page of the same host.
var ErrElsewhere = errors.New("another page of the same host")

// redirected is the failure for a redirect: credentials are sent only to the address that they were entered for.
func redirected(resp *http.Response) error {
	to, err := resp.Location()
	if err != nil {
		return Failf(Rejected, "%s redirects, but not to an address", resp.Request.URL.Host)
	}
	if from := resp.Request.URL; to.Scheme == from.Scheme && to.Host == from.Host {
		f := Failf(Rejected, "%s redirects from %s to %s: something on it, such as a plugin, sends requests to other pages", from.Host,
			line(from.Path), line(to.Path))
		f.Err = ErrElsewhere
		return f
	}
	return Failf(Rejected, "%s redirects to %s: if that is the right address, enter it for the channel", resp.Request.URL.Host,
		line(to.Scheme+"://"+to.Host))
}

// HTTPFailure is the failure that an answer's status means, for platforms without a better description; nil below 400.
// Text is the platform's own.
func HTTPFailure(answer *Response, now time.Time, code, text string) *Failure {
	f := &Failure{Code: line(code), Message: Line(text)}
	if f.Message == "" {
		f.Message = fmt.Sprintf("%s (%d)", meaning(answer.Status), answer.Status)
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
		if f.Kind, f.After = Temporary, answer.RetryAfter(now); GaveUp(answer) {
			f.Err = ErrGatewayTimeout
		}
	default:
		f.Kind = Rejected
	}
	return f
}

// Passing reports whether a status says that the platform, or a gateway before it, is out of order for now.
func Passing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		return true
	}
	return status >= cloudUnknown && status <= cloudTimeout
}

// meaning says, for a merchant, what an answer without a text of its own means, and how to help.
func meaning(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "the platform refuses the credentials: enter them again"
	case status == http.StatusForbidden:
		return "the credentials may not do this on the platform: give them the right to"
	case status == http.StatusNotFound || status == http.StatusGone:
		return "the platform does not have this: was it deleted there, or is the address another one?"
	case status == http.StatusTooManyRequests:
		return "the platform takes no more requests for now: they go on later by themselves"
	case status >= 500 || status == http.StatusRequestTimeout:
		return "the platform is down or has an error of its own: requests go on by themselves when it answers again"
	}
	return "the platform refuses the request and does not say why"
}

// GatewayPage is the failure for a page of HTML with which a gateway before a platform's API refuses a request: the
// API's own refusals are JSON. The page says nothing about the credentials, and the refusal ends by itself. nil for
// everything else.
func GatewayPage(answer *Response) *Failure {
	if s := answer.Status; s != http.StatusUnauthorized && s != http.StatusForbidden {
		return nil
	}
	begin := bytes.ToLower(bytes.TrimSpace(answer.Body[:min(len(answer.Body), 500)]))
	if !bytes.HasPrefix(begin, []byte("<!doctype html")) && !bytes.HasPrefix(begin, []byte("<html")) {
		return nil
	}
	return Failf(Temporary, "a page stands in place of the platform's API (%d)", answer.Status)
}
