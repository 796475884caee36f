package commerce

import (
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/webhooks"
	"entrepot/internal/wire"
)

// EndJob ends a job and tells channel.sync_completed or channel.sync_failed in the same commit (interface §6.1). Errors: jobs.ErrLost
// when another node has it now.
func (s *Service) EndJob(tx *db.Tx, job jobs.Job, failed bool) error {
	webhooks.Record(tx, syncEvent(jobs.Finish(tx, job, failed)))
	return nil
}

// syncEvent is channel.sync_completed, or channel.sync_failed for a job that failed.
func syncEvent(job jobs.Job) webhooks.Event {
	name := "channel.sync_completed"
	if job.Status == jobs.Failed {
		name = "channel.sync_failed"
	}
	return webhooks.New(name, string(job.ID), func(w *wire.Writer) {
		w.Object("")
		wire.IDOrNull(w, "channelId", job.Channel)
		w.TextOrNull("channelName", job.ChannelName)
		w.TextOrNull("channelType", job.ChannelType)
		wire.ID(w, "jobId", job.ID)
		wire.Word(w, "type", job.Type)
		w.Object("stats")
		w.Int("total", job.Total)
		w.Int("created", job.Created)
		w.Int("updated", job.Updated)
		w.Int("failed", job.Failed)
		w.End()
		w.MicrosOrNull("startedAt", job.StartedAt)
		w.MicrosOrNull("completedAt", job.CompletedAt)
		w.Raw("syncErrors", job.Errors)
		w.End()
	})
}
