package dashboard

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/netguard"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// request is one request while it is processed.
type request struct {
	http    *http.Request
	out     http.ResponseWriter // for the deadlines of its connection; handlers return an answer and do not write to it
	d       *Dashboard
	id      string
	route   *route
	session accounts.Session // zero on open routes
	format  format
	refused *form // the form that was refused and is shown again, nil for none
	stale   error // the error of a form whose record has changed since it was shown (see editing)
	seenAt  int64 // when that form was filled, microseconds
}

// say is a text in the user's language, with the arguments in the places of its %s.
func (r *request) say(text string, args ...any) string { return r.format.say(text, args...) }

func (r *request) caller() accounts.Caller { return r.session.Caller }

// store is the store for the user, who is the author of what is written through it.
func (r *request) store() *db.DB { return r.d.DB.By(r.caller().Author(r.id, r.address())) }

// address is the client's.
func (r *request) address() string { return r.d.Proxies.Client(r.http) }

// ServeHTTP serves every path below /dashboard, and /setup.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	secure(w.Header())
	d.mux.ServeHTTP(w, hr)
}

// policy is the Content-Security-Policy: a page may load only from this service, and images from anywhere, because
// products show them. Scripts can insert HTML only through the policy named "entrepot" in app.js.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types entrepot"

// secure sets the headers that every answer has.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// crossSite refuses forms sent by pages of other sites.
func crossSite(public string) *http.CrossOriginProtection {
	p := http.NewCrossOriginProtection()
	if u, err := url.Parse(public); err == nil && u.Host != "" {
		_ = p.AddTrustedOrigin(u.Scheme + "://" + u.Host) // it has the one form that is accepted
	}
	return p
}

// handler handles a request of a route in the steps of all requests.
func (d *Dashboard) handler(route *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		start := time.Now()
		r := &request{http: hr, out: w, d: d, id: cmp.Or(w.Header().Get("X-Request-Id"), id.New[string]()), route: route,
			format: newFormat(hr, &accounts.Account{}, &accounts.User{}, d.DB.Now())}
		w.Header().Set("X-Request-Id", r.id)
		if r.ownImagesOnly() {
			w.Header().Set("Content-Security-Policy", ownPolicy)
		}
		out, err := d.admit(r)
		if err != nil {
			out = d.failed(r, err)
		}
		d.send(r, out)
		if !d.AccessLog.Shows(out.code()) {
			return
		}
		d.Log.Info("page", "id", r.id, "method", hr.Method, "path", prefix+route.path, "status", out.code(),
			"took_ms", float64(time.Since(start).Microseconds())/1000)
	})
}

// admit checks origin, session and rights, in this order, and calls the handler. A panic becomes an error.
func (d *Dashboard) admit(r *request) (out answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if err := d.crossSite.Check(r.http); err != nil {
		return answer{}, refusal(apperr.Forbidden, "this form was sent by a page of another site")
	}
	if r.route.open {
		if err := d.count(r); err != nil {
			return answer{}, err
		}
	} else {
		if err := d.authenticate(r); err != nil {
			return answer{}, cmp.Or(d.count(r), err)
		}
		if err := r.mayUse(r.route); err != nil {
			return answer{}, err
		}
	}
	if r.http.Method == http.MethodPost {
		if err := r.readForm(); err != nil {
			return answer{}, err
		}
		if err := r.checkAccount(); err != nil {
			return answer{}, err
		}
	}
	return r.route.serve(d, r)
}

// count counts a request without a session against the limit of its address, together with those of the API
// (interface §8).
func (d *Dashboard) count(r *request) error {
	v := d.Limiter.Take(netguard.Unknown(r.address()), d.Now(), accounts.Starter.Rate())
	if v.Allowed {
		return nil
	}
	return apperr.Later(v.Exceeded, v.RetryAfter)
}

// mayUse is the 403 for a user whose role or limit does not allow a route.
func (r *request) mayUse(route *route) error {
	if route.admin && r.caller().Role == accounts.Viewer {
		return apperr.New(apperr.Forbidden, "missing_scope", "this needs a user with the role owner or admin").With("requiredScope", "role:admin")
	}
	if r.caller().Needs(route.scope) != nil {
		const text = "your role is %s, which does not allow this; an owner or admin of the account can change it"
		return apperr.New(apperr.Forbidden, "missing_scope", text, r.caller().Role).With("requiredScope", route.scope)
	}
	return nil
}

// openTime is how long a form may take to arrive without a session.
const openTime = 10 * time.Second

// readForm reads the body of a POST; a multipart form is left to the handler, which reads it in pieces.
func (r *request) readForm() error {
	most := r.route.most
	if most == 0 {
		most = limits.MaxBody
	}
	r.http.Body = http.MaxBytesReader(r.out, r.http.Body, most)
	if r.route.open {
		// Without a connection, in tests, nothing can stall.
		_ = http.NewResponseController(r.out).SetReadDeadline(time.Now().Add(openTime))
	}
	if strings.HasPrefix(r.http.Header.Get("Content-Type"), "multipart/") {
		return nil
	}
	if err := r.http.ParseForm(); err != nil {
		if _, over := err.(*http.MaxBytesError); over {
			return apperr.New(apperr.TooLarge, "body_too_large", "the form is larger than %d bytes", most)
		}
		return refusal(apperr.Invalid, "the form cannot be read")
	}
	return nil
}

// read runs reads on a snapshot of the user's account.
func (r *request) read(run func(tx *db.Tx) error) error {
	return r.d.DB.Read(r.http.Context(), r.caller().Tenant, run)
}

// readWide is read for lists, searches and figures, which may look at many records.
func (r *request) readWide(run func(tx *db.Tx) error) error {
	return r.d.DB.ReadWide(r.http.Context(), r.caller().Tenant, run)
}

// pathID reads an identifier from the path: a text that is no UUID is NotFound.
func pathID[T ~string](r *request, noun string) (T, error) {
	v, ok := id.Parse[T](r.http.PathValue("id"))
	if !ok {
		return "", apperr.Missing(noun)
	}
	return v, nil
}

// recordOf reads the record that the path names by its identifier. Errors: NotFound.
func recordOf[I ~string, R any](r *request, noun string, byID func(*db.Tx, I) (R, error)) (found R, err error) {
	which, err := pathID[I](r, noun)
	if err != nil {
		return found, err
	}
	err = r.read(func(tx *db.Tx) (err error) { found, err = byID(tx, which); return err })
	return found, err
}

// on is the handler of an action on a record: it reads the record that the path names, and hands it over. Errors:
// NotFound.
func on[R any](find func(*request) (R, error), serve func(*Dashboard, *request, R) (answer, error)) (
	handler func(*Dashboard, *request) (answer, error)) {
	return func(d *Dashboard, r *request) (answer, error) {
		found, err := find(r)
		if err != nil {
			return answer{}, err
		}
		return serve(d, r, found)
	}
}
