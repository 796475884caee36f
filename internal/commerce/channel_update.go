package commerce

import (
	"maps"
	"reflect"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
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

// UpdateChannel changes the members of a channel that the draft sets. FinishItems must follow. Errors: NotFound;
// those of Expected; Invalid for invalid credentials, or for another host without the secrets.
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
	was, before := c.Status, settingsOf(c)
	old := c
	if draft.Settings != nil {
		if err := changeSettings(&c, *draft.Settings); err != nil {
			return c, err
		}
		draft.Settings, draft.Oversell = nil, nil
	}
	moved, err := s.moved(old, c, &draft)
	if err != nil {
		return c, err
	}
	if draft.Credentials != nil && c.Platform != channels.Custom {
		all, err := s.enteredCredentials(c, draft.Credentials, tx.Now())
		if err != nil {
			return c, err
		}
		if err := s.CheckCredentials(c.Platform, all, draft.NotText...); err != nil {
			return c, err
		}
		draft.Credentials = all
		channelsync.ForgetShop(tx, channel)
		channelsync.CheckNow(tx, channel) // its webhooks may need another secret, or be those of another shop
		tx.Wake(SyncTopic)
	}
	if err := s.apply(tx, &c, draft); err != nil {
		return c, err
	}
	if err := s.forgetOtherShop(tx, old, c); err != nil {
		return c, err
	}
	// its webhooks were removed from the platform then, and its jobs have ended
	if was == channels.Inactive && c.Status != was {
		channelsync.CheckNow(tx, channel)
		channelsync.PullAt(tx, channel, tx.Micros())
		tx.Wake(SyncTopic)
	}
	if !reflect.DeepEqual(before.levelRules, settingsOf(c).levelRules) {
		if err := s.pushLevelsAgain(tx, c, !before.PushStock); err != nil {
			return c, err
		}
	}
	if err := s.pullEarlier(tx, c, before); err != nil {
		return c, err
	}
	if jsonvalue.Same(c.Settings, old.Settings) {
		c.Settings = old.Settings
	}
	if reflect.DeepEqual(c, old) {
		return c, nil
	}
	c.UpdatedAt = tx.Micros()
	c.Save(tx)
	details := map[string]string{"status": string(c.Status)}
	if old.Credentials != c.Credentials {
		details["credentials"] = "replaced"
	}
	audit.Record(tx, who.Actor(), "channel.updated", "channel", string(c.ID), details, append(audit.Diff(auditedChannel(old), auditedChannel(c)), moved...)...)
	return c, nil
}

// forgetOtherShop queues clearing what is known of a channel's products if it names another shop now: their old ids
// would change other products there. Its webhooks are registered there.
func (s *Service) forgetOtherShop(tx *db.Tx, before, now channels.Channel) error {
	if same, err := s.sameShop(before, now); same || err != nil {
		return err
	}
	channelsync.ForgetShop(tx, now.ID)
	if err := s.changeItems(tx, now.ID, jobs.ItemsForgotten); err != nil {
		return err
	}
	channelsync.CheckNow(tx, now.ID)
	tx.Wake(SyncTopic)
	return nil
}

// sameShop reports whether two versions of a channel name the same shop.
func (s *Service) sameShop(before, now channels.Channel) (bool, error) {
	known, ok := s.Connectors.ByPlatform(now.Platform)
	if !ok || before.Credentials == now.Credentials && before.Settings == now.Settings {
		return true, nil
	}
	was, err := s.Opened(before)
	if err != nil {
		return false, err
	}
	is, err := s.Opened(now)
	return err == nil && known.Profile().SameShop(was, is), err
}

// pushLevelsAgain queues a push of stock and prices after a change of the rules for them. With check, the platform's
// own stock is read first, because it was not pushed until now.
func (s *Service) pushLevelsAgain(tx *db.Tx, c channels.Channel, check bool) error {
	platform, calls := s.platform(c.Platform)
	if !calls {
		return nil
	}
	if err := s.changeItems(tx, c.ID, jobs.ItemsDue); err != nil {
		return err
	}
	if check {
		if err := s.changeItems(tx, c.ID, jobs.ItemsLookedAt); err != nil {
			return err
		}
	}
	if does := platform.Capabilities(); !c.Receives() || !does.Stock && !does.Prices {
		return nil
	}
	return queueOnce(tx, jobs.StockPush, c.ID, jobInput{Scheduled: true})
}

// pullEarlier moves a channel's next pull to the time of its settings. The pull begins anew if older orders are to
// come in or the platform's statuses have another meaning now.
func (s *Service) pullEarlier(tx *db.Tx, c channels.Channel, before channelSettings) error {
	platform, calls := s.platform(c.Platform)
	if !calls {
		return nil
	}
	now := settingsOf(c)
	if now.ordersFrom(c).Before(before.ordersFrom(c)) || !maps.Equal(now.StatusMap, before.StatusMap) {
		channelsync.PullAnew(tx, c.ID)
		tx.Wake(SyncTopic)
		return nil
	}
	state, err := channelsync.ByChannel(tx, c.ID)
	next := tx.Now().Add(s.pullEvery(now, platform.Capabilities())).UnixMicro()
	if err == nil && now.PullEvery != before.PullEvery && next < state.PullAt {
		channelsync.PullAt(tx, c.ID, next)
	}
	return err
}
