package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"entrepot/internal/base/id"
	"entrepot/internal/base/netguard"
	"entrepot/internal/base/trace"
	"entrepot/internal/webhooks"
)

// Bounds of an attempt (interface §6.2).
const (
	attemptTime = 10 * time.Second
	readLimit   = 64 << 10 // bytes of an answer that are read
	keepLimit   = 4 << 10  // bytes of an answer that the log stores
)

// target is the address of an endpoint and how its attempts are signed.
type target struct {
	endpoint webhooks.Endpoint
	url      *url.URL
	secret   webhooks.Secret
	old      *webhooks.Secret // a second signature until the endpoint's OldSecretUntil
	err      error            // why nothing can be sent
}

// aim updates the target after a change of the endpoint.
func (q *queue) aim(e *webhooks.Endpoint) {
	if t := q.target.Load(); t != nil && t.endpoint.URL == e.URL && t.endpoint.Secret == e.Secret && t.endpoint.OldSecret == e.OldSecret &&
		t.endpoint.OldSecretUntil == e.OldSecretUntil && t.endpoint.MadeByKey == e.MadeByKey {
		return
	}
	t := &target{endpoint: *e}
	if t.url, t.err = q.w.Guard.URL(e.URL); t.err == nil {
		t.secret, t.err = q.decrypt(e.ID, e.Secret)
	}
	if t.err == nil && e.OldSecret != "" {
		old, err := q.decrypt(e.ID, e.OldSecret)
		t.old, t.err = &old, err
	}
	q.target.Store(t)
}

// decrypt decrypts a signing secret.
func (q *queue) decrypt(endpoint id.Endpoint, encrypted string) (webhooks.Secret, error) {
	text, err := q.w.Commerce.Key.Decrypt(encrypted, webhooks.Place(q.Tenant, endpoint))
	if err != nil {
		q.w.Log.Error("worker: a signing secret cannot be decrypted", "error", err)
		return webhooks.Secret{}, errors.New(webhooks.ErrorUnsigned)
	}
	return webhooks.ParseSecret(text)
}

// attempt sends a delivery once. The delivery's text is "" when the event was deleted after its retention. answered
// says whether the endpoint gave any answer; ok is false when the worker interrupted the attempt, which is not counted.
func (q *queue) attempt(d *webhooks.Ready) (o webhooks.Outcome, answered, ok bool) {
	w := q.w
	at := w.DB.Now()
	o = webhooks.Outcome{Queue: q.Queue, Position: d.Position, Event: d.EventStamp, Name: d.Name, Resource: d.Resource, Ordered: d.Ordered,
		EditedAt: d.EditedAt, Attempt: webhooks.Attempt{Number: d.Attempts + 1, At: at.UnixMicro()}}
	lateness.Observe(time.Duration(1000 * (at.UnixMicro() - d.DueAt)).Seconds())
	start := time.Now()
	ctx, cancel := q.allowed(d)
	defer cancel()
	ctx = trace.Within(ctx, d.Trace())
	err := q.send(ctx, d, at, &o)
	took := time.Since(start)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return o, false, false
	}
	o.Duration = took.Milliseconds()
	if err != nil {
		o.Error = text(reason(err), 500)
	}
	final := d.Text == "" || errors.Is(err, errUnreadable) // there is nothing to send
	q.decide(d, &o, final)
	attempts.WithLabelValues(string(o.State), statusClass(o.StatusCode)).Inc()
	duration.Observe(took.Seconds())
	level := slog.LevelInfo
	if !o.Answered() { // the log would fill with an endpoint that is down
		level = slog.LevelDebug
		if n := q.health.fail(at); n > 0 {
			w.Log.Warn("attempts failed", "endpoint", q.Endpoint, "attempts", n, "status", o.StatusCode, "error", o.Error)
		}
	}
	w.Log.LogAttrs(ctx, level, "attempt", slog.String("delivery", string(d.ID)),
		slog.String("endpoint", string(q.Endpoint)), slog.String("event", d.Name), slog.String("eventId", string(d.Event)),
		slog.String("request", d.Request()),
		slog.Int64("attempt", o.Number), slog.Int64("status", o.StatusCode),
		tookMS(took), slog.String("state", string(o.State)), slog.String("error", o.Error))
	return o, o.StatusCode != 0, true
}

// decide sets the state of the delivery after the attempt: delivered, pending again, or failed.
func (q *queue) decide(d *webhooks.Ready, o *webhooks.Outcome, final bool) {
	if o.Answered() {
		o.State = webhooks.Delivered
		return
	}
	wait, again := q.w.Retries.Next(o.Number, d.ByHand)
	if !again || final {
		o.State = webhooks.Failed
		return
	}
	o.State, o.DueAt = webhooks.Pending, q.w.DB.Now().Add(wait).UnixMicro()
}

// errPast is the outcome of a delivery whose event was deleted after its retention.
var errPast = errors.New(webhooks.ErrorExpired)

// errUnreadable is the outcome of a delivery that the endpoint's maker may not read.
var errUnreadable = errors.New(webhooks.ErrorUnreadable)

// allowed returns the time limit of an attempt. An attempt to an ordered endpoint also ends with the lease: the node
// that takes over sends the delivery again, and no other attempt may run at the same time.
func (q *queue) allowed(d *webhooks.Ready) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(q.w.running, max(attemptTime, q.w.MinAttempt))
	if !d.Ordered {
		return ctx, cancel
	}
	stop := context.AfterFunc(q.w.lease.current(), cancel)
	return ctx, func() { stop(); cancel() }
}

// send makes the request and reads the answer into the outcome.
func (q *queue) send(ctx context.Context, d *webhooks.Ready, at time.Time, o *webhooks.Outcome) error {
	t := q.target.Load()
	switch {
	case t.err != nil:
		return t.err
	case d.Text == "":
		return errPast
	case !t.endpoint.MayGet(d.Name):
		return errUnreadable
	}
	// The address is resolved and checked at every attempt, even if a connection is still open.
	ctx, addrs, err := q.w.Guard.Checked(ctx, t.url.Hostname())
	if err != nil {
		return err
	}
	var over connection
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: over.note})
	request := t.request(d, at, q.w.Version).WithContext(ctx)
	response, err := q.w.transport.RoundTrip(request) // no redirects, no cookies
	if err != nil {
		return err
	}
	defer func() {
		response.Body.Close()
		q.w.moved(&over, addrs)
	}()
	o.StatusCode = int64(response.StatusCode)
	o.Response = text(string(beginning(response.Body)), keepLimit)
	switch {
	case response.StatusCode >= 300 && response.StatusCode < 400:
		o.Error = "HTTP " + strconv.Itoa(response.StatusCode) + ": redirects are not followed"
	case response.StatusCode < 200 || response.StatusCode >= 400:
		o.Error = "HTTP " + strconv.Itoa(response.StatusCode)
	}
	return nil
}

// request builds what an attempt sends (interface §6.1).
func (t *target) request(d *webhooks.Ready, at time.Time, version string) *http.Request {
	body := []byte(d.Text)
	sent := webhooks.Sent{Event: d.Event, Name: d.Name, At: at, Number: d.Attempts + 1, Version: version}
	signatures := t.secret.SignStandard(string(d.Event), sent.Seconds(), body)
	if t.old != nil && at.UnixMicro() < t.endpoint.OldSecretUntil {
		signatures += " " + t.old.SignStandard(string(d.Event), sent.Seconds(), body)
	}
	header := http.Header{
		"X-Webhook-Signature": {t.secret.Sign(body)},
		"webhook-signature":   {signatures},
		"Idempotency-Key":     {}, // not sent; lets the transport repeat the request on a new connection if an idle one was closed
	}
	for _, h := range sent.Headers() {
		header[h.Name] = []string{h.Value}
	}
	return &http.Request{
		Method: http.MethodPost, URL: t.url, Host: t.url.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		GetBody: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil },
	}
}

// beginning reads an answer up to readLimit and returns its first part. The content has no meaning here, so errors are
// ignored.
func beginning(body io.Reader) []byte {
	kept := make([]byte, 0, 512)
	for len(kept) < keepLimit {
		if len(kept) == cap(kept) {
			kept = append(kept, 0)[:len(kept)]
		}
		n, err := body.Read(kept[len(kept):min(cap(kept), keepLimit)])
		kept = kept[:len(kept)+n]
		if err != nil {
			return kept
		}
	}
	io.CopyN(io.Discard, body, readLimit-keepLimit)
	return kept
}

// text makes outside data fit for the store: valid UTF-8 without NUL, at most limit bytes.
func text(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit]
		for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) && len(s) > limit-utf8.UTFMax {
			s = s[:len(s)-1]
		}
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// reason describes an error for the endpoint's owner.
func reason(err error) string {
	switch {
	case netguard.IsRefused(err):
		var refused *netguard.Refused
		errors.As(err, &refused)
		return webhooks.BlockedPrefix + refused.Reason
	case errors.Is(err, context.DeadlineExceeded):
		return webhooks.ErrorTimeout
	}
	return unquoted(netguard.Plain(err))
}

// unquoted leaves out what an error quotes of an answer that is not HTTP: the answer may repeat what was sent.
func unquoted(text string) string {
	words, _, quotes := strings.Cut(text, `"`)
	if quotes {
		words = strings.TrimRight(words, " :[")
	}
	return words
}

func statusClass(status int64) string {
	if status == 0 {
		return "none"
	}
	return strconv.FormatInt(status/100, 10) + "xx"
}
