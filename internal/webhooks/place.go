package webhooks

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/secretbox"
)

// Place is the encryption context of an endpoint's signing secrets, the present and the previous one: a secret moves
// from one to the other without being encrypted again.
func Place(tenant id.Tenant, endpoint id.Endpoint) secretbox.Place {
	return secretbox.Place{Tenant: int64(tenant), Table: "endpoints", Column: "secret", ID: string(endpoint)}
}
