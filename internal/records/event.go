package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/webhooks"
	"strings"
)

// NewEvent is an event with the data that a function writes.
func NewEvent(name, resource string, data func(*apijson.Writer)) webhooks.Event {
	return EventOf(name, resource, EventData(data))
}

// EventData is the JSON text that a function writes, for events that share their data.
func EventData(data func(*apijson.Writer)) []byte {
	w := apijson.NewWriter(512)
	data(w)
	return w.Bytes()
}

// EventOf is an event with data that is JSON text.
func EventOf(name, resource string, data []byte) webhooks.Event {
	return webhooks.Event{Name: name, Resource: resource, Body: func(event id.Event, at int64) string {
		w := apijson.NewWriter(len(data) + 160)
		WriteEvent(w, "", event, name, at, string(data))
		return string(w.Bytes())
	}}
}

// WriteEvent writes an event as endpoints receive it (interface §6.1); data is JSON text.
func WriteEvent(w *apijson.Writer, name string, event id.Event, kind string, at int64, data string) {
	w.Record("Event", name)
	apijson.ID(w, "id", event)
	w.Text("event", kind)
	w.Micros("timestamp", at)
	w.Raw("data", data)
	w.End()
}

// WriteLoggedEvent writes an event of the log: the envelope, and who made the change by which request (interface
// §4.5.9). Unless the caller may read what the event is about, its data is null.
func WriteLoggedEvent(w *apijson.Writer, name string, e *webhooks.Logged, readable bool) {
	data := ""
	if readable {
		data = e.Data()
	}
	w.Record("LoggedEvent", name)
	apijson.ID(w, "id", e.ID)
	w.Text("event", e.Name)
	w.Micros("timestamp", e.CreatedAt)
	w.RawObject("data", data)
	writeActor(w, e)
	w.TextOrNull("requestId", e.RequestID())
	w.End()
}

// writeActor writes who made a change: null in events from before it was recorded.
func writeActor(w *apijson.Writer, e *webhooks.Logged) {
	if e.Actor == "" {
		w.Null("actor")
		return
	}
	kind, which, _ := strings.Cut(e.Actor, ":")
	w.MayBeNull("actor")
	w.Record("EventActor", "actor")
	w.Text("type", kind)
	w.TextOrNull("id", which)
	w.TextOrNull("name", e.ActorName)
	w.End()
}

// SampleLogged is an event of the log.
func SampleLogged() *webhooks.Logged {
	return &webhooks.Logged{ID: SampleEvent, Name: webhooks.OrderShipped, CreatedAt: SampleTime, Payload: `{"data":{}}`,
		Actor: "key:019a1c52-7c1e-7d40-9a55-000000000002", ActorName: "ERP", Origin: "019a1c52-7c1e-7d40-9a55-000000000008"}
}

// WriteSampleEvent writes an event as endpoints receive it, with a record name for each kind.
func WriteSampleEvent(w *apijson.Writer, name string, k Kind) {
	w.Record(EventRecord(k.Event), name)
	apijson.ID(w, "id", SampleEvent)
	w.Only("event", k.Event)
	w.Micros("timestamp", SampleTime)
	w.RawLike("data", string(apijson.Example(k.Sample)), k.Sample)
	w.End()
}

// EventRecord is the record name of an event: OrderReceivedEvent for order.received.
func EventRecord(event string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(event, func(c rune) bool { return c == '.' || c == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String() + "Event"
}

// SampleEvent is the id of the event in samples.
const SampleEvent id.Event = "019a1c57-0000-7000-8000-00000000ee01"
