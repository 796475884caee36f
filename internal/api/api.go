// Package api is the HTTP edge of the interface: it decodes, calls one operation, and encodes. It has no rules and no SQL.
//
//	routes.go    the whole table
//	serve.go     what happens to every request: id → credential → limit → scope → handler → ETag
//	write.go     one transaction around an operation, its Idempotency-Key and its answer
//	answer.go    answers and the one error shape
//	openapi.go   the API description, built from the table; openapi_route.go its part for one route
//	*.go         handlers, one file per section of the interface
package api

import (
	"cmp"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/accesslog"
	"entrepot/internal/base/netguard"
	"entrepot/internal/base/overload"
	"entrepot/internal/base/trace"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// Config configures an API.
type Config struct {
	DB        *db.DB
	Commerce  *commerce.Service
	Limiter   limits.Limiter
	Budget    *overload.Budget // memory for bodies and answers; nil: 160 MB
	Folder    string           // on a disk, where large answers wait to be sent; "" for the system's temporary one
	Log       *slog.Logger
	Trace     *trace.Tracer    // nil: no spans
	AccessLog *accesslog.Share // of requests with a line in the log; nil: all
	Now       func() time.Time // the clock of limits; the store has its own
	Version   string
	PublicURL string           // the service's public address, "" for none
	Proxies   netguard.Proxies // the proxies whose X-Forwarded-For is trusted (interface §8)
	Dev       bool             // http and loopback addresses are allowed (interface §6.1)
}

// API serves the interface.
type API struct {
	Config
	table    *table
	draining atomic.Bool
	callers  accounts.Callers
	seen     *lastUsed
	feeds    feedTotals
	limiter  *overload.Limiter
	large    *large
	bulk     *overload.Budget // of the bodies of bulk routes, smaller than Budget, so that memory is left to process them
	pieces   *overload.Budget // of bulk operations
	refusals sampler          // of the log
	refused  *refusals        // for the log of refused requests
	// unchanged counts requests with If-None-Match on this node only: it protects the node and is no limit of the plan.
	unchanged limits.Limiter
	document  document
}

// New builds the table; it panics if a route is wrong, which tests detect.
func New(c Config) *API {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Limiter == nil {
		c.Limiter = limits.NewLocal()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Budget == nil {
		c.Budget = overload.NewBudget(160 << 20)
	}
	a := &API{Config: c, table: newTable(c.traced(routes())), seen: newLastUsed(), refused: newRefusals(), bulk: overload.NewBudget(c.Budget.Limit() / 2),
		pieces: overload.NewBudget(piecesAtOnce()), limiter: overload.NewLimiter(),
		large: newLarge(cmp.Or(c.Folder, os.TempDir()), c.Budget.Limit()), unchanged: limits.NewLocal()}
	if _, off := c.Limiter.(limits.Off); off {
		a.unchanged = limits.Off{}
	}
	return a
}

// Drain makes every further request answer 503, so that a load balancer stops sending requests before the process ends.
func (a *API) Drain() { a.draining.Store(true) }

var _ http.Handler = (*API)(nil)
