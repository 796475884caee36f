package commerce

import (
	"context"
	"fmt"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/certificates"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/idempotency"
	"entrepot/internal/webhooks"
)

// The statements of this file serve every account.

// rotateBatch is how many secrets are encrypted again in one transaction.
const rotateBatch = 200

// secrets is a column of the store that holds encrypted values.
type secrets struct {
	what string
	// gives tenant, a row's keys as three texts, and the value of those not yet under $1 (the new key's prefix, for
	// LIKE); at most $2
	find   string
	update string // $1 tenant, $2 to $4 the row's keys, $5 the value
	place  func(tenant id.Tenant, keys [3]string) secretbox.Place
	drop   string // removes a row whose value opens with neither key; "" when that ends the rotation
}

func endpointPlace(tenant id.Tenant, keys [3]string) secretbox.Place {
	return webhooks.Place(tenant, id.Endpoint(keys[0]))
}

// allSecrets are all encrypted columns of the store.
var allSecrets = []secrets{
	{what: "the credentials of channel",
		find: `SELECT tenant_id, CAST(id AS TEXT), '', '', credentials FROM channels
			WHERE credentials <> '' AND credentials NOT LIKE $1 ORDER BY tenant_id, id LIMIT $2::BIGINT FOR UPDATE`,
		update: "UPDATE channels SET credentials = $5 WHERE tenant_id = $1 AND id = $2::UUID AND $3::TEXT = $4::TEXT",
		place: func(tenant id.Tenant, keys [3]string) secretbox.Place {
			return channels.Place(tenant, id.Channel(keys[0]))
		}},
	{what: "the signing secret of endpoint",
		find: `SELECT tenant_id, CAST(id AS TEXT), '', '', secret FROM endpoints
			WHERE secret <> '' AND secret NOT LIKE $1 ORDER BY tenant_id, id LIMIT $2::BIGINT FOR UPDATE`,
		update: "UPDATE endpoints SET secret = $5 WHERE tenant_id = $1 AND id = $2::UUID AND $3::TEXT = $4::TEXT",
		place:  endpointPlace},
	{what: "the former signing secret of endpoint",
		find: `SELECT tenant_id, CAST(id AS TEXT), '', '', old_secret FROM endpoints
			WHERE old_secret <> '' AND old_secret NOT LIKE $1 ORDER BY tenant_id, id LIMIT $2::BIGINT FOR UPDATE`,
		update: "UPDATE endpoints SET old_secret = $5 WHERE tenant_id = $1 AND id = $2::UUID AND $3::TEXT = $4::TEXT",
		place:  endpointPlace},
	{what: "the kept answer to",
		find: `SELECT tenant_id, key, space, fingerprint, answer FROM idempotency_keys
			WHERE (answer LIKE '________.%' OR answer LIKE '2.________.%') AND answer NOT LIKE '{%' AND answer NOT LIKE $1
			ORDER BY tenant_id, key, space LIMIT $2::BIGINT FOR UPDATE`,
		update: "UPDATE idempotency_keys SET answer = $5, checksum = NULL WHERE tenant_id = $1 AND key = $2 AND space = $3 AND fingerprint = $4",
		place: func(tenant id.Tenant, keys [3]string) secretbox.Place {
			return idempotency.Place(tenant, keys[1], keys[2])
		},
		drop: "DELETE FROM idempotency_keys WHERE tenant_id = $1 AND key = $2 AND space = $3 AND fingerprint = $4"},
	{what: "the service's own", // what does not open is ordered again
		find: `SELECT CAST(0 AS BIGINT), kind, name, '', secret FROM certificates
			WHERE secret <> '' AND secret NOT LIKE $1 ORDER BY kind, name LIMIT $2::BIGINT FOR UPDATE`,
		update: "UPDATE certificates SET secret = $5 WHERE $1::BIGINT = 0 AND kind = $2 AND name = $3 AND $4::TEXT = ''",
		place: func(_ id.Tenant, keys [3]string) secretbox.Place {
			return certificates.Place(certificates.Kind(keys[0]), keys[1])
		},
		drop: "DELETE FROM certificates WHERE $1::BIGINT = 0 AND kind = $2 AND name = $3 AND $4::TEXT = ''"},
}

// RotateStoreKey replaces the store's master key: every secret is decrypted with the old key and encrypted with the
// new one, bound to its record. It first makes the new key the store's, so that no node writes with the old one any
// more, then encrypts the secrets again in small transactions, and records the end. If it is interrupted, the next
// call with the same keys continues; calling it again after the end does nothing. It returns how many secrets it
// encrypted. Errors: the store has other keys; neither key decrypts the secret of a channel or endpoint, which is
// named.
func RotateStoreKey(ctx context.Context, store *db.DB, old, key secretbox.Key) (encrypted int, err error) {
	err = store.Write(ctx, db.Across, func(tx *db.Tx) error {
		have, err := accounts.HoldStoreKey(tx)
		if err != nil || have == key.ID() {
			return err
		}
		if have != old.ID() {
			return fmt.Errorf(
				"the store's secrets are encrypted with the master key %q, neither with the old one given (%s) nor with the new one (%s)", have,
				old.ID(), key.ID())
		}
		accounts.ReplaceStoreKey(tx, old.ID(), key.ID())
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, s := range allSecrets {
		for {
			n, err := s.rotate(ctx, store, old, key)
			if err != nil {
				return encrypted, err
			}
			if encrypted += n; n == 0 {
				break
			}
		}
	}
	return encrypted, store.Write(ctx, db.Across, func(tx *db.Tx) error {
		accounts.ForgetRetiredKeys(tx)
		return nil
	})
}

// row is one encrypted value.
type row struct {
	tenant id.Tenant
	keys   [3]string
	value  string
}

// rotate encrypts one batch and returns how many values it changed or dropped; 0 when none is left.
func (s secrets) rotate(ctx context.Context, store *db.DB, old, key secretbox.Key) (n int, err error) {
	err = store.Write(ctx, db.Across, func(tx *db.Tx) error {
		rows, err := db.List(tx, func(r db.Rows) (one row, err error) {
			return one, r.Scan(&one.tenant, &one.keys[0], &one.keys[1], &one.keys[2], &one.value)
		}, s.find, key.Prefix()+"%", rotateBatch)
		if err != nil {
			return err
		}
		n = len(rows)
		for _, one := range rows {
			with := old
			if secretbox.KeyOf(one.value) == key.ID() {
				with = key // from versions that did not bind values to their places
			}
			place := s.place(one.tenant, one.keys)
			text, err := with.Decrypt(one.value, place)
			switch {
			case err == nil:
				tx.Queue(s.update, one.tenant, one.keys[0], one.keys[1], one.keys[2], key.Encrypt(text, place)).Rows(1, nil)
			case s.drop != "":
				tx.Queue(s.drop, one.tenant, one.keys[0], one.keys[1], one.keys[2])
			default:
				return fmt.Errorf("%s %s cannot be opened with the old master key: %w", s.what, one.keys[0], err)
			}
		}
		return nil
	})
	return n, err
}
