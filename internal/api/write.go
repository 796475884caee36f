package api

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/idempotency"
	"entrepot/internal/limits"
)

// write runs an operation in one transaction together with its Idempotency-Key: key and effect are one commit, and a
// replay answers the same bytes (interface §4.1). The operation renders its answer inside, and may run again after a race.
func (a *API) write(r *request, act func(tx *db.Tx) (answer, error)) (answer, error) {
	return a.writeBy(a.DB.Write, r, func(tx *db.Tx) func() (answer, error) {
		return func() (answer, error) { return act(tx) }
	})
}

// change runs an operation on the record that the path names by its id, in one transaction with the Idempotency-Key: noun is what the id names.
// The operation gets what the caller expects of the record.
func change[T ~string](a *API, r *request, noun string, body *apijson.Object, act func(tx *db.Tx, record T, expected commerce.Expected) (answer, error)) (answer, error) {
	record, err := pathID[T](r, "id", noun)
	if err != nil {
		return answer{}, err
	}
	expected := r.expected(body)
	return a.write(r, func(tx *db.Tx) (answer, error) { return act(tx, record, expected) })
}

// optimisticWrite is write for an operation that bears db.DB.OptimisticWrite, and that first asks for what it needs to know, so that this
// travels in one message with the question for the Idempotency-Key. What ask gives is the operation itself; a replay leaves it out.
func (a *API) optimisticWrite(r *request, ask func(tx *db.Tx) func() (answer, error)) (answer, error) {
	return a.writeBy(a.DB.OptimisticWrite, r, ask)
}

func (a *API) writeBy(by func(context.Context, id.Tenant, func(*db.Tx) error) error, r *request, ask func(tx *db.Tx) func() (answer, error)) (answer, error) {
	key, err := idempotencyKey(r.http.Header)
	if err != nil {
		return answer{}, err
	}
	space, fingerprint := r.http.Method+" "+r.http.URL.Path, ""
	if key != "" {
		fingerprint = r.body.Fingerprint()
	}
	var out answer
	err = by(r.ctx(), r.caller.Tenant, func(tx *db.Tx) error {
		var kept func() (*idempotency.Answer, error)
		if key != "" {
			kept = idempotency.PrefetchFind(tx, key, space)
		}
		act := ask(tx)
		if key != "" {
			found, err := kept()
			if err != nil {
				return err
			}
			if found != nil {
				out, err = replay(found, fingerprint, r.http.URL.Path)
				return err
			}
		}
		var err error
		if out, err = act(); err != nil {
			return err
		}
		if key != "" && out.status < 300 {
			idempotency.Save(tx, key, space, idempotency.Answer{Fingerprint: fingerprint, Status: out.status, Body: string(out.body), Resource: out.resource})
		}
		return nil
	})
	if f, refused := apperr.As(err); key != "" && refused && f.Kind != apperr.Unavailable && f.Code != "idempotency_key_reused" {
		return a.refusedTwice(r, key, space, fingerprint, err)
	}
	return out, err
}

// refusedTwice looks for the key of a refused request once more: what refused it may be what another request with the same key has done
// since this one looked. That one's effect and its key are one commit, so whoever has met the effect finds the key.
func (a *API) refusedTwice(r *request, key, space, fingerprint string, refusal error) (out answer, err error) {
	err = a.read(r, func(tx *db.Tx) error {
		tx.Last()
		found, err := idempotency.Find(tx, key, space)
		switch {
		case err != nil:
			return err
		case found == nil:
			return refusal
		}
		out, err = replay(found, fingerprint, r.http.URL.Path)
		return err
	})
	return out, err
}

// replay says again what was said, or 409 when the key came with another body.
func replay(found *idempotency.Answer, fingerprint, path string) (answer, error) {
	if found.Fingerprint != fingerprint {
		f := apperr.New(apperr.Conflict, "idempotency_key_reused", "this Idempotency-Key was used with another body")
		if found.Resource != "" {
			if strings.HasPrefix(path, "/api/v1/orders") {
				f = f.With("orderId", found.Resource)
			}
			f = f.With("resourceId", found.Resource)
		}
		return answer{}, f
	}
	return answer{status: found.Status, body: []byte(found.Body), resource: found.Resource, replay: true}, nil
}

// idempotencyKey reads the header: 1 to 255 characters.
func idempotencyKey(h http.Header) (string, error) {
	values, given := h[http.CanonicalHeaderKey("Idempotency-Key")]
	if !given {
		return "", nil
	}
	key := strings.TrimSpace(values[0])
	switch n := utf8.RuneCountInString(key); {
	case n == 0 || n > limits.MaxKeyLength:
		return "", apperr.At("Idempotency-Key", "must have 1 to %d characters", limits.MaxKeyLength)
	case !utf8.ValidString(key) || strings.IndexByte(key, 0) >= 0:
		return "", apperr.At("Idempotency-Key", "must be valid UTF-8")
	}
	return key, nil
}
