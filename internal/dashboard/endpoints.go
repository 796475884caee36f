package dashboard

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// endpointRoutes are the webhook endpoints.
var endpointRoutes = []*route{
	{method: "GET", path: "/webhooks", scope: "read:webhooks", serve: (*Dashboard).showEndpoints},
	{method: "GET", path: "/webhooks/new", scope: "write:webhooks", serve: (*Dashboard).showNewEndpoint},
	{method: "POST", path: "/webhooks/new", scope: "write:webhooks", serve: (*Dashboard).createEndpoint},
	{method: "GET", path: "/webhooks/{id}", scope: "read:webhooks", serve: (*Dashboard).showEndpoint},
	{method: "POST", path: "/webhooks/{id}", scope: "write:webhooks", serve: on((*request).endpoint, (*Dashboard).updateEndpoint)},
	{method: "POST", path: "/webhooks/{id}/status", scope: "write:webhooks", serve: on((*request).endpoint, (*Dashboard).setEndpointStatus)},
	{method: "POST", path: "/webhooks/{id}/test", scope: "write:webhooks", serve: on((*request).endpoint, (*Dashboard).testEndpoint)},
	{method: "POST", path: "/webhooks/{id}/rotate", scope: "write:webhooks", serve: on((*request).endpoint, (*Dashboard).rotateEndpoint)},
	{method: "POST", path: "/webhooks/{id}/delete", scope: "write:webhooks", serve: (*Dashboard).deleteEndpoint},
}

// endpointRow is an endpoint in lists.
type endpointRow struct {
	ID, Name, URL, Events, To string
	Status                    badge
	Health                    string // "47 of 50 attempts delivered"
	HealthTone                string
	LastError                 string
	Reason                    string // why it is paused, if nobody paused it
	Waiting, Failed           string
	WaitingWords, FailedWords string
	Last                      stamp
	Paused, Ordered           bool
	AnyWaiting, AnyFailures   bool
}

func (r *request) endpointRow(e *webhooks.Endpoint, c webhooks.Counts, h webhooks.Health) endpointRow {
	row := endpointRow{ID: string(e.ID), Name: endpointName(e), URL: e.URL, Events: r.eventWords(e.Events),
		To: prefix + "/webhooks/" + string(e.ID), Status: newBadge("good", "ok", "Active"), Waiting: r.format.Count(c.Pending),
		Failed: r.format.Count(c.Failed), WaitingWords: r.format.plural(c.Pending, "delivery", "deliveries"),
		FailedWords: r.format.plural(c.Failed, "delivery", "deliveries"), Last: r.format.Stamp(h.LastAttempt),
		Paused: e.State() == webhooks.Paused, Reason: sentence(e.PausedReason()), Ordered: e.Ordered,
		Health: "no attempts yet", AnyWaiting: c.Pending > 0, AnyFailures: c.Failed > 0}
	if h.Attempts > 0 {
		row.Health = r.say("%s of %s attempts answered 2xx", r.format.Count(h.Answered), r.format.Count(h.Attempts))
	}
	switch {
	case row.Reason != "":
		row.Status = newBadge("bad", "fail", "Paused")
	case row.Paused:
		row.Status = newBadge("", "pending", "Paused")
	case h.Failing():
		row.Status, row.LastError = newBadge("bad", "fail", "Failing"), h.LastError
	case h.LastError != "":
		row.Status, row.LastError = newBadge("warn", "wait", "Last attempt failed"), h.LastError
	}
	if h.Answered < h.Attempts {
		row.HealthTone = "bad"
	}
	return row
}

// endpointName is an endpoint's description, or else its address without the scheme.
func endpointName(e *webhooks.Endpoint) string {
	if e.Description != "" {
		return e.Description
	}
	if u, err := url.Parse(e.URL); err == nil {
		return u.Host + u.Path
	}
	return e.URL
}

func (r *request) eventWords(events []string) string {
	switch {
	case len(events) == 1 && events[0] == webhooks.All:
		return r.say("every event")
	case len(events) > 3:
		return r.say("%s and %d more", strings.Join(events[:2], ", "), len(events)-2)
	}
	return strings.Join(events, ", ")
}

// hookTabs are the views of webhooks.
func hookTabs(at string) []tab {
	return []tab{{Label: "Endpoints", To: prefix + "/webhooks", Current: at == "/webhooks"},
		{Label: "Deliveries", To: prefix + "/webhooks/deliveries", Current: at == "/webhooks/deliveries"}}
}

// showEndpoints serves GET /webhooks.
func (d *Dashboard) showEndpoints(r *request) (answer, error) {
	l := r.listing("/webhooks", "endpoint", "endpoints")
	l.Tabs = hookTabs(l.path)
	l.Heads = []head{{Label: "Endpoint"}, {Label: "Events", Drop: 2}, {Label: "Status"}, {Label: "Newest attempts"}, {Label: "Last", Drop: 1},
		{Label: "Waiting", Num: true}, {Label: "Failed", Num: true}}
	view := listView[endpointRow]{listing: l}
	err := r.read(func(tx *db.Tx) (err error) {
		view.Rows, err = r.endpoints(tx)
		return err
	})
	if len(view.Rows) == 0 {
		l.Pager.Empty = new(r.firstEndpoint("hook", "No webhook endpoints yet"))
	}
	return l.show(screen{Template: "endpoints", Title: "Webhooks", Section: "/webhooks", Data: view}), err
}

// firstEndpoint is a list that is empty because nothing is delivered anywhere yet.
func (r *request) firstEndpoint(icon, head string) empty {
	return r.firstStep("write:webhooks", empty{Icon: icon, Head: head,
		Text:  "An endpoint is an address of yours that is called when something happens: an order arrives, stock changes, a parcel leaves.",
		Label: "Add an endpoint", To: prefix + "/webhooks/new",
		Curl: r.curl("write:webhooks read:orders", "POST", "/developer/webhooks", `{"url":"https://shop.example/hooks/entrepot","events":["order.received"]}`)})
}

// endpoints reads all endpoints with their health.
func (r *request) endpoints(tx *db.Tx) (rows []endpointRow, err error) {
	list, _, err := webhooks.Endpoints(tx, 1000, 0)
	if err != nil {
		return nil, err
	}
	counts, err := webhooks.Tallies(tx)
	if err != nil {
		return nil, err
	}
	ids := make([]id.Endpoint, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	health, err := webhooks.HealthOf(tx, ids)
	for i := range list {
		rows = append(rows, r.endpointRow(&list[i], counts[list[i].ID], health[i]))
	}
	return rows, err
}

// eventGroup is the events of one category in a form.
type eventGroup struct {
	Label   string
	Options []eventOption
}

type eventOption struct {
	option
	About, Sample string
}

// eventOptions are the events that an endpoint can be subscribed to; the first is all of them.
func eventOptions() []option {
	list := []option{{Value: webhooks.All, Label: "Every event, also those of later versions"}}
	for _, name := range webhooks.EventNames {
		list = append(list, option{Value: name, Label: name})
	}
	return list
}

// grouped groups the options of events by category, each with its meaning and a sample.
func grouped(options []option) (groups []eventGroup) {
	for i, k := range records.Catalogue() {
		label := strings.ToUpper(k.Category[:1]) + k.Category[1:]
		if len(groups) == 0 || groups[len(groups)-1].Label != label {
			groups = append(groups, eventGroup{Label: label})
		}
		g := &groups[len(groups)-1]
		g.Options = append(g.Options, eventOption{option: options[i+1], About: k.Description, Sample: sampleOf(k)})
	}
	return groups
}

// sampleOf is the JSON that an endpoint receives for an event, in lines.
func sampleOf(k records.Kind) string {
	w := apijson.NewWriter(1 << 10)
	records.WriteSampleEvent(w, "", k)
	var text bytes.Buffer
	_ = json.Indent(&text, w.Bytes(), "", "  ") // it is JSON
	return text.String()
}

func endpointForm(r *request, action string, e webhooks.Endpoint) *form {
	ordered := ""
	if e.Ordered {
		ordered = "true"
	}
	return r.editing(action,
		field{Name: "url", Label: "URL", Kind: "url", Required: true, Max: limits.MaxEndpointURL, Mono: true, Value: e.URL,
			Placeholder: "https://shop.example/hooks/entrepot",
			Hint:        "It begins with https:// and is reachable from the internet. It must answer 2xx within 10 seconds."},
		field{Name: "description", Label: "Name", Max: limits.MaxEndpointAbout, Value: e.Description, Hint: "What you call it", ClearBlank: true},
		field{Name: "events", Label: "Events", Kind: "checks", Options: eventOptions(), Values: e.Events},
		field{Name: "ordered", Label: "In order: events of one order, product or customer one after the other", Kind: "checkbox", Value: ordered,
			Hint: "A failing delivery then holds back the later ones of the same record."})
}

type endpointFormView struct {
	Form   *form
	All    option
	Groups []eventGroup
}

func newEndpointFormView(f *form) endpointFormView {
	options := f.At("events").Options
	return endpointFormView{f, options[0], grouped(options)}
}

// showNewEndpoint serves GET /webhooks/new.
func (d *Dashboard) showNewEndpoint(r *request) (answer, error) {
	view := newEndpointFormView(endpointForm(r, "/webhooks/new", webhooks.Endpoint{}))
	return show(screen{Template: "endpoint_new", Title: "New endpoint", Section: "/webhooks",
		Crumbs: []crumb{{"Webhooks", "/webhooks"}, {"New", ""}}, Data: view}), nil
}

// createEndpoint serves POST /webhooks/new: the page that shows the signing secret once.
func (d *Dashboard) createEndpoint(r *request) (answer, error) {
	return r.submit(endpointForm(r, "/webhooks/new", webhooks.Endpoint{}), d.showNewEndpoint, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadEndpoint(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		if err := d.Commerce.CheckURL(r.http.Context(), *draft.URL); err != nil {
			return answer{}, err
		}
		endpoint, secret, err := d.writeSecret(r, func(tx *db.Tx) (string, string, error) {
			e, secret, err := d.Commerce.CreateEndpoint(tx, r.caller(), draft)
			if err != nil {
				return "", "", err
			}
			return string(e.ID), secret, nil
		})
		return showSecret("Endpoint added", "Copy the signing secret now", "", endpoint, secret), err
	})
}

// showSecret is the page with a new signing secret; more is what else to know about it.
func showSecret(title, head, more, endpoint, secret string) answer {
	return show(screen{Template: "secret", Title: title, Section: "/webhooks", Crumbs: []crumb{{"Webhooks", "/webhooks"}, {title, ""}},
		Data: once{Head: head, Text: "Your endpoint checks with it that a request comes from here; the page of each delivery shows how. " +
			"You see it only this once.", More: more,
			Label: "Signing secret", Secret: secret, Back: prefix + "/webhooks/" + endpoint}})
}

type endpointView struct {
	Endpoint   endpointRow
	Pairs      []pair
	Edit       endpointFormView
	Status     *form
	Test       *form
	Retry      *form
	Rotate     ask
	Delete     ask
	Deliveries []deliveryRow
	All        string
	Replay     string
}

// showEndpoint serves GET /webhooks/{id}.
func (d *Dashboard) showEndpoint(r *request) (answer, error) {
	which, err := pathID[id.Endpoint](r, "endpoint")
	if err != nil {
		return answer{}, err
	}
	var e *webhooks.Endpoint
	var view endpointView
	left := ""
	err = r.read(func(tx *db.Tx) (err error) {
		if e, err = webhooks.ByID(tx, which); err != nil {
			return err
		}
		if left, err = r.leftToQueue(tx, which); err != nil {
			return err
		}
		counts, err := webhooks.Tally(tx, which)
		if err != nil {
			return err
		}
		health, err := webhooks.HealthOf(tx, []id.Endpoint{which})
		if err != nil {
			return err
		}
		view.Endpoint = r.endpointRow(e, counts, health[0])
		page, err := webhooks.Across(tx, webhooks.AcrossFilter{Endpoint: which, Limit: 10})
		for i := range page.Deliveries {
			view.Deliveries = append(view.Deliveries, r.deliveryRow(&page.Deliveries[i], view.Endpoint.Name))
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	d.fillEndpoint(r, e, &view)
	if left != "" {
		view.Pairs = append(view.Pairs, pair{Name: "Replay", Value: left})
	}
	return show(screen{Template: "endpoint", Title: view.Endpoint.Name, Section: "/webhooks",
		Crumbs: []crumb{{"Webhooks", "/webhooks"}, {view.Endpoint.Name, ""}}, Data: view}), nil
}

// leftToQueue says how many deliveries of replays are not queued yet, "" for none.
func (r *request) leftToQueue(tx *db.Tx, which id.Endpoint) (string, error) {
	n, more, err := webhooks.Left(tx, which)
	switch {
	case err != nil || n == 0:
		return "", err
	case more:
		return r.say("more than %s deliveries follow", r.format.Count(n)), nil
	}
	return r.format.plural(n, "delivery follows", "deliveries follow"), nil
}

// fillEndpoint adds the actions on an endpoint.
func (d *Dashboard) fillEndpoint(r *request, e *webhooks.Endpoint, view *endpointView) {
	at := "/webhooks/" + string(e.ID)
	view.Pairs = []pair{{Name: "URL", Value: e.URL, Mono: true}, {Name: "Events", Value: r.eventWords(e.Events)},
		{Name: "Answers", Value: view.Endpoint.Health}, {Name: "Waiting", Value: view.Endpoint.WaitingWords},
		{Name: "Failed", Value: view.Endpoint.FailedWords}, {Name: "Endpoint id", Value: string(e.ID), Mono: true}}
	if e.OldSecretUntil > r.format.now.UnixMicro() {
		view.Pairs = append(view.Pairs, pair{Name: "Old secret signs until", At: r.format.Stamp(e.OldSecretUntil)})
	}
	view.Edit = newEndpointFormView(endpointForm(r, at, *e))
	status := webhooks.Paused
	if e.State() == webhooks.Paused {
		status = webhooks.Active
	}
	view.Status = r.form(at+"/status", field{Name: "status", Kind: "hidden", Value: string(status)})
	view.Test = r.form(at + "/test")
	view.Retry = r.form("/webhooks/deliveries/retry", field{Name: "endpointId", Kind: "hidden", Value: string(e.ID)})
	view.Rotate = newAsk("rotate", "Rotate the signing secret?",
		"You get a new secret, which your endpoint needs at once if it checks X-Webhook-Signature: from now on that header is signed with "+
			"the new one only. The header webhook-signature is signed with both for 24 hours.", "Rotate secret", r.form(at+"/rotate"))
	view.Delete = newAsk("delete", "Delete this endpoint?", "Nothing is sent to it any more; what waits for it, and its "+
		"deliveries, are deleted. Type its host to confirm.", "Delete endpoint", r.form(at+"/delete",
		field{Name: "typed", Label: r.say("Type %s", hostOf(e)), Required: true, Complete: "off"}))
	view.All = address("/webhooks/deliveries", url.Values{"endpointId": {string(e.ID)}})
	view.Replay = prefix + "/webhooks/replay/" + string(e.ID)
}

func hostOf(e *webhooks.Endpoint) string {
	if u, err := url.Parse(e.URL); err == nil {
		return u.Host
	}
	return e.URL
}

// endpoint reads the endpoint of the path: an action on a missing one is a 404, whatever the form has.
func (r *request) endpoint() (*webhooks.Endpoint, error) {
	return recordOf(r, "endpoint", webhooks.ByID)
}

// updateEndpoint serves POST /webhooks/{id}.
func (d *Dashboard) updateEndpoint(r *request, e *webhooks.Endpoint) (answer, error) {
	at := "/webhooks/" + string(e.ID)
	return r.submit(endpointForm(r, at, *e), d.showEndpoint, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadEndpointChange(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		if draft.URL != nil && *draft.URL != e.URL {
			if err := d.Commerce.CheckURL(r.http.Context(), *draft.URL); err != nil {
				return answer{}, err
			}
		}
		return d.changeEndpoint(r, e.ID, draft, redirect(at, "Saved the endpoint"))
	})
}

func (d *Dashboard) changeEndpoint(r *request, endpoint id.Endpoint, draft commerce.EndpointDraft, out answer) (answer, error) {
	return d.write(r, func(tx *db.Tx) (answer, error) {
		_, err := d.Commerce.UpdateEndpoint(tx, r.caller(), endpoint, commerce.Expected{}, draft)
		return out, err
	})
}

// setEndpointStatus serves POST /webhooks/{id}/status: pause or activate.
func (d *Dashboard) setEndpointStatus(r *request, e *webhooks.Endpoint) (answer, error) {
	status := webhooks.Status(r.http.PostForm.Get("status"))
	if !slices.Contains(webhooks.Statuses, status) {
		return answer{}, refusal(apperr.Invalid, "the status must be active or paused")
	}
	at := "/webhooks/" + string(e.ID)
	out, before := redirect(at, "Paused the endpoint. What happens meanwhile waits for it"), webhooks.Active
	if status == webhooks.Active {
		out, before = redirect(at, "Activated the endpoint. What waited goes out now"), webhooks.Paused
	}
	return d.changeEndpoint(r, e.ID, commerce.EndpointDraft{Status: &status},
		out.undo(undo{Action: at + "/status", Fields: map[string]string{"status": string(before)}}))
}

// testEndpoint serves POST /webhooks/{id}/test: it redirects to the delivery.
func (d *Dashboard) testEndpoint(r *request, e *webhooks.Endpoint) (answer, error) {
	return d.write(r, func(tx *db.Tx) (answer, error) {
		delivery, err := d.Commerce.PingEndpoint(tx, r.caller(), e.ID, "")
		if err != nil {
			return answer{}, err
		}
		return redirect("/webhooks/deliveries/"+string(delivery.ID), "Sent a sample event"), nil
	})
}

// rotateEndpoint serves POST /webhooks/{id}/rotate: the page that shows the new secret once.
func (d *Dashboard) rotateEndpoint(r *request, e *webhooks.Endpoint) (answer, error) {
	_, secret, err := d.writeSecret(r, func(tx *db.Tx) (string, string, error) {
		_, secret, err := d.Commerce.RotateEndpoint(tx, r.caller(), e.ID, commerce.UsualGrace)
		return string(e.ID), secret, err
	})
	return showSecret("Secret rotated", "Copy the new signing secret now",
		"Until the time on the endpoint's page, the old one signs webhook-signature as well.", string(e.ID), secret), err
}

// deleteEndpoint serves POST /webhooks/{id}/delete.
func (d *Dashboard) deleteEndpoint(r *request) (answer, error) {
	e, err := r.endpoint()
	if err != nil {
		return d.repeated(r, err)
	}
	at := "/webhooks/" + string(e.ID)
	f := r.form(at+"/delete", field{Name: "typed", Label: "Host", Required: true})
	return r.submit(f, d.showEndpoint, func(f *form) (answer, error) {
		if strings.TrimSpace(f.Value("typed")) != hostOf(e) {
			return answer{}, apperr.At("typed", "must be %s", hostOf(e))
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			return redirect("/webhooks", "Deleted the endpoint"), d.Commerce.DeleteEndpoint(tx, r.caller(), e.ID, commerce.Expected{})
		})
	})
}
