package api

import (
	"net/http"
	"strconv"
	"time"

	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// sandboxRoutes are interface §6.2: the clock of sandbox accounts.
var sandboxRoutes = []*route{
	{method: "POST", path: "/api/v1/sandbox/clock", name: "moveSandboxClock", section: "6.2", summary: "Move a sandbox account's clock on",
		errors: []int{403},
		body:   func(o *apijson.Object) { readAdvance(o) },
		answer: data(func(w *apijson.Writer) { writeClock(w, time.Minute, time.Hour, records.SampleTime) }), serve: (*API).advanceClock},
}

// readAdvance reads how far: seconds, or a span such as "30m" or "24h".
func readAdvance(o *apijson.Object) time.Duration {
	o.Record("MoveClock")
	f := o.TextOrNumber("advance")
	if o.Describing() || len(o.Errors()) > 0 {
		return 0
	}
	by, err := time.ParseDuration(f)
	if seconds, bad := strconv.ParseFloat(f, 64); bad == nil {
		by, err = time.Duration(min(max(seconds, -1), limits.MaxAdvance.Seconds()+1)*float64(time.Second)), nil
	}
	if err != nil || by <= 0 || by > limits.MaxAdvance {
		o.Fault("advance", "must be seconds, or a span such as \"30m\" or \"24h\", up to a year")
	}
	return by
}

// advanceClock serves POST /api/v1/sandbox/clock: 200; 400, 403 without any write scope and outside of a sandbox.
func (a *API) advanceClock(r *request) (answer, error) {
	if !r.caller.MayWrite() {
		return answer{}, apperr.New(apperr.Forbidden, "missing_scope", "this needs a write scope, such as write:webhooks").With("requiredScope",
			"write:webhooks")
	}
	o := r.object()
	by := readAdvance(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		ahead, err := a.Commerce.AdvanceClock(tx, r.caller, by)
		return one(http.StatusOK, "", func(w *apijson.Writer) { writeClock(w, by, ahead, tx.Micros()) }), err
	})
}

func writeClock(w *apijson.Writer, by, ahead time.Duration, real int64) {
	w.Record("SandboxClock", "data")
	w.Int("advancedSeconds", int64(by/time.Second))
	w.Int("aheadSeconds", int64(ahead/time.Second))
	w.Micros("now", real+ahead.Microseconds())
	w.End()
}
