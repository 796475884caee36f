package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/audit"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/records"
)

// holdChannel locks a channel that an operation changes. Errors: NotFound; those of Expected.
func holdChannel(tx *db.Tx, channel id.Channel, expected Expected) (channels.Channel, error) {
	c, err := channels.Lock(tx, channel)
	if err == nil {
		err = expectChannel(tx, c, expected)
	}
	return c, err
}

// expectChannel compares a channel with the version that the caller expects. Errors: those of Expected.
func expectChannel(tx *db.Tx, c channels.Channel, expected Expected) error {
	sync, err := channelsync.ByChannel(tx, c.ID)
	if err != nil {
		return err
	}
	return expected.check(func(w *apijson.Writer) { records.WriteChannel(w, "data", c, sync) })
}

// UpdateChannel changes the members of a channel that the draft sets. Errors: NotFound; those of Expected; Invalid for
// invalid credentials.
func (s *Service) UpdateChannel(
	tx *db.Tx,
	who accounts.Caller,
	channel id.Channel,
	expected Expected,
	draft ChannelDraft,
) (channels.Channel, error) {
	c, err := holdChannel(tx, channel, expected)
	if err != nil {
		return c, err
	}
	if draft.Credentials != nil && c.Platform != channels.Custom {
		all, err := s.mergedCredentials(c, draft.Credentials)
		if err != nil {
			return c, err
		}
		if err := s.CheckCredentials(c.Platform, all, draft.NotText...); err != nil {
			return c, err
		}
		draft.Credentials = all
	}
	was := c.Status
	if err := s.apply(tx, &c, draft); err != nil {
		return c, err
	}
	if was == channels.Inactive && c.Status != was { // its webhooks were removed from the platform then
		channelsync.CheckNow(tx, channel)
		tx.Wake(SyncTopic)
	}
	c.UpdatedAt = tx.Micros()
	c.Save(tx)
	audit.Record(tx, who.Actor(), "channel.updated", "channel", string(c.ID), map[string]string{"status": string(c.Status)})
	return c, nil
}
