package commerce

import (
	"encoding/json"
	"strconv"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/exports"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
)

// ExportDraft is a caller's request for a file (interface §4.3).
type ExportDraft struct {
	Kind   exports.Kind   `json:"kind"`
	Format exports.Format `json:"format"`
	ExportFilter
	Zone string `json:"zone,omitempty"` // of the times in a workbook, "" for the account's
}

// exportInput is the input of an export's job, with its caller, whose rights were checked when it was requested.
type exportInput struct {
	ExportDraft
	User  id.User `json:"user,omitempty"`
	Key   id.Key  `json:"key,omitempty"`
	Name  string  `json:"name,omitempty"`  // of the user or the key
	Names bool    `json:"names,omitempty"` // the caller may read the names of users
}

// CountExport counts the rows of an export as far as that is known at its start: its orders, products without their variants,
// levels or customers. Errors: Invalid for more than limits.MaxExportRows.
func (s *Service) CountExport(tx *db.Tx, d ExportDraft) (total int64, err error) {
	if total, err = d.count(tx, d.Kind); err == nil && total > limits.MaxExportRows {
		err = apperr.New(apperr.Invalid, "too_many_rows", "the filter selects %d records, and a file has at most %d: narrow it", total,
			limits.MaxExportRows)
	}
	return total, err
}

// CreateExport queues a job that writes a file of total records, as CountExport has counted them. Errors: those of
// exports.Insert.
func (s *Service) CreateExport(tx *db.Tx, who accounts.Caller, d ExportDraft, total int64) (jobs.Job, error) {
	input, err := json.Marshal(exportInput{ExportDraft: d, User: who.User, Key: who.Key, Name: who.Name, Names: who.May("read:users")})
	if err != nil {
		return jobs.Job{}, err
	}
	job := jobs.Insert(tx, jobs.Job{Type: d.Kind.Type(), Total: total, Input: string(input)})
	if err := exports.Insert(tx, job.ID, d.Kind, d.Format); err != nil {
		return jobs.Job{}, err
	}
	audit.Record(tx, who.Actor(), string(d.Kind)+".exported", "job", string(job.ID),
		map[string]string{"format": string(d.Format), "rows": strconv.FormatInt(total, 10)})
	return job, nil
}

// ExportLink is the end of an address from which the file of an export is downloaded without a key, until it is deleted:
// whoever has it may download the file.
func (s *Service) ExportLink(tenant id.Tenant, job jobs.Job) string {
	e := exports.Export{Tenant: tenant, ID: job.ID}
	return "/api/v1/exports/" + string(job.ID) + "/file/" + s.Key.Sign(linkText(job.Result.ExpiresAt), e.Place())
}

func linkText(expiresAt int64) string { return strconv.FormatInt(expiresAt, 10) }

// ExportOfLink reads the export of a link, of whichever account. Errors: NotFound, also for a link that has ended or was not
// made by this service.
func (s *Service) ExportOfLink(tx *db.Tx, which id.Job, signature string) (exports.Export, error) {
	e, err := exports.OfLink(tx, which)
	if err == nil && !s.Key.Signed(linkText(e.ExpiresAt), e.Place(), signature) {
		err = apperr.Missing("export")
	}
	if err == nil {
		err = e.Download(tx.Now())
	}
	return e, err
}
