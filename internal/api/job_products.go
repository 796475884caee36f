package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// jobProductRoutes are the report of a bulk change of products (interface §4.3).
var jobProductRoutes = []*route{
	{method: "GET", path: "/api/v1/jobs/{jobId}/products", name: "listJobProducts", section: "4.3", summary: "List what a job did to products",
		scope: "read:products", query: func(q *apijson.Query) { readJobProducts(q) }, answer: data(sampleJobProducts), serve: (*API).listJobProducts},
}

func readJobProducts(q *apijson.Query) (page, jobs.Outcome) {
	return readPage(q, 20, 250), apijson.QueryEnum(q, "outcome", jobs.Done, jobs.Unchanged, jobs.Refused)
}

// listJobProducts serves GET /api/v1/jobs/{jobId}/products: 200; 400, 404.
func (a *API) listJobProducts(r *request) (out answer, err error) {
	which, err := pathID[id.Job](r, "jobId", "job")
	if err != nil {
		return answer{}, err
	}
	q := r.query()
	p, only := readJobProducts(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	err = a.read(r, func(tx *db.Tx) error {
		if _, err := jobs.ByID(tx, which); err != nil {
			return err
		}
		list, total, err := jobs.ProductReport(tx, which, only, p.Limit, p.Offset())
		out = answer{status: http.StatusOK, body: records.Document(func(w *apijson.Writer) { writeJobProducts(w, list, p, total) })}
		return err
	})
	return out, err
}

func writeJobProducts(w *apijson.Writer, list []jobs.Product, p page, total int64) {
	w.List("data")
	for i := range list {
		records.WriteProductOutcome(w, list[i])
	}
	w.EndList()
	writeMeta(w, p, total, nil)
}

func sampleJobProducts(w *apijson.Writer) {
	writeJobProducts(w, records.SampleProductOutcomes, page{1, 20}, 2)
}
