package commerce

import (
	"fmt"

	"entrepot/internal/base/apijson"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// RunJob does a job that this node has claimed and that calls no platform, and ends it (interface §4.2, §4.3), unless
// it is an import whose products are still being published. If another node has taken the job, the transaction fails
// with jobs.ErrLost.
func (s *Service) RunJob(tx *db.Tx, job jobs.Job) error {
	switch {
	case job.Type == jobs.ProductImport && job.Channel != "":
		return s.followImport(tx, job)
	case job.Type == jobs.ProductImport || job.Type == jobs.FileImport:
		s.endJob(tx, job, false)
	default:
		s.GiveUp(tx, job, fmt.Sprintf("the connector of %s does not do %s", job.ChannelType, job.Type))
	}
	return nil
}

// GiveUp ends a job as failed, with a reason.
func (s *Service) GiveUp(tx db.Writer, job jobs.Job, reason string) {
	job.Errors = records.JobErrors(records.JobError(reason, ""))
	s.endJob(tx, job, true)
}

// endJob ends a job and emits channel.sync_completed or channel.sync_failed in the same commit (interface §6.1).
func (s *Service) endJob(tx db.Writer, job jobs.Job, failed bool) {
	webhooks.Record(tx, syncEvent(jobs.Finish(tx, job, failed)))
}

// syncEvent is channel.sync_completed, or channel.sync_failed for a job that failed.
func syncEvent(job jobs.Job) webhooks.Event {
	name := webhooks.ChannelSyncCompleted
	if job.Status == jobs.Failed {
		name = webhooks.ChannelSyncFailed
	}
	return records.NewEvent(name, string(job.ID), func(w *apijson.Writer) { records.WriteSyncData(w, job) })
}
