package channels

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/secretbox"
)

// Place is the encryption context of a channel's credentials.
func Place(tenant id.Tenant, channel id.Channel) secretbox.Place {
	return secretbox.Place{Tenant: int64(tenant), Table: "channels", Column: "credentials", ID: string(channel)}
}
