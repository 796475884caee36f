package dashboard

import (
	"cmp"
	"net/url"

	"entrepot/internal/apijson"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// jobRoutes are the jobs.
var jobRoutes = []*route{
	{method: "GET", path: "/jobs", scope: "read:channels", serve: (*Dashboard).showJobs},
	{method: "GET", path: "/jobs/{id}", scope: "read:channels", serve: (*Dashboard).showJob},
}

// jobRow is a job in a list.
type jobRow struct {
	ID, Type, Channel, To string
	Status                badge
	Done                  gauge
	Failed                string
	Created               stamp
}

type jobsView struct {
	Tabs  []tab
	Jobs  []jobRow
	Pager pager
}

// jobWord is what people call a type of job.
func jobWord(t jobs.Type) string {
	switch t {
	case jobs.ProductImport:
		return "Product import"
	case jobs.ProductPush:
		return "Product push"
	case jobs.StockPush:
		return "Stock push"
	case jobs.OrderPull:
		return "Order pull"
	case jobs.StatusPush:
		return "Statuses for a channel"
	case jobs.OrderBulk:
		return "Status of orders"
	case jobs.FileImport:
		return "Import of products"
	case jobs.FileCheck:
		return "Check of products"
	case jobs.OrderFileImport:
		return "Import of orders"
	case jobs.OrderFileCheck:
		return "Check of orders"
	case jobs.PriceFileImport:
		return "Import of a price list"
	case jobs.PriceFileCheck:
		return "Check of a price list"
	case jobs.StockFileImport:
		return "Import of a stock list"
	case jobs.StockFileCheck:
		return "Check of a stock list"
	}
	return string(t)
}

func jobBadge(s jobs.Status) badge {
	switch s {
	case jobs.Pending:
		return badge{"", "pending", "Waiting"}
	case jobs.Processing:
		return badge{"info", "processing", "Running"}
	case jobs.Completed:
		return badge{"good", "ok", "Done"}
	case jobs.CompletedWithErrors:
		return badge{"warn", "wait", "Done, with errors"}
	}
	return badge{"bad", "fail", "Failed"}
}

// channelCalled is the name of a job's channel, which may be gone; "" for a job of no channel.
func channelCalled(j *jobs.Job) string {
	if j.Channel == "" {
		return ""
	}
	return cmp.Or(j.ChannelName, "Deleted channel")
}

func (r *request) jobRows(list []jobs.Job) (rows []jobRow) {
	for _, j := range list {
		row := jobRow{ID: string(j.ID), Type: jobWord(j.Type), Channel: channelCalled(&j), To: prefix + "/jobs/" + string(j.ID),
			Status: jobBadge(j.Status),
			Done:   r.format.gauge(j.Processed, max(j.Total, j.Processed), "of"), Created: r.format.Stamp(j.CreatedAt)}
		if r.caller().Needs(j.Type.Scope()) != nil {
			row.To = ""
		}
		if j.Failed > 0 {
			row.Failed = r.format.Count(j.Failed) + " failed"
		}
		rows = append(rows, row)
	}
	return rows
}

// jobsPage is how many jobs a page shows.
const jobsPage = 50

// noJobs is the message of an empty list.
func (r *request) noJobs(filtered bool) empty {
	e := empty{Icon: "retry", Head: "No jobs", Text: "Imports and synchronisations appear here as they run."}
	if filtered {
		e.Label, e.To = "Show all jobs", prefix+"/jobs"
		return e
	}
	e.Label, e.To, e.Curl = "Import products", prefix+"/products/import", r.curl("read:channels", "GET", "/jobs?limit=10", "")
	return r.firstStep("write:products", e)
}

// showJobs serves GET /jobs.
func (d *Dashboard) showJobs(r *request) (answer, error) {
	read, q := r.query(), r.http.URL.Query()
	f := jobs.Filter{Limit: jobsPage, Statuses: apijson.QueryEnums(read, "status", jobs.Statuses...),
		Channel: apijson.QueryID[id.Channel](read, "channelId"), After: apijson.QueryID[id.Job](read, "cursor")}
	wrong, status := wrongFilter(read)
	view := jobsView{Pager: pager{Wrong: wrong}}
	for _, t := range []struct{ label, status string }{{"All", ""}, {"Running", "PENDING,PROCESSING"},
		{"With errors", "COMPLETED_WITH_ERRORS"},
		{"Failed", "FAILED"}} {
		view.Tabs = append(view.Tabs, tab{Label: t.label, Current: q.Get("status") == t.status,
			To: address("/jobs", url.Values{"status": {t.status}, "channelId": {q.Get("channelId")}})})
	}
	err := r.read(func(tx *db.Tx) error {
		if wrong != "" {
			return nil
		}
		list, more, err := jobs.List(tx, f)
		view.Jobs = r.jobRows(list)
		view.Pager.Words = r.format.plural(int64(len(list)), "job", "jobs")
		if f.After != "" {
			view.Pager.First = address("/jobs", url.Values{"status": {q.Get("status")}, "channelId": {q.Get("channelId")}})
		}
		if more {
			view.Pager.Older = address("/jobs", url.Values{"status": {q.Get("status")}, "channelId": {q.Get("channelId")},
				"cursor": {string(list[len(list)-1].ID)}})
		}
		view.Pager = view.Pager.of(len(list), "", r.noJobs(q.Get("status")+q.Get("channelId") != ""))
		return err
	})
	out := show(screen{Template: "jobs", Title: "Jobs", Section: "/jobs", Data: view})
	out.status = status
	return out, err
}

// address is a path with the parameters that are not empty.
func address(path string, values url.Values) string {
	for name, value := range values {
		if len(value) == 0 || value[0] == "" {
			values.Del(name)
		}
	}
	if len(values) == 0 {
		return prefix + path
	}
	return prefix + path + "?" + values.Encode()
}

// jobError is an error and what it is about.
type jobError struct{ Item, Error string }

type jobView struct {
	jobRow
	Pairs  []pair
	Errors []jobError
	Live   bool
	Report string // page with the outcome of each item of the job, "" for none
}

// showJob serves GET /jobs/{id}.
func (d *Dashboard) showJob(r *request) (answer, error) {
	which, err := pathID[id.Job](r, "job")
	if err != nil {
		return answer{}, err
	}
	var j jobs.Job
	var file imports.Import
	err = r.read(func(tx *db.Tx) (err error) {
		if j, err = jobs.ByID(tx, which); err != nil || !j.Type.OfFile() {
			return err
		}
		file, err = imports.OfJob(tx, which)
		return ignoreMissing(err)
	})
	if err == nil {
		err = r.caller().Needs(j.Type.Scope())
	}
	if err != nil {
		return answer{}, err
	}
	f := r.format
	view := jobView{jobRow: r.jobRows([]jobs.Job{j})[0], Live: j.Status == jobs.Pending || j.Status == jobs.Processing}
	view.Pairs = []pair{{Name: "Created", Value: f.Count(j.Created)}, {Name: "Updated", Value: f.Count(j.Updated)},
		{Name: "Failed", Value: f.Count(j.Failed)}, {Name: "Started", At: f.Stamp(j.StartedAt)},
		{Name: "Ended", At: f.Stamp(j.CompletedAt)}, {Name: "Id", Value: string(j.ID), Mono: true}}
	if j.Channel != "" {
		channel := pair{Name: "Channel", Value: channelCalled(&j)}
		if j.ChannelName != "" {
			channel.To = r.page("/channels/{id}", "/channels/"+string(j.Channel))
		}
		view.Pairs = append([]pair{channel}, view.Pairs...)
	}
	if file.ID != "" {
		view.Pairs = append([]pair{{Name: "File", Value: file.Name, To: importAddress(file)}}, view.Pairs...)
	}
	switch {
	case j.Type == jobs.OrderBulk:
		view.Report = prefix + "/orders/bulk/" + string(j.ID)
	case file.ID != "":
		view.Report = importAddress(file)
	}
	for _, e := range records.ReadJobErrors(j.Errors) {
		view.Errors = append(view.Errors, jobError{cmp.Or(e.Key, e.ExternalID), restated(e.Error)})
	}
	return show(screen{Template: "job", Title: view.Type, Section: "/jobs", Data: view,
		Crumbs: []crumb{{"Jobs", "/jobs"}, {view.Type, ""}}}), nil
}
