package api

import (
	"net/http"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/db"
	"entrepot/internal/idempotency"
)

// writeSecret is write for an answer that shows a secret once: the answer is stored encrypted for its Idempotency-Key,
// so that keys and tokens are not readable in the store. The route must say that it is secret.
func (a *API) writeSecret(r *request, operation func(tx *db.Tx) (answer, error)) (answer, error) {
	k, err := a.keyOf(r)
	if err != nil || k.key == "" { // the answer is not stored
		return a.write(r, operation)
	}
	place := idempotency.Place(r.caller.Tenant, k.space, k.fingerprint)
	out, err := a.write(r, func(tx *db.Tx) (answer, error) {
		out, err := operation(tx)
		if err == nil {
			var encrypted string
			encrypted, err = a.Commerce.Encrypt(tx, string(out.body), place)
			out.body = []byte(encrypted)
		}
		return out, err
	})
	if err != nil {
		return answer{}, err
	}
	text, err := a.Commerce.Key.Decrypt(string(out.body), place)
	out.body = []byte(text)
	return out, err
}

// disguise replaces a body's passwords by a text that is costly to guess, before the body's fingerprint is stored for
// an Idempotency-Key; the other members stay as they were sent.
func (a *API) disguise(r *request) error {
	if r.http.Header.Get("Idempotency-Key") == "" {
		return nil
	}
	text, passwords := []byte{'{'}, ""
	for name, value := range r.body.All {
		if name := name.Text(); name == "password" || name == "currentPassword" {
			passwords += name + "\x00" + value.Source() + "\x00"
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(apijson.AppendText(text, name.Text()), ':')
		text = append(text, value.Source()...)
	}
	rest, err := jsonvalue.Parse(append(text, '}'))
	if err != nil || passwords == "" {
		return err
	}
	disguised, err := a.Commerce.Hashing.Disguise(r.ctx(), passwords, rest.Fingerprint())
	if err != nil {
		return err
	}
	w := apijson.NewWriter(256)
	w.Object("")
	w.Text("rest", rest.Fingerprint())
	w.Text("passwords", disguised)
	w.End()
	r.body, err = jsonvalue.Parse(w.Bytes())
	return err
}

// administers is the 403 for a user with a viewer's role, on routes that need a login and no scope (interface §4.5.8).
func (r *request) administers() error {
	if r.caller.Role == accounts.Viewer {
		return apperr.New(apperr.Forbidden, "missing_scope", "this needs a user with the role owner or admin").With("requiredScope", "role:admin")
	}
	return nil
}

// created is the 201 with a new record.
func created[T ~string](resource T, write func(w *apijson.Writer)) answer {
	return one(http.StatusCreated, string(resource), write)
}
