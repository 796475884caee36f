package commerce

import (
	"encoding/json"
	"maps"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// ChannelDraft is a caller's input for a channel (interface §4.5.7); in an update, nil members leave the channel's.
type ChannelDraft struct {
	Name        *string
	Platform    string
	Status      *channels.Status
	Credentials connector.Credentials // nil: none given; in an update, absent ones stay, and an empty one is removed
	NotText     []string              // credentials that were sent and are not text
	Settings    *string               // JSON object; in an update, absent members stay, and null takes one away
	Oversell    *string               // of a new channel; an update has it in the settings
}

// CreateChannel creates a channel. A custom one gets a key of its own, whose text is the third result and is shown
// only this once (interface §1, §5.1). Errors: Forbidden when a custom channel's key would have scopes that the caller
// lacks.
func (s *Service) CreateChannel(tx *db.Tx, who accounts.Caller, draft ChannelDraft) (channels.Channel, accounts.Key, string, error) {
	c := channels.Channel{
		Tenant:    tx.Tenant,
		ID:        id.New[id.Channel](),
		Platform:  draft.Platform,
		Status:    channels.Active,
		Settings:  "{}",
		Oversell:  "allow",
		CreatedAt: tx.Micros(),
		UpdatedAt: tx.Micros(),
	}
	maps.DeleteFunc(draft.Credentials, func(_, value string) bool { return value == "" })
	if draft.Credentials != nil {
		if known, ok := s.Connectors.ByPlatform(c.Platform); ok {
			draft.Credentials = maps.Clone(draft.Credentials)
			known.Profile().Entered(nil, draft.Credentials, tx.Now())
		}
	}
	if err := s.apply(tx, &c, draft); err != nil {
		return c, accounts.Key{}, "", err
	}
	c.Insert(tx)
	if platform, calls := s.platform(c.Platform); calls {
		channelsync.Begin(tx, c.ID, tx.Now().Add(s.pullEvery(settingsOf(c), platform.Capabilities())))
	}
	audit.Record(tx, who.Actor(), "channel.created", "channel", string(c.ID), map[string]string{"platform": c.Platform})
	if c.Platform != channels.Custom {
		return c, accounts.Key{}, "", nil
	}
	key, secret, err := s.CreateKey(tx, who, KeyDraft{Name: c.Name, Scopes: accounts.ChannelScopes, Channel: c.ID})
	return c, key, secret, err
}

func (s *Service) apply(tx *db.Tx, c *channels.Channel, draft ChannelDraft) error {
	if draft.Name != nil {
		c.Name = *draft.Name
	}
	switch {
	case draft.Status == nil || *draft.Status == c.Status:
	case *draft.Status != channels.Active && *draft.Status != channels.Inactive:
		return apperr.At("status", "must be active or inactive; the service itself sets the others")
	default:
		c.Status = *draft.Status
	}
	if draft.Settings != nil {
		c.Settings = *draft.Settings
	}
	if draft.Oversell != nil {
		c.Oversell = *draft.Oversell
	}
	if draft.Credentials != nil && c.Platform != channels.Custom {
		text, err := json.Marshal(draft.Credentials)
		if err != nil {
			panic(err) // a map of strings always encodes
		}
		if c.Credentials, err = s.Encrypt(tx, string(text), channels.Place(c.Tenant, c.ID)); err != nil {
			return err
		}
		if c.Status == channels.NeedsReauth || c.Status == channels.Expiring || c.Status == channels.Error {
			c.Status = channels.Active
		}
	}
	return nil
}
