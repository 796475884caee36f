package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/jobs"
)

// WriteJob writes a job (interface §2.7.7).
func WriteJob(w *apijson.Writer, name string, j jobs.Job) {
	w.Record("Job", name)
	apijson.ID(w, "id", j.ID)
	apijson.ID(w, "jobId", j.ID)
	apijson.Word(w, "type", j.Type)
	apijson.IDOrNull(w, "channelId", j.Channel)
	w.TextOrNull("channelName", j.ChannelName)
	w.TextOrNull("channelType", j.ChannelType)
	apijson.Word(w, "status", j.Status)
	w.Bool("paused", j.Paused())
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
	writeJobResult(w, j.Result)
	w.End()
}

// writeJobResult writes the file of an export, null for none.
func writeJobResult(w *apijson.Writer, r *jobs.Result) {
	w.MayBeNull("result")
	if r == nil {
		w.Null("result")
		return
	}
	w.Record("JobResult", "result")
	w.Int("rows", r.Rows)
	w.Int("bytes", r.Bytes)
	w.Text("format", r.Format)
	w.MayBeNull("download")
	if !r.Kept || r.URL == "" {
		w.Null("download")
	} else {
		w.Record("JobDownload", "download")
		w.Text("url", r.URL)
		w.Micros("expiresAt", r.ExpiresAt)
		w.End()
	}
	w.End()
}

// WriteSampleJobs writes the jobs that describe the answers, each in the place of the one before.
func WriteSampleJobs(w *apijson.Writer, name string) {
	WriteJob(w, name, SampleJob)
	WriteJob(w, name, SampleExport)
}

// WriteSyncData is the data of channel.sync_completed and channel.sync_failed (interface §6.1).
func WriteSyncData(w *apijson.Writer, job jobs.Job) {
	w.Record("SyncData", "")
	apijson.IDOrNull(w, "channelId", job.Channel)
	w.TextOrNull("channelName", job.ChannelName)
	w.TextOrNull("channelType", job.ChannelType)
	apijson.ID(w, "jobId", job.ID)
	apijson.Word(w, "type", job.Type)
	w.Record("SyncStats", "stats")
	w.Int("total", job.Total)
	w.Int("created", job.Created)
	w.Int("updated", job.Updated)
	w.Int("failed", job.Failed)
	w.End()
	w.MicrosOrNull("startedAt", job.StartedAt)
	w.MicrosOrNull("completedAt", job.CompletedAt)
	w.Raw("syncErrors", job.Errors)
	w.End()
}

// SampleJob is the job that describes the answers.
var SampleJob = jobs.Job{ID: SampleID[id.Job](268), Type: jobs.ProductImport, Channel: SampleID[id.Channel](269), ChannelName: "ERP",
	ChannelType: channels.Custom, Status: jobs.CompletedWithErrors, Total: 3, Processed: 3, Created: 1, Updated: 1, Failed: 1,
	Errors:    `[{"sku":"A","error":"price is required"}]`,
	CreatedAt: SampleTime, StartedAt: SampleTime, CompletedAt: SampleTime}

// SampleExport is the job of an export that describes the answers.
var SampleExport = jobs.Job{ID: SampleID[id.Job](274), Type: jobs.OrderExport, Status: jobs.Completed, Total: 1312, Processed: 1312,
	Errors: "[]", CreatedAt: SampleTime, StartedAt: SampleTime, CompletedAt: SampleTime,
	Result: &jobs.Result{Rows: 1312, Bytes: 240_118, Format: "csv", ExpiresAt: SampleTime, Kept: true,
		URL: "https://entrepot.example.com/api/v1/exports/019a1c60-0000-7000-8000-000000000001/file/5uL…"}}
