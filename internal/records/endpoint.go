package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/webhooks"
)

// WriteEndpoint writes an endpoint; its secret only when it is given (interface §2.7.10).
func WriteEndpoint(w *apijson.Writer, name string, e *webhooks.Endpoint, secret string) {
	w.Record(kind(secret == "", "Endpoint", "NewEndpoint"), name)
	writeEndpointMembers(w, e, secret)
	w.End()
}

// WriteEndpointRotation writes the answer to a rotation: the endpoint with its new secret, and until when the old one
// is used too.
func WriteEndpointRotation(w *apijson.Writer, e *webhooks.Endpoint, secret string) {
	w.Record("RotatedEndpoint", "data")
	writeEndpointMembers(w, e, secret)
	w.MicrosOrNull("previousSecretExpiresAt", e.OldSecretUntil)
	w.End()
}

func writeEndpointMembers(w *apijson.Writer, e *webhooks.Endpoint, secret string) {
	apijson.ID(w, "id", e.ID)
	w.Text("url", e.URL)
	apijson.Texts(w, "events", e.Events)
	w.TextOrNull("description", e.Description)
	apijson.Word(w, "status", e.State())
	w.TextOrNull("pausedReason", e.PausedReason())
	w.Bool("ordered", e.Ordered)
	if secret != "" {
		w.Text("secret", secret)
	}
	w.Micros("createdAt", e.CreatedAt)
	w.Micros("updatedAt", e.UpdatedAt)
}

// SampleEndpoint is the endpoint that describes the answers.
var SampleEndpoint = webhooks.Endpoint{ID: "019a1c52-7c1e-7d40-9a55-000000000005", URL: "https://shop.example/hooks/entrepot",
	Events:      []string{webhooks.OrderReceived, webhooks.OrderShipped},
	Description: "Shop", Status: webhooks.Active, OldSecretUntil: SampleTime, CreatedAt: SampleTime, UpdatedAt: SampleTime}
