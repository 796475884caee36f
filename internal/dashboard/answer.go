package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"entrepot/internal/base/apperr"
)

// answer is what a handler returns: a page, a redirect, or something that it sends itself.
type answer struct {
	status  int // of a page; 0 = 200
	page    *screen
	to      string // below the prefix, for a redirect
	resent  bool   // the browser sends the form there, too, instead of opening a page
	flash   *flash
	cookies []*http.Cookie
	send    func(w http.ResponseWriter) error // writes headers and body itself
}

func (a *answer) code() int {
	switch {
	case a.to != "" && a.resent:
		return http.StatusTemporaryRedirect
	case a.to != "":
		return http.StatusSeeOther
	case a.status == 0:
		return http.StatusOK
	}
	return a.status
}

// show is the answer of a page.
func show(page screen) answer { return answer{page: &page} }

// redirect is the answer of a completed action: the browser goes to a page, which shows the message words. The message
// names records by number, never a person, because it is stored with the form's key.
func redirect(to, words string) answer {
	out := answer{to: to}
	if words != "" {
		out.flash = &flash{Tone: "good", Text: words}
	}
	return out
}

// undo adds to a redirect the form that reverses the action.
func (a answer) undo(u undo) answer {
	if a.flash != nil {
		a.flash.Undo = &u
	}
	return a
}

// send writes an answer.
func (d *Dashboard) send(r *request, out answer) {
	for _, c := range out.cookies {
		http.SetCookie(r.out, c)
	}
	switch {
	case out.send != nil:
		if err := out.send(r.out); err != nil {
			d.Log.Warn("an answer was not sent whole", "id", r.id, "error", err)
		}
	case out.to != "":
		if out.flash != nil {
			http.SetCookie(r.out, r.flashCookie(out.flash))
		}
		http.Redirect(r.out, r.http, prefix+out.to, out.code())
	default:
		if err := d.render(r, out); err != nil {
			d.Log.Warn("a page was not sent whole", "id", r.id, "error", err)
		}
	}
}

// errorView is what the page of an error shows.
type errorView struct {
	Status      int
	Words, Hint string
	RequestID   string
	LogIn       string // address of the login page, if logging in helps
	Back        string // address of the page whose form was sent, "" for a page that was opened
}

// headlines of the pages of errors.
var headlines = map[int]string{
	400: "This request cannot be read", 401: "Your session has ended", 403: "Not allowed", 404: "Nothing here",
	409: "It has changed meanwhile", 412: "It has changed meanwhile", 413: "Too large", 422: "This cannot be done now",
	429: "Too many attempts", 503: "The service cannot answer now", 500: "Something went wrong here",
}

// noPage is the 404 for an address without a page.
func noPage() error { return refusal(apperr.NotFound, "there is no page at this address") }

// refusal is an error that only pages show: it has no code.
func refusal(kind apperr.Kind, words string) error { return &apperr.Error{Kind: kind, Message: words} }

// failed converts an error to a page; a request without a session is redirected to the login page.
func (d *Dashboard) failed(r *request, err error) answer {
	f, ok := apperr.As(err)
	if !ok || f.Kind.Status() == 0 {
		d.Log.Error("a page failed", "id", r.id, "path", r.http.URL.Path, "error", err)
		f = &apperr.Error{Message: "The error is in the service's log under the number below."}
	}
	status := cmp.Or(f.Kind.Status(), http.StatusInternalServerError)
	view := errorView{Status: status, Words: said(f), RequestID: r.id}
	if f.Kind == apperr.Unauthorized && !r.route.open {
		view.LogIn = prefix + loginFor(r.http)
		// 204 ends a stream for good; a page in its place is an error in the browser's console
		if r.http.Header.Get("Accept") == eventStream {
			return answer{send: func(w http.ResponseWriter) error { w.WriteHeader(http.StatusNoContent); return nil }}
		}
		if r.http.Method == http.MethodGet || r.http.Method == http.MethodHead {
			return answer{to: loginFor(r.http)}
		}
		view.LogIn = prefix + "/login?next=" + url.QueryEscape(prefix+d.pageOfForm(r.http.URL))
		view.Words = "Log in again; what you sent was not done."
	}
	if to := d.pageOfForm(r.http.URL); to != "" && prefix+to != r.http.URL.RequestURI() {
		// the address of a form, which that of a record is like
		if r.http.Method == http.MethodGet && f.Kind == apperr.NotFound {
			return answer{to: to}
		}
		view.Back = prefix + to
	}
	r.retryAfter(f)
	title := headlines[status]
	if title == "" {
		title = http.StatusText(status)
	}
	out := show(screen{Template: "error", Title: title, Data: view})
	out.status = status
	return out
}

// retryAfter sets the header of temporary errors.
func (r *request) retryAfter(e *apperr.Error) {
	for _, m := range e.Members {
		if seconds, ok := m.Value.(int); ok && m.Name == "retryAfter" {
			r.out.Header().Set("Retry-After", strconv.Itoa(seconds))
		}
	}
}

// ignoreMissing drops NotFound, for data that a page can do without.
func ignoreMissing(err error) error {
	if e, ok := apperr.As(err); ok && e.Kind == apperr.NotFound {
		return nil
	}
	return err
}
