package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/exports"
	"entrepot/internal/jobs"
)

// DeleteExport stops an export that waits or runs, or deletes its file; its job stays. Errors: NotFound,
// also when it is deleted already; Forbidden without the read scope of its kind.
func (s *Service) DeleteExport(tx *db.Tx, who accounts.Caller, which id.Job) error {
	job, err := jobs.Lock(tx, which)
	if err != nil {
		return err
	}
	e, err := exports.ByID(tx, which)
	if err != nil {
		return err
	}
	if err := who.Needs(e.Kind.Scope()); err != nil {
		return err
	}
	if e.Gone() {
		return apperr.Missing("export")
	}
	audit.Record(tx, who.Actor(), string(e.Kind)+".export_deleted", "job", string(which), nil)
	if job.CompletedAt == 0 {
		stopJob(tx, job)
	} else {
		exports.Drop(tx, which)
	}
	return nil
}
