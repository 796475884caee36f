package dashboard

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// try is an attempt in the list, past or future.
type try struct {
	Number    int64
	Good      bool
	Took      string
	Words     string
	At        stamp
	To        string // "" for a future one
	Current   bool
	Countdown stamp // the time of a future one
}

type deliveryView struct {
	Row          deliveryRow
	Status       badge
	When         string // "attempt 4 of 6"
	Newer, Older string
	Tries        []try
	ToCome       []try
	Made         string // "3 of 6"
	Event        []pair
	Happened     stamp
	Endpoint     endpointRow
	Shown        *shownAttempt
	Payload      []token
	Hidden       string // why the payload is not shown
	URL          string
	Headers      []webhooks.Header
	Curl         string
	Retry, Pause *form
	RetryAll     *form
	Replay       string
}

// shownAttempt is the attempt whose answer is shown.
type shownAttempt struct {
	Number      int64
	Code        string
	Tone, Glyph string
	Took        string
	Explained   callout
	Error       string
	Response    []token
}

// showDelivery serves GET /webhooks/deliveries/{id}.
func (d *Dashboard) showDelivery(r *request) (answer, error) {
	which, err := pathID[id.Delivery](r, "delivery")
	if err != nil {
		return answer{}, err
	}
	var view deliveryView
	err = r.read(func(tx *db.Tx) error {
		v, err := d.Commerce.ReadDelivery(tx, r.caller(), which)
		if err != nil {
			return missingDelivery(err)
		}
		var counts webhooks.Counts
		var health []webhooks.Health
		var newer, older id.Delivery
		err = tx.Together(func(tx *db.Tx) (err error) {
			counts, err = webhooks.Tally(tx, v.Endpoint.ID)
			return err
		}, func(tx *db.Tx) (err error) {
			health, err = webhooks.HealthOf(tx, []id.Endpoint{v.Endpoint.ID})
			return err
		}, func(tx *db.Tx) (err error) {
			newer, older, err = v.Neighbours(tx)
			return err
		})
		if err != nil {
			return err
		}
		names, err := r.subjectNames(tx, []subject{{v.Name, v.Resource, v.Payload}})
		if err != nil {
			return err
		}
		view = d.deliveryView(r, v, r.endpointRow(v.Endpoint, counts, health[0]))
		view.about(r, v, names[v.Resource])
		view.Newer, view.Older = deliveryPage(newer), deliveryPage(older)
		return nil
	})
	return show(screen{Template: "delivery", Title: "Delivery", Section: "/webhooks", Crumbs: []crumb{{"Webhooks", "/webhooks"},
		{view.Endpoint.Name, strings.TrimPrefix(view.Endpoint.To, prefix)}, {"Delivery", ""}}, Data: view}), err
}

func deliveryPage(delivery id.Delivery) string {
	if delivery == "" {
		return ""
	}
	return prefix + "/webhooks/deliveries/" + string(delivery)
}

func (d *Dashboard) deliveryView(r *request, v commerce.DeliveryView, endpoint endpointRow) deliveryView {
	at := "/webhooks/deliveries/" + string(v.ID)
	view := deliveryView{Row: r.deliveryRow(v.Delivery, endpoint.Name), Status: deliveryBadge(v.Delivery), Endpoint: endpoint,
		Happened: r.format.Moment(v.Happened, "2 Jan, 15:04:05"), URL: v.Endpoint.URL,
		Retry: r.form(at + "/retry"), Replay: address("/webhooks/replay/"+endpoint.ID,
			url.Values{"from": {r.format.local(cmp.Or(v.Happened, v.Position))}})}
	view.Event = []pair{{Name: "Kind", Value: v.Name, Mono: true}}
	if v.Happened != 0 {
		view.Event = append(view.Event, pair{Name: "Event id", Value: string(v.Event), To: prefix + "/events/" + string(v.Event), Mono: true})
	}
	if v.State == webhooks.Pending {
		view.Pause = r.form("/webhooks/"+endpoint.ID+"/status", field{Name: "status", Kind: "hidden", Value: string(webhooks.Paused)})
		view.RetryAll = r.form("/webhooks/deliveries/retry", field{Name: "endpointId", Kind: "hidden", Value: endpoint.ID},
			field{Name: "status", Kind: "hidden", Value: string(webhooks.Pending)})
	}
	d.tries(r, v, &view)
	switch {
	case v.Payload != "":
		view.Payload = colour(v.Payload)
	case v.Happened == 0:
		view.Hidden = "The event is older than events are kept."
	default:
		view.Hidden = "Your user may not read what this event is about."
	}
	return view
}

// about adds the event's record, by name if it has one.
func (view *deliveryView) about(r *request, v commerce.DeliveryView, name string) {
	if v.Resource != "" {
		view.Event = slices.Insert(view.Event, 1, pair{Name: "About", Value: cmp.Or(name, v.Resource), To: r.resourcePage(v.Name, v.Resource),
			Mono: name == ""})
	}
}

// tries lists the past attempts, the one whose answer is shown, and the future ones.
func (d *Dashboard) tries(r *request, v commerce.DeliveryView, view *deliveryView) {
	shown := len(v.Tries) - 1
	if n, err := strconv.Atoi(r.http.URL.Query().Get("attempt")); err == nil && n >= 1 && n <= len(v.Tries) {
		shown = n - 1
	}
	for i, a := range v.Tries {
		view.Tries = append(view.Tries, try{Number: a.Number, Good: a.Reason() == webhooks.ReasonDelivered, Took: took(a.Duration),
			Words: answerWords(&a), At: r.format.Moment(a.At, "15:04:05"), Current: i == shown,
			To: prefix + "/webhooks/deliveries/" + string(v.ID) + "?attempt=" + strconv.FormatInt(a.Number, 10)})
	}
	if shown >= 0 {
		a := v.Tries[shown]
		view.Shown = shownAnswer(&a)
		view.Headers = v.Headers(a, d.Version)
		view.Curl = curlOf(v, view.Headers)
	}
	schedule := d.schedule()
	whole := int64(len(schedule) + 1)
	view.When = r.say("attempt %s of %s", strconv.FormatInt(min(v.Attempts+1, whole), 10), strconv.FormatInt(whole, 10))
	view.Made = r.say("%s of %s", strconv.FormatInt(v.Attempts, 10), strconv.FormatInt(max(whole, v.Attempts), 10))
	if v.State != webhooks.Pending {
		view.When = r.format.plural(v.Attempts, "attempt", "attempts")
		return
	}
	next := try{Number: v.Attempts + 1, Words: "waits for an earlier event of the same record"}
	if v.DueAt != 0 {
		next.Words, next.Countdown, next.At = "", r.format.Stamp(v.DueAt), r.format.Moment(v.DueAt, "15:04:05")
	}
	view.ToCome = append(view.ToCome, next)
	for n := v.Attempts + 1; ; n++ {
		wait, more := schedule.Next(n, v.ByHand)
		if !more {
			break
		}
		words := r.say("%s after that", r.format.span(wait))
		if _, further := schedule.Next(n+1, v.ByHand); !further {
			words = r.say("%s, the last", words)
		}
		view.ToCome = append(view.ToCome, try{Number: n + 1, Words: words})
	}
}

// schedule is the retry schedule of this service.
func (d *Dashboard) schedule() webhooks.Schedule {
	if d.Retries == nil {
		return webhooks.Standard
	}
	return d.Retries
}

// span is a duration of the retry schedule: "5 minutes".
func (f format) span(d time.Duration) string {
	switch {
	case d >= time.Hour && d%time.Hour == 0:
		return f.plural(int64(d/time.Hour), "hour", "hours")
	case d >= time.Minute && d%time.Minute == 0:
		return f.plural(int64(d/time.Minute), "minute", "minutes")
	case d >= time.Second && d%time.Second == 0:
		return f.plural(int64(d/time.Second), "second", "seconds")
	}
	return d.String()
}

// took is the duration of an attempt.
func took(ms int64) string {
	if ms < 1000 {
		return strconv.FormatInt(ms, 10) + " ms"
	}
	return strings.TrimSuffix(strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64), ".0") + " s"
}

// answerWords is the outcome of an attempt, in a line.
func answerWords(a *webhooks.Attempt) string {
	if a.StatusCode != 0 {
		return strings.TrimSpace(strconv.FormatInt(a.StatusCode, 10) + " " + http.StatusText(int(a.StatusCode)))
	}
	return sentence(a.Error)
}

func shownAnswer(a *webhooks.Attempt) *shownAttempt {
	reason := a.Reason()
	words := reason.Explain()
	s := &shownAttempt{Number: a.Number, Took: took(a.Duration), Tone: "bad", Glyph: "fail", Code: "no answer", Error: a.Error,
		Explained: newCallout("bad", words.What, words.Advice)}
	if a.StatusCode != 0 {
		s.Code, s.Error = strconv.FormatInt(a.StatusCode, 10), ""
	}
	if reason == webhooks.ReasonDelivered {
		s.Tone, s.Glyph, s.Explained.Tone = "good", "ok", "good"
	}
	if a.Response != "" {
		s.Response = colour(a.Response)
	}
	return s
}

// mostCurl is the largest payload, in bytes, of a command to copy.
const mostCurl = 16 << 10

// curlOf is a command that sends a request like the attempt's, without its signatures; "" if there is no payload.
func curlOf(v commerce.DeliveryView, headers []webhooks.Header) string {
	if v.Payload == "" || len(v.Payload) > mostCurl || !json.Valid([]byte(v.Payload)) {
		return ""
	}
	var b strings.Builder
	b.WriteString("curl -i " + quoteShell(v.Endpoint.URL))
	for _, h := range headers {
		if !strings.HasSuffix(h.Name, "Signature") {
			b.WriteString(" \\\n  -H " + quoteShell(h.Name+": "+h.Value))
		}
	}
	b.WriteString(" \\\n  --data-binary " + quoteShell(v.Payload))
	return b.String()
}

// quoteShell is a text as one word of a shell.
func quoteShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
