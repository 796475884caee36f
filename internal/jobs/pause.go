package jobs

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// pausedUntil is the due time of a paused job, in microseconds since 1970: the year 9999, so that no worker takes it.
const pausedUntil = 253_370_764_800_000_000

// CanPause reports whether a job of this type can be paused and stopped between two of its items.
func (t Type) CanPause() bool { return t == ProductBulk }

// CanStop reports whether a job of this type can be stopped before its end.
func (t Type) CanStop() bool { return t.CanPause() || t.IsExport() }

// Paused reports whether a job waits until somebody resumes it.
func (j Job) Paused() bool { return j.DueAt >= pausedUntil }

// Lock reads a job and locks it until the transaction ends, so that no worker stores progress meanwhile. Errors:
// NotFound, also for an operation.
func Lock(tx *db.Tx, job id.Job) (Job, error) {
	_, err := tx.Exec("UPDATE jobs SET tries = tries WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, job)
	if err != nil {
		return Job{}, err
	}
	return ByID(tx, job)
}

// Pause makes a locked job wait until Resume. A worker that runs it loses its lease, and stores nothing more.
func Pause(tx db.Writer, j Job) Job {
	j.Status, j.DueAt, j.Tries = Pending, pausedUntil, j.Tries+1
	j.store(tx)
	return j
}

// Resume makes a locked job due now.
func Resume(tx db.Writer, j Job) Job {
	j.DueAt = tx.Micros()
	j.store(tx)
	tx.Wake(Topic)
	return j
}

// Stop ends a locked job before all of its items are done, with errors, a JSON list, that says so. What it has done
// stays. A worker that runs it loses its lease.
func Stop(tx db.Writer, j Job, errors string) Job {
	j.Status, j.Errors, j.CompletedAt, j.DueAt, j.Tries = CompletedWithErrors, errors, tx.Micros(), 0, j.Tries+1
	if j.StartedAt == 0 {
		j.StartedAt = j.CompletedAt
	}
	j.store(tx)
	return j
}

// store queues the state of a locked job.
func (j Job) store(tx db.Writer) {
	tx.Queue(`UPDATE jobs SET status = $3, errors = $4, due_at = $5, started_at = $6, completed_at = $7, tries = $8
		WHERE tenant_id = $1 AND id = $2::UUID`, tx.TenantID(), j.ID, j.Status, j.Errors, db.Null(j.DueAt), db.Null(j.StartedAt),
		db.Null(j.CompletedAt), j.Tries).Rows(1, nil)
}
