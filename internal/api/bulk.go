package api

import (
	"strings"

	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
)

// Bounds of bulk requests (interface §8).
const (
	maxImport  = 1000
	maxUpdates = 5000
)

// itemError makes the one error entry of a bulk item from all that is wrong with it (interface §2.7.4).
func itemError(index int, key string, faults []apperr.Detail) commerce.ItemError {
	f := commerce.ItemError{Index: index, Key: key, Field: faults[0].Path, Code: "invalid"}
	if faults[0].Message == "is required" || faults[0].Message == "must not be empty" {
		f.Code = "required"
	}
	texts := make([]string, len(faults))
	for i, d := range faults {
		texts[i] = strings.TrimSpace(d.Path + " " + d.Message)
	}
	f.Error = strings.Join(texts, "; ")
	return f
}

// sampleErrors is an errors[] for descriptions.
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

// waits reports whether the caller asks for the finished outcome: Prefer: wait (RFC 7240).
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

// planned runs a bulk operation in two steps. Its plan is made on a snapshot, so that what it reads and decides does not hold
// up the one writer of an embedded store; then act applies it in a transaction. If the operation has to run again, because the data
// changed meanwhile, or if the plan met an error, which an Idempotency-Key may know better, the plan is made in that transaction. One that
// has lost a race holds the account's change clock while it plans, else orders of the same SKUs would make it lose for ever; hold takes
// what must be locked before that.
func planned[P any](a *API, r *request, hold func(tx *db.Tx), plan func(tx *db.Tx) (P, error), act func(tx *db.Tx, p P) (answer, error)) (answer, error) {
	var p P
	err := a.read(r, func(tx *db.Tx) (err error) {
		p, err = plan(tx)
		return err
	})
	fresh := err == nil
	return a.write(r, func(tx *db.Tx) (answer, error) {
		if tx.Try() > 0 {
			hold(tx)
			if err := tx.LockClock(); err != nil {
				return answer{}, err
			}
		}
		if !fresh {
			if p, err = plan(tx); err != nil {
				return answer{}, err
			}
		}
		fresh = false
		return act(tx, p)
	})
}

// nothing is for planned: the operation locks nothing before the clock.
func nothing(*db.Tx) {}
