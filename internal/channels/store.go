package channels

import (
	"errors"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Channel is one channel. Credentials are encrypted and never leave the service.
type Channel struct {
	Tenant      id.Tenant
	ID          id.Channel
	Name        string
	Platform    string
	Status      Status
	Credentials string // encrypted JSON object of texts, "" for none
	Settings    string // JSON object
	Oversell    string // "allow" or "reject": the setting an order looks at
	CreatedAt   int64
	UpdatedAt   int64
	LastSyncAt  int64 // 0 for never, and for custom channels always
}

// Receives reports whether platform notifications are taken in this state: needs_reauth and expiring still are.
func (c Channel) Receives() bool { return c.Status != Inactive }

const columns = "tenant_id, id, name, platform, status, credentials, settings, oversell, created_at, updated_at, last_sync_at"

func scan(r db.Rows) (c Channel, err error) {
	err = r.Scan(&c.Tenant, &c.ID, &c.Name, &c.Platform, &c.Status, &c.Credentials, &c.Settings, &c.Oversell, &c.CreatedAt, &c.UpdatedAt, db.Opt(&c.LastSyncAt))
	return c, err
}

// ByID reads a channel. Errors: NotFound.
func ByID(tx *db.Tx, channel id.Channel) (Channel, error) {
	return one(tx, "tenant_id = $1 AND id = $2::UUID", tx.Tenant, channel)
}

// Lock reads a channel for changing it. Errors: NotFound.
func Lock(tx *db.Tx, channel id.Channel) (Channel, error) {
	return one(tx, "tenant_id = $1 AND id = $2::UUID FOR UPDATE", tx.Tenant, channel)
}

// Keep holds a channel to the end of the transaction, without keeping others from doing the same: it is there when the transaction
// commits, else the transaction means gone (nil: it runs again). It is queued, and comes before everything that locks an order or a
// customer.
func Keep(tx *db.Tx, channel id.Channel, gone error) {
	tx.Share(lockName(channel))
	tx.Require("SELECT 1 FROM channels WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, channel).Rows(1, gone)
}

// LockToDelete waits for all who keep a channel, keeps others from doing so, and reads it. Errors: NotFound.
func LockToDelete(tx *db.Tx, channel id.Channel) (Channel, error) {
	if err := tx.LockName(lockName(channel)); err != nil {
		return Channel{}, err
	}
	return Lock(tx, channel)
}

func lockName(channel id.Channel) string { return "channel " + string(channel) }

// Anywhere reads a channel of any account: platforms name a channel without its account. It serves every tenant.
func Anywhere(tx *db.Tx, channel id.Channel) (Channel, error) {
	return one(tx, "id = $1::UUID", channel)
}

func one(tx *db.Tx, where string, args ...any) (Channel, error) {
	list, err := db.List(tx, scan, "SELECT "+columns+" FROM channels WHERE "+where, args...)
	if err == nil && len(list) == 0 {
		err = apperr.Missing("channel")
	}
	if err != nil {
		return Channel{}, err
	}
	return list[0], nil
}

// List reads a page of channels, oldest first, and how many there are.
func List(tx *db.Tx, limit, offset int) (list []Channel, total int64, err error) {
	if err := tx.Row("SELECT count(*) FROM channels WHERE tenant_id = $1", []any{tx.Tenant}, &total); err != nil {
		return nil, 0, err
	}
	list, err = db.List(tx, scan, "SELECT "+columns+" FROM channels WHERE tenant_id = $1 ORDER BY created_at, id LIMIT $2::BIGINT OFFSET $3::BIGINT", tx.Tenant, limit, offset)
	return list, total, err
}

// Insert writes a new channel.
func (c Channel) Insert(tx *db.Tx) {
	tx.Queue(`INSERT INTO channels (tenant_id, id, name, platform, status, credentials, settings, oversell, created_at, updated_at)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$9)`, tx.Tenant, c.ID, c.Name, c.Platform, c.Status, c.Credentials, c.Settings, c.Oversell, tx.Micros())
}

// Save writes a locked channel's changeable members.
func (c Channel) Save(tx *db.Tx) {
	tx.Queue(`UPDATE channels SET name = $3, status = $4, credentials = $5, settings = $6, oversell = $7, updated_at = $8 WHERE tenant_id = $1 AND id = $2::UUID`,
		tx.Tenant, c.ID, c.Name, c.Status, c.Credentials, c.Settings, c.Oversell, tx.Micros()).Rows(1, nil)
}

// Delete takes a channel's own row, its publications and the notifications seen away.
func Delete(tx *db.Tx, channel id.Channel) {
	tx.Change("DELETE FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.Tenant, channel)
	tx.Queue("DELETE FROM notifications WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.Tenant, channel)
	tx.Queue("DELETE FROM channels WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, channel).Rows(1, nil)
}

// Seen notes a notification by its delivery key and reports whether it was noted before, within the window that ends at until
// (interface §6.3). Two at once: the second runs again and finds the first.
func Seen(tx *db.Tx, channel id.Channel, key string, until int64) (bool, error) {
	var expires int64
	err := tx.Row("SELECT expires_at FROM notifications WHERE tenant_id = $1 AND channel_id = $2::UUID AND key = $3", []any{tx.Tenant, channel, key}, &expires)
	switch {
	case err == nil && expires > tx.Micros():
		return true, nil
	case err == nil:
		tx.Queue("UPDATE notifications SET expires_at = $4 WHERE tenant_id = $1 AND channel_id = $2::UUID AND key = $3", tx.Tenant, channel, key, until)
		return false, nil
	case !errors.Is(err, db.ErrNoRow):
		return false, err
	}
	tx.Queue("INSERT INTO notifications (tenant_id, channel_id, key, expires_at) VALUES ($1,$2,$3,$4) ON CONFLICT DO NOTHING", tx.Tenant, channel, key, until).Rows(1, nil)
	return false, nil
}
