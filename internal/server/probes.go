package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"entrepot/internal/api"
	"entrepot/internal/api/reference"
	"entrepot/internal/backups"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/disk"
	"entrepot/internal/base/netguard"
	"entrepot/internal/dashboard"
	"entrepot/internal/media"
	"entrepot/internal/worker"
)

// Metrics gathers what /metrics shows.
func (s *Server) Metrics() prometheus.Gatherer { return s.metrics }

// routes are the paths outside the API (interface §4.5.13). None of them is counted against a rate limit.
func (s *Server) routes() http.Handler {
	registry := s.metrics
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registry.MustRegister(api.Collectors()...)
	registry.MustRegister(worker.Collectors()...)
	registry.MustRegister(backups.Collector(s.backupStatus, s.config.now))
	registry.MustRegister(&figures{s: s})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthy)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		mux.HandleFunc(path, onlyRead)
	}
	mux.HandleFunc("GET /{$}", s.front)
	mux.HandleFunc("/setup", dashboard.RedirectSetup)
	pages := shortened(http.HandlerFunc(s.servePages))
	mux.Handle("/dashboard", pages)
	mux.Handle("/dashboard/", pages)
	mux.HandleFunc("GET /dashboard/live", s.servePages) // a stream must not be held back for compression
	mux.HandleFunc("GET "+media.Path, s.picture)
	docs := compressed(reference.Handler(s.description, s.reader, dashboard.Tokens()))
	mux.Handle("/docs", docs)
	mux.Handle("/docs/", docs)
	rest := compressed(http.HandlerFunc(s.serve))
	mux.Handle("/", rest)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// ServeMux would redirect /api/v1//orders, where the API answers 404
		if strings.HasPrefix(r.URL.Path, "/api/") {
			rest.ServeHTTP(w, r)
			return
		}
		w.Header().Set("X-Request-Id", api.RequestID(r))
		mux.ServeHTTP(w, r)
	})
}

// compressedFrom is the size from which an answer is compressed for callers that accept it: below, the time costs more
// than the bytes.
const compressedFrom = 64 << 10

func compressed(h http.Handler) http.Handler { return gzipped(h, compressedFrom, 1) }

// pagesFrom is the size from which a page or a static file of the dashboard is compressed: people wait for its bytes.
const pagesFrom = 1 << 10

func shortened(h http.Handler) http.Handler { return gzipped(h, pagesFrom, 5) }

func gzipped(h http.Handler, from, level int) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(from), gzhttp.CompressionLevel(level),
		gzhttp.ExceptContentTypes([]string{"text/event-stream"}))
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap(h)
}

// localOnly refuses requests whose Host is not this machine itself.
func localOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !netguard.LoopbackHost(r.Host) {
			api.Refuse(w, r, http.StatusForbidden, apperr.New(0, "host_not_allowed", "the demo answers only under localhost, 127.0.0.1 or [::1]"))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// serve passes a request to the API, which also answers for every unknown path.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if n := s.running.Load(); n != nil {
		if !s.draining.Load() {
			s.underWay.Add(1)
			defer s.underWay.Add(-1)
		}
		n.api.ServeHTTP(w, r)
		return
	}
	api.Refuse(w, r, http.StatusServiceUnavailable,
		apperr.New(0, "unavailable", "the service is starting, try again").With("retryAfter", 1))
}

// servePages passes a request to the dashboard.
func (s *Server) servePages(w http.ResponseWriter, r *http.Request) {
	n := s.running.Load()
	if n == nil || s.draining.Load() {
		w.Header().Set("Retry-After", "1")
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "the service is starting or ending, try again in a moment", http.StatusServiceUnavailable)
		return
	}
	n.dashboard.ServeHTTP(w, r)
}

// front serves the address without a path: it redirects a browser to the dashboard, and passes any other request to
// the API.
func (s *Server) front(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Vary", "Accept")
		http.Redirect(w, r, "/dashboard", http.StatusSeeOther)
		return
	}
	s.serve(w, r)
}

// description is the OpenAPI document of what runs; nil while the service starts.
func (s *Server) description() []byte {
	if n := s.running.Load(); n != nil {
		return n.api.Description()
	}
	return nil
}

// reader is the signed-in user of a request for the API reference; nil without a session.
func (s *Server) reader(r *http.Request) *reference.Reader {
	if n := s.running.Load(); n != nil {
		return n.dashboard.Reader(r)
	}
	return nil
}

// healthy answers 200 as long as the process runs, and says which version that is.
func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) {
	say(w, http.StatusOK, fmt.Sprintf(`{"status":"ok","version":%q}`, s.config.Version))
}

// ready answers 200 when every request can be answered: the store is open, its schema included, it can be reached and
// takes writes, and the service is not stopping. A node stays ready beside a newer one that has migrated the store, as
// long as the newer schema is compatible with it; a node that cannot serve it stops.
// With ?verbose a process of this machine gets the state of the node, too (readyz.go).
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("verbose") && fromThisMachine(r) {
		w = &withState{ResponseWriter: w, state: s.state(r.Context())}
	}
	n := s.running.Load()
	switch {
	case n == nil:
		notReady(w, "starting")
		return
	case s.draining.Load():
		notReady(w, "draining")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Second)
	defer cancel()
	if err := n.store.DB.Ping(ctx); err != nil {
		s.log.Error("not ready", "error", err)
		f, _ := apperr.As(err)
		switch {
		case f != nil && f.Code == "read_only":
			notReady(w, "store read-only")
		case f != nil && f.Code == "disk_full":
			notReady(w, "disk full")
		default:
			notReady(w, "store unavailable")
		}
		return
	}
	if n.store.DB.Engine() == "sqlite" {
		if free, known := freeOf(s.config.Dir); known && free < leastFree {
			notReady(w, "disk full")
			return
		}
	}
	say(w, http.StatusOK, `{"status":"ready"}`)
}

// leastFree is less than the store's file grows by within seconds, in bytes: with less left on its disk the next
// write may be refused.
const leastFree = 1 << 20

// freeOf is how many bytes are left on the disk of a folder. Tests replace it.
var freeOf = disk.Free

// onlyRead answers methods that the probes do not take: 405.
func onlyRead(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", "GET, HEAD")
	api.Refuse(w, r, http.StatusMethodNotAllowed, apperr.New(0, "method_not_allowed", "this is not allowed here, use GET, HEAD"))
}

func notReady(w http.ResponseWriter, why string) {
	w.Header().Set("Retry-After", "2")
	say(w, http.StatusServiceUnavailable, `{"status":"`+why+`"}`)
}

func say(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write([]byte(body + "\n"))
}
