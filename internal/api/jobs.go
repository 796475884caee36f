package api

import (
	"net/http"

	"entrepot/internal/apijson"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/jobs"
)

// jobRoutes are interface §4.3: what is under way on an account's channels, and one job by its id.
var jobRoutes = []*route{
	{method: "GET", path: "/api/v1/sdk/sync/status", name: "getSyncStatus", section: "4.3", summary: "Jobs under way, and the last that ended", access: keyHeader, scope: "read:channels",
		answer: data(sampleSyncStatus), serve: (*API).syncStatus},
	{method: "GET", path: "/api/v1/sdk/jobs/{jobId}", name: "getJob", section: "4.3", summary: "Read a job", access: keyHeader, errors: []int{403},
		answer: data(func(w *apijson.Writer) { writeJob(w, "data", sampleJob) }), serve: (*API).readJob},
}

var sampleJob = jobs.Job{ID: sampleID[id.Job](268), Type: jobs.ProductImport, Channel: sampleID[id.Channel](269), ChannelName: "ERP", ChannelType: channels.Custom, Status: jobs.CompletedWithErrors,
	Total: 3, Processed: 3, Created: 1, Updated: 1, Failed: 1, Errors: `[{"sku":"A","error":"price is required"}]`, CreatedAt: sampleTime, StartedAt: sampleTime, CompletedAt: sampleTime}

// writeJob writes a job (interface §2.7.7).
func writeJob(w *apijson.Writer, name string, j jobs.Job) {
	w.Record("Job", name)
	apijson.ID(w, "id", j.ID)
	apijson.ID(w, "jobId", j.ID)
	apijson.Word(w, "type", j.Type)
	apijson.IDOrNull(w, "channelId", j.Channel)
	w.TextOrNull("channelName", j.ChannelName)
	w.TextOrNull("channelType", j.ChannelType)
	apijson.Word(w, "status", j.Status)
	w.Int("totalItems", j.Total)
	w.Int("processedItems", j.Processed)
	w.Int("progress", j.Progress())
	w.Int("created", j.Created)
	w.Int("updated", j.Updated)
	w.Int("failed", j.Failed)
	w.Raw("errors", j.Errors)
	w.Micros("createdAt", j.CreatedAt)
	w.MicrosOrNull("startedAt", j.StartedAt)
	w.MicrosOrNull("completedAt", j.CompletedAt)
	w.End()
}

// maxActive bounds how many jobs the status shows.
const maxActive = 100

// syncStatus serves GET /api/v1/sdk/sync/status: 200.
func (a *API) syncStatus(r *request) (out answer, err error) {
	err = a.read(r, func(tx *db.Tx) error {
		active, err := jobs.Active(tx, maxActive)
		if err != nil {
			return err
		}
		last, err := jobs.Last(tx)
		out = one(http.StatusOK, "", func(w *apijson.Writer) { writeSyncStatus(w, active, last) })
		return err
	})
	return out, err
}

func writeSyncStatus(w *apijson.Writer, active []jobs.Job, last *jobs.Job) {
	w.Record("SyncStatus", "data")
	w.List("activeJobs")
	for _, j := range active {
		writeJob(w, "", j)
	}
	w.EndList()
	if last == nil {
		w.Null("lastSync")
	} else {
		writeJob(w, "lastSync", *last)
	}
	w.End()
}

// sampleSyncStatus is the status before and after a first job ended.
func sampleSyncStatus(w *apijson.Writer) {
	writeSyncStatus(w, []jobs.Job{sampleJob}, nil)
	writeSyncStatus(w, []jobs.Job{sampleJob}, &sampleJob)
}

// readJob serves GET /api/v1/sdk/jobs/{jobId}: 200; 403 without the read scope of what the job carries, 404.
func (a *API) readJob(r *request) (out answer, err error) {
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
		out = one(http.StatusOK, "", func(w *apijson.Writer) { writeJob(w, "data", j) })
		return nil
	})
	return out, err
}
