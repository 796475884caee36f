package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/webhooks"
)

// writeAttempt writes one attempt of a delivery (interface §2.7.10).
func writeAttempt(w *apijson.Writer, t *webhooks.Attempt) {
	w.Record("Attempt", "")
	w.Micros("at", t.At)
	w.IntOrNull("statusCode", some(t.StatusCode))
	w.Int("durationMs", t.Duration)
	reason := t.Reason()
	apijson.Word(w, "reason", reason)
	w.Text("explanation", reason.Explain().What+" "+reason.Explain().Advice)
	w.TextOrNull("error", t.Error)
	w.TextOrNull("responseBody", t.Response)
	w.End()
}

// SampleAttempts are the attempts of SampleDelivery.
var SampleAttempts = []webhooks.Attempt{{Number: 1, At: SampleTime, StatusCode: 503, Duration: 84, Error: "HTTP 503",
	Response: "try later"}}
