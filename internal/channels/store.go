package channels

import (
	"errors"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
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
	Oversell    string // "allow" or "reject": what an order does when stock is short
	CreatedAt   int64
	UpdatedAt   int64
	LastSyncAt  int64 // 0 for never, and for custom channels always
}

// Receives reports whether platform notifications are accepted in this state: in needs_reauth and expiring they are.
func (c Channel) Receives() bool { return c.Status != Inactive }

// ByID reads a channel. Errors: NotFound.
func ByID(tx *db.Tx, channel id.Channel) (Channel, error) {
	return table.One(tx, db.NoLock, "id = $2::UUID", channel)
}

// Lock reads a channel and locks it for a change. Errors: NotFound.
func Lock(tx *db.Tx, channel id.Channel) (Channel, error) {
	return table.One(tx, db.ForUpdate, "id = $2::UUID", channel)
}

// Missing is the error for a channel that the account does not have: NotFound.
func Missing() error { return table.Missing() }

// Keep queues a shared lock on a channel until the end of the transaction: if the channel does not exist at the
// commit, the transaction fails with NotFound. It comes before everything that locks an order or a customer. A
// transaction that has locked the channel's row does not need it, and must not queue it: LockToDelete takes the two
// in the other order.
func Keep(w db.Writer, channel id.Channel) { keep(w, channel, Missing()) }

// KeepChosen is Keep for a channel that the caller did not name: if it was deleted, the transaction runs again and
// chooses another.
func KeepChosen(w db.Writer, channel id.Channel) { keep(w, channel, nil) }

func keep(w db.Writer, channel id.Channel, gone error) {
	w.Share(lockName(channel))
	w.Require(1, gone, "SELECT 1 FROM channels WHERE tenant_id = $1 AND id = $2::UUID", w.TenantID(), channel)
}

// LockToDelete waits for all transactions that keep a channel, locks it exclusively, and reads it. Errors: NotFound.
func LockToDelete(tx *db.Tx, channel id.Channel) (Channel, error) {
	if err := tx.LockName(lockName(channel)); err != nil {
		return Channel{}, err
	}
	return Lock(tx, channel)
}

func lockName(channel id.Channel) string { return "channel " + string(channel) }

// Anywhere reads a channel of any account, because platforms name a channel without its account. It serves every
// tenant. Errors: NotFound.
func Anywhere(tx *db.Tx, channel id.Channel) (Channel, error) {
	return table.First(db.List(tx, table.Scanner(), table.Select("")+" WHERE id = $1::UUID", channel))
}

// List reads a page of channels, oldest first, and how many there are.
func List(tx *db.Tx, limit, offset int) ([]Channel, int64, error) {
	return table.Page(tx, db.NewWhere(tx, ""), "created_at, id", limit, offset)
}

// Insert writes a new channel.
func (c Channel) Insert(tx db.Writer) {
	c.CreatedAt, c.UpdatedAt = tx.Micros(), tx.Micros()
	table.Insert(tx, c)
}

// Save writes the changed fields of a locked channel.
func (c Channel) Save(tx db.Writer) {
	c.UpdatedAt = tx.Micros()
	c.SaveTokens(tx)
}

// SaveTokens is Save after the channel's tokens were renewed: for its merchant it is still the same version.
func (c Channel) SaveTokens(tx db.Writer) { table.Update(tx, &c, "id = $2::UUID", c.ID).Rows(1, nil) }

// Delete deletes a channel's row.
func Delete(tx db.Writer, channel id.Channel) {
	tx.Queue("DELETE FROM channels WHERE tenant_id = $1 AND id = $2::UUID", tx.TenantID(), channel).Rows(1, nil)
}

// ForgetSome deletes at most limit remembered notifications of a channel and returns how many it deleted.
func ForgetSome(tx *db.Tx, channel id.Channel, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM notifications WHERE tenant_id = $1 AND channel_id = $2::UUID AND key IN (SELECT key FROM notifications
		WHERE tenant_id = $1 AND channel_id = $2::UUID ORDER BY key LIMIT $3::BIGINT)`, tx.Tenant, channel, limit)
}

// AnyNotifications reports whether more than n notifications of a channel are remembered.
func AnyNotifications(tx *db.Tx, channel id.Channel, n int) (bool, error) {
	return db.MoreThan(tx, n, "notifications WHERE tenant_id = $1 AND channel_id = $2::UUID", channel)
}

// Forget queues the deletion of all remembered notifications of a channel.
func Forget(tx db.Writer, channel id.Channel) {
	tx.Queue("DELETE FROM notifications WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), channel)
}

// Seen remembers a notification by its delivery key until a time, and reports whether it was remembered before
// (interface §6.3). Of two at once, the second runs again and finds the first.
func Seen(tx *db.Tx, channel id.Channel, key string, until int64) (bool, error) {
	var expires int64
	err := tx.Row("SELECT expires_at FROM notifications WHERE tenant_id = $1 AND channel_id = $2::UUID AND key = $3",
		[]any{tx.Tenant, channel, key}, &expires)
	switch {
	case err == nil && expires > tx.Micros():
		return true, nil
	case err == nil:
		tx.Queue("UPDATE notifications SET expires_at = $4 WHERE tenant_id = $1 AND channel_id = $2::UUID AND key = $3",
			tx.Tenant, channel, key, until)
		return false, nil
	case !errors.Is(err, db.ErrNoRow):
		return false, err
	}
	tx.Queue("INSERT INTO notifications (tenant_id, channel_id, key, expires_at) VALUES ($1,$2,$3,$4)", tx.Tenant, channel, key, until).
		OrNothing().Rows(1, nil)
	return false, nil
}

// Synced queues that a channel was synchronised now.
func Synced(tx db.Writer, channel id.Channel) {
	tx.Queue("UPDATE channels SET last_sync_at = $3 WHERE tenant_id = $1 AND id = $2::UUID", tx.TenantID(), channel, tx.Micros())
}

// CountIn counts the account's channels with one of some statuses.
func CountIn(tx *db.Tx, statuses ...Status) (n int64, err error) {
	w := db.NewWhere(tx, "")
	db.AndIn(w, "status", statuses)
	return n, tx.Row("SELECT count(*) FROM channels WHERE "+w.String(), w.Args(), &n)
}
