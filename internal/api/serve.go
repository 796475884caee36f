package api

import (
	"cmp"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/netguard"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// maxTarget is the longest path with query, in bytes; the longest that the interface needs has 9,300.
const maxTarget = 16 << 10

// uncounted is how many bytes of each request and of its answer are not counted against the node's budget: nearly all
// requests need no more, and the concurrency limit bounds their number.
const uncounted = 128 << 10

// ServeHTTP handles every request of the interface in the same steps and writes one log line for it.
func (a *API) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	start := time.Now()
	r := &request{http: hr, out: w, id: RequestID(hr), share: a.Budget.Share(uncounted)}
	defer r.share.Release()
	defer r.bulk.Release()
	r.overflow.large = a.large
	defer r.overflow.close()
	w.Header().Set("X-Request-Id", r.id)
	out := a.handle(r)
	a.leave(r, true)
	r.bulk.Release()
	a.send(w, r, out)
	took := time.Since(start)
	observe(r, out.status, took)
	a.logRequest(r, out, took)
	a.noteRefused(r, out)
	r.recycle()
}

// handle computes the answer; it converts every error and panic into one.
func (a *API) handle(r *request) (out answer) {
	defer func() {
		if p := recover(); p != nil {
			out = a.failed(r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	if a.draining.Load() {
		return a.failed(r, apperr.New(apperr.Unavailable, "unavailable", "the service is shutting down, try again").With("retryAfter", 2))
	}
	if err := a.enter(r); err != nil {
		return a.failed(r, err)
	}
	if len(r.http.RequestURI) > maxTarget {
		if err := a.limit(r, a.address(r), accounts.Starter, nil); err != nil {
			return a.failed(r, err)
		}
		return shaped(http.StatusRequestURITooLong, apperr.New(0, "uri_too_long", "the address is longer than %d KB", maxTarget>>10), r.id)
	}
	found, allowed := a.table.find(r.http)
	if found == nil {
		return a.unrouted(r, allowed)
	}
	r.route = found
	out, err := a.admit(r)
	if err != nil {
		return a.failed(r, err)
	}
	return out
}

// enter waits for the request's turn among all of the node's.
func (a *API) enter(r *request) error {
	if err := a.limiter.Enter(r.ctx()); err != nil {
		return err
	}
	r.inside = true
	return nil
}

// leave releases the request's turn; done says that it was answered.
func (a *API) leave(r *request, done bool) {
	if r.inside {
		a.limiter.Leave(done)
		r.inside = false
	}
}

// pause releases the request's turn while it waits for its body, which takes no work.
func (a *API) pause(r *request, wait func() error) error {
	if r.inside {
		a.limiter.Leave(false)
		r.inside = false
	}
	if err := wait(); err != nil {
		return err
	}
	a.limiter.Again()
	r.inside = true
	return nil
}

// address is the client address by which a request without a credential is counted.
func (a *API) address(r *request) string {
	return netguard.Unknown(a.Proxies.Client(r.http))
}

// unrouted answers 404, or 405 with the methods that the path takes; both count against the caller's limit: that of a
// valid credential, else the address's.
func (a *API) unrouted(r *request, allowed []string) answer {
	r.route = &route{access: anyCredential}
	plan, who := accounts.Starter, a.address(r)
	if a.authenticate(r) == nil {
		plan, who = r.caller.Plan, r.caller.Actor()
	}
	if err := a.limit(r, who, plan, nil); err != nil {
		return a.failed(r, err)
	}
	if len(allowed) > 0 {
		list := strings.Join(allowed, ", ")
		refusal := apperr.New(0, "method_not_allowed", "%s is not allowed here, use %s", clip(r.http.Method, 32), list)
		out := shaped(http.StatusMethodNotAllowed, refusal, r.id)
		out.header["Allow"] = list
		return out
	}
	path := clip(strings.ToValidUTF8(r.http.URL.Path, "\uFFFD"), 256)
	return shaped(http.StatusNotFound, apperr.New(0, "not_found", "there is nothing at %s", path), r.id)
}

// admit identifies the caller, counts the request against its limit, and answers it. A conditional read that finds
// nothing new is answered 304 and is not counted (interface §8): whether it is one is known only at the end.
func (a *API) admit(r *request) (answer, error) {
	plan, who := accounts.Starter, a.address(r)
	var refused error
	if r.route.secret {
		r.out.Header().Set("Cache-Control", "no-store")
	}
	if r.route.access != public {
		if refused = a.authenticate(r); refused == nil {
			plan, who = r.caller.Plan, r.caller.Actor()
			r.share.Account = int64(r.caller.Tenant)
		}
	}
	conditional := r.reads() && refused == nil && r.http.Header.Get("If-None-Match") != ""
	free := conditional && a.unchanged.Take(who, a.Now(), plan.UnchangedRate()).Allowed
	if !free && (r.reads() || !r.route.raw) { // an invalid platform notification is counted later
		if err := a.limit(r, who, plan, r.route.rate); err != nil {
			return answer{}, err
		}
	}
	if refused != nil {
		return answer{}, refused
	}
	out, err := a.permit(r)
	if conditional && err == nil && records.NamesETag(r.http.Header["If-None-Match"], out.header["ETag"]) {
		if free {
			r.rate(a.Limiter.Peek(who, a.Now(), rates(plan, nil)...))
		}
		out.status, out.body, out.parts, out.download = http.StatusNotModified, nil, nil, nil
		return out, nil
	}
	if free {
		if over := a.limit(r, who, plan, r.route.rate); over != nil {
			return answer{}, over
		}
	}
	return out, err
}

// permit checks scope and body of a known caller's request, in this order, and calls the handler.
func (a *API) permit(r *request) (answer, error) {
	if r.caller.Key != "" {
		a.seen.note(r.caller.Tenant, r.caller.Key, a.DB.Now())
	}
	a.seen.noteSignIn(r.caller, a.DB.Now())
	if err := r.caller.Needs(r.route.scope); r.route.access != public && err != nil && !r.ofCaller() {
		return answer{}, err
	}
	malformed := a.readBody(r)
	switch {
	case malformed == nil:
	case strings.Contains(r.route.path, "{") && apperr.Is(malformed, apperr.Invalid):
		r.body = new(jsonvalue.Value) // no object: the handler says first whether the record of the path is missing (interface §7)
	default:
		return answer{}, malformed
	}
	if r.route.waits {
		a.leave(r, false)
	}
	out, err := r.route.serve(a, r)
	if malformed != nil && !apperr.Is(err, apperr.NotFound) {
		return answer{}, malformed
	}
	if err != nil || !r.reads() { // a write that was done is always answered
		return out, err
	}
	if out.status == http.StatusOK && out.download == nil {
		out.tag()
	}
	return out, r.willWrite(out.held())
}

// ofCaller reports whether users may call the route for themselves, and the caller does.
func (r *request) ofCaller() bool {
	return r.route.own && r.caller.User != "" && strings.EqualFold(r.http.PathValue("id"), string(r.caller.User))
}

// authenticate finds the caller. X-API-Key wins over Authorization when both are sent (interface §5.1).
func (a *API) authenticate(r *request) (err error) {
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
			if _, err := accounts.ByKey(tx, cmp.Or(key, bearer)); err != nil {
				return err
			}
			return apperr.New(apperr.Forbidden, "missing_scope", "this needs a login, an API key cannot do it").With("requiredScope", "login")
		})
	}
	if isKey {
		if r.caller, err = a.callers.ByKey(r.ctx(), a.DB, cmp.Or(key, bearer)); err != nil {
			r.spent, r.caller = r.caller, accounts.Caller{}
		}
		return err
	}
	return a.DB.Peek(r.ctx(), db.Across, func(tx *db.Tx) (err error) {
		r.caller, err = accounts.ByToken(tx, bearer)
		return err
	})
}

func rates(plan accounts.Plan, own *limits.Rate) []limits.Rate {
	if own == nil {
		return []limits.Rate{plan.Rate()}
	}
	return []limits.Rate{plan.Rate(), *own}
}

// limit counts the request and sets the headers; the error is a 429.
func (a *API) limit(r *request, who string, plan accounts.Plan, own *limits.Rate) error {
	v := a.Limiter.Take(who, a.Now(), rates(plan, own)...)
	r.rate(v)
	if v.Allowed {
		return nil
	}
	return apperr.Later(v.Exceeded, v.RetryAfter)
}

// rate sets the headers of the rate limit (interface §8), spelled as there: Set would make them X-Ratelimit-Limit.
func (r *request) rate(v limits.Verdict) {
	h := r.out.Header()
	r.rated = true
	h["X-RateLimit-Limit"] = []string{strconv.Itoa(v.Limit)}
	h["X-RateLimit-Remaining"] = []string{strconv.Itoa(v.Remaining)}
	h["X-RateLimit-Reset"] = []string{strconv.FormatInt(v.Reset.Add(time.Second-1).Unix(), 10)}
}

// RequestID is the id of a request: the one in X-Request-Id, of 1 to 128 visible ASCII characters, else a new one
// (interface §4.6).
func RequestID(r *http.Request) string {
	given := r.Header.Get("X-Request-Id")
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
