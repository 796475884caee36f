package commerce

import (
	"context"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// duplicateWindow is how long a platform's notification is remembered (interface §8).
const duplicateWindow = 24 * time.Hour

// Received is the outcome of a notification.
type Received struct {
	Ping      bool // an unsigned test call, without effect
	Verified  bool // the platform's signature is valid; also set with a later error
	Duplicate bool
	Outcome   connector.Outcome
}

// ChannelOf finds the channel that a platform's request names, of any account. Errors: NotFound when it is unknown or
// of another platform; Invalid when it is inactive.
func (s *Service) ChannelOf(tx *db.Tx, channel id.Channel, segment string) (channels.Channel, connector.Connector, error) {
	known, ok := s.Connectors.BySegment(segment)
	if !ok {
		return channels.Channel{}, nil, channels.Missing()
	}
	c, err := channels.Anywhere(tx, channel)
	if err != nil {
		return c, nil, err
	}
	if c.Platform != known.Profile().Platform {
		return c, nil, channels.Missing()
	}
	if !c.Receives() {
		return c, nil, apperr.New(apperr.Invalid, "channel_inactive", "the channel is inactive")
	}
	return c, known, nil
}

// ReceiveNotification verifies a platform's notification and queues the work that it requests, in one commit with the
// record that it was seen (interface §6.3). At most one job of each kind waits for a channel, and covers
// notifications that arrive while it waits. Errors: those of the connector.
func (s *Service) ReceiveNotification(ctx context.Context, store *db.DB, c channels.Channel, known connector.Connector,
	n connector.Notification) (Received, error) {
	if connector.IsPing(known, n) {
		return Received{Ping: true}, nil
	}
	opened, err := s.Opened(c)
	if err != nil {
		return Received{}, err
	}
	if err := known.Verify(ctx, opened, n); err != nil {
		return Received{}, err
	}
	verified := Received{Verified: true}
	if opened.Account, err = accountOf(ctx, store, c); err != nil {
		return verified, err
	}
	outcome, err := known.Read(opened, n)
	if err != nil {
		return verified, err
	}
	if outcome.Erase != nil { // before it is remembered as seen: erasing twice does no harm, not erasing would
		if err := s.erasePerson(ctx, store, c, *outcome.Erase); err != nil {
			return verified, err
		}
	}
	var out Received
	err = store.Write(ctx, c.Tenant, func(tx *db.Tx) error {
		out = Received{Verified: true, Outcome: outcome}
		channels.Keep(tx, c.ID)
		if outcome.DeliveryKey != "" {
			seen, err := channels.Seen(tx, c.ID, outcome.DeliveryKey, tx.Now().Add(duplicateWindow).UnixMicro())
			if err != nil || seen {
				out.Duplicate = seen
				return err
			}
		}
		return queueOutcome(tx, c.ID, outcome)
	})
	return out, err
}

// accountOf is the platform's id of a channel's account, "" before a test found it: the signatures of some platforms
// do not say for which account a notification is.
func accountOf(ctx context.Context, store *db.DB, c channels.Channel) (account string, err error) {
	err = store.Read(ctx, c.Tenant, func(tx *db.Tx) error {
		state, err := channelsync.ByChannel(tx, c.ID)
		account = state.Account()
		return err
	})
	return account, err
}

// queueOutcome queues the work that a notification asks for; nothing is done here.
func queueOutcome(tx *db.Tx, channel id.Channel, outcome connector.Outcome) error {
	switch {
	case outcome.State != "":
		c, err := channels.Lock(tx, channel)
		if err != nil {
			return err
		}
		if !c.Receives() { // it was deactivated while the notification was verified, and stays so
			return nil
		}
		c.Status = channels.Status(outcome.State)
		c.Save(tx)
	case outcome.Job != "":
		input := jobInput{Topic: outcome.Topic, Scheduled: true}
		if outcome.Job == connector.StockPush && outcome.ExternalID != "" {
			if _, err := channels.Lock(tx, channel); err != nil {
				return err
			}
			channelsync.MarkCheckExternal(tx, channel, outcome.ExternalID)
		}
		if outcome.Job == connector.OrderPull && outcome.ExternalID != "" {
			input.Notified = []string{outcome.ExternalID}
		}
		return queueOnce(tx, jobs.Type(outcome.Job), channel, input)
	}
	return nil
}
