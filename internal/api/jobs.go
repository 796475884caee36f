package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// jobRoutes are interface §4.3: the jobs of an account's channels, and one job by its id.
var jobRoutes = []*route{
	{method: "GET", path: "/api/v1/sdk/sync/status", name: "getSyncStatus", section: "4.3",
		summary: "Jobs under way, and the last that ended", access: keyHeader, scope: "read:channels",
		answer: data(sampleSyncStatus), serve: (*API).getSyncStatus},
	{method: "GET", path: "/api/v1/jobs", name: "listJobs", section: "4.5.7", summary: "List jobs, newest first", scope: "read:channels",
		query: func(q *apijson.Query) { readJobFilter(q) }, answer: data(sampleJobList), serve: (*API).listJobs},
	{method: "GET", path: "/api/v1/sdk/jobs/{jobId}", name: "getJob", section: "4.3", summary: "Read a job", access: keyHeader,
		errors: []int{403},
		answer: data(func(w *apijson.Writer) { records.WriteSampleJobs(w, "data") }), serve: (*API).getJob},
}

// readJobFilter reads the parameters of the list of jobs.
func readJobFilter(q *apijson.Query) jobs.Filter {
	f := jobs.Filter{Channel: apijson.QueryID[id.Channel](q, "channelId"), Statuses: apijson.QueryEnums(q, "status", jobs.Statuses...),
		Limit: q.Int("limit", 20, 1, 100)}
	if types := apijson.QueryEnums(q, "type", jobs.Types...); len(types) > 0 {
		f.Types = types
	}
	f.From, f.To = readTimes(q)
	f.After = readAfter[id.Job](q)
	return f
}

// readAfter reads a cursor that is the id of the last record of the page before, "" for the first page.
func readAfter[T ~string](q *apijson.Query) (last T) {
	if cursor := q.Text("cursor"); cursor != "" {
		var ok bool
		if last, ok = id.Parse[T](cursor); !ok {
			q.AddError("cursor", "must be a meta.nextCursor of an earlier page")
		}
	}
	return last
}

// listJobs serves GET /api/v1/jobs: 200; 400.
func (a *API) listJobs(r *request) (answer, error) {
	q := r.query()
	f := readJobFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		list, more, err := jobs.List(tx, f)
		if err == nil {
			err = a.attachResults(tx, r, list)
		}
		if err != nil {
			return err
		}
		w.Object("")
		w.List("data")
		if err := writeRows(r, w, list, func(j *jobs.Job) { records.WriteJob(w, "", *j) }); err != nil {
			return err
		}
		w.EndList()
		writeJobMeta(w, list, f.Limit, more)
		w.End()
		return nil
	})
}

func writeJobMeta(w *apijson.Writer, list []jobs.Job, limit int, more bool) {
	w.Record("JobListMeta", "meta")
	w.Int("limit", int64(limit))
	next := ""
	if more {
		next = string(list[len(list)-1].ID)
	}
	w.TextOrNull("nextCursor", next)
	w.End()
}

// sampleJobList is a page that is not the last one.
func sampleJobList(w *apijson.Writer) {
	w.List("data")
	records.WriteSampleJobs(w, "")
	w.EndList()
	writeJobMeta(w, []jobs.Job{records.SampleJob}, 20, true)
}

// maxActive limits the jobs in the status.
const maxActive = 100

// getSyncStatus serves GET /api/v1/sdk/sync/status: 200.
func (a *API) getSyncStatus(r *request) (answer, error) {
	return a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		active, err := jobs.Active(tx, maxActive)
		if err != nil {
			return err
		}
		last, err := jobs.Last(tx)
		if err != nil {
			return err
		}
		w.Object("")
		w.Record("SyncStatus", "data")
		w.List("activeJobs")
		if err := writeRows(r, w, active, func(j *jobs.Job) { records.WriteJob(w, "", *j) }); err != nil {
			return err
		}
		w.EndList()
		endSyncStatus(w, last)
		w.End()
		return nil
	})
}

// endSyncStatus writes the part after the running jobs.
func endSyncStatus(w *apijson.Writer, last *jobs.Job) {
	if last == nil {
		w.Null("lastSync")
	} else {
		records.WriteJob(w, "lastSync", *last)
	}
	w.End()
}

// sampleSyncStatus is the status before and after the first job has ended.
func sampleSyncStatus(w *apijson.Writer) {
	for _, last := range []*jobs.Job{nil, &records.SampleJob, &records.SampleExport} {
		w.Record("SyncStatus", "data")
		w.List("activeJobs")
		records.WriteSampleJobs(w, "")
		w.EndList()
		endSyncStatus(w, last)
	}
}

// getJob serves GET /api/v1/sdk/jobs/{jobId}: 200; 403 without the read scope of the job's resource, 404.
func (a *API) getJob(r *request) (out answer, err error) {
	which, err := pathID[id.Job](r, "jobId", "job")
	if err != nil {
		return answer{}, err
	}
	err = a.read(r, func(tx *db.Tx) error {
		j, err := jobs.ByID(tx, which)
		if err != nil {
			return err
		}
		if err := r.caller.Needs(j.Type.Scope()); err != nil {
			return err
		}
		list := []jobs.Job{j}
		err = a.attachResults(tx, r, list)
		out = one(http.StatusOK, "", func(w *apijson.Writer) { records.WriteJob(w, "data", list[0]) })
		return err
	})
	return out, err
}
