package dashboard

import (
	"cmp"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
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

// jobWord is people's name of a type of job.
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
		return "Change of many orders"
	case jobs.ProductBulk:
		return "Change of many products"
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
	case jobs.ShipmentFileImport:
		return "Import of tracking numbers"
	case jobs.ShipmentFileCheck:
		return "Check of tracking numbers"
	case jobs.OrderExport:
		return "Export of orders"
	case jobs.ProductExport:
		return "Export of products"
	case jobs.StockExport:
		return "Export of stock"
	case jobs.CustomerExport:
		return "Export of customers"
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
			Done:   r.format.gauge(j.Processed, max(j.Total, j.Processed), "%s of %s"), Created: r.format.Stamp(j.CreatedAt)}
		if r.caller().Needs(j.Type.Scope()) != nil {
			row.To = ""
		}
		if j.Failed > 0 {
			row.Failed = r.say("%s failed", r.format.Count(j.Failed))
		}
		rows = append(rows, row)
	}
	return rows
}

// noJobs is the text for an account without jobs.
func (r *request) noJobs() *empty {
	return new(r.firstStep("write:products", empty{Icon: "retry", Head: "No jobs yet",
		Text:  "Imports and synchronisations appear here as they run.",
		Label: "Import products", To: prefix + "/products/import", Curl: r.curl("read:channels", "GET", "/jobs?limit=10", "")}))
}

// showJobs serves GET /jobs.
func (d *Dashboard) showJobs(r *request) (answer, error) {
	l := r.listing("/jobs", "job", "jobs", "status", "channelId")
	l.tab("All", "status", "")
	l.tab("Running", "status", "PENDING,PROCESSING")
	l.tab("With errors", "status", "COMPLETED_WITH_ERRORS")
	l.tab("Failed", "status", "FAILED")
	if r.chooses("channelId") {
		return d.choose(r, l, "Jobs")
	}
	f := jobs.Filter{Limit: l.size, Statuses: apijson.QueryEnums(l.query, "status", jobs.Statuses...),
		Channel: apijson.QueryID[id.Channel](l.query, "channelId"), After: apijson.QueryID[id.Job](l.query, "cursor")}
	view := listView[jobRow]{listing: l}
	err := r.read(func(tx *db.Tx) error {
		places, _, err := channels.List(tx, maxChoices, 0)
		if err != nil {
			return err
		}
		var options []option
		for _, c := range places {
			options = append(options, option{Value: string(c.ID), Label: c.Name})
		}
		l.choiceOfMany("channelId", "Channel", "Any channel", options)
		if l.wrong() {
			return nil
		}
		list, more, err := jobs.List(tx, f)
		view.Rows = r.jobRows(list)
		next := ""
		if more {
			next = string(list[len(list)-1].ID)
		}
		if l.rowsAfter(len(list), "cursor", next) {
			l.Pager.Empty = r.noJobs()
		}
		return err
	})
	return l.show(screen{Template: "jobs", Title: "Jobs", Section: "/jobs", Data: view}), err
}

// jobError is an error and what it is about.
type jobError struct{ Item, Error string }

type jobView struct {
	jobRow
	Pairs  []pair
	Errors []jobError
	Live   bool
	Report string // page with the outcome of each item of the job, "" for none
	File   *jobFile
}

// showJob serves GET /jobs/{id}.
func (d *Dashboard) showJob(r *request) (answer, error) {
	which, err := pathID[id.Job](r, "job")
	if err != nil {
		return answer{}, err
	}
	var j jobs.Job
	var file imports.Import
	var written *jobFile
	err = r.read(func(tx *db.Tx) (err error) {
		if j, err = jobs.ByID(tx, which); err == nil {
			written, err = r.jobFile(tx, j)
		}
		if err != nil || !j.Type.OfFile() {
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
	view := jobView{jobRow: r.jobRows([]jobs.Job{j})[0], File: written, Live: j.Status == jobs.Pending || j.Status == jobs.Processing}
	view.Pairs = []pair{{Name: "Created", Value: f.Count(j.Created)}, {Name: "Updated", Value: f.Count(j.Updated)},
		{Name: "Failed", Value: f.Count(j.Failed)}, {Name: "Started", At: f.Stamp(j.StartedAt)},
		{Name: "Ended", At: f.Stamp(j.CompletedAt)}, {Name: "Id", Value: string(j.ID), Mono: true}}
	if j.Type.IsExport() {
		view.Pairs = view.Pairs[3:] // it changes nothing
	}
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
	case j.Type == jobs.ProductBulk:
		view.Report = prefix + "/products/bulk/" + string(j.ID)
	case file.ID != "":
		view.Report = importAddress(file)
	}
	for _, e := range records.ReadJobErrors(j.Errors) {
		view.Errors = append(view.Errors, jobError{cmp.Or(e.Key, e.ExternalID), restated(e.Error)})
	}
	return show(screen{Template: "job", Title: view.Type, Section: "/jobs", Data: view,
		Crumbs: []crumb{{"Jobs", "/jobs"}, {view.Type, ""}}}), nil
}
