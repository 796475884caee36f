package api

import (
	"net/http"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// sandboxRoutes are interface §6.2: the clock of sandbox accounts.
var sandboxRoutes = []*route{
	{method: "POST", path: "/api/v1/sandbox/clock", name: "moveSandboxClock", section: "6.2", summary: "Move a sandbox account's clock on",
		errors: []int{403},
		body:   func(o *apijson.Object) { drafts.ReadAdvance(o) },
		answer: data(func(w *apijson.Writer) { writeClock(w, time.Minute, time.Hour, records.SampleTime) }), serve: (*API).moveSandboxClock},
}

// moveSandboxClock serves POST /api/v1/sandbox/clock: 200; 400, 403 without any write scope and outside of a sandbox.
func (a *API) moveSandboxClock(r *request) (answer, error) {
	if !r.caller.MayWrite() {
		return answer{}, apperr.New(apperr.Forbidden, "missing_scope", "this needs a write scope, such as write:webhooks").With("requiredScope",
			"write:webhooks")
	}
	o := r.object()
	by := drafts.ReadAdvance(o)
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
