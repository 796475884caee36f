// Package dashboard serves the pages for people: merchants who ship orders, and integrators who look for the reason
// why an event did not arrive. It is an edge beside the API: a handler reads a request, calls the same operation as
// the API, and shows the result. It has no rules of its own, and allows nothing that the API would refuse the same
// user.
//
//	routes.go   the table of pages: method, path, what the user needs, handler
//	serve.go    the steps of every request: headers → cross-site check → session → rights → handler → page
//	session.go  the cookie; login.go and setup.go are the pages without one
//	forms.go    a form is read like the API's JSON, with the same readers and the same error messages
//	write.go    one transaction around an operation and the form's key, so that a double click has one effect
//	render.go   templates/ in the one layout; parts.go has the data of template parts; source.go reads a template without its indentation
//	list.go     a page with a list: address, tabs, columns, pager; list_filters.go has its filters
//	live.go     the event stream for open pages
//	format.go   money, numbers and times in the user's locale
//	*.go        one file per page, with its view and templates/<page>.html; of a large page, one for each part:
//	            <records>_list.go, <record>_page.go, <record>_new.go, <record>_edit.go, and one for what else is done there
//
// docs/dashboard.md shows how to add a page.
package dashboard

import (
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/backups"
	"entrepot/internal/base/accesslog"
	"entrepot/internal/base/netguard"
	"entrepot/internal/base/trace"
	"entrepot/internal/commerce"
	"entrepot/internal/dashboard/texts"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/webhooks"
)

// Config configures a dashboard.
type Config struct {
	DB        *db.DB
	Commerce  *commerce.Service
	Limiter   limits.Limiter // of failed logins
	Log       *slog.Logger
	AccessLog *accesslog.Share // of requests with a line in the log; nil: all
	Trace     *trace.Tracer    // nil: no spans
	Now       func() time.Time // the clock of limits; the store has its own
	Version   string
	Retries   webhooks.Schedule             // of deliveries, to show the times of the next attempts; nil: the standard one
	PublicURL string                        // the service's public address, "" for none
	Proxies   netguard.Proxies              // whose X-Forwarded-For is trusted
	Backups   func() (backups.Status, bool) // what the service knows of its backups; nil for nothing
	Look      time.Duration                 // how often open pages look for news; 0: once a second
	Plan      accounts.Plan                 // of the account that the set-up page creates, "" for the largest
	Dev       bool                          // templates and static files are read from the source folder, if it exists; /dashboard/_parts is served
}

// Dashboard serves every path below /dashboard.
type Dashboard struct {
	Config
	mux       *http.ServeMux
	routes    []*route
	files     *files
	templates map[*texts.Language]*templates
	crossSite *http.CrossOriginProtection
	watchers  *watchers
	ended     chan struct{} // closed by Drain

	sentAtOnce int64 // the most records of a list that are sent at once; more are written by a job
}

// New builds the table and the templates; it panics if one is wrong, which tests detect.
func New(c Config) *Dashboard {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Look == 0 {
		c.Look = lookEvery
	}
	if c.Limiter == nil {
		c.Limiter = limits.NewLocal()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	d := &Dashboard{Config: c, mux: http.NewServeMux(), files: newFiles(c.Dev), crossSite: crossSite(c.PublicURL), ended: make(chan struct{})}
	d.watchers, d.sentAtOnce = newWatchers(d), sentAtOnce
	d.templates = newTemplates(d.files)
	d.routes = routes(c.Dev)
	for _, route := range d.routes {
		d.mux.Handle(route.method+" "+prefix+route.path, c.Trace.Page(route.method, prefix+route.path, d.handler(route)))
	}
	d.mux.Handle("GET "+staticPath, d.files)
	d.mux.Handle("/", d.handler(&route{open: true, serve: (*Dashboard).noRoute}))
	return d
}

// noRoute serves every other address. That of a form, at which its answer may stand, leads to the page that has the
// form: when it is loaded anew, when it follows what happens, and after a login.
func (d *Dashboard) noRoute(r *request) (answer, error) {
	if to := d.pageOfForm(r.http.URL); r.http.Method == http.MethodGet && to != "" {
		return answer{to: to}, nil
	}
	return answer{}, noPage()
}

// pageOfForm is the page, below the prefix, at the address of a form or above it; "" if no form has the address.
// Where a page for the records of an address has that address too, such as that of a SKU, it is not the form's.
func (d *Dashboard) pageOfForm(address *url.URL) string {
	at := address.EscapedPath()
	if d.pattern(http.MethodPost, at) == "" {
		return ""
	}
	for ; strings.HasPrefix(at, prefix+"/"); at = path.Dir(at) {
		page, form := d.pattern(http.MethodGet, at), d.pattern(http.MethodPost, at)
		if page == "" || strings.Contains(page, "{") && form != "" && !strings.Contains(form, "{") {
			continue
		}
		if address.RawQuery != "" {
			at += "?" + address.RawQuery
		}
		return strings.TrimPrefix(at, prefix)
	}
	return "/"
}

// pattern is the path of the route for a method and a path, as the table has it; "" for none.
func (d *Dashboard) pattern(method, at string) string {
	address, err := url.Parse(at)
	if err != nil {
		return ""
	}
	_, pattern := d.mux.Handler(&http.Request{Method: method, URL: address})
	route, found := strings.CutPrefix(pattern, method+" ")
	if !found {
		return ""
	}
	return route
}

// Drain ends the event streams, so that the server can stop.
func (d *Dashboard) Drain() { close(d.ended) }

// logins checks passwords, together with the API's.
func (d *Dashboard) logins() *commerce.Logins {
	return &commerce.Logins{DB: d.DB, Commerce: d.Commerce, Limiter: d.Limiter, Now: d.Now, Log: d.Log}
}
