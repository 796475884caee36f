package dashboard

import (
	"net/http"

	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/workbook"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// productReportView is what templates/products_bulk_report.html shows: the progress of a change of many products, and
// the outcome of each.
type productReportView struct {
	Badge                    badge
	Gauge                    gauge
	Done, Unchanged, Refused string
	Started                  stamp
	Running, Paused          bool
	Stopped                  string // how far it was when somebody stopped it, "" if nobody did
	Pause, Resume, Stop      *form  // nil: it cannot be done now
	Undo                     *form
	Export                   *form
	*listing
	Rows []bulkSample
}

// showProductReport serves GET /products/bulk/{id}.
func (d *Dashboard) showProductReport(r *request) (answer, error) {
	which, err := pathID[id.Job](r, "job")
	if err != nil {
		return answer{}, err
	}
	at := "/products/bulk/" + string(which)
	l := r.listing(at, "product", "products", "outcome")
	l.Shape, l.Heads = "few", []head{{Label: "Product"}, {Label: "Outcome"}, {Label: "Change"}}
	only := jobs.Outcome(l.values.Get("outcome"))
	if bulkOutcomes[only] == (badge{}) {
		only = ""
	}
	var job jobs.Job
	var list []jobs.Product
	var total int64
	names := bulkNames{}
	err = r.read(func(tx *db.Tx) (err error) {
		if job, err = productJob(tx, which); err != nil {
			return err
		}
		if list, total, err = jobs.ProductReport(tx, which, only, l.size, l.offset()); err != nil {
			return err
		}
		return names.read(tx, list)
	})
	if err != nil {
		return answer{}, err
	}
	view := productReportView{listing: l, Gauge: r.format.gauge(job.Processed, max(job.Total, job.Processed), "%s of %s"),
		Done: r.format.Count(job.Updated), Unchanged: r.format.Count(job.Processed - job.Updated - job.Failed),
		Refused: r.format.Count(job.Failed), Started: r.format.Stamp(job.CreatedAt), Badge: jobBadge(job.Status),
		Running: job.CompletedAt == 0 && !job.Paused(), Paused: job.Paused(), Export: r.form(at + "/report")}
	if view.Paused {
		view.Badge = badge{"warn", "wait", "Paused"}
	}
	if job.CompletedAt != 0 && job.Processed < job.Total && job.Status != jobs.Failed {
		view.Stopped = view.Gauge.Words
	}
	view.actions(r, job, at+"/action")
	l.countTab("All", "outcome", "", job.Processed)
	l.countTab("Changed", "outcome", string(jobs.Done), job.Updated)
	l.countTab("Unchanged", "outcome", string(jobs.Unchanged), job.Processed-job.Updated-job.Failed)
	l.countTab("Refused", "outcome", string(jobs.Refused), job.Failed)
	l.rows(len(list), total)
	for _, o := range list {
		view.Rows = append(view.Rows, r.bulkSample(o, names))
	}
	change, undone := commerce.ProductChangeOf(job)
	title := bulkActions[change.Action].Title
	if undone != "" {
		title = r.say("Undo: %s", title)
	}
	return l.show(screen{Template: "products_bulk_report", Title: title, Section: "/products",
		Crumbs: []crumb{{"Products", "/products"}, {title, ""}}, Data: view}), nil
}

// productJob reads a job that changes many products. Errors: NotFound.
func productJob(tx *db.Tx, which id.Job) (jobs.Job, error) {
	job, err := jobs.ByID(tx, which)
	if err == nil && job.Type != jobs.ProductBulk {
		err = apperr.Missing("job")
	}
	return job, err
}

// actions adds the buttons that act on the job.
func (v *productReportView) actions(r *request, job jobs.Job, action string) {
	if !r.caller().May("write:products") {
		return
	}
	button := func(what commerce.JobAction) *form { return r.another(action, hiddenField("action", string(what))) }
	switch {
	case v.Running:
		v.Pause, v.Stop = button(commerce.PauseJob), button(commerce.StopJob)
	case v.Paused:
		v.Resume, v.Stop = button(commerce.ResumeJob), button(commerce.StopJob)
	case commerce.CanUndoProducts(job):
		v.Undo = button(commerce.UndoJob)
	}
}

// read adds the names of the channels and categories of some outcomes.
func (n bulkNames) read(tx *db.Tx, list []jobs.Product) error {
	var categories []id.Category
	var onChannels bool
	for _, o := range list {
		for _, text := range []string{o.Before, o.After} {
			part := commerce.ReadProductPart(text)
			categories = append(categories, part.Categories...)
			onChannels = onChannels || len(part.Channels) > 0
		}
	}
	if len(categories) > 0 {
		found, err := catalog.WithParents(tx, categories)
		if err != nil {
			return err
		}
		for which, c := range found {
			n[string(which)] = c.Name
		}
	}
	if !onChannels {
		return nil
	}
	places, _, err := channels.List(tx, maxChoices, 0)
	for _, c := range places {
		n[string(c.ID)] = c.Name
	}
	return err
}

// actOnProductJob serves POST /products/bulk/{id}/action: it pauses, resumes, stops or undoes a change.
func (d *Dashboard) actOnProductJob(r *request) (answer, error) {
	which, err := pathID[id.Job](r, "job")
	if err != nil {
		return answer{}, err
	}
	action := commerce.JobAction(r.http.PostForm.Get("action"))
	words := map[commerce.JobAction]string{commerce.PauseJob: "Paused the job", commerce.ResumeJob: "Resumed the job", commerce.StopJob: "Stopped the job",
		commerce.UndoJob: "Undoing the changes"}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		if _, err := productJob(tx, which); err != nil {
			return answer{}, err
		}
		if words[action] == "" {
			return answer{}, apperr.New(apperr.Invalid, "invalid_action", "a job cannot be changed in this way")
		}
		job, err := d.Commerce.ActOnJob(tx, r.caller(), which, action)
		if e, ok := apperr.As(err); ok && e.Kind == apperr.Conflict {
			return answer{to: "/products/bulk/" + string(which), flash: &flash{Tone: "warn", Text: said(e)}}, nil
		}
		return redirect("/products/bulk/"+string(job.ID), words[action]), err
	})
}

// reportColumns are the columns of the report as a file.
var reportColumns = []string{"sku", "productId", "outcome", "reason", "before", "after"}

// reportPiece is how many outcomes are read at once.
const reportPiece = 500

// exportProductReport serves POST /products/bulk/{id}/report: the outcome of each product, as CSV or as a workbook.
// It is a POST because the audit log records it.
func (d *Dashboard) exportProductReport(r *request) (answer, error) {
	which, err := pathID[id.Job](r, "job")
	if err != nil {
		return answer{}, err
	}
	err = r.store().Write(r.http.Context(), r.caller().Tenant, func(tx *db.Tx) error {
		_, err := productJob(tx, which)
		audit.Record(tx, r.caller().Actor(), "products.report_exported", "job", string(which), nil)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	only := jobs.Outcome(r.http.PostForm.Get("outcome"))
	if only != jobs.Refused {
		only = ""
	}
	f := formatOf(r.http.PostForm)
	return answer{send: func(w http.ResponseWriter) error {
		if err := beginFile(w, f, "report-"+string(which)); err != nil {
			return err
		}
		out, err := workbook.NewTable(f, w, "Report", r.format.zone, reportColumns...)
		if err != nil {
			return err
		}
		for after, more := int64(-1), true; more; {
			var list []jobs.Product
			err := r.readWide(func(tx *db.Tx) (err error) {
				list, err = jobs.NextProducts(tx, which, only, after, reportPiece)
				return err
			})
			if err != nil {
				return err
			}
			for _, o := range list {
				text := workbook.Text
				if err := out.Row(text(o.SKU), text(string(o.ID)), text(string(o.Outcome)), text(o.Message), text(o.Before), text(o.After)); err != nil {
					return err
				}
				after = o.Position
			}
			more = len(list) == reportPiece
		}
		return out.Close()
	}}, nil
}
