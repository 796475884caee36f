package accounts

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// RevokeOfChannel makes the keys of a custom channel useless at once (interface §5.1).
func RevokeOfChannel(tx *db.Tx, channel id.Channel) {
	tx.Queue("UPDATE api_keys SET revoked_at = $3 WHERE tenant_id = $1 AND channel_id = $2::UUID AND revoked_at IS NULL", tx.Tenant, channel, tx.Micros())
}
