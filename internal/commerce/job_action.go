package commerce

import (
	"fmt"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/exports"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// JobAction is what a caller does with a job (interface §4.3).
type JobAction string

// The actions.
const (
	PauseJob  JobAction = "pause"  // it waits until it is resumed
	ResumeJob JobAction = "resume" // it goes on from where it was paused
	StopJob   JobAction = "stop"   // it ends; what it has done stays
	UndoJob   JobAction = "undo"   // a new job reverses what it has done
)

// JobActions lists them.
var JobActions = []JobAction{PauseJob, ResumeJob, StopJob, UndoJob}

// ActOnJob pauses, resumes, stops or undoes a job, and returns it as it is then; of undo, the new job. To pause a
// paused job, or to resume one that runs, changes nothing. Errors: NotFound; Forbidden without the scope of an export;
// Conflict for a job that has ended or cannot be paused, and those of UndoProducts.
func (s *Service) ActOnJob(tx *db.Tx, who accounts.Caller, which id.Job, action JobAction) (jobs.Job, error) {
	job, err := jobs.Lock(tx, which)
	if err != nil {
		return jobs.Job{}, err
	}
	if job.Type.IsExport() {
		if err := who.Needs(job.Type.Scope()); err != nil {
			return jobs.Job{}, err
		}
	}
	switch {
	case action == UndoJob:
		return s.UndoProducts(tx, who, which)
	case !job.Type.CanPause() && !(job.Type.CanStop() && action == StopJob):
		return job, apperr.New(apperr.Conflict, "job_not_pausable", "a job of type %s cannot be paused or stopped", job.Type)
	case job.CompletedAt != 0:
		return job, apperr.New(apperr.Conflict, "job_ended", "the job has ended")
	case action == PauseJob && job.Paused(), action == ResumeJob && !job.Paused():
		return job, nil
	}
	audit.Record(tx, who.Actor(), "job."+string(action), "job", string(which), nil)
	switch action {
	case PauseJob:
		return jobs.Pause(tx, job), nil
	case ResumeJob:
		return jobs.Resume(tx, job), nil
	}
	return stopJob(tx, job), nil
}

// stopJob ends a locked job before all of its items are done.
func stopJob(tx db.Writer, job jobs.Job) jobs.Job {
	reason := fmt.Sprintf("stopped after %d of %d", job.Processed, job.Total)
	job = jobs.Stop(tx, job, records.JobErrors(records.JobError(reason, "job_stopped")))
	if job.Type.IsExport() {
		exports.Drop(tx, job.ID)
	}
	return job
}
