package api

import (
	"net/http"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/exports"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// exportRoutes write files of many records (interface §4.3). Their scope is that of the list of the export's kind.
var exportRoutes = []*route{
	{method: "POST", path: "/api/v1/exports", name: "createExport", section: "4.3", summary: "Export orders, products, stock or customers",
		errors: []int{http.StatusForbidden}, status: http.StatusAccepted, body: func(o *apijson.Object) { drafts.ReadExport(o) },
		answer: data(func(w *apijson.Writer) { records.WriteSampleJobs(w, "data") }), serve: (*API).createExport},
	{method: "DELETE", path: "/api/v1/exports/{id}", name: "deleteExport", section: "4.3", summary: "Stop an export, or delete its file",
		errors: []int{http.StatusForbidden},
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleExport.ID, nil) }), serve: (*API).deleteExport},
	{method: "GET", path: "/api/v1/exports/{id}/file", name: "downloadExport", section: "4.3", summary: "Download the file of an export",
		errors: []int{http.StatusForbidden, http.StatusConflict}, answers: exportTypes(), serve: (*API).downloadExport},
	{method: "GET", path: "/api/v1/exports/{id}/file/{signature}", name: "downloadExportByLink", section: "4.3",
		summary: "Download the file of an export by its link", access: public, answers: exportTypes(), serve: (*API).downloadExportByLink},
}

// exportTypes are the media types of the files.
func exportTypes() (list []string) {
	for _, f := range exports.Formats {
		list = append(list, f.ContentType())
	}
	return list
}

// createExport serves POST /api/v1/exports: 202 with the job; 400, 403 without the read scope of the kind, 409 with as many
// exports as the account may have.
func (a *API) createExport(r *request) (answer, error) {
	o := r.object()
	draft := drafts.ReadExport(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	if err := r.caller.Needs(draft.Kind.Scope()); err != nil {
		return answer{}, err
	}
	var total int64
	err := a.outside(r, func() error {
		return a.readWide(r, func(tx *db.Tx) (err error) {
			total, err = a.Commerce.CountExport(tx, draft)
			return err
		})
	})
	if err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		job, err := a.Commerce.CreateExport(tx, r.caller, draft, total)
		return one(http.StatusAccepted, string(job.ID), func(w *apijson.Writer) { records.WriteJob(w, "data", job) }), err
	})
}

// deleteExport serves DELETE /api/v1/exports/{id}: 200; 403 without the read scope of the kind, 404.
func (a *API) deleteExport(r *request) (answer, error) {
	return change(a, r, "export", nil, func(tx *db.Tx, which id.Job, _ commerce.Expected) (answer, error) {
		return deleted(which, nil), a.Commerce.DeleteExport(tx, r.caller, which)
	})
}

// downloadExport serves GET /api/v1/exports/{id}/file: 200 with the file; 403 without the read scope of the kind, 404, also when it is
// not kept any more, 409 before it is complete.
func (a *API) downloadExport(r *request) (answer, error) {
	return get(a, r, "export", func(tx *db.Tx, which id.Job) (answer, error) {
		e, err := exports.ByID(tx, which)
		if err != nil {
			return answer{}, err
		}
		if err := r.caller.Needs(e.Kind.Scope()); err != nil {
			return answer{}, err
		}
		return exportFile(e), e.Download(tx.Now())
	})
}

// downloadExportByLink serves GET /api/v1/exports/{id}/file/{signature}: 200 with the file; 404 for a link that has ended, or is no
// link.
func (a *API) downloadExportByLink(r *request) (out answer, err error) {
	which, err := pathID[id.Job](r, "id", "export")
	if err != nil {
		return answer{}, err
	}
	err = a.DB.Read(r.ctx(), db.Across, func(tx *db.Tx) error {
		e, err := a.Commerce.ExportOfLink(tx, which, r.http.PathValue("signature"))
		out = exportFile(e)
		return err
	})
	return out, err
}

// exportFile answers with the file of an export, which never changes.
func exportFile(e exports.Export) answer {
	return answer{status: http.StatusOK, download: &download{e}, header: map[string]string{"ETag": `"` + string(e.ID) + `"`,
		"Cache-Control": "private, no-cache", "Content-Type": e.Format.ContentType(), "Content-Disposition": e.Disposition(time.UTC)}}
}

// attachResults adds to exports among jobs what they have written, and links to the files that the caller may download.
func (a *API) attachResults(tx *db.Tx, r *request, list []jobs.Job) error {
	if err := exports.Attach(tx, list); err != nil {
		return err
	}
	for i := range list {
		if list[i].Result != nil && r.caller.Needs(list[i].Type.Scope()) == nil {
			list[i].Result.URL = a.addressBase(r) + a.Commerce.ExportLink(tx.Tenant, list[i])
		}
	}
	return nil
}
