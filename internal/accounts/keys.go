package accounts

import (
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Used notes when a key was last used.
func Used(tx *db.Tx, key id.Key, at time.Time) {
	tx.Queue("UPDATE api_keys SET last_used_at = $3 WHERE tenant_id = $1 AND id = $2", tx.Tenant, key, at.UnixMicro())
}
