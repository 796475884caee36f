package webhooks

import (
	"entrepot/internal/id"
	"entrepot/internal/seal"
)

// Place is where an endpoint's encrypted signing secrets belong, the one in use and the one before it: a secret moves from one to the other
// as it is.
func Place(tenant id.Tenant, endpoint id.Endpoint) seal.Place {
	return seal.Place{Tenant: int64(tenant), Table: "endpoints", Column: "secret", ID: string(endpoint)}
}
