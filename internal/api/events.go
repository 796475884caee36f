package api

import (
	"net/http"
	"slices"

	"entrepot/internal/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// eventRoutes are interface §4.5.9: the event log, its replay, and the catalogue of events.
var eventRoutes = []*route{
	{method: "GET", path: "/api/v1/developer/webhooks/events", name: "listEventKinds", section: "4.5.9",
		summary: "The catalogue of events (since v2.4)",
		answer:  data(func(w *apijson.Writer) { writeCatalogue(w, records.Catalogue()) }), serve: (*API).readCatalogue},
	{method: "GET", path: "/api/v1/developer/events", name: "listEvents", section: "4.5.9", summary: "The event log, in the order of commits",
		scope: "read:webhooks",
		query: func(q *apijson.Query) { readLogQuery(q) }, answer: data(sampleLog), serve: (*API).readLog},
	{method: "POST", path: "/api/v1/developer/webhooks/{id}/replay", name: "replayEvents", section: "4.5.9",
		summary: "Deliver a span of time again, with the same event ids", scope: "write:webhooks",
		body: func(o *apijson.Object) { readReplay(o) }, status: http.StatusAccepted,
		answer: data(func(w *apijson.Writer) { writeReplay(w, records.SampleEndpoint.ID, 12) }), serve: (*API).replayEndpoint},
}

// readCatalogue serves GET /api/v1/developer/webhooks/events: 200.
func (a *API) readCatalogue(*request) (answer, error) {
	return one(http.StatusOK, "", func(w *apijson.Writer) { writeCatalogue(w, records.Catalogue()) }), nil
}

func writeCatalogue(w *apijson.Writer, kinds []records.Kind) {
	w.List("data")
	for _, k := range kinds {
		w.Record("EventKind", "")
		w.Text("event", k.Event)
		w.Text("name", k.Name)
		w.Text("category", k.Category)
		w.Text("description", k.Description)
		w.Text("since", k.Since)
		records.WriteSampleEvent(w, "sample", k)
		w.End()
	}
	w.EndList()
	writeMeta(w, page{1, len(kinds)}, int64(len(kinds)), nil)
}

func readLogQuery(q *apijson.Query) (after id.Event, limit int) {
	return apijson.QueryID[id.Event](q, "after"), q.Int("limit", 100, 1, 1000)
}

// readLog serves GET /api/v1/developer/events: 200; 400. Following nextAfter while hasMore misses no event. Of what the caller may not
// read by itself the data is null.
func (a *API) readLog(r *request) (answer, error) {
	q := r.query()
	after, limit := readLogQuery(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	r.large = true // a page of the log ends after some megabytes
	return a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		list, more, err := webhooks.Log(tx, after, limit)
		if err != nil {
			return err
		}
		w.Object("")
		w.List("data")
		last := after
		if err := writeRows(r, w, list, func(e *webhooks.Logged) {
			if last = e.ID; r.caller.May(webhooks.ReadScope(e.Name)) {
				w.Raw("", e.Payload)
			} else {
				records.WriteEvent(w, "", e.ID, e.Name, e.CreatedAt, "null")
			}
		}); err != nil {
			return err
		}
		w.EndList()
		writeLogMeta(w, len(list), limit, more, last)
		w.End()
		return nil
	})
}

func writeLogMeta(w *apijson.Writer, count, limit int, more bool, after id.Event) {
	w.Record("EventLogMeta", "meta")
	w.Int("count", int64(count))
	w.Int("limit", int64(limit))
	w.Bool("hasMore", more)
	apijson.IDOrNull(w, "nextAfter", after)
	w.End()
}

func sampleLog(w *apijson.Writer) {
	w.List("data")
	records.WriteEvent(w, "", records.SampleEvent, webhooks.OrderShipped, records.SampleTime, "{}")
	records.WriteEvent(w, "", "019a1c57-0000-7000-8000-00000000ee02", webhooks.StockUpdated, records.SampleTime, "null")
	w.EndList()
	writeLogMeta(w, 2, 100, true, "019a1c57-0000-7000-8000-00000000ee02")
}

// replayBody is what is to be delivered again.
type replayBody struct {
	span       commerce.Span
	events     []string
	onlyFailed bool
}

func readReplay(o *apijson.Object) (b replayBody) {
	o.Record("ReplayEvents")
	b.span = readTimes(o, true)
	b.events = readEvents(o, false)
	if slices.Contains(b.events, webhooks.All) {
		b.events = nil
	}
	b.onlyFailed = o.Bool("onlyFailed").Value
	return b
}

// readTimes reads from and to; without to it reaches until now.
func readTimes(o *apijson.Object, required bool) commerce.Span {
	from := o.Time("from", required)
	to := o.Text("to", apijson.Text{Max: 64})
	span := commerce.Span{To: farFuture}
	if from.Given() {
		span.From = from.Value.UnixMicro()
	}
	if to.Given() {
		at, ok := apijson.ParseTime(to.Value, true)
		if !ok {
			o.Fault("to", "must be a date (2026-01-31) or an RFC 3339 time (2026-01-31T12:00:00Z)")
		} else if span.To = at.UnixMicro(); span.To < span.From {
			o.Fault("to", "must not be before from")
		}
	}
	return span
}

// farFuture is later than every event.
const farFuture = 1 << 61

// replayEndpoint serves POST /api/v1/developer/webhooks/{id}/replay: 202; 400, 404.
func (a *API) replayEndpoint(r *request) (answer, error) {
	endpoint, err := pathID[id.Endpoint](r, "id", "endpoint")
	if err != nil {
		return answer{}, err
	}
	o := r.object()
	b := readReplay(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		n, err := a.Commerce.ReplayEndpoint(tx, r.caller, endpoint, b.span, b.events, b.onlyFailed)
		return one(http.StatusAccepted, string(endpoint), func(w *apijson.Writer) { writeReplay(w, endpoint, n) }), err
	})
}

func writeReplay(w *apijson.Writer, endpoint id.Endpoint, queued int64) {
	w.Record("Replay", "data")
	apijson.ID(w, "endpointId", endpoint)
	w.Int("queued", queued)
	w.End()
}
