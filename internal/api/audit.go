package api

import (
	"entrepot/internal/apijson"
	"entrepot/internal/audit"
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
	w.Text("actor", e.Actor)
	w.Text("action", e.Action)
	w.Text("resourceType", e.ResourceType)
	w.Text("resourceId", e.ResourceID)
	w.Raw("details", e.Details)
	w.Micros("createdAt", e.CreatedAt)
	w.End()
}

func sampleAudit(w *apijson.Writer) {
	e := audit.Entry{ID: "019a1c52-7c1e-7d40-9a55-000000000005", Actor: "user:019a1c52-7c1e-7d40-9a55-000000000001", Action: "api_key.created",
		ResourceType: "api_key", ResourceID: "019a1c52-7c1e-7d40-9a55-000000000002", Details: `{"scopes":"read:orders"}`,
		CreatedAt: records.SampleTime}
	sampleList(w, func(w *apijson.Writer) { writeAuditEntry(w, &e) })
}
