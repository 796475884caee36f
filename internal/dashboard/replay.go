package dashboard

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// replayRoutes deliver a span of the past to an endpoint again.
var replayRoutes = []*route{
	{method: "GET", path: "/webhooks/replay/{id}", scope: "write:webhooks", serve: (*Dashboard).showReplay},
	{method: "POST", path: "/webhooks/{id}/replay", scope: "write:webhooks", serve: on((*request).endpoint, (*Dashboard).replayEndpoint)},
}

// typeAbove is the number of deliveries from which that number must be typed for confirmation.
const typeAbove = 1000

type replayView struct {
	Endpoint endpointRow
	From, To string // as inputs of browsers write times, in the user's zone
	Zone     string
	Failed   bool
	Event    *field
	Wrong    string
	Counted  bool
	Count    int64
	Words    string
	Confirm  *form
	Action   string
}

// replaySpan is what the address, or the form, of a replay asks for.
func (r *request) replaySpan(q url.Values) (span commerce.Span, events []string, onlyFailed bool, err error) {
	read := apijson.ReadQuery(q)
	span.From, span.To = r.moments(read)
	if span.To == 0 {
		span.To = 1 << 61
	}
	if event := q.Get("event"); event != "" {
		if !slices.Contains(webhooks.EventNames, event) {
			read.AddError("event", "is no event")
		}
		events = []string{event}
	}
	if q.Get("from") == "" {
		read.AddError("from", "is required")
	}
	return span, events, q.Get("failed") != "", read.Err()
}

// showReplay serves GET /webhooks/replay/{id}: it counts the deliveries before anything is sent.
func (d *Dashboard) showReplay(r *request) (answer, error) {
	e, err := r.endpoint()
	if err != nil {
		return answer{}, err
	}
	q := r.http.URL.Query()
	if r.refused != nil {
		q = r.refused.sent
	}
	view := replayView{Endpoint: r.endpointRow(e, webhooks.Counts{}, webhooks.Health{}),
		From: cmp.Or(r.localMoment(q, "from"), r.format.local(r.format.now.Add(-time.Hour).Truncate(time.Minute).UnixMicro())),
		To:   r.localMoment(q, "to"), Zone: r.format.zone.String(), Failed: q.Get("failed") != "",
		Event:  selectOf("event", "Event", "What it subscribes to", r.http.URL.Query().Get("event"), eventOptions()[1:]),
		Action: prefix + "/webhooks/replay/" + string(e.ID)}
	if q.Has("from") {
		span, events, failed, err := r.replaySpan(q)
		if err != nil {
			view.Wrong = saidOf(err)
		} else if err := r.read(func(tx *db.Tx) error {
			replay, err := webhooks.NewReplay(tx, webhooks.Replay{Endpoint: e.ID, Events: events, OnlyFailed: failed, From: span.From, To: span.To})
			if err == nil {
				view.Count, err = replay.Size(tx)
			}
			return err
		}); err != nil {
			return answer{}, err
		}
		view.Counted = view.Wrong == ""
		view.Words = r.format.plural(view.Count, "delivery", "deliveries")
		view.Confirm = r.replayForm("/webhooks/"+string(e.ID)+"/replay", q, view.Count)
	}
	return show(screen{Template: "replay", Title: "Replay", Section: "/webhooks", Crumbs: []crumb{{"Webhooks", "/webhooks"},
		{view.Endpoint.Name, "/webhooks/" + string(e.ID)}, {"Replay", ""}}, Data: view}), nil
}

func (r *request) replayForm(action string, q url.Values, count int64) *form {
	fields := []field{{Name: "from", Kind: "hidden", Value: q.Get("from")}, {Name: "to", Kind: "hidden", Value: q.Get("to")},
		{Name: "event", Kind: "hidden", Value: q.Get("event")}, {Name: "failed", Kind: "hidden", Value: q.Get("failed")}}
	if count > typeAbove {
		fields = append(fields, field{Name: "typed", Label: r.say("Type %s to confirm", strconv.FormatInt(count, 10)), Kind: "int", Required: true,
			Complete: "off"})
	}
	return r.form(action, fields...)
}

// replayEndpoint serves POST /webhooks/{id}/replay.
func (d *Dashboard) replayEndpoint(r *request, e *webhooks.Endpoint) (answer, error) {
	sent := r.http.PostForm
	span, events, failed, err := r.replaySpan(sent)
	if err != nil {
		return answer{}, refusal(apperr.Invalid, saidOf(err))
	}
	action := "/webhooks/" + string(e.ID) + "/replay"
	f := r.replayForm(action, sent, 0)
	typed := strings.Map(digitsOnly, sent.Get("typed")) // also as the page writes it: 2,648
	return r.submit(f, d.showReplay, func(f *form) (answer, error) {
		var plan *commerce.ReplayPlan
		err := r.read(func(tx *db.Tx) (err error) {
			plan, err = d.Commerce.PlanReplay(tx, r.caller(), e.ID, span, events, failed)
			return err
		})
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			n, err := d.Commerce.ReplayEndpoint(tx, r.caller(), plan)
			if err == nil && n > typeAbove && typed != strconv.FormatInt(n, 10) {
				f.Fields = r.replayForm(action, sent, n).Fields
				err = apperr.At("typed", "must be %d: that many deliveries are sent", n)
			}
			return redirect("/webhooks/"+string(e.ID), r.say("%s queued again", r.format.plural(n, "delivery is", "deliveries are"))), err
		})
	})
}

// localMoment is a time of the address as an input of browsers writes it; one that cannot be read stays as it is.
func (r *request) localMoment(q url.Values, name string) string {
	read := apijson.ReadQuery(url.Values{name: {q.Get(name)}})
	from, to := r.moments(read)
	if read.Err() != nil || from+to == 0 {
		return q.Get(name)
	}
	return r.format.local(from + to)
}

// moments reads from and to, 0 if they are not given: in the API's form, and in that of browsers' inputs; the latter,
// and bare dates, are in the user's zone.
func (r *request) moments(q *apijson.Query) (from, to int64) {
	read := func(name string, upper bool) int64 {
		text := q.Text(name)
		if text == "" {
			return 0
		}
		at, ok := r.format.moment(text, upper)
		if !ok {
			q.AddError(name, "must be a date (2026-01-31) or a time (2026-01-31T12:00)")
		}
		return max(1, at.UnixMicro())
	}
	return read("from", false), read("to", true)
}
