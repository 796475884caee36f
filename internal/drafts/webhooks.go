package drafts

import (
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
	"entrepot/internal/webhooks"
)

// readEvents reads a list of events: names of the catalogue, or *; nil if none is given.
func readEvents(o *apijson.Object, required bool) []string {
	f := o.Texts("events", required, len(webhooks.EventNames)+1, apijson.Text{Max: 64})
	o.Describe("events", apijson.SomeOf(append([]string{webhooks.All}, webhooks.EventNames...)...))
	if !f.Given() || len(o.Errors()) > 0 {
		return nil
	}
	if len(f.Value) == 0 {
		o.AddError("events", "must name at least one event")
	}
	for i, event := range f.Value {
		if event != webhooks.All && !slices.Contains(webhooks.EventNames, event) {
			o.AddError("events["+strconv.Itoa(i)+"]", "must be * or one of %s", strings.Join(webhooks.EventNames, ", "))
		}
	}
	return f.Value
}

// ReadEndpoint reads a new endpoint (interface §4.5.9).
func ReadEndpoint(o *apijson.Object) commerce.EndpointDraft {
	o.Record("CreateEndpoint")
	url := o.Text("url", apijson.Text{Required: true, Max: limits.MaxEndpointURL, Format: "uri"}).Value
	d := readEndpointParts(o)
	d.URL, d.Events = &url, readEvents(o, true)
	return d
}

// ReadEndpointChange reads a change of an endpoint; absent members stay.
func ReadEndpointChange(o *apijson.Object) commerce.EndpointDraft {
	o.Record("UpdateEndpoint")
	url := o.Text("url", apijson.Text{Min: 1, Max: limits.MaxEndpointURL, Format: "uri"}).Ptr()
	d := readEndpointParts(o)
	d.URL, d.Events = url, readEvents(o, false)
	o.NotNull("url", "events")
	return d
}

func readEndpointParts(o *apijson.Object) (d commerce.EndpointDraft) {
	if f := o.Text("description", apijson.Text{Max: limits.MaxEndpointAbout}); f.Set {
		d.Description = &f.Value // null empties it
	}
	d.Status = apijson.Enum(o, "status", false, webhooks.Statuses...).Ptr()
	d.Ordered = o.Bool("ordered").Ptr()
	return d
}

// Replay is a request to deliver events again.
type Replay struct {
	Span       commerce.Span
	Events     []string // nil: those that the endpoint is subscribed to
	OnlyFailed bool
}

// ReadReplay reads a replay (interface §4.5.9).
func ReadReplay(o *apijson.Object) (b Replay) {
	o.Record("ReplayEvents")
	b.Span = ReadTimes(o, true)
	b.Events = readEvents(o, false)
	if slices.Contains(b.Events, webhooks.All) {
		b.Events = nil
	}
	b.OnlyFailed = o.Bool("onlyFailed").Value
	return b
}

// ReadTimes reads from and to; the default of to is the end of time.
func ReadTimes(o *apijson.Object, required bool) commerce.Span {
	from := o.Time("from", required)
	to := o.Text("to", apijson.Text{Max: 64})
	o.Describe("to", apijson.AsTime)
	span := commerce.Span{To: farFuture}
	if from.Given() {
		span.From = from.Value.UnixMicro()
	}
	if to.Given() {
		at, ok := apijson.ParseTime(to.Value, true)
		if !ok {
			o.AddError("to", apijson.TimeMessage)
		} else if span.To = at.UnixMicro(); span.To < span.From {
			o.AddError("to", "must not be before from")
		}
	}
	return span
}

// farFuture is later than every event.
const farFuture = 1 << 61
