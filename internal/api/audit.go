package api

import (
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// auditRoutes are interface §4.5.10: who did what.
var auditRoutes = []*route{
	{method: "GET", path: "/api/v1/audit-log", name: "listAuditLog", section: "4.5.10", summary: "Who did what, newest first",
		scope: "read:users",
		query: func(q *apijson.Query) { readAuditFilter(q) }, answer: sampleAudit, serve: (*API).listAuditLog},
	{method: "GET", path: "/api/v1/refused-requests", name: "listRefusedRequests", section: "4.5.10",
		summary: "The newest requests that were refused", scope: "read:users",
		query: func(q *apijson.Query) { readRefusedFilter(q) }, answer: sampleRefused, serve: (*API).listRefusedRequests},
}

func readAuditFilter(q *apijson.Query) (page, audit.Filter) {
	p, f := readPage(q, 20, 100), audit.Filter{Actor: q.Text("actor"), Action: q.Text("action"), ResourceType: q.Text("resourceType"),
		ResourceID: q.Text("resourceId")}
	f.From, f.To = readTimes(q)
	f.Limit, f.Offset = p.Limit, p.Offset()
	return p, f
}

// listAuditLog serves GET /api/v1/audit-log: 200; 400, 403.
func (a *API) listAuditLog(r *request) (answer, error) {
	q := r.query()
	p, filter := readAuditFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.list(r, p, func(tx *db.Tx, w *apijson.Writer) (int64, error) {
		list, total, err := audit.List(tx, filter)
		if err != nil {
			return 0, err
		}
		return total, writeRows(r, w, list, func(e *audit.Entry) { writeAuditEntry(w, e) })
	})
}

func writeAuditEntry(w *apijson.Writer, e *audit.Entry) {
	w.Record("AuditEntry", "")
	apijson.ID(w, "id", e.ID)
	w.Int("number", e.Number)
	w.Text("actor", e.Actor)
	w.TextOrNull("actorName", e.ActorName)
	w.TextOrNull("address", e.Address)
	w.TextOrNull("requestId", e.RequestID)
	w.Text("action", e.Action)
	w.Text("resourceType", e.ResourceType)
	w.Text("resourceId", e.ResourceID)
	w.Raw("details", e.Details)
	w.RawLike("changes", e.Changes, func(w *apijson.Writer) {
		w.List("")
		w.Record("AuditChange", "")
		w.Text("field", "role")
		w.Text("from", "viewer")
		w.Text("to", "admin")
		w.End()
		w.EndList()
	})
	w.Text("hash", e.Hash)
	w.Micros("createdAt", e.CreatedAt)
	w.End()
}

func sampleAudit(w *apijson.Writer) {
	e := audit.Entry{ID: "019a1c52-7c1e-7d40-9a55-000000000005", Actor: "user:019a1c52-7c1e-7d40-9a55-000000000001", Action: "user.updated",
		ResourceType: "user", ResourceID: "019a1c52-7c1e-7d40-9a55-000000000002", CreatedAt: records.SampleTime,
		Texts: audit.Texts{Details: `{"fields":"role"}`, Changes: `[{"field":"role","from":"viewer","to":"admin"}]`, ActorName: "Olga Owner",
			RequestID: "019a1c52-7c1e-7d40-9a55-000000000008", Address: "203.0.113.7"},
		Number: 17, Hash: "5d41402abc4b2a76b9719d911017c592ae9f5ae0f2f4d3f2f3a9f5a4f2d8f0a1"}
	sampleList(w, func(w *apijson.Writer) { writeAuditEntry(w, &e) })
}
