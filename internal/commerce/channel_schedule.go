package commerce

import (
	"context"
	"errors"
	"slices"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// SyncTopic is the topic on which the store wakes loops when work on a channel may be due.
const SyncTopic = "channel_sync"

// ScheduleChannels queues the work that is due for channels: scheduled pulls, and pushes of changes. It marks very
// many changes in several transactions, one of each channel at a time. It reports whether there was any work.
func (s *Service) ScheduleChannels(ctx context.Context, store *db.DB) (bool, error) {
	var due []channelsync.Waiting
	err := store.Read(ctx, db.Across, func(tx *db.Tx) (err error) {
		due, err = channelsync.Due(tx, scheduleBatch)
		return err
	})
	if err != nil {
		return false, err
	}
	worked, batch := len(due) > 0, s.newBatchSize(store)
	for len(due) > 0 {
		rest := due[:0]
		for _, w := range due {
			more, one := timed(ctx, store, w.Tenant, batch, func(tx *db.Tx) (bool, error) {
				more, err := s.scheduleChannel(tx, w, batch.Size*textsAtOnce)
				if apperr.Is(err, apperr.NotFound) {
					return false, nil
				}
				return more, err
			})
			if err = errors.Join(err, one); one == nil && more {
				rest = append(rest, w)
			}
		}
		due = rest
	}
	return worked, err
}

// scheduleChannel marks what changed in the account since the last run, at most limit changes of a kind, and queues
// one job for each kind of work that is due. more says that there are more changes.
func (s *Service) scheduleChannel(tx *db.Tx, w channelsync.Waiting, limit int) (more bool, err error) {
	c, err := channels.Lock(tx, w.Channel)
	if err != nil {
		return false, err
	}
	state, err := channelsync.Lock(tx, w.Channel)
	if err != nil {
		return false, err
	}
	platform, calls := s.platform(c.Platform)
	if !calls {
		state.PullAt, state.CheckAt, state.Clock = tx.Now().AddDate(10, 0, 0).UnixMicro(), 0, tx.Now().AddDate(10, 0, 0).UnixMicro()
		state.Save(tx)
		return false, nil
	}
	does, settings := platform.Capabilities(), settingsOf(c)
	if state.HookURL == "" || !does.Webhooks { // there are none, and nothing would set the time of the next check
		state.CheckAt = 0
	}
	var kinds []jobs.Type
	if state.PullAt <= tx.Micros() || state.CheckAt != 0 && state.CheckAt <= tx.Micros() {
		kinds = append(kinds, jobs.OrderPull)
		state.PullAt = tx.Now().Add(s.pullEvery(settings, does)).UnixMicro()
	}
	// While the channel is held, changes stay unread: once they are marked, nothing would make them due when the hold
	// ends.
	if state.HeldUntil <= tx.Micros() {
		due, all, err := s.markDue(tx, &state, does, limit)
		if err != nil {
			return false, err
		}
		kinds, more = append(kinds, dueKinds(due, does, settings)...), !all
	}
	state.Save(tx)
	for _, kind := range kinds {
		if err := queueOnce(tx, kind, w.Channel, jobInput{Scheduled: true}); err != nil {
			return false, err
		}
	}
	return more, nil
}

// markDue marks what changed in the account since the channel's clock, at most limit changes of a kind, and counts
// what is due to be pushed. all says that no change is left.
func (s *Service) markDue(tx *db.Tx, state *channelsync.State, does connector.Capabilities, limit int) (
	due channelsync.Counts, all bool, err error) {
	clock, err := channelsync.Clock(tx)
	if err == nil && clock > state.Clock {
		state.Clock, err = channelsync.MarkChanges(tx, state.Channel, state.Clock, clock, limit)
	}
	looks := false
	if err == nil && does.Watched {
		looks, err = s.lookDaily(tx, state)
	}
	if err != nil {
		return due, false, err
	}
	if state.PollAt <= tx.Micros() {
		state.PollAt = 0
	}
	due, err = channelsync.CountDue(tx, state.Channel)
	if looks { // the items are marked, or the job marks them
		due.Stock = max(due.Stock, 1)
	}
	return due, state.Clock >= clock, err
}

// looked is the name of the time of the last daily check of all products, on a platform that takes some off sale.
const looked = "looked"

// lookDaily marks all items of a channel once a day, and reports whether it is time for that. Notifications of what
// the platform does with them may get lost, or not be set up.
func (s *Service) lookDaily(tx *db.Tx, state *channelsync.State) (bool, error) {
	last := state.Since(looked)
	if last != 0 && time.UnixMicro(last).Add(24*time.Hour).After(tx.Now()) {
		return false, nil
	}
	state.SetSince(looked, tx.Micros())
	if last == 0 {
		return false, nil
	}
	return true, s.changeItems(tx, state.Channel, jobs.ItemsLookedAt)
}

func dueKinds(counts channelsync.Counts, does connector.Capabilities, settings channelSettings) (kinds []jobs.Type) {
	if counts.Orders > 0 {
		kinds = append(kinds, jobs.StatusPush)
	}
	if does.Products && counts.Publications+counts.Content > 0 || does.Async && counts.Operations+counts.Reviews > 0 {
		kinds = append(kinds, jobs.ProductPush)
	}
	if (does.Stock && settings.PushStock || does.Prices) && counts.Stock > 0 {
		kinds = append(kinds, jobs.StockPush)
	}
	return slices.Compact(kinds)
}
