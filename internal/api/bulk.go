package api

import (
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/overload"
	"entrepot/internal/base/processors"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// sampleItemErrors is an errors[] for the description.
func sampleItemErrors() []records.ItemError {
	return []records.ItemError{{Index: 2, Key: "MUG-RED", Error: "price is required", Field: "price", Code: "required"}}
}

// writeUpdated writes the answer of a bulk update: {"data": {updated, notFound, errors[]}}.
func writeUpdated(w *apijson.Writer, out commerce.Updated) {
	w.Record("BulkUpdated", "data")
	w.Int("updated", int64(out.Updated))
	w.Int("notFound", int64(out.NotFound))
	records.WriteItemErrors(w, "errors", out.Errors, false)
	w.End()
}

// waits reports whether the caller asks to wait for the final outcome: Prefer: wait (RFC 7240).
func (r *request) waits() bool {
	for _, line := range r.http.Header["Prefer"] {
		for _, one := range strings.Split(line, ",") {
			name, _, _ := strings.Cut(one, ";")
			name, _, _ = strings.Cut(name, "=")
			if strings.EqualFold(strings.TrimSpace(name), "wait") {
				return true
			}
		}
	}
	return false
}

// bulk runs a bulk operation. Each of its pieces is planned on a snapshot and applied in a transaction of its own;
// with an Idempotency-Key there is one, together with the key (decision 17). The answer is rendered with the last
// piece; after an error the pieces before it stay.
func bulk[P any](a *API, r *request, operation *commerce.Bulk[P], apply func(tx *db.Tx, plan P) error,
	render func(plan P) answer) (out answer, err error) {
	k, err := a.keyOf(r)
	if err != nil {
		return answer{}, err
	}
	if k.key != "" {
		operation.Whole()
	}
	r.dropBody()
	pace := a.DB.NewPace()
	for times := pace.First(); operation.Next(times); times = pace.Next(r.ctx()) {
		out, err = inTurn(a, r, func() (answer, error) {
			// after an error the plan is made again in the transaction, which returns the error
			_ = a.read(r, operation.Prepare)
			return a.writeUnder(r, k, a.store(r).WriteBulk, func(tx *db.Tx) (answer, error) {
				plan, err := operation.Plan(tx)
				if err == nil {
					err = apply(tx, plan)
				}
				if err != nil || !operation.Last() {
					return answer{}, err
				}
				return render(plan), nil
			})
		})
		if err != nil || operation.Last() {
			break
		}
	}
	return out, err
}

// piecesAtOnce is how many pieces of bulk operations a node plans and stores at once: one of an account is planned
// while another one of it is stored, and half of them are for other accounts. More would only wait for the writer,
// with plans that are larger than what they are made of.
func piecesAtOnce() int64 { return int64(max(4, 2*processors.Count())) }

// inTurn runs a piece of a bulk operation when there is room for it, oldest first. The caller waits as long as it
// wants to: earlier pieces may be stored already.
func inTurn(a *API, r *request, run func() (answer, error)) (answer, error) {
	turn := a.pieces.Share(0)
	turn.Account, turn.Wait = r.share.Account, overload.Forever
	defer turn.Release()
	if err := a.pause(r, func() error { return turn.Grow(r.ctx(), 1) }); err != nil {
		return answer{}, err
	}
	return run()
}
