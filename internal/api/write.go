package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/idempotency"
	"entrepot/internal/limits"
)

// write runs an operation in one transaction with its Idempotency-Key: key and effect are one commit, and a replay
// answers the same bytes (interface §4.1). The operation renders its answer inside the transaction, and may run again
// after a race.
func (a *API) write(r *request, operation func(tx *db.Tx) (answer, error)) (answer, error) {
	k, err := a.keyOf(r)
	if err != nil {
		return answer{}, err
	}
	return a.writeUnder(r, k, a.store(r).Write, operation)
}

// writeUnder is write for a key that was read, in a transaction of the store's Write or WriteBulk.
func (a *API) writeUnder(r *request, k requestKey, write func(context.Context, id.Tenant, func(*db.Tx) error) error,
	operation func(tx *db.Tx) (answer, error)) (answer, error) {
	var out answer
	err := write(r.ctx(), r.caller.Tenant, func(tx *db.Tx) error {
		replayed, err := k.replay(k.prefetch(tx))
		if err != nil || replayed != nil {
			out = orNothing(replayed)
			return err
		}
		r.caller.Require(tx) // between the look-up and the commit lie the body, and the other pieces of a bulk request
		if out, err = operation(tx); err == nil {
			k.save(tx, out)
		}
		return err
	})
	return a.answered(r, k, out, err)
}

// get answers the record of the path's id, read on a snapshot; noun is the kind of record.
func get[T ~string](a *API, r *request, noun string, show func(tx *db.Tx, record T) (answer, error)) (out answer, err error) {
	record, err := pathID[T](r, "id", noun)
	if err != nil {
		return answer{}, err
	}
	err = a.read(r, func(tx *db.Tx) (err error) {
		out, err = show(tx, record)
		return err
	})
	return out, err
}

// missingFirst is the error of a request that is invalid itself, unless there is no record of the path's id: that is
// reported first. single serves the read of the record.
func (a *API) missingFirst(r *request, single func(*API, *request) (answer, error), invalid error) error {
	_, missing := single(a, r)
	return cmp.Or(missing, invalid)
}

// change runs an operation on the record of the path's id, in one transaction with the Idempotency-Key; noun is the
// kind of record. The operation receives what the caller expects of the record.
func change[T ~string](a *API, r *request, noun string, body *apijson.Object,
	operation func(tx *db.Tx, record T, expected commerce.Expected) (answer, error)) (answer, error) {
	record, err := pathID[T](r, "id", noun)
	if err != nil {
		return answer{}, err
	}
	expected := r.expected(body)
	return a.write(r, func(tx *db.Tx) (answer, error) { return operation(tx, record, expected) })
}

func orNothing(a *answer) answer {
	if a == nil {
		return answer{}
	}
	return *a
}

// requestKey is the Idempotency-Key of a request; it does nothing if there is none.
type requestKey struct {
	key, space, fingerprint string
	ofOrder                 bool     // the request is about an order
	order                   id.Order // the order of its path; "" if it creates one
}

func (a *API) keyOf(r *request) (k requestKey, err error) {
	if k.key, err = idempotencyKey(r.http.Header); err == nil && k.key != "" {
		k.space, k.fingerprint = r.http.Method+" "+r.http.URL.Path, r.body.Fingerprint()
		if r.route.secret {
			k.space += " by " + r.caller.Actor()
		}
		if k.ofOrder = strings.HasPrefix(r.http.URL.Path, "/api/v1/orders"); k.ofOrder {
			k.order, _ = id.Parse[id.Order](r.http.PathValue("id"))
		}
	}
	return k, err
}

func (k requestKey) prefetch(r db.Reader) *db.Pending[idempotency.Answers] {
	if k.key == "" {
		return nil
	}
	return idempotency.PrefetchAnswers(r, []string{k.key}, k.space)
}

// replay is the answer stored for the key; nil if the key is free.
func (k requestKey) replay(kept *db.Pending[idempotency.Answers]) (*answer, error) {
	answers, err := kept.Wait()
	found := answers.Of(k.key)
	if err != nil || found == nil {
		return nil, err
	}
	out, err := k.answer(found)
	return &out, err
}

func (k requestKey) save(w db.Writer, out answer) {
	if k.key != "" && out.status < 300 {
		idempotency.Save(w, k.key, k.space,
			idempotency.Answer{Fingerprint: k.fingerprint, Status: out.status, Body: string(out.body), Resource: out.resource})
	}
}

// answered is the answer of a request after its transaction.
func (a *API) answered(r *request, k requestKey, out answer, err error) (answer, error) {
	if f, refused := apperr.As(err); k.key != "" && refused && f.Kind != apperr.Unavailable && f.Kind != apperr.Unauthorized && f.Code != "idempotency_key_reused" {
		return a.refusedTwice(r, k, err)
	}
	return out, err
}

// refusedTwice looks up the key of a refused request once more: the reason for the refusal may be the effect of
// another request with the same key. That effect and its key are one commit, so a request that has met the effect
// finds the key.
func (a *API) refusedTwice(r *request, k requestKey, refusal error) (out answer, err error) {
	err = a.read(r, func(tx *db.Tx) error {
		tx.Last()
		replayed, err := k.replay(k.prefetch(tx))
		if err == nil && replayed == nil {
			err = refusal
		}
		out = orNothing(replayed)
		return err
	})
	return out, err
}

// outside runs a step of a write that must not be in a transaction: a call of a platform, the resolving of a name. It
// is skipped if the request's Idempotency-Key has an answer already, which the write then returns.
func (a *API) outside(r *request, step func() error) error {
	k, err := a.keyOf(r)
	if err != nil {
		return err
	}
	var answered bool
	if k.key != "" {
		err = a.read(r, func(tx *db.Tx) error {
			found, err := idempotency.Find(tx, k.key, k.space)
			answered = found != nil
			return err
		})
	}
	if err != nil || answered {
		return err
	}
	return step()
}

// answer is the stored answer, or 409 if the key was used with another body: it names the record that the answer is
// about, and its order.
func (k requestKey) answer(found *idempotency.Answer) (answer, error) {
	if found.Fingerprint != k.fingerprint {
		f := apperr.New(apperr.Conflict, "idempotency_key_reused", "this Idempotency-Key was used with another body")
		if found.Resource != "" {
			if k.ofOrder {
				f = f.With("orderId", cmp.Or(string(k.order), found.Resource))
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
