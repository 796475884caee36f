package channels

import (
	"entrepot/internal/id"
	"entrepot/internal/seal"
)

// Place is where a channel's encrypted credentials belong.
func Place(tenant id.Tenant, channel id.Channel) seal.Place {
	return seal.Place{Tenant: int64(tenant), Table: "channels", Column: "credentials", ID: string(channel)}
}
