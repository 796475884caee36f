package dashboard

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/exports"
	"entrepot/internal/jobs"
)

// exportRoutes write what a list shows into a file: at once, or by a job where it is long. They are POSTs because the audit log
// records them; orders_export.go has that of orders.
var exportRoutes = []*route{
	{method: "POST", path: "/products/export", scope: "read:products", serve: (*Dashboard).exportProducts},
	{method: "POST", path: "/stock/export", scope: "read:inventory", serve: (*Dashboard).exportStock},
	{method: "POST", path: "/customers/export", scope: "read:customers", serve: (*Dashboard).exportCustomers},
	{method: "GET", path: "/exports/{id}/file", file: true, serve: (*Dashboard).downloadExport},
	{method: "POST", path: "/exports/{id}/delete", serve: (*Dashboard).deleteExport},
}

// sentAtOnce is how many records of a list are sent at once; more are written by a job.
const sentAtOnce = 10_000

// ExportTo is where the list is exported, and ListQuery what it shows, for the part export-menu.
func (l *listing) ExportTo() string  { return prefix + l.path + "/export" }
func (l *listing) ListQuery() string { return l.values.Encode() }

// listValues are the parameters of the list that a form of its page is about.
func listValues(sent url.Values) url.Values {
	values, err := url.ParseQuery(sent.Get(wholeQuery))
	if err != nil {
		return url.Values{}
	}
	return values
}

// exportProducts serves POST /products/export.
func (d *Dashboard) exportProducts(r *request) (answer, error) {
	l, f := r.productListOf(listValues(r.http.PostForm))
	if err := l.query.Err(); err != nil {
		return answer{}, err
	}
	return d.export(r, exports.Products, commerce.ExportFilter{Products: &f})
}

// exportStock serves POST /stock/export.
func (d *Dashboard) exportStock(r *request) (answer, error) {
	l, f := r.stockListOf(listValues(r.http.PostForm))
	if err := l.query.Err(); err != nil {
		return answer{}, err
	}
	return d.export(r, exports.Inventory, commerce.ExportFilter{Inventory: &f})
}

// exportCustomers serves POST /customers/export.
func (d *Dashboard) exportCustomers(r *request) (answer, error) {
	l, f, segment := r.customerListOf(listValues(r.http.PostForm))
	if err := l.query.Err(); err != nil {
		return answer{}, err
	}
	return d.export(r, exports.Customers, commerce.ExportFilter{Customers: &f, Segment: segment})
}

// export sends the file of a list, or begins the job that writes it and leads to its page. A user who may not see jobs gets the file,
// however long it takes.
func (d *Dashboard) export(r *request, kind exports.Kind, f commerce.ExportFilter) (answer, error) {
	draft := commerce.ExportDraft{Kind: kind, Format: exports.FormatOf(r.http.PostForm.Get("as")), ExportFilter: f, Zone: r.format.zone.String()}
	var total int64
	err := r.readWide(func(tx *db.Tx) (err error) {
		total, err = d.Commerce.CountExport(tx, draft)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	if total <= d.sentAtOnce || !r.caller().May("read:channels") {
		return d.sendExport(r, draft, total)
	}
	draft.ByCreation()
	return d.write(r, func(tx *db.Tx) (answer, error) {
		job, err := d.Commerce.CreateExport(tx, r.caller(), draft, total)
		return redirect("/jobs/"+string(job.ID), "The file is being written: it can be downloaded here when it is complete."), err
	})
}

// sendExport writes a file as it is sent.
func (d *Dashboard) sendExport(r *request, draft commerce.ExportDraft, total int64) (answer, error) {
	rows := &commerce.ExportRows{Store: r.store(), Tenant: r.caller().Tenant, Draft: draft}
	if draft.Kind == exports.Orders {
		var err error
		if rows.Names, err = r.readUserNames(); err != nil {
			return answer{}, err
		}
	}
	err := r.store().Write(r.http.Context(), r.caller().Tenant, func(tx *db.Tx) error {
		recordExport(tx, r, draft.Kind, draft.Format, total)
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	e := exports.Export{Kind: draft.Kind, Format: draft.Format, CreatedAt: r.format.now.UnixMicro()}
	return answer{send: func(w http.ResponseWriter) error {
		beginExport(w, e, r.format.zone)
		_, err := rows.Write(r.http.Context(), w)
		return err
	}}, nil
}

// recordExport records a file that was sent.
func recordExport(tx *db.Tx, r *request, kind exports.Kind, format exports.Format, rows int64) {
	audit.Record(tx, r.caller().Actor(), string(kind)+".exported", string(kind), "",
		map[string]string{"format": string(format), "rows": strconv.FormatInt(rows, 10)})
}

// beginExport sets the headers of a file.
func beginExport(w http.ResponseWriter, e exports.Export, zone *time.Location) {
	w.Header().Set("Content-Type", e.Format.ContentType())
	w.Header().Set("Content-Disposition", e.Disposition(zone))
}

// downloadExport serves GET /exports/{id}/file: the file that a job has written.
func (d *Dashboard) downloadExport(r *request) (answer, error) {
	which, err := pathID[id.Job](r, "export")
	if err != nil {
		return answer{}, err
	}
	var e exports.Export
	err = r.read(func(tx *db.Tx) (err error) {
		if e, err = exports.ByID(tx, which); err == nil {
			err = r.caller().Needs(e.Kind.Scope())
		}
		if err == nil {
			err = e.Download(tx.Now())
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return answer{send: func(w http.ResponseWriter) error {
		beginExport(w, e, r.format.zone)
		w.Header().Set("Content-Length", strconv.FormatInt(e.Size, 10))
		return exports.WriteFile(r.http.Context(), r.store(), e, w)
	}}, nil
}

// deleteExport serves POST /exports/{id}/delete: it stops the job, or deletes its file.
func (d *Dashboard) deleteExport(r *request) (answer, error) {
	which, err := pathID[id.Job](r, "export")
	if err != nil {
		return answer{}, err
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		return redirect("/jobs/"+string(which), "There is no file any more."), d.Commerce.DeleteExport(tx, r.caller(), which)
	})
}

// jobFile is what the page of an export's job shows of its file.
type jobFile struct {
	To    string // where it is downloaded, "" without a file
	Words string // its size
	Until stamp
	Act   *form // stops the job, or deletes the file; nil when there is nothing to do
}

// jobFile reads the file of an export's job; nil for other jobs.
func (r *request) jobFile(tx *db.Tx, j jobs.Job) (*jobFile, error) {
	if !j.Type.IsExport() {
		return nil, nil
	}
	list := []jobs.Job{j}
	if err := exports.Attach(tx, list); err != nil {
		return nil, err
	}
	file := &jobFile{}
	switch result := list[0].Result; {
	case j.CompletedAt == 0:
		file.Act = r.form("/exports/" + string(j.ID) + "/delete")
	case result != nil && result.Kept:
		file.To, file.Act = prefix+"/exports/"+string(j.ID)+"/file", r.form("/exports/"+string(j.ID)+"/delete")
		file.Words = r.format.plural(result.Rows, "row", "rows") + ", " + r.bytes(result.Bytes)
		file.Until = r.format.Stamp(result.ExpiresAt)
	}
	return file, nil
}
