package webhooks

import (
	"entrepot/internal/id"
	"entrepot/internal/secretbox"
)

// Place is where an endpoint's encrypted signing secrets belong, the one in use and the one before it: a secret moves from one to the other
// as it is.
func Place(tenant id.Tenant, endpoint id.Endpoint) secretbox.Place {
	return secretbox.Place{Tenant: int64(tenant), Table: "endpoints", Column: "secret", ID: string(endpoint)}
}
