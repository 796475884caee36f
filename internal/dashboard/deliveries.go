package dashboard

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// deliveryRoutes are the deliveries of all endpoints, one delivery, and the actions on them.
var deliveryRoutes = []*route{
	{method: "GET", path: "/webhooks/deliveries", scope: "read:webhooks", serve: (*Dashboard).showDeliveries},
	{method: "POST", path: "/webhooks/deliveries/retry", scope: "write:webhooks", serve: (*Dashboard).retryDeliveries},
	{method: "GET", path: "/webhooks/deliveries/{id}", scope: "read:webhooks", serve: (*Dashboard).showDelivery},
	{method: "POST", path: "/webhooks/deliveries/{id}/retry", scope: "write:webhooks", serve: (*Dashboard).retryDelivery},
}

// deliveryRow is a delivery in lists.
type deliveryRow struct {
	ID, Event, Endpoint, EndpointTo, To string
	Resource, ResourceID, ResourceTo    string // what the event is about
	Answer                              string // of the newest attempt
	Error                               string // the same in full
	Why                                 string // Answer, unless it was delivered
	Attempts                            string
	Status                              badge
	At, Next                            stamp
	Waits                               bool // it waits for its next attempt
}

func (r *request) deliveryRow(d *webhooks.Delivery, endpoint string) deliveryRow {
	row := deliveryRow{ID: string(d.ID), Event: d.Name, Endpoint: endpoint, EndpointTo: prefix + "/webhooks/" + string(d.Endpoint),
		Resource: d.Resource, ResourceID: d.Resource, To: prefix + "/webhooks/deliveries/" + string(d.ID),
		Answer: shortError(d.Error), Error: d.Error, Attempts: r.format.Count(d.Attempts),
		Status: deliveryBadge(d), At: r.format.Stamp(d.Position), Next: r.format.Due(d.DueAt), Waits: d.DueAt != 0}
	if row.Answer == "" && d.StatusCode != 0 {
		row.Answer = "HTTP " + strconv.FormatInt(d.StatusCode, 10)
	}
	if d.State != webhooks.Delivered {
		row.Why = row.Answer
	}
	return row
}

// shortError is an error of a connection without the address, which would leave no room for the reason.
func shortError(text string) string {
	if rest, ok := strings.CutPrefix(text, "connecting to "); ok {
		if _, why, found := strings.Cut(rest, ": "); found {
			return strings.TrimPrefix(why, "dial: ")
		}
	}
	return text
}

func deliveryBadge(d *webhooks.Delivery) badge {
	switch {
	case d.State == webhooks.Delivered:
		return newBadge("good", "ok", "Delivered")
	case d.State == webhooks.Failed:
		return newBadge("bad", "fail", "Failed")
	case d.Attempts > 0:
		return newBadge("warn", "wait", "Retrying")
	}
	return newBadge("", "pending", "Waiting")
}

// deliveriesView is what templates/deliveries.html shows.
type deliveriesView struct {
	*listing
	Rows  []deliveryRow
	Retry *form // for all failed ones, when failed ones are shown
	Hurry *form // for all waiting ones, when those are shown
}

// deliveryList is the list of deliveries, and what it is to show.
func (r *request) deliveryList() (l *listing, f webhooks.AcrossFilter) {
	l = r.listing("/webhooks/deliveries", "delivery", "deliveries", "status", "endpointId", "event", "resourceId", "statusCode", "from", "to")
	l.Swap, l.Tabs = "main", hookTabs(l.path)
	l.Heads = []head{{Label: "Event"}, {Label: "About"}, {Label: "When"}, {Label: "Endpoint"}, {Label: "Status"}, {Label: "Answer"},
		{Label: "Attempts", Num: true, Drop: 1}, {Label: "Next attempt", Drop: 2}}
	q := l.query
	f = webhooks.AcrossFilter{State: webhooks.State(q.Text("status")), Event: q.Text("event"), Resource: q.Text("resourceId"),
		StatusCode: int64(q.Int("statusCode", 0, 0, 999)), Limit: l.size}
	if endpoint, ok := id.Parse[id.Endpoint](q.Text("endpointId")); ok {
		f.Endpoint = endpoint
	} else if q.Text("endpointId") != "" {
		q.AddError("endpointId", "is no endpoint's id")
	}
	f.From, f.To = r.moments(q)
	if cursor, ok := webhooks.ParseDeliveryCursor(q.Text("cursor")); ok {
		f.After = cursor
	}
	return l, f
}

// showDeliveries serves GET /webhooks/deliveries.
func (d *Dashboard) showDeliveries(r *request) (answer, error) {
	l, f := r.deliveryList()
	view := deliveriesView{listing: l}
	err := r.readWide(func(tx *db.Tx) error {
		var about []subject
		names, options, err := endpointNames(tx)
		if err != nil {
			return err
		}
		l.choice("status", "Status", "Any status", option{Value: "pending", Label: "Waiting"},
			option{Value: "delivered", Label: "Delivered"}, option{Value: "failed", Label: "Failed"})
		l.choice("endpointId", "Endpoint", "Any endpoint", options...)
		if l.wrong() {
			return nil
		}
		page, err := webhooks.Across(tx, f)
		for i := range page.Deliveries {
			row := &page.Deliveries[i]
			view.Rows = append(view.Rows, r.deliveryRow(row, names[row.Endpoint]))
			about = append(about, subject{event: row.Name, resource: row.Resource})
		}
		if l.rowsAfter(len(page.Deliveries), "cursor", page.Next.String()) {
			l.Pager.Empty = r.noDeliveries(options)
		}
		if err != nil {
			return err
		}
		called, err := r.subjectNames(tx, about)
		for i := range view.Rows {
			row := &view.Rows[i]
			row.Resource = cmp.Or(called[row.ResourceID], row.ResourceID)
			row.ResourceTo = r.resourcePage(row.Event, row.ResourceID)
		}
		return err
	})
	l.choice("event", "Event", "Any event", eventOptions()[1:]...)
	l.chip("About", "resourceId")
	l.chip("Answer", "statusCode")
	l.span()
	shown := len(view.Rows) > 0 || l.Pager.Older != ""
	// else the list has fewer than would be attempted
	if shown && f.Event == "" && f.Resource == "" && f.StatusCode == 0 {
		all := r.form("/webhooks/deliveries/retry", hiddenField("endpointId", string(f.Endpoint)), hiddenField("status", string(f.State)),
			hiddenField("from", l.values.Get("from")), hiddenField("to", l.values.Get("to")))
		switch f.State {
		case webhooks.Failed:
			view.Retry = all
		case webhooks.Pending:
			view.Hurry = all
		}
	}
	return l.show(screen{Template: "deliveries", Title: "Deliveries", Section: "/webhooks",
		Crumbs: []crumb{{"Webhooks", "/webhooks"}, {"Deliveries", ""}}, Data: view}), err
}

// noDeliveries is what an account without deliveries reads; endpoints are its endpoints.
func (r *request) noDeliveries(endpoints []option) *empty {
	none := r.firstEndpoint("send", "No deliveries yet")
	if len(endpoints) > 0 {
		first := endpoints[0].Value
		// of whatever the endpoint subscribes to
		scopes := "write:webhooks " + strings.Join(webhooks.ReadScopes(webhooks.EventNames), " ")
		none = r.firstStep("write:webhooks", empty{Icon: "send", Head: "No deliveries yet",
			Text: "A delivery is one event on its way to one endpoint. Send a sample of one.",
			Label: r.say("Open %s",
				endpoints[0].Label), To: prefix + "/webhooks/" + first, Curl: r.curl(scopes, "POST", "/developer/webhooks/"+first+"/test", "{}")})
	}
	return &none
}

// endpointNames are the names of the account's endpoints, also as the options of a filter.
func endpointNames(tx *db.Tx) (names map[id.Endpoint]string, options []option, err error) {
	list, _, err := webhooks.Endpoints(tx, 1000, 0)
	names = make(map[id.Endpoint]string, len(list))
	for i := range list {
		names[list[i].ID] = endpointName(&list[i])
		options = append(options, option{Value: string(list[i].ID), Label: short(names[list[i].ID])})
	}
	return names, options, err
}

// retryDeliveries serves POST /webhooks/deliveries/retry: one more attempt for all failed ones of a span, or an
// attempt now for all waiting ones.
func (d *Dashboard) retryDeliveries(r *request) (answer, error) {
	read := apijson.ReadQuery(r.http.PostForm)
	span := commerce.Span{}
	if span.From, span.To = r.moments(read); span.To == 0 {
		span.To = 1 << 61
	}
	if err := read.Err(); err != nil {
		return answer{}, refusal(apperr.Invalid, saidOf(err))
	}
	endpoint, _ := id.Parse[id.Endpoint](r.http.PostForm.Get("endpointId"))
	state, to := webhooks.Failed, "/webhooks/deliveries?status=failed"
	if r.http.PostForm.Get("status") == string(webhooks.Pending) {
		state, to = webhooks.Pending, "/webhooks/deliveries?status=pending"
	}
	if endpoint != "" {
		to = "/webhooks/" + string(endpoint)
	}
	var plan commerce.RetryPlan
	if state == webhooks.Failed {
		if err := r.read(func(tx *db.Tx) (err error) {
			plan, err = d.Commerce.PlanRetries(tx, endpoint, span)
			return err
		}); err != nil {
			return answer{}, err
		}
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		n, err := d.Commerce.RetryDeliveries(tx, r.caller(), endpoint, state, span, plan)
		return redirect(to, r.say("%s attempted now", r.format.plural(n, "delivery is", "deliveries are"))), err
	})
}

// retryDelivery serves POST /webhooks/deliveries/{id}/retry.
func (d *Dashboard) retryDelivery(r *request) (answer, error) {
	delivery, err := pathID[id.Delivery](r, "delivery")
	if err != nil {
		return answer{}, err
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		_, err := d.Commerce.RetryDelivery(tx, r.caller(), delivery)
		return redirect("/webhooks/deliveries/"+string(delivery), "Retrying the delivery now"), err
	})
}

// resourcePage is the page of an event's record, "" for none: what was deleted has none, and others the user may not
// open.
func (r *request) resourcePage(event, resource string) string {
	if resource == "" || strings.HasSuffix(event, ".deleted") {
		return ""
	}
	pages := map[string]string{"order": "/orders/", "product": "/products/", "customer": "/customers/", "stock": "/stock/",
		"channel": "/jobs/"} // events of channels are about what a job has done
	at := pages[category(event)]
	pattern := at + "{id}"
	if at == pages["stock"] {
		pattern = at + "{sku}"
	}
	return r.page(pattern, at+url.PathEscape(resource))
}

// missingDelivery converts the error of a delivery whose endpoint was deleted to that of a page.
func missingDelivery(err error) error {
	if apperr.Is(err, apperr.NotFound) {
		return apperr.Missing("delivery")
	}
	return err
}
