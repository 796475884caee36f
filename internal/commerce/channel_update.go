package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/channels"
	"entrepot/internal/db"
)

// UpdateChannel changes what the draft names of a locked channel. Errors: Invalid for credentials that will not do.
func (s *Service) UpdateChannel(tx *db.Tx, who accounts.Caller, c channels.Channel, draft ChannelDraft) (channels.Channel, error) {
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
	if err := s.apply(tx, &c, draft); err != nil {
		return c, err
	}
	c.UpdatedAt = tx.Micros()
	c.Save(tx)
	audit.Record(tx, who.Actor(), "channel.updated", "channel", string(c.ID), map[string]string{"status": string(c.Status)})
	return c, nil
}
