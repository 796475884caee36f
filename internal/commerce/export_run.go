package commerce

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/pieces"
	"entrepot/internal/db"
	"entrepot/internal/exports"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// Bounds of the run of an export.
const (
	exportTries    = 20          // leases, some of which end because nodes restart
	exportProgress = time.Second // between two updates of the progress, of this machine's clock
)

// errTooLarge ends an export whose file or number of rows is above its limit.
var errTooLarge = apperr.New(apperr.Invalid, "export_too_large", "the file would have more than %d rows or %d MB: narrow the filter",
	limits.MaxExportRows, int64(limits.MaxExportBytes)>>20)

// RunExport writes the file of an export and ends its job. A run that was interrupted left pieces of a file that nobody can
// download; the next one deletes them and begins anew. Errors: jobs.ErrLost when another node has taken the job, or when it was
// stopped; the store's, after which the job may run again; ctx's.
func (s *Service) RunExport(ctx context.Context, store *db.DB, job jobs.Job, lease time.Duration) error {
	var in exportInput
	if err := json.Unmarshal([]byte(job.Input), &in); err != nil {
		return s.endExport(ctx, store, job, "the job's input is unreadable", "")
	}
	if job.Tries > exportTries {
		return s.endExport(ctx, store, job, "it was started several times and never ended", "")
	}
	job.Processed = 0
	run := &exportRun{store: store, job: job, lease: lease}
	err := run.write(ctx, in)
	refused, known := apperr.As(err)
	switch {
	case err == nil, errors.Is(err, jobs.ErrLost), ctx.Err() != nil:
		return err
	case known && refused.Kind == apperr.NotFound:
		return s.endExport(ctx, store, job, "the file was deleted while it was written, because a person was erased: export it again", "export_gone")
	case known && refused.Kind == apperr.Invalid:
		return s.endExport(ctx, store, job, refused.Message, refused.Code)
	}
	return err
}

// endExport ends the job of an export without a file.
func (s *Service) endExport(ctx context.Context, store *db.DB, job jobs.Job, reason, code string) error {
	return store.Write(ctx, job.Tenant, func(tx *db.Tx) error {
		job.Errors = records.JobErrors(records.JobError(reason, code))
		jobs.Finish(tx, job, true)
		exports.Drop(tx, job.ID)
		return nil
	})
}

// exportRun is an export while a worker runs it.
type exportRun struct {
	store *db.DB
	job   jobs.Job
	lease time.Duration
	saved time.Time // when the progress was stored, by this machine's clock
	size  int64
}

func (r *exportRun) write(ctx context.Context, in exportInput) error {
	for more := true; more; {
		err := r.step(ctx, func(tx *db.Tx) (err error) {
			more, err = exports.Begin(tx, r.job.ID)
			return err
		})
		if err != nil {
			return err
		}
	}
	names, err := r.names(ctx, in)
	if err != nil {
		return err
	}
	file := pieces.NewWriter(func(position int64, body []byte) error {
		return r.step(ctx, func(tx *db.Tx) error {
			exports.SavePart(tx, r.job.ID, position, body)
			return nil
		})
	})
	rows := &ExportRows{Store: r.store, Tenant: r.job.Tenant, Draft: in.ExportDraft, Names: names, Done: func(done int64) error {
		r.job.Processed = min(done, r.job.Total)
		if done > limits.MaxExportRows {
			return errTooLarge
		}
		if time.Since(r.saved) < exportProgress {
			return nil
		}
		return r.step(ctx, func(*db.Tx) error { return nil })
	}}
	n, err := rows.Write(ctx, r.measured(file))
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return err
	}
	return r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		jobs.Finish(tx, r.job, false)
		exports.Finish(tx, r.job.ID, n, r.size)
		return nil
	})
}

// step runs a step of the run in a transaction that stores the progress, and fails when the lease is lost.
func (r *exportRun) step(ctx context.Context, do func(tx *db.Tx) error) error {
	err := r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		jobs.Advance(tx, r.job, r.lease)
		return do(tx)
	})
	r.saved = time.Now()
	return err
}

// names reads the names of the users that the export may name: of a caller who may not read users the own one.
func (r *exportRun) names(ctx context.Context, in exportInput) (names map[id.User]string, err error) {
	if !in.Names {
		return map[id.User]string{in.User: in.Name}, nil
	}
	err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) (err error) {
		names, err = accounts.UserNames(tx)
		return err
	})
	return names, err
}

// measured counts what is written and ends a file that is too large.
func (r *exportRun) measured(to io.Writer) io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		if r.size += int64(len(p)); r.size > limits.MaxExportBytes {
			return 0, errTooLarge
		}
		return to.Write(p)
	})
}

// writerFunc is a function that takes what is written.
type writerFunc func(p []byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
