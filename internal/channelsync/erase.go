package channelsync

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// LastError is why a channel's work failed last, in the words of its platform, which may name a person.
type LastError struct {
	Channel id.Channel
	Text    string
}

// LastErrors are those of the account's channels that contain something.
func LastErrors(tx *db.Tx, contains func(text string) bool) (list []LastError, err error) {
	return list, tx.Each(func(r db.Rows) error {
		var e LastError
		err := r.Scan(&e.Channel, &e.Text)
		if err == nil && contains(e.Text) {
			list = append(list, e)
		}
		return err
	}, "SELECT channel_id, last_error FROM channel_syncs WHERE tenant_id = $1 AND last_error IS NOT NULL", tx.Tenant)
}

// Save queues a text that replaces the channel's present one.
func (e LastError) Save(tx db.Writer) {
	tx.Queue("UPDATE channel_syncs SET last_error = $3 WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), e.Channel, e.Text)
}
