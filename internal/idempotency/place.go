package idempotency

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/secretbox"
)

// Place is the encryption context of an answer: the method, path and body of its request.
func Place(tenant id.Tenant, space, fingerprint string) secretbox.Place {
	return secretbox.Place{Tenant: int64(tenant), Table: "idempotency_keys", Column: "answer", ID: space + " " + fingerprint}
}
