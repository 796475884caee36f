package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// eventRoutes are interface §4.5.9: the event log, its replay, and the catalogue of events.
var eventRoutes = []*route{
	{method: "GET", path: "/api/v1/developer/webhooks/events", name: "listEventKinds", section: "4.5.9",
		summary: "The catalogue of events (since v2.4)",
		answer:  data(func(w *apijson.Writer) { writeCatalogue(w, records.Catalogue()) }), serve: (*API).listEventKinds},
	{method: "GET", path: "/api/v1/developer/events", name: "listEvents", section: "4.5.9", summary: "The event log, in the order of commits",
		scope: "read:webhooks",
		query: func(q *apijson.Query) { readLogQuery(q) }, answer: data(sampleLog), serve: (*API).listEvents},
	{method: "GET", path: "/api/v1/developer/events/{id}", name: "getEvent", section: "4.5.9", summary: "Read an event of the log",
		scope:  "read:webhooks",
		answer: data(func(w *apijson.Writer) { records.WriteLoggedEvent(w, "data", records.SampleLogged(), true) }), serve: (*API).getEvent},
	{method: "POST", path: "/api/v1/developer/webhooks/{id}/replay", name: "replayEvents", section: "4.5.9",
		summary: "Deliver a span of time again, with the same event ids", scope: "write:webhooks",
		body: func(o *apijson.Object) { drafts.ReadReplay(o) }, status: http.StatusAccepted,
		answer: data(func(w *apijson.Writer) { writeReplay(w, records.SampleEndpoint.ID, 12) }), serve: (*API).replayEvents},
}

// listEventKinds serves GET /api/v1/developer/webhooks/events: 200.
func (a *API) listEventKinds(*request) (answer, error) {
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

func readLogQuery(q *apijson.Query) webhooks.LogFilter {
	f := webhooks.LogFilter{After: apijson.QueryID[id.Event](q, "after"), Limit: q.Int("limit", 100, 1, 1000),
		Event: apijson.QueryEnum(q, "event", webhooks.EventNames...), Resource: q.Text("resourceId"),
		Newest: apijson.QueryEnum(q, "order", "asc", "desc") == "desc"}
	f.From, f.To = readTimes(q)
	return f
}

// getEvent serves GET /api/v1/developer/events/{id}: 200; 404. The data is null if the caller may not read it.
func (a *API) getEvent(r *request) (answer, error) {
	return get(a, r, "event", func(tx *db.Tx, which id.Event) (answer, error) {
		e, err := webhooks.EventByID(tx, which)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusOK, string(e.ID),
			func(w *apijson.Writer) {
				records.WriteLoggedEvent(w, "data", &e, r.caller.May(webhooks.ReadScope(e.Name)))
			}), nil
	})
}

// listEvents serves GET /api/v1/developer/events: 200; 400. Following nextAfter while hasMore misses no event. The data
// of events that the caller may not read is null.
func (a *API) listEvents(r *request) (answer, error) {
	q := r.query()
	f := readLogQuery(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	r.large = true // a page of the log ends after some megabytes
	return a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		page, err := webhooks.Log(tx, f)
		if err != nil {
			return err
		}
		w.Object("")
		w.List("data")
		if err := writeRows(r, w, page.Events, func(e *webhooks.Logged) {
			records.WriteLoggedEvent(w, "", e, r.caller.May(webhooks.ReadScope(e.Name)))
		}); err != nil {
			return err
		}
		w.EndList()
		writeLogMeta(w, len(page.Events), f.Limit, page.More, page.Next)
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
	records.WriteLoggedEvent(w, "", records.SampleLogged(), true)
	records.WriteLoggedEvent(w, "", &webhooks.Logged{ID: "019a1c57-0000-7000-8000-00000000ee02", Name: webhooks.StockUpdated,
		CreatedAt: records.SampleTime, Actor: webhooks.System}, false)
	w.EndList()
	writeLogMeta(w, 2, 100, true, "019a1c57-0000-7000-8000-00000000ee02")
}

// replayEvents serves POST /api/v1/developer/webhooks/{id}/replay: 202; 400, 404.
func (a *API) replayEvents(r *request) (answer, error) {
	endpoint, err := pathID[id.Endpoint](r, "id", "endpoint")
	if err != nil {
		return answer{}, err
	}
	o := r.object()
	b := drafts.ReadReplay(o)
	if err := o.Err(); err != nil {
		return answer{}, a.missingFirst(r, (*API).getEndpoint, err)
	}
	var planned *commerce.ReplayPlan
	plan := func(tx *db.Tx) (err error) {
		planned, err = a.Commerce.PlanReplay(tx, r.caller, endpoint, b.Span, b.Events, b.OnlyFailed)
		return err
	}
	_ = a.read(r, plan) // after an error it is planned again in the transaction, which returns the error
	return a.write(r, func(tx *db.Tx) (answer, error) {
		if planned == nil {
			if err := plan(tx); err != nil {
				return answer{}, err
			}
		}
		n, err := a.Commerce.ReplayEndpoint(tx, r.caller, planned)
		return one(http.StatusAccepted, string(endpoint), func(w *apijson.Writer) { writeReplay(w, endpoint, n) }), err
	})
}

func writeReplay(w *apijson.Writer, endpoint id.Endpoint, queued int64) {
	w.Record("Replay", "data")
	apijson.ID(w, "endpointId", endpoint)
	w.Int("queued", queued)
	w.End()
}
