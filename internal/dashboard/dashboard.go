// Package dashboard serves the pages for people: the merchant who ships and the integrator who asks why a system did not hear of it. It
// is an edge beside the API: a handler reads a request, calls the operation that the API calls, and shows what came of it. It has no rule
// of its own, and opens nothing that the API would refuse the same user.
//
//	routes.go   the table of pages: method, path, what the user needs, handler
//	serve.go    the way of every request: headers → cross-site check → session → rights → handler → page
//	session.go  the cookie; login.go and setup.go are the pages without one
//	forms.go    a form is read like the API's JSON, with the same readers and the same words for what is wrong
//	write.go    one transaction around an operation and the form's key, so that a double click has one effect
//	render.go   templates/ in the one layout; parts.go is what templates are given
//	live.go     the stream that open pages follow
//	format.go   money, numbers and times in the user's words
//	*.go        one file per page, with its view and templates/<page>.html
//
// docs/dashboard.md shows how a page is added.
package dashboard

import (
	"log/slog"
	"net/http"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/netguard"
	"entrepot/internal/webhooks"
)

// Config is what a dashboard is made of.
type Config struct {
	DB        *db.DB
	Commerce  *commerce.Service
	Limiter   limits.Limiter // of failed logins
	Log       *slog.Logger
	Now       func() time.Time // the clock of limits; the store has its own
	Version   string
	Retries   webhooks.Schedule // of deliveries, to show when the next attempts come; nil: the standard one
	PublicURL string            // the service's address as the world sees it, "" for that of each request
	Proxies   netguard.Proxies  // whose X-Forwarded-For is believed
	Plan      accounts.Plan     // of the account that the set-up page makes, "" for the largest
	Dev       bool              // templates and static files are read from the source folder when it is there; shows /dashboard/_parts
}

// Dashboard serves every path below /dashboard.
type Dashboard struct {
	Config
	mux       *http.ServeMux
	routes    []*route
	files     *files
	templates *templates
	crossSite *http.CrossOriginProtection
	watchers  *watchers
	ended     chan struct{} // closed by Drain
}

// New builds the table and the templates; it panics if one is wrong, which a test would meet first.
func New(c Config) *Dashboard {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Limiter == nil {
		c.Limiter = limits.NewLocal()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	d := &Dashboard{Config: c, mux: http.NewServeMux(), files: newFiles(c.Dev), crossSite: crossSite(c.PublicURL), ended: make(chan struct{})}
	d.watchers = newWatchers(d)
	d.templates = newTemplates(d.files)
	d.routes = routes(c.Dev)
	for _, route := range d.routes {
		d.mux.Handle(route.method+" "+prefix+route.path, d.handler(route))
	}
	d.mux.Handle("GET "+staticPath, d.files)
	d.mux.Handle("/", d.handler(&route{open: true, serve: func(*Dashboard, *request) (answer, error) { return answer{}, noPage() }}))
	return d
}

// Drain ends the live streams, so that the server can stop.
func (d *Dashboard) Drain() { close(d.ended) }

// logins checks passwords, together with the API's.
func (d *Dashboard) logins() *commerce.Logins {
	return &commerce.Logins{DB: d.DB, Commerce: d.Commerce, Limiter: d.Limiter, Now: d.Now, Log: d.Log}
}
