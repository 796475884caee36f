package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/webhooks"
)

// WriteDelivery writes a delivery (interface §2.7.10).
func WriteDelivery(w *apijson.Writer, name string, d *webhooks.Delivery) {
	w.Record("Delivery", name)
	writeDeliveryMembers(w, d)
	w.End()
}

// DeliveryDetail is shown in addition by the read of one delivery.
type DeliveryDetail struct {
	Tries   []webhooks.Attempt
	Payload string // the envelope; "" after its retention
	URL     string
	Headers []webhooks.Header // of the newest attempt; nil if there is none, or its payload is not shown
}

// WriteDeliveryDetail writes a delivery with its attempts, and what the newest of them sent (interface §2.7.10).
func WriteDeliveryDetail(w *apijson.Writer, name string, d *webhooks.Delivery, detail DeliveryDetail) {
	w.Record("DeliveryWithAttempts", name)
	writeDeliveryMembers(w, d)
	if detail.Payload == "" {
		w.Null("payload")
	} else {
		w.RawLike("payload", detail.Payload, samplePayload)
	}
	if detail.Headers == nil {
		w.Null("request")
	} else {
		w.Record("DeliveryRequest", "request")
		w.Only("method", "POST")
		w.Text("url", detail.URL)
		w.List("headers")
		for _, h := range detail.Headers {
			w.Record("Header", "")
			w.Text("name", h.Name)
			w.Text("value", h.Value)
			w.End()
		}
		w.EndList()
		w.End()
	}
	w.List("attempts")
	for i := range detail.Tries {
		writeAttempt(w, &detail.Tries[i])
	}
	w.EndList()
	w.End()
}

func writeDeliveryMembers(w *apijson.Writer, d *webhooks.Delivery) {
	apijson.ID(w, "id", d.ID)
	apijson.ID(w, "endpointId", d.Endpoint)
	apijson.ID(w, "eventId", d.Event)
	w.Text("event", d.Name)
	w.TextOrNull("resourceId", d.Resource)
	apijson.Word(w, "status", d.State)
	w.Int("attemptCount", d.Attempts)
	w.MicrosOrNull("lastAttemptAt", d.AttemptedAt)
	w.IntOrNull("lastStatusCode", some(d.StatusCode))
	w.TextOrNull("lastError", d.Error)
	w.MicrosOrNull("nextAttemptAt", d.DueAt)
	w.Micros("createdAt", d.Position)
}

func samplePayload(w *apijson.Writer) {
	WriteEvent(w, "", SampleEvent, webhooks.OrderShipped, SampleTime, "{}")
}

// SampleDetail is the rest of SampleDelivery.
var SampleDetail = DeliveryDetail{Tries: SampleAttempts, URL: SampleEndpoint.URL,
	Payload: string(apijson.Example(samplePayload)),
	Headers: []webhooks.Header{{Name: "X-Webhook-Attempt", Value: "1"}, {Name: "X-Webhook-Signature", Value: "0d1d19389b5a…"}}}

// some is nil for 0.
func some(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// SampleDelivery is the delivery that describes the answers.
var SampleDelivery = webhooks.Delivery{ID: "019a1c52-7c1e-7d40-9a55-000000000006", Endpoint: SampleEndpoint.ID, Position: SampleTime,
	Event: "019a1c57-0000-7000-8000-00000000ee01",
	Name:  webhooks.OrderShipped, Resource: "019a1c52-7c1e-7d40-9a55-1f2e3d4c5b6a", State: webhooks.Pending,
	Attempts: 1, DueAt: SampleTime, AttemptedAt: SampleTime, StatusCode: 503, Error: "HTTP 503"}
