package fileimport

import (
	"context"
	"errors"
	"strings"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/importer"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// errStopped ends an import that a person has stopped.
var errStopped = errors.New("stopped by a person")

// keeper stores the progress of an import and its refused rows, in one transaction that also prolongs the job's lease:
// after a crash the import continues there, with every row counted and reported once.
type keeper struct {
	ctx   context.Context // of the store; it outlives the import's, so that progress is stored when the service stops
	store *db.DB
	i     imports.Import
	job   jobs.Job
	lease time.Duration
	dry   bool

	kept  *before
	lines []imports.Line // since the last Save
	next  int64          // position of the next line
}

// Load returns the progress of an import that is continued. A dry run starts again.
func (k *keeper) Load() ([]byte, error) {
	if k.dry {
		return nil, nil
	}
	return []byte(k.i.Progress), nil
}

// note adds a line of the report.
func (k *keeper) note(f importer.Fault) {
	k.add(imports.Line{Row: int64(f.Row), Line: int64(f.Line), Refused: f.Level == importer.Refused, Rows: int64(f.Rows), Item: f.Item,
		Field: f.Field, Code: f.Code, Message: plain(f.Message)})
}

// add appends a line to those of the next Save, unless there are too many.
func (k *keeper) add(l imports.Line) {
	if k.next >= imports.MaxLines {
		return
	}
	l.Import, l.Dry, l.Position = k.i.ID, k.dry, k.next
	k.lines = append(k.lines, l)
	k.next++
}

// plain removes what people without a command line have no use for: the HTTP status at the beginning of a refusal, and
// the part about flags, which comes last.
func plain(message string) string {
	if status, rest, _ := strings.Cut(message, " "); len(status) == 3 && strings.Trim(status, "0123456789") == "" && rest != "" {
		message = rest
	}
	if flag := strings.Index(message, "--"); flag >= 0 {
		if end := strings.LastIndex(message[:flag], "; "); end >= 0 {
			return message[:end]
		}
	}
	return message
}

// Save stores the progress. Errors: errStopped; NotFound when the import was deleted; jobs.ErrLost when another node
// has taken the job.
func (k *keeper) Save(progress []byte) error {
	job, err := counted(k.job, progress)
	if err != nil {
		return err
	}
	for _, l := range k.kept.take() {
		k.add(l)
	}
	stop := false
	err = k.store.Write(k.ctx, k.job.Tenant, func(tx *db.Tx) (err error) {
		if stop, err = imports.StopRequested(tx, k.i.ID); err != nil {
			return err
		}
		imports.SaveProgress(tx, k.i.ID, string(progress))
		imports.InsertLines(tx, k.lines)
		jobs.Advance(tx, job, k.lease)
		return nil
	})
	if err != nil {
		return err
	}
	k.job, k.lines, k.i.Progress = job, k.lines[:0], string(progress)
	if stop {
		return errStopped
	}
	return nil
}

// counted is a job with the counts of a progress.
func counted(job jobs.Job, progress []byte) (jobs.Job, error) {
	counts, settled, err := importer.ReadProgress(progress)
	job.Processed, job.Failed = int64(settled), int64(counts.RowsRefused)
	job.Created, job.Updated = int64(counts.Created), int64(counts.Updated)
	return job, err
}

// jobErrors are the first refused rows as a job's errors.
func jobErrors(list []imports.Line) string {
	errors := make([]records.ItemError, len(list))
	for i, l := range list {
		errors[i] = records.ItemError{Index: int(l.Row) - 1, Key: l.Item, Error: l.Message, Field: l.Field, Code: l.Code}
	}
	return records.JobErrors(errors...)
}
