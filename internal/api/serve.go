package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/fault"
	"entrepot/internal/id"
	"entrepot/internal/limits"
	"entrepot/internal/wire"
)

// ServeHTTP takes every request of the interface the same way and writes one log line for it.
func (a *API) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	start := time.Now()
	r := &request{http: hr, id: requestID(hr.Header.Get("X-Request-Id"))}
	w.Header().Set("X-Request-Id", r.id)
	out := a.handle(w, r)
	a.send(w, r, out)
	observe(r, out.status, time.Since(start))
	level := slog.LevelInfo
	if out.status >= 500 && out.status != http.StatusServiceUnavailable {
		level = slog.LevelError
	}
	if a.Log.Enabled(r.ctx(), level) {
		a.Log.LogAttrs(r.ctx(), level, "request", slog.String("id", r.id), slog.String("method", hr.Method), slog.String("path", hr.URL.Path),
			slog.Int("status", out.status), slog.Int("bytes", len(out.body)), slog.Duration("took", time.Since(start)), slog.String("actor", r.caller.Actor()))
	}
}

// handle finds out what to say; it turns every error and panic into an answer.
func (a *API) handle(w http.ResponseWriter, r *request) (out answer) {
	defer func() {
		if p := recover(); p != nil {
			out = a.failed(r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	if a.Draining() {
		return a.failed(r, fault.New(fault.Unavailable, "unavailable", "the service is shutting down, try again").With("retryAfter", 2))
	}
	found, allowed := a.table.find(r.http)
	if found == nil {
		return a.unrouted(w, r, allowed)
	}
	r.route = found
	out, err := a.admit(w, r)
	if err != nil {
		return a.failed(r, err)
	}
	return out
}

// unrouted answers 404, or 405 with the methods the path takes; both count against the caller's limit: that of the credential
// if it is good, else the address's.
func (a *API) unrouted(w http.ResponseWriter, r *request, allowed []string) answer {
	r.route = &route{access: anyCredential}
	plan, who := accounts.Starter, "address:"+a.Proxies.Client(r.http)
	if a.authenticate(r) == nil {
		plan, who = r.caller.Plan, r.caller.Actor()
	}
	if err := a.limit(w, r, who, plan, nil); err != nil {
		return a.failed(r, err)
	}
	if len(allowed) > 0 {
		out := shaped(http.StatusMethodNotAllowed, fault.New(0, "method_not_allowed", "%s is not allowed here, use %s", r.http.Method, strings.Join(allowed, ", ")), r.id)
		out.header["Allow"] = strings.Join(allowed, ", ")
		return out
	}
	return shaped(http.StatusNotFound, fault.New(0, "not_found", "there is nothing at %s", strings.ToValidUTF8(r.http.URL.Path, "�")), r.id)
}

// admit checks credential, limit, scope and body, in this order, and calls the handler.
func (a *API) admit(w http.ResponseWriter, r *request) (answer, error) {
	plan, who := accounts.Starter, "address:"+a.Proxies.Client(r.http)
	var refused error
	if r.route.raw {
		plan, who = accounts.Enterprise, "channel:"+r.http.PathValue("channelId")
	}
	if r.route.access != public {
		if refused = a.authenticate(r); refused == nil {
			plan, who = r.caller.Plan, r.caller.Actor()
		}
	}
	reads := r.http.Method == http.MethodGet || r.http.Method == http.MethodHead
	conditional := reads && refused == nil && r.http.Header.Get("If-None-Match") != ""
	if !conditional {
		if err := a.limit(w, r, who, plan, r.route.rate); err != nil {
			return answer{}, err
		}
	}
	if refused != nil {
		return answer{}, refused
	}
	if r.caller.Key != "" {
		a.seen.note(r.caller.Tenant, r.caller.Key, a.DB.Now())
	}
	if err := r.caller.Needs(r.route.scope); r.route.access != public && err != nil {
		if conditional {
			if over := a.limit(w, r, who, plan, r.route.rate); over != nil {
				return answer{}, over
			}
		}
		return answer{}, err
	}
	if err := a.readBody(w, r); err != nil {
		return answer{}, err
	}
	out, err := r.route.serve(a, r)
	if err == nil && reads && out.status == http.StatusOK {
		out.tag()
	}
	if conditional { // 304 is decided first and costs nothing (interface §8)
		if err == nil && matches(r.http.Header["If-None-Match"], out.header["ETag"]) {
			a.headers(w, a.Limiter.Peek(who, a.Now(), rates(plan, nil)...))
			out.status, out.body = http.StatusNotModified, nil
			return out, nil
		}
		if over := a.limit(w, r, who, plan, r.route.rate); over != nil {
			return answer{}, over
		}
	}
	return out, err
}

// authenticate finds the caller. X-API-Key wins over Authorization when both are sent (interface §5.1).
func (a *API) authenticate(r *request) error {
	key, bearer := r.http.Header.Get("X-API-Key"), ""
	if scheme, token, ok := strings.Cut(r.http.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		bearer = strings.TrimSpace(token)
	}
	if r.route.access == keyHeader {
		bearer = ""
	}
	isKey := key != "" || strings.HasPrefix(bearer, "pk_")
	switch {
	case key == "" && bearer == "" && r.route.access == keyHeader:
		return accounts.Unauthorized("send an API key in the header X-API-Key")
	case key == "" && bearer == "":
		return accounts.Unauthorized("send an API key in X-API-Key or an access token in Authorization: Bearer")
	case isKey && r.route.access == loginOnly:
		return a.DB.Read(r.ctx(), db.Across, func(tx *db.Tx) error {
			if _, err := accounts.ByKey(tx, first(key, bearer)); err != nil {
				return err
			}
			return fault.New(fault.Forbidden, "missing_scope", "this needs a login, an API key cannot do it").With("requiredScope", "login")
		})
	}
	return a.DB.Peek(r.ctx(), db.Across, func(tx *db.Tx) (err error) {
		if isKey {
			r.caller, err = accounts.ByKey(tx, first(key, bearer))
		} else {
			r.caller, err = accounts.ByToken(tx, bearer)
		}
		return err
	})
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// planRates are the plans' limits (interface §8).
var planRates = map[accounts.Plan]limits.Rate{
	accounts.Starter:    {PerMinute: 100, Burst: 20},
	accounts.Pro:        {PerMinute: 500, Burst: 100},
	accounts.Enterprise: {PerMinute: 2000, Burst: 400},
}

func rates(plan accounts.Plan, own *limits.Rate) []limits.Rate {
	if own == nil {
		return []limits.Rate{planRates[plan]}
	}
	return []limits.Rate{planRates[plan], *own}
}

// limit counts the request and sets the headers; the fault is a 429.
func (a *API) limit(w http.ResponseWriter, r *request, who string, plan accounts.Plan, own *limits.Rate) error {
	v := a.Limiter.Take(who, a.Now(), rates(plan, own)...)
	a.headers(w, v)
	if v.Allowed {
		return nil
	}
	seconds := max(1, int((v.RetryAfter+time.Second-1)/time.Second))
	return fault.New(fault.TooMany, "rate_limited", "too many requests, try again in %d seconds", seconds).With("retryAfter", seconds)
}

func (a *API) headers(w http.ResponseWriter, v limits.Verdict) {
	h := w.Header()
	h.Set("X-RateLimit-Limit", strconv.Itoa(v.Limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(v.Remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(v.Reset.Add(time.Second-1).Unix(), 10))
}

// Bounds of bodies (interface §8).
const (
	bodyLimit         = 1 << 20
	bulkLimit         = 10 << 20
	notificationLimit = 5 << 20
)

// readBody reads and parses the body of a route that takes one.
func (a *API) readBody(w http.ResponseWriter, r *request) error {
	if r.http.Method == http.MethodGet || r.http.Method == http.MethodHead || r.route.access == public && r.route.body == nil {
		return nil
	}
	bound := int64(bodyLimit)
	if r.route.sdk() {
		bound = bulkLimit
	}
	raw, err := readAll(w, r.http, bound)
	if err != nil {
		return err
	}
	r.raw = raw
	if (r.route.body == nil || r.route.optional) && len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	if err := isJSON(r.http.Header); err != nil {
		if r.route.body == nil {
			return nil
		}
		return err
	}
	if r.body, err = wire.Parse(bytes.TrimPrefix(raw, byteOrderMark)); err != nil && r.route.body == nil {
		err = nil
	}
	return err
}

func readAll(w http.ResponseWriter, r *http.Request, bound int64) ([]byte, error) {
	size := r.ContentLength
	if size > bound {
		return nil, tooLarge(bound)
	}
	var buf bytes.Buffer
	if size > 0 {
		buf.Grow(int(size) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, bound))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge(bound)
	case errors.Is(err, io.ErrUnexpectedEOF), err != nil:
		return nil, fault.New(fault.Invalid, "invalid_json", "the body ended too early")
	}
	return buf.Bytes(), nil
}

func tooLarge(bound int64) error {
	return fault.New(fault.TooLarge, "body_too_large", "the body is larger than %d MB", bound>>20)
}

// byteOrderMark is what some systems put before their UTF-8.
var byteOrderMark = []byte("\xEF\xBB\xBF")

func isJSON(h http.Header) error {
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return fault.New(fault.Unsupported, "unsupported_media_type", "send the body without Content-Encoding")
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") || charset != "" && charset != "utf-8" && charset != "utf8" {
		return fault.New(fault.Unsupported, "unsupported_media_type", "send JSON in UTF-8 with Content-Type: application/json")
	}
	return nil
}

// failed logs what is not a fault and turns the error into an answer.
func (a *API) failed(r *request, err error) answer {
	out := failure(err, r.id)
	if out.status >= 500 && !errors.Is(r.ctx().Err(), err) {
		a.Log.Error("request failed", "id", r.id, "method", r.http.Method, "path", r.http.URL.Path, "error", err)
	}
	return out
}

func (a *API) send(w http.ResponseWriter, r *request, out answer) {
	h := w.Header()
	if h.Get("X-RateLimit-Limit") == "" { // refused before the limit was asked
		a.headers(w, a.Limiter.Peek("address:"+a.Proxies.Client(r.http), a.Now(), rates(accounts.Starter, nil)...))
	}
	for name, value := range out.header {
		h.Set(name, value)
	}
	if out.replay {
		h.Set("Idempotent-Replay", "true")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	if out.body != nil {
		if h.Get("Content-Type") == "" {
			h.Set("Content-Type", "application/json; charset=utf-8")
		}
		h.Set("Content-Length", strconv.Itoa(len(out.body)))
	}
	if out.status >= http.StatusBadRequest {
		takeRest(w, r.http)
	}
	w.WriteHeader(out.status)
	if r.http.Method != http.MethodHead {
		w.Write(out.body)
	}
}

// requestID keeps a given id of visible ASCII, else makes one.
func requestID(given string) string {
	if given == "" || len(given) > 128 {
		return id.New[string]()
	}
	for i := range len(given) {
		if given[i] <= ' ' || given[i] > '~' {
			return id.New[string]()
		}
	}
	return given
}
