package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// jobActionRoutes pause, resume, stop and undo jobs (interface §4.3).
var jobActionRoutes = []*route{
	{method: "POST", path: "/api/v1/jobs/{jobId}/actions", name: "actOnJob", section: "4.3", summary: "Pause, resume, stop or undo a job",
		scope: "write:products", errors: []int{http.StatusConflict}, body: func(o *apijson.Object) { readJobAction(o) },
		answer: data(func(w *apijson.Writer) { records.WriteSampleJobs(w, "data") }), serve: (*API).actOnJob},
}

func readJobAction(o *apijson.Object) commerce.JobAction {
	o.Record("JobAction")
	return apijson.Enum(o, "action", true, commerce.JobActions...).Value
}

// actOnJob serves POST /api/v1/jobs/{jobId}/actions: 200; 400, 403 also without the scope of an export, 404, 409.
func (a *API) actOnJob(r *request) (answer, error) {
	which, err := pathID[id.Job](r, "jobId", "job")
	if err != nil {
		return answer{}, err
	}
	o := r.object()
	action := readJobAction(o)
	if err := o.Err(); err != nil {
		return answer{}, a.missingFirst(r, (*API).getJob, err)
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		job, err := a.Commerce.ActOnJob(tx, r.caller, which, action)
		return one(http.StatusOK, string(job.ID), func(w *apijson.Writer) { records.WriteJob(w, "data", job) }), err
	})
}
