package records

import (
	"entrepot/internal/apijson"
	"entrepot/internal/webhooks"
)

// WriteDelivery writes a delivery, with its attempts when they are given (interface §2.7.10).
func WriteDelivery(w *apijson.Writer, name string, d *webhooks.Delivery, tries []webhooks.Attempt) {
	w.Record(kind(tries == nil, "Delivery", "DeliveryWithAttempts"), name)
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
	if tries != nil {
		w.List("attempts")
		for i := range tries {
			writeAttempt(w, &tries[i])
		}
		w.EndList()
	}
	w.End()
}

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
