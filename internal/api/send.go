package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/limits"
)

// Bounds of sending: an answer of more than sendStep bytes is sent in steps, each of which must take at most stepTime,
// all at most sendTime. The connection of a slower reader is closed, and its memory released.
const (
	sendStep = 256 << 10
	stepTime = 15 * time.Second
	sendTime = 3 * time.Minute
)

// statusHungUp is the status in log and metrics of requests whose caller did not wait for the answer. It is never sent.
const statusHungUp = 499

// failed logs errors that are not for callers and converts an error to an answer.
func (a *API) failed(r *request, err error) answer {
	if gone := r.ctx().Err(); gone != nil && (errors.Is(err, gone) || errors.Is(err, context.Canceled)) {
		return answer{status: statusHungUp}
	}
	out := failure(err, r.id)
	if out.status >= 500 && out.status != http.StatusServiceUnavailable {
		a.Log.Error("request failed", "id", r.id, "method", clip(r.http.Method, 32), "path", shownPath(r.http), "error", err)
	}
	return out
}

// Refuse answers a request that reaches no API, as while the store is not open yet, in the one error shape (interface
// §7).
func Refuse(w http.ResponseWriter, hr *http.Request, status int, refusal *apperr.Error) {
	r := &request{http: hr, out: w, id: RequestID(hr)}
	w.Header().Set("X-Request-Id", r.id)
	(&API{Config: Config{Now: time.Now}}).send(w, r, shaped(status, refusal, r.id))
}

func (a *API) send(w http.ResponseWriter, r *request, out answer) {
	h := w.Header()
	if !r.rated { // answered before the limit was read, and not read for this
		r.rate(limits.Off{}.Peek("", a.Now(), rates(accounts.Starter, nil)...))
	}
	for name, value := range out.header {
		h[name] = []string{value} // as the interface spells it: Set would make ETag Etag
	}
	if out.replay {
		h.Set("Idempotent-Replay", "true")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	if out.download != nil {
		a.sendFile(w, r, out.download)
		return
	}
	if size := out.size(); size > 0 {
		if h.Get("Content-Type") == "" {
			h.Set("Content-Type", "application/json; charset=utf-8")
		}
		h.Set("Content-Length", strconv.Itoa(size))
	}
	if out.status >= http.StatusBadRequest && out.status != http.StatusRequestTimeout {
		takeRest(w, r.http)
	}
	w.WriteHeader(out.status)
	if r.http.Method == http.MethodHead {
		return
	}
	control, last := http.NewResponseController(w), time.Now().Add(sendTime)
	write := func(part []byte) error {
		for step := range slices.Chunk(part, sendStep) {
			if out.size() > sendStep {
				// without a connection, in tests, nothing can stall
				_ = control.SetWriteDeadline(earlier(time.Now().Add(stepTime), last))
			}
			if _, err := w.Write(step); err != nil {
				return err
			}
		}
		return nil
	}
	if err := out.parts.Each(write); err != nil {
		return // the caller is gone
	}
	_ = write(out.body)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
