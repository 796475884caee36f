package idempotency

import (
	"entrepot/internal/id"
	"entrepot/internal/secretbox"
)

// Place is where an encrypted answer belongs: to a request of that method, path and body.
func Place(tenant id.Tenant, space, fingerprint string) secretbox.Place {
	return secretbox.Place{Tenant: int64(tenant), Table: "idempotency_keys", Column: "answer", ID: space + " " + fingerprint}
}
