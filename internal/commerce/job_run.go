package commerce

import (
	"fmt"

	"entrepot/internal/apijson"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// RunJob does a job that this node has claimed and that calls no platform, and ends it (interface §4.2, §4.3). What a bulk import has stored is on its channel
// already: there is nothing left to do but to tell that it is done. Errors: jobs.ErrLost when another node has the job now.
func (s *Service) RunJob(tx *db.Tx, job jobs.Job) error {
	if job.Type == jobs.ProductImport {
		return s.endJob(tx, job, false)
	}
	return s.GiveUp(tx, job, fmt.Sprintf("the connector of %s does not do %s", job.ChannelType, job.Type))
}

// GiveUp ends a job as failed, for a reason. Errors: jobs.ErrLost.
func (s *Service) GiveUp(tx *db.Tx, job jobs.Job, reason string) error {
	w := apijson.NewWriter(len(reason) + 32)
	w.List("")
	w.Object("")
	w.Null("sku")
	w.Text("error", reason)
	w.End()
	w.EndList()
	job.Errors = string(w.Bytes())
	return s.endJob(tx, job, true)
}

// endJob ends a job and reports channel.sync_completed or channel.sync_failed in the same commit (interface §6.1).
func (s *Service) endJob(tx *db.Tx, job jobs.Job, failed bool) error {
	webhooks.Record(tx, syncEvent(jobs.Finish(tx, job, failed)))
	return nil
}

// syncEvent is channel.sync_completed, or channel.sync_failed for a job that failed.
func syncEvent(job jobs.Job) webhooks.Event {
	name := webhooks.ChannelSyncCompleted
	if job.Status == jobs.Failed {
		name = webhooks.ChannelSyncFailed
	}
	return webhooks.New(name, string(job.ID), func(w *apijson.Writer) { records.WriteSyncData(w, job) })
}
