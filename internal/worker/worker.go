// Package worker runs what happens after a request is answered: it sends webhooks, runs jobs and deletes what is past
// its retention.
//
//	dispatch   event → one delivery for each endpoint that wants it (dispatch.go)
//	serve      takes over queues that are due; one feeder each (serve.go, queue.go)
//	live       records that this node is alive, and takes over from nodes that died (presence.go)
//	payload    what is sent, read together with what is due (payload.go)
//	attempt    one POST (attempt.go), as many at once as the endpoint allows (health.go) and the node affords (pool.go)
//	settle     outcomes of many attempts → one commit (settle.go)
//	jobs       work that a request has queued (jobs.go)
//	link       gives lines of orders their product when its SKU has been created (link.go)
//	channels   jobs that call platforms, and what makes them due (sync.go)
//	files      jobs that import files, and jobs that write them (files.go)
//	maintain   deletes what is past its retention, in small steps; continues pending scrubs and operations in steps (maintain.go)
//	pictures   removes uploaded pictures that no product shows (pictures.go)
//	follow     updates the views, one loop each (follow.go, package view)
//
// Nodes are equal and any may die at any moment: others take over what it held within seconds, and what it had sent
// without storing the outcome is sent again (interface §6.2: at least once). Commits of the same process wake the
// loops; work of other nodes is found by polling.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"entrepot/internal/base/id"
	"entrepot/internal/base/netguard"
	"entrepot/internal/base/trace"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/view/all"
	"entrepot/internal/webhooks"
)

// Config configures a worker. Its clock is the store's.
type Config struct {
	DB         *db.DB
	Commerce   *commerce.Service
	Guard      *netguard.Guard   // where deliveries may go; nil: the strictest
	Retries    webhooks.Schedule // nil: the one of interface §6.2
	Log        *slog.Logger
	Trace      *trace.Tracer // nil: no spans
	Version    string        // for User-Agent
	Alone      bool          // no other node serves this store: at the start the worker takes over what a crash left
	Poll       time.Duration // how often loops run without being woken; 0: a second
	Keep       time.Duration // how long events and settled deliveries are kept; 0: 30 days
	JobLease   time.Duration // how long a job is held by the store's clock, prolonged while it runs; 0: three seconds
	MinAttempt time.Duration // tests on slow machines: how long an attempt may take at least; 0: as interface §6.2 says
}

// Worker is a running set of loops.
type Worker struct {
	Config
	transport  http.RoundTripper
	stopping   context.Context    // ends when Stop begins: nothing new is started
	halt       context.CancelFunc // ends stopping
	running    context.Context    // ends when Stop stops waiting: attempts are interrupted
	abort      context.CancelFunc
	living     context.Context // ends when the last queue is released
	leave      context.CancelFunc
	lived      chan struct{}  // closed when live has ended
	loops      sync.WaitGroup // all but settle and live
	outcomes   chan settled
	settling   chan struct{}       // closed when settle has ended
	answering  *pool               // limits attempts to endpoints that answer
	silent     *pool               // limits attempts to endpoints without a recent answer
	reading    *semaphore.Weighted // limits concurrent reads of queues
	payloads   payloads
	lease      *lease
	open       atomic.Int64 // number of queues
	closedIdle atomic.Int64 // when idle connections were last closed because a host had moved, in nanoseconds since 1970
	edited     atomic.Int64 // when this process last rewrote payloads of the log, in nanoseconds since 1970

	mu      sync.Mutex
	node    string // this worker's name in the store; a new name after the others have declared the worker dead
	entered bool   // the store has a row for the name
	queues  map[webhooks.Queue]*queue
	health  map[webhooks.Queue]*health // of present queues and of ones served before
}

// Bounds of a node.
const (
	poll         = time.Second // between two polls for work that no commit of this node has announced
	maxQueues    = 4096
	maxReading   = 4
	maxIdle      = 512      // idle connections
	maxHeaders   = 64 << 10 // of an answer, in bytes
	streamBuffer = 64 << 10 // of an answer over HTTP/2 that is not read yet
)

// Start starts the loops; they run until Stop.
func Start(ctx context.Context, c Config) (*Worker, error) {
	if c.Guard == nil {
		c.Guard = &netguard.Guard{}
	}
	if c.Retries == nil {
		c.Retries = webhooks.Standard
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Poll == 0 {
		c.Poll = poll
	}
	if c.Keep == 0 {
		c.Keep = 30 * 24 * time.Hour
	}
	if c.JobLease == 0 {
		c.JobLease = jobLease
	}
	w := &Worker{Config: c, node: id.New[string](), transport: c.Trace.Transport("deliver", transport(c.Guard)), outcomes: make(chan settled, 2*settleBatch),
		settling: make(chan struct{}),
		lived:    make(chan struct{}), answering: newPool(maxAnswering, payloadBudget*3/4), silent: newPool(maxSilent, payloadBudget/4),
		lease: newLease(c.Alone), reading: semaphore.NewWeighted(maxReading),
		payloads: payloads{of: map[eventKey]*payload{}}, queues: map[webhooks.Queue]*queue{}, health: map[webhooks.Queue]*health{}}
	if c.Alone {
		err := c.DB.Write(ctx, db.Across, func(tx *db.Tx) error {
			queues, err := webhooks.Abandon(tx)
			if err != nil {
				return err
			}
			left, err := jobs.Abandon(tx)
			if queues+left > 0 {
				w.Log.Info("taking over what a stopped process held", "queues", queues, "jobs", left)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	w.running, w.abort = context.WithCancel(db.Background(context.WithoutCancel(ctx)))
	w.stopping, w.halt = context.WithCancel(w.running)
	w.living, w.leave = context.WithCancel(w.running)
	go w.settle()
	if c.Alone {
		close(w.lived)
	} else {
		go w.live()
	}
	for _, loop := range []func(){w.dispatch, w.serve, w.jobs, w.fileJobs, w.exportJobs, w.channelJobs, w.schedule, w.link, w.maintain,
		w.operations, w.scrub, w.watchEdits, w.pictures} {
		w.loops.Go(loop)
	}
	for _, v := range all.Views {
		w.loops.Go(func() { w.follow(v) })
	}
	return w, nil
}

// transport limits idle connections and how much of an answer is in memory.
func transport(guard *netguard.Guard) *netguard.Transport {
	t := guard.Transport(maxWorkers)
	t.MaxIdleConns, t.MaxResponseHeaderBytes = maxIdle, maxHeaders
	t.HTTP2.MaxReceiveBufferPerStream, t.HTTP2.MaxReceiveBufferPerConnection = streamBuffer, 16*streamBuffer
	return t
}

// Stop ends the loops in order: nothing new is claimed or sent, running attempts end, their outcomes are stored,
// queues are released. When ctx ends first, running attempts are interrupted; they are made again after the next
// start.
func (w *Worker) Stop(ctx context.Context) error {
	w.halt()
	done := make(chan struct{})
	go func() {
		w.loops.Wait()
		close(w.outcomes)
		<-w.settling
		w.leave()
		<-w.lived
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = errors.New("running deliveries were broken off; they are attempted again at the next start")
		w.abort()
		<-done
	}
	w.abort()
	w.depart(ctx)
	if t, ok := w.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
	return err
}

// depart releases what this node still holds, so that the others need not wait for its lease to end.
func (w *Worker) depart(ctx context.Context) {
	w.mu.Lock()
	node, entered := w.node, w.entered
	w.mu.Unlock()
	if !entered {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := w.DB.Write(ctx, db.Across, func(tx *db.Tx) error { return webhooks.LeaveNode(tx, node) }); err != nil {
		w.Log.Error("worker: queues were not released, others take them over in some seconds", "error", err)
	}
}

// pause waits for woken, for d, or for the stop of the worker; it reports whether to continue.
func (w *Worker) pause(woken <-chan struct{}, d time.Duration) bool {
	return pause(w.stopping, woken, d)
}

// pause waits for woken, for d, or for the end of the context; it reports whether to continue.
func pause(ctx context.Context, woken <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-woken:
	case <-timer.C:
	}
	return ctx.Err() == nil
}

// backOff pauses in proportion to the time that the search for work took: with very many endpoints a search takes a while,
// and searches must never fill a core. backOff reports whether to continue.
func (w *Worker) backOff(looked time.Duration) bool {
	wait := min(looked/2, w.Poll)
	return wait < time.Millisecond && w.stopping.Err() == nil || w.pause(nil, wait)
}

// insist repeats an act that must not be left undone, with growing pauses, until it succeeds. It returns false if the
// worker ends first.
func (w *Worker) insist(doing string, do func() error) bool {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := do()
		if err == nil {
			return true
		}
		if w.running.Err() != nil {
			return false
		}
		w.Log.Error("worker: "+doing+" failed, trying again", "error", err)
		if !pause(w.running, nil, wait) {
			return false
		}
	}
}

// failed logs an error of a loop, unless the worker is stopping.
func (w *Worker) failed(doing string, err error) {
	if err != nil && w.stopping.Err() == nil {
		w.Log.Error("worker: "+doing+" failed, trying again", "error", err)
	}
}
