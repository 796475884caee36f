package api

import (
	"strings"

	"entrepot/internal/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
)

// sampleItemErrors is an errors[] for the description.
func sampleItemErrors() []commerce.ItemError {
	return []commerce.ItemError{{Index: 2, Key: "MUG-RED", Error: "price is required", Field: "price", Code: "required"}}
}

// writeUpdated writes the answer of a bulk update: {"data": {updated, notFound, errors[]}}.
func writeUpdated(w *apijson.Writer, out commerce.Updated) {
	w.Record("BulkUpdated", "data")
	w.Int("updated", int64(out.Updated))
	w.Int("notFound", int64(out.NotFound))
	commerce.WriteItemFaults(w, "errors", out.Errors, false)
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

// bulk runs a bulk operation. Each of its pieces is planned on a snapshot and applied in a transaction of its own; with an Idempotency-Key
// there is one, together with the key (decision 143). The answer is rendered with the last piece; after an error the pieces before it stay.
func bulk[P any](a *API, r *request, operation *commerce.Bulk[P], apply func(tx *db.Tx, plan P) error,
	render func(plan P) answer) (out answer, err error) {
	k, err := a.keyOf(r)
	if err != nil {
		return answer{}, err
	}
	if k.key != "" {
		operation.Whole()
	}
	pace := a.DB.NewPace()
	for wide := false; operation.Next(wide); wide = pace.Next(r.ctx()) {
		_ = a.read(r, operation.Prepare) // after an error the plan is made again in the transaction, which returns the error
		out, err = a.writeUnder(r, k, a.DB.WriteBulk, func(tx *db.Tx) (answer, error) {
			plan, err := operation.Plan(tx)
			if err == nil {
				err = apply(tx, plan)
			}
			if err != nil || !operation.Last() {
				return answer{}, err
			}
			return render(plan), nil
		})
		if err != nil || operation.Last() {
			break
		}
	}
	return out, err
}
