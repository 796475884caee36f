package api

import (
	"net/http"

	"entrepot/internal/apijson"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// auditRoutes are interface §4.5.10: who did what.
var auditRoutes = []*route{
	{method: "GET", path: "/api/v1/audit-log", name: "listAuditLog", section: "4.5.10", summary: "Who did what, newest first", scope: "read:users",
		query: func(q *apijson.Query) { readAuditFilter(q) }, answer: data(sampleAudit), serve: (*API).listAudit},
}

func readAuditFilter(q *apijson.Query) (page, audit.Filter) {
	p, f := readPage(q, 20, 100), audit.Filter{}
	if at, given := q.Time("from", false); given {
		f.From = at.UnixMicro()
	}
	if at, given := q.Time("to", true); given {
		f.To = at.UnixMicro()
	}
	f.Limit, f.Offset = p.Limit, p.Offset()
	return p, f
}

// listAudit serves GET /api/v1/audit-log: 200; 400, 403.
func (a *API) listAudit(r *request) (out answer, err error) {
	q := r.query()
	p, filter := readAuditFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	err = a.read(r, func(tx *db.Tx) error {
		list, total, err := audit.List(tx, filter)
		out = one(http.StatusOK, "", func(w *apijson.Writer) { writeAudit(w, list, p, total) })
		return err
	})
	return out, err
}

func writeAudit(w *apijson.Writer, list []audit.Entry, p page, total int64) {
	w.List("data")
	for _, e := range list {
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
	w.EndList()
	writeMeta(w, p, total, nil)
}

func sampleAudit(w *apijson.Writer) {
	writeAudit(w, []audit.Entry{{ID: "019a1c52-7c1e-7d40-9a55-000000000005", Actor: "user:019a1c52-7c1e-7d40-9a55-000000000001", Action: "api_key.created",
		ResourceType: "api_key", ResourceID: "019a1c52-7c1e-7d40-9a55-000000000002", Details: `{"scopes":"read:orders"}`, CreatedAt: records.SampleTime}}, page{1, 20}, 1)
}
