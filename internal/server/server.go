// Package server puts the parts together: a store, the API on it, the workers, and an HTTP server.
//
//	store.go    open, migrate, check the master key against the store's
//	server.go   start and stop, in an order in which no accepted request is lost
//	probes.go   /healthz, /readyz, /metrics
//	backup.go   the backups that the service makes by itself
//	certificate.go   the server's own TLS
//	setup.go    the first account: from the environment, or by a link of the dashboard that works once
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"entrepot/internal/accounts"
	"entrepot/internal/api"
	"entrepot/internal/backups"
	"entrepot/internal/base/accesslog"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/netguard"
	"entrepot/internal/base/overload"
	"entrepot/internal/dashboard"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/webhooks"
	"entrepot/internal/worker"
)

// Config configures a server.
type Config struct {
	StoreConfig
	Addr    string // host:port; port 0 chooses a free one
	Admin   Admin
	Limits  bool // false: no rate limits, for benchmarks
	Version string
	TLSCert string // file of the certificate of the server's own TLS; "" with TLSKey: plain HTTP
	TLSKey  string
	ACME    ACME // or the authority that issues it
	// requests whose Host is no loopback address are refused: for the demo, against host names that resolve to this
	// machine
	Local  bool
	Lend   int64            // bytes of memory for bodies and answers, for LimitMemory
	Budget *overload.Budget // of that memory; nil: 160 MB

	AccessLog *accesslog.Share  // of requests with a line in the log; nil: all
	Proxies   netguard.Proxies  // reverse proxies whose X-Forwarded-For and -Proto are trusted
	PublicURL string            // address under which platforms reach the service, "" for none
	Retries   webhooks.Schedule // nil: the one of interface §6.2
	Retention time.Duration     // how long events and settled deliveries are kept; 0: 30 days
	Backups   Backups
	JobLease  time.Duration // how long a job is held for a node that no longer answers; 0: three seconds
}

// Times of the HTTP server. The write time is long enough for a client that reads ten megabytes slowly.
const (
	headerTime = 10 * time.Second
	readTime   = 2 * time.Minute
	writeTime  = 3 * time.Minute
	idleTime   = 2 * time.Minute
	storeWait  = time.Minute // for a database server that cannot be reached when the service starts
	storeEvery = time.Second
	drainTime  = 15 * time.Second // for requests under way when the service stops
	stopTime   = 11 * time.Second // then for attempts under way, each of which takes at most ten
	flushEvery = 5 * time.Second
	tidyEvery  = 30 * time.Second
	lookEvery  = time.Second // for a newer version's migrations
)

// Server is one running node.
type Server struct {
	config   Config
	log      *slog.Logger
	listener net.Listener
	http     *http.Server
	metrics  *prometheus.Registry
	files    *certificate // the server's own TLS: of files, or
	ordered  *issued      // of an authority; both nil without TLS

	plain         *http.Server // for http beside an ordered certificate, or nil
	plainListener net.Listener

	running  atomic.Pointer[node] // nil until the store is open
	draining atomic.Bool
	underWay atomic.Int64 // requests of the API that came before the service began to stop
}

// node is the part of the server that exists once the store is open.
type node struct {
	store     *Store
	api       *api.API
	dashboard *dashboard.Dashboard
	worker    *worker.Worker
	backups   *backups.Runner // nil without backups
	outdated  chan error      // receives once a newer program has migrated the store to a schema that this one cannot serve
}

// Listen opens the address, so that a port in use is reported before the store is touched.
func Listen(c Config) (*Server, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	secure, files, ordered, err := tlsOf(c)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", c.Addr, err)
	}
	s := &Server{config: c, log: c.Log, listener: listener, files: files, ordered: ordered,
		metrics: prometheus.NewRegistry()}
	handler := c.Trace.Handler(s.routes())
	if c.Local {
		handler = localOnly(handler)
		s.config.PublicURL = cmp.Or(c.PublicURL, s.URL()) // its shops are on this machine
	}
	s.http = &http.Server{Handler: handler, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime,
		IdleTimeout: idleTime, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(c.Log.Handler(), slog.LevelWarn),
		TLSConfig: secure, Protocols: protocols()}
	if err := s.listenPlain(); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return s, nil
}

// protocols are those of HTTP. Without TLS, HTTP/2 is for proxies that speak it from the first byte (h2c).
func protocols() *http.Protocols {
	p := &http.Protocols{}
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	return p
}

// listenPlain opens the port for http beside a certificate that is ordered.
func (s *Server) listenPlain() error {
	if s.ordered == nil || s.ordered.HTTPAddr == "" {
		return nil
	}
	listener, err := net.Listen("tcp", s.ordered.HTTPAddr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s for ACME challenges: %w (acme-http-addr names another address; off: only the TLS port is used)",
			s.ordered.HTTPAddr, err)
	}
	_, port, _ := net.SplitHostPort(s.Address())
	s.plainListener = listener
	s.plain = &http.Server{Handler: s.ordered.plain(port), ReadHeaderTimeout: headerTime, ReadTimeout: headerTime,
		WriteTimeout: headerTime, IdleTimeout: headerTime, MaxHeaderBytes: 16 << 10, ErrorLog: s.http.ErrorLog}
	return nil
}

// keepCertificates answers challenges and keeps the ordered certificates in use until end is called.
func (s *Server) keepCertificates(ctx context.Context, store *Store) (end func()) {
	if s.ordered == nil {
		return func() {}
	}
	s.ordered.store.Store(store)
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { s.ordered.run(ctx) })
	if s.plain != nil {
		running.Go(func() {
			if err := s.plain.Serve(s.plainListener); !errors.Is(err, http.ErrServerClosed) {
				s.log.Error("the port for http is not served any more", "error", err)
			}
		})
	}
	return func() {
		cancel()
		if s.plain != nil {
			s.plain.Close()
		}
		running.Wait()
	}
}

// Address is where the server listens, with the real port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// URL is the address for people: an unspecified host is shown as localhost.
func (s *Server) URL() string {
	host, port, err := net.SplitHostPort(s.Address())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	if s.secure() {
		return "https://" + net.JoinHostPort(host, port)
	}
	return "http://" + net.JoinHostPort(host, port)
}

// secure reports whether the server speaks TLS itself.
func (s *Server) secure() bool { return s.files != nil || s.ordered != nil }

// Run serves until ctx ends, then stops in order: not ready, requests under way finish, workers stop, times of last
// use are written, the store is closed. ready, if given, is called when every request can be answered. A service that
// is stopped while it starts ends without an error.
func (s *Server) Run(ctx context.Context, ready func(*Store)) error {
	served := make(chan error, 1)
	go func() {
		if s.secure() {
			served <- s.http.ServeTLS(s.listener, "", "") // TLSConfig has the certificate
			return
		}
		served <- s.http.Serve(s.listener)
	}()
	s.log.Info("listening", "address", s.Address(), "url", s.URL())
	release, err := lockStore(s.config.StoreConfig, s.Address())
	defer release()
	var n *node
	if err == nil {
		n, err = s.open(ctx)
	}
	if err != nil {
		s.http.Close()
		if s.plainListener != nil {
			s.plainListener.Close()
		}
		<-served
		if ctx.Err() != nil { // nothing was accepted, and the next start goes on where this one was stopped
			s.log.Info("stopped before it was ready", "error", err)
			return nil
		}
		return err
	}
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() { defer close(ended); n.background(background, s.log) }()
	endCertificates := s.keepCertificates(background, n.store)
	s.running.Store(n)
	s.log.Info("ready", "engine", n.store.DB.Engine(), "version", s.config.Version)
	if ready != nil {
		ready(n.store)
	}
	select {
	case <-ctx.Done():
		s.log.Info("stopping")
	case err = <-served:
	case newer := <-n.outdated:
		err = fmt.Errorf("this node ends, because a newer version of entrepot has migrated the store: %w", newer)
	case <-n.store.DB.Failed(): // only opening the store again shows what the disk holds: the supervisor restarts the service
		err = errors.New("the disk refused what was committed")
	}
	s.draining.Store(true)
	n.api.Drain()
	n.dashboard.Drain()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	s.awaitRequests(drain)
	if late := s.http.Shutdown(drain); late != nil {
		s.log.Warn("requests were still under way at the end", "after", drainTime)
		s.http.Close()
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	settle, cancelSettle := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancelSettle()
	if late := n.worker.Stop(settle); late != nil {
		s.log.Warn(late.Error())
	}
	if n.backups != nil {
		n.backups.Stop()
	}
	stopBackground()
	<-ended
	endCertificates()
	err = errors.Join(err, n.api.Flush(context.WithoutCancel(ctx)), n.store.Close())
	s.log.Info("stopped")
	return err
}

// Reload reads the certificate's files again, or orders at once a certificate whose order has failed, and says which.
func (s *Server) Reload() (done string, err error) {
	switch {
	case s.files != nil:
		ends, err := s.files.reload()
		return "certificate read, ends " + ends.UTC().Format(time.DateOnly), err
	case s.ordered != nil:
		s.ordered.retry()
		return "failed orders of certificates are tried again", nil
	}
	return "", nil
}

// awaitRequests waits until the requests under way are answered. Meanwhile new requests are accepted and answered 503
// with Retry-After, because a refused connection would not explain itself.
func (s *Server) awaitRequests(ctx context.Context) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for s.underWay.Load() > 0 {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// open starts everything that needs the store. It waits for a database server that starts later than the service, as
// after a power cut, or goes away while it starts.
func (s *Server) open(ctx context.Context) (*node, error) {
	late, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	for logged := false; ; logged = true {
		n, err := s.openNow(ctx)
		if err == nil || !db.MayCome(err) && (s.config.URL == "" || !apperr.Is(err, apperr.Unavailable)) {
			return n, err
		}
		if !logged {
			s.log.Warn("the database cannot be reached yet, trying again", "for", storeWait, "error", err)
		}
		select {
		case <-late.Done():
			return nil, err
		case <-time.After(storeEvery):
		}
	}
}

func (s *Server) openNow(ctx context.Context) (*node, error) {
	store, err := OpenStore(ctx, s.config.StoreConfig)
	if err != nil {
		return nil, err
	}
	if err := s.firstStart(ctx, store); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	var limiter limits.Limiter = limits.NewLocal()
	if store.DB.Engine() == "postgres" { // other nodes may serve the same store
		limiter = limits.NewShared(store.DB,
			atMost(time.Second, func(err error) { s.log.Warn("rate limits could not be counted", "error", err) }))
	}
	if !s.config.Limits {
		limiter = limits.Off{}
		s.log.Warn("RATE LIMITS ARE OFF (ENTREPOT_RATE_LIMITS=off): right for a benchmark, wrong for a service that others reach")
	}
	if err := errors.Join(s.checkSecurity(ctx, store), s.checkDurability(ctx, store)); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if s.config.Dev {
		s.log.Warn("development mode (--dev): webhooks and channels may use http and this machine's addresses")
	}
	n := &node{store: store, outdated: make(chan error, 1), api: api.New(api.Config{DB: store.DB, Commerce: store.Commerce,
		Limiter: limiter, Budget: s.config.Budget, Folder: folder(s.config.Dir), Log: s.log,
		AccessLog: s.config.AccessLog, Trace: s.config.Trace,
		Version: s.config.Version, PublicURL: s.config.PublicURL, Proxies: s.config.Proxies, Dev: s.config.Dev}),
		dashboard: dashboard.New(dashboard.Config{DB: store.DB, Commerce: store.Commerce, Limiter: limiter, Log: s.log, Trace: s.config.Trace,
			AccessLog: s.config.AccessLog, Version: s.config.Version, Retries: s.config.Retries, PublicURL: s.config.PublicURL,
			Proxies: s.config.Proxies, Plan: s.config.Admin.Plan, Dev: s.config.Dev, Backups: s.backupStatus})}
	n.worker, err = worker.Start(ctx, worker.Config{DB: store.DB, Commerce: store.Commerce, Guard: store.Guard, Retries: s.config.Retries,
		Log: s.log, Trace: s.config.Trace,
		Version: s.config.Version, Alone: store.DB.Engine() == "sqlite", Keep: s.config.Retention, JobLease: s.config.JobLease})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	n.backups = s.startBackups(ctx, store)
	return n, nil
}

// folder is the data folder, which is on the disk chosen for this service, or "" if there is none.
func folder(dir string) string {
	if at, err := os.Stat(dir); dir == "" || err != nil || !at.IsDir() {
		return ""
	}
	return dir
}

// atMost passes one call in a span of time.
func atMost(span time.Duration, call func(error)) func(error) {
	var last atomic.Int64
	return func(err error) {
		if now, before := time.Now().UnixNano(), last.Load(); now-before >= int64(span) && last.CompareAndSwap(before, now) {
			call(err)
		}
	}
}

// background runs periodic work until ctx ends.
func (n *node) background(ctx context.Context, log *slog.Logger) {
	flush, tidy, look := time.NewTicker(flushEvery), time.NewTicker(tidyEvery), time.NewTicker(lookEvery)
	defer flush.Stop()
	defer tidy.Stop()
	defer look.Stop()
	var hashed int64
	hashed = freeHashes(hashed)
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if err, outdated := errors.AsType[*db.OutdatedError](n.store.DB.Outdated(ctx)); outdated {
				n.outdated <- err
				look.Stop()
			}
		case <-tidy.C:
			hashed = freeHashes(hashed)
		case <-flush.C:
			if err := n.api.Flush(ctx); err != nil && ctx.Err() == nil {
				log.Warn("times of last use and refused requests were not written", "error", err)
			}
		}
	}
}

// freeHashes returns the memory of passwords hashed since the last time to the system: 19 MiB each, which the garbage
// collector would otherwise keep for minutes in an idle process.
func freeHashes(before int64) (hashed int64) {
	if hashed = accounts.Hashed(); hashed != before {
		debug.FreeOSMemory()
	}
	return hashed
}
