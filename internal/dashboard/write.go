package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
	"entrepot/internal/idempotency"
)

// kept is what is stored for a form's key: where the action redirected, or what it showed once.
type kept struct {
	To       string `json:"to,omitempty"`
	Flash    *flash `json:"flash,omitempty"`
	Resource string `json:"resource,omitempty"`
	Secret   string `json:"secret,omitempty"` // encrypted
}

// keyOf is the key under which the effect of a request is stored: that of the copy of the form together with its
// content and its user, so that a form that was changed and sent again is another action. "" if the form has no key.
func (r *request) keyOf() (key, space string) {
	given := r.http.PostForm.Get(keyName)
	if given == "" {
		return "", ""
	}
	sum := sha256.Sum256([]byte(given + "\x00" + r.caller().Actor() + "\x00" + r.http.PostForm.Encode()))
	return "form:" + hex.EncodeToString(sum[:]), "POST " + r.http.URL.Path
}

// write runs an operation in one transaction with the form's key: a second click has no second effect, and gets the
// first answer. The operation may run again after a race.
func (d *Dashboard) write(r *request, operation func(tx *db.Tx) (answer, error)) (out answer, err error) {
	_, err = d.once(r, func(tx *db.Tx) (k kept, err error) {
		out, err = operation(tx)
		return kept{To: out.to, Flash: out.flash}, err
	}, func(k kept) { out = answer{to: k.To, flash: k.Flash} })
	return out, err
}

// writeSecret is write for an operation that creates a secret, which its page shows once: what is stored for the
// form's key is encrypted. It returns the id of the new record, and the secret.
func (d *Dashboard) writeSecret(r *request,
	operation func(tx *db.Tx) (resource, secret string, err error)) (resource, secret string, err error) {
	key, space := r.keyOf()
	place := idempotency.Place(r.caller().Tenant, space, key)
	k, err := d.once(r, func(tx *db.Tx) (k kept, err error) {
		k.Resource, k.Secret, err = operation(tx)
		if err == nil {
			k.Secret, err = d.Commerce.Encrypt(tx, k.Secret, place)
		}
		return k, err
	}, nil)
	if err != nil {
		return "", "", err
	}
	secret, err = d.Commerce.Key.Decrypt(k.Secret, place)
	return k.Resource, secret, err
}

// once runs an operation unless its key was used, and returns what is stored; replayed, if given, receives what was
// stored before.
func (d *Dashboard) once(r *request, operation func(tx *db.Tx) (kept, error), replayed func(kept)) (k kept, err error) {
	key, space := r.keyOf()
	err = r.store().Write(r.http.Context(), r.caller().Tenant, func(tx *db.Tx) error {
		if key != "" {
			found, err := idempotency.Find(tx, key, space)
			if err != nil {
				return err
			}
			if found != nil {
				if err := json.Unmarshal([]byte(found.Body), &k); err != nil {
					return err
				}
				if replayed != nil {
					replayed(k)
				}
				return nil
			}
		}
		if r.stale != nil {
			return r.stale
		}
		r.caller().Require(tx)
		if k, err = operation(tx); err != nil || key == "" {
			return err
		}
		body, err := json.Marshal(k)
		if err == nil {
			idempotency.Save(tx, key, space, idempotency.Answer{Fingerprint: key, Status: http.StatusSeeOther, Body: string(body)})
		}
		return err
	})
	return k, err
}

// repeated answers an action on a missing record: if the same form was sent before and has deleted it, like that time,
// otherwise with the error.
func (d *Dashboard) repeated(r *request, missing error) (answer, error) {
	if !apperr.Is(missing, apperr.NotFound) {
		return answer{}, missing
	}
	return d.write(r, func(*db.Tx) (answer, error) { return answer{}, missing })
}
