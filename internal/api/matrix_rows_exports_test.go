package api

import (
	"net/url"
	"strings"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// exportRows are the exports of interface §4.3.
var exportRows = map[string]row{
	"POST /api/v1/exports": {scope: "read:orders", req: func(w *fixture) req {
		w.runExports() // an account has few that wait
		return req{body: member{"kind": "orders", "format": "csv", "filter": member{"status": []any{"PENDING"}, "minTotal": 1}}}
	}, more: []func(*fixture) req{
		func(w *fixture) req { w.sku(); return req{body: member{"kind": "products", "format": "jsonl"}} },
		func(*fixture) req {
			return req{body: member{"kind": "inventory", "format": "xlsx", "filter": member{"low": true}}}
		},
		func(*fixture) req {
			return req{body: member{"kind": "customers", "format": "csv", "filter": member{"segmentId": "019a1c60-0000-7000-8000-000000000001"}}}
		},
	}},
	"DELETE /api/v1/exports/{id}": {scope: "read:orders", req: func(w *fixture) req {
		return req{ids: place("id", w.newExport("csv"))}
	}},
	"GET /api/v1/exports/{id}/file": {scope: "read:orders", req: func(w *fixture) req {
		return req{ids: place("id", w.newExport("csv"))}
	}, more: []func(*fixture) req{
		func(w *fixture) req { return req{ids: place("id", w.newExport("jsonl"))} },
	}},
	"GET /api/v1/exports/{id}/file/{signature}": {own: true, req: func(w *fixture) req {
		job := w.newExport("csv")
		link := text(w.make("GET", "/api/v1/sdk/jobs/"+job, nil), "data", "result", "download", "url")
		to, err := url.Parse(link)
		if err != nil {
			w.t.Fatal(err)
		}
		return req{ids: map[string]string{"id": job, "signature": to.Path[strings.LastIndexByte(to.Path, '/')+1:]}}
	}},
}

// newExport makes an export of orders, and does its job.
func (w *fixture) newExport(format string) string {
	w.t.Helper()
	w.order()
	job := text(w.make("POST", "/api/v1/exports", member{"kind": "orders", "format": format}), "data", "id")
	w.runExports()
	return job
}

// runExports does the jobs of exports that wait, as a worker does.
func (s *server) runExports() {
	s.t.Helper()
	for {
		var job jobs.Job
		var ok bool
		s.write(db.Across, func(tx *db.Tx) (err error) {
			job, ok, err = jobs.ClaimExport(tx, time.Minute)
			return err
		})
		if !ok {
			return
		}
		if err := s.Commerce.RunExport(s.t.Context(), s.DB, job, time.Minute); err != nil {
			s.t.Fatal(err)
		}
	}
}
