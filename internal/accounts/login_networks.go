package accounts

import (
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// NetworkLife is for how long a network is known from which a user has logged in.
const NetworkLife = 30 * 24 * time.Hour

// rememberNetwork records that a user has logged in from a network, and forgets the user's old ones.
func rememberNetwork(tx db.Writer, user id.User, network string) {
	tx.Queue("DELETE FROM login_networks WHERE tenant_id = $1 AND user_id = $2::UUID AND used_at < $3", tx.TenantID(), user,
		tx.Now().Add(-NetworkLife).UnixMicro())
	if network != "" {
		tx.Queue(`INSERT INTO login_networks (tenant_id, user_id, network, used_at) VALUES ($1,$2,$3,$4)
			ON CONFLICT (tenant_id, user_id, network) DO UPDATE SET used_at = excluded.used_at`, tx.TenantID(), user, Hash(network), tx.Micros())
	}
}

// KnownNetwork reports whether somebody has logged in from a network lately, in any account, and whether a user has.
func KnownNetwork(tx *db.Tx, network string, user id.User) (any, own bool, err error) {
	err = tx.Each(func(r db.Rows) error {
		var who id.User
		err := r.Scan(&who)
		any, own = true, own || who == user
		return err
	}, "SELECT user_id FROM login_networks WHERE network = $1 AND used_at >= $2", Hash(network), tx.Now().Add(-NetworkLife).UnixMicro())
	return any, own, err
}
