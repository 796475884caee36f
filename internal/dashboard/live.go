package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/imports"
	"entrepot/internal/limits"
	"entrepot/internal/webhooks"
)

// liveRoutes is the event stream for open pages.
var liveRoutes = []*route{{method: "GET", path: "/live", serve: (*Dashboard).live}}

// Times of the stream. A regular beat keeps proxies from closing it, and detects that the browser is gone.
const (
	lookEvery  = time.Second
	beatEvery  = 20 * time.Second
	streamLife = 10 * time.Minute // then the browser opens it again
	retryAfter = "retry: 2000\n\n"
	// how far back a new stream starts, in addition to the age of its page when its script ran
	recent  = 10 * time.Second
	mostAge = 10 * time.Minute
)

// watchers read the event log for the streams of this node: once a second for each account with a stream, however many
// streams it has. The log is in the store, so changes made by other nodes are seen too.
type watchers struct {
	d        *Dashboard
	mu       sync.Mutex
	accounts map[id.Tenant]*watcher
	open     map[string]int // streams of each session
}

// watcher follows the log of one account.
type watcher struct {
	streams map[chan []string]bool
	joined  time.Duration // how far back streams that were added since the last read start; 0: none was added
	stop    context.CancelFunc
}

// takeJoined gives how far back the streams start that are new since it was asked last; 0 if none is.
func (ws *watchers) takeJoined(w *watcher) time.Duration {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	joined := w.joined
	w.joined = 0
	return joined
}

func newWatchers(d *Dashboard) *watchers {
	return &watchers{d: d, accounts: map[id.Tenant]*watcher{}, open: map[string]int{}}
}

// watch returns a channel of topics with news, beginning with those of some time back; call leave when it is no
// longer read. It returns nil if the session has limits.MaxStreams already.
func (ws *watchers) watch(tenant id.Tenant, session string, back time.Duration) (topics chan []string, leave func()) {
	topics = make(chan []string, 1)
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.open[session] >= limits.MaxStreams {
		return nil, nil
	}
	ws.open[session]++
	w := ws.accounts[tenant]
	if w == nil {
		ctx, stop := context.WithCancel(context.Background())
		w = &watcher{streams: map[chan []string]bool{}, stop: stop}
		ws.accounts[tenant] = w
		go ws.look(ctx, tenant, w)
	}
	w.streams[topics], w.joined = true, max(w.joined, back)
	return topics, func() {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		if ws.open[session]--; ws.open[session] == 0 {
			delete(ws.open, session)
		}
		if delete(w.streams, topics); len(w.streams) == 0 {
			w.stop()
			if ws.accounts[tenant] == w {
				delete(ws.accounts, tenant)
			}
		}
	}
}

// look reads what is new once a second as long as there is a stream. For a new stream it goes back a little, so that
// nothing that happened after its page was read is missed.
func (ws *watchers) look(ctx context.Context, tenant id.Tenant, w *watcher) {
	tick := time.NewTicker(ws.d.Look)
	defer tick.Stop()
	var seen pulse
	first, joined := true, time.Duration(0)
	for {
		joined = max(joined, ws.takeJoined(w))
		var newest pulse
		var topics []string
		err := ws.d.DB.Read(ctx, tenant, func(tx *db.Tx) (err error) {
			if newest, err = readPulse(tx); err != nil {
				return err
			}
			from := seen
			if first {
				from = newest
			}
			if joined > 0 {
				past := tx.Micros() - joined.Microseconds()
				from.Event, from.imports, from.audited = min(from.Event, past), min(from.imports, past), min(from.audited, past)
			}
			topics, err = ws.topics(tx, from, newest)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			ws.d.Log.Warn("the event log could not be watched", "error", err)
		default:
			seen, first, joined = newest, false, 0
			ws.notify(w, topics)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// pulse changes with news: it has the newest event, the state of queues, the last change of an import, and the newest
// entry of the audit log.
type pulse struct {
	webhooks.Pulse
	imports, audited int64
}

func readPulse(tx *db.Tx) (p pulse, err error) {
	return p, tx.Together(func(tx *db.Tx) (err error) {
		p.Pulse, err = webhooks.ReadPulse(tx)
		return err
	}, func(tx *db.Tx) (err error) {
		p.imports, err = imports.LastChange(tx)
		return err
	}, func(tx *db.Tx) (err error) {
		p.audited, err = audit.Newest(tx)
		return err
	})
}

// auditTopics are the records whose changes are no events, by their names in the audit log.
var auditTopics = []string{"account", "api_key", "attribute", "channel", "endpoint", "segment", "user", "warehouse"}

// topics are what the events and deliveries since are about.
func (ws *watchers) topics(tx *db.Tx, seen, newest pulse) ([]string, error) {
	var topics []string
	if newest.Event > seen.Event {
		names, err := webhooks.NamesSince(tx, seen.Event)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			topic, _, _ := strings.Cut(name, ".")
			topics = append(topics, topic)
		}
	}
	if newest.imports > seen.imports {
		topics = append(topics, "import")
	}
	if newest.audited > seen.audited {
		types, err := audit.TypesSince(tx, seen.audited)
		if err != nil {
			return nil, err
		}
		topics = append(topics, slices.DeleteFunc(types, func(name string) bool { return !slices.Contains(auditTopics, name) })...)
	}
	if newest.Queues != seen.Queues {
		topics = append(topics, "delivery")
	}
	slices.Sort(topics)
	return slices.Compact(topics), nil
}

// notify sends topics to every stream of an account; a stream that does not read receives them with the next.
func (ws *watchers) notify(w *watcher, topics []string) {
	if len(topics) == 0 {
		return
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for stream := range w.streams {
		select {
		case late := <-stream: // unread topics are joined with the new ones
			stream <- slices.Compact(slices.Sorted(slices.Values(slices.Concat(late, topics))))
		default:
			stream <- topics
		}
	}
}

const eventStream = "text/event-stream"

// live serves GET /live: server-sent events, each a list of topics with news: "order", "stock", "product",
// "category", "customer", "channel", "delivery", "import", and the auditTopics. age are the milliseconds from the
// request of the page to its script, which take long on a slow line: what was new meanwhile is sent, too. It ends
// when the service stops. Without a session it is 204.
func (d *Dashboard) live(r *request) (answer, error) {
	topics, leave := d.watchers.watch(r.caller().Tenant, r.sessionText(), recent+pageAge(r))
	if topics == nil {
		return answer{}, apperr.New(apperr.TooMany, "too_many_streams", "%d pages of this login are kept up to date already: close some",
			limits.MaxStreams).With("retryAfter", 60)
	}
	return answer{send: func(w http.ResponseWriter) error {
		defer leave()
		control := http.NewResponseController(w)
		// The server's write timeout is for answers that end.
		if err := control.SetWriteDeadline(time.Time{}); err != nil {
			return fmt.Errorf("a stream cannot be kept open: %w", err)
		}
		h := w.Header()
		h.Set("Content-Type", eventStream)
		h.Set("X-Accel-Buffering", "no")
		if _, err := w.Write([]byte(retryAfter)); err != nil || control.Flush() != nil {
			return nil // the browser is gone
		}
		beat, life := time.NewTicker(beatEvery), time.NewTimer(streamLife)
		defer beat.Stop()
		defer life.Stop()
		for {
			text := ": beat\n\n"
			select {
			case <-r.http.Context().Done():
				return nil
			case <-d.ended:
				return nil
			case <-life.C:
				return nil
			case <-beat.C:
				if d.authenticate(r) != nil {
					return nil // the session has ended
				}
			case list := <-topics:
				words, err := json.Marshal(list)
				if err != nil {
					return err
				}
				text = "data: " + string(words) + "\n\n"
			}
			if _, err := w.Write([]byte(text)); err != nil || control.Flush() != nil {
				return nil
			}
		}
	}}, nil
}

// pageAge is how old the page of a stream was when its script ran.
func pageAge(r *request) time.Duration {
	age, err := strconv.Atoi(r.http.FormValue("age"))
	if err != nil || age < 0 {
		return 0
	}
	return time.Duration(min(int64(age), mostAge.Milliseconds())) * time.Millisecond
}
