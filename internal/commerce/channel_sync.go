package commerce

import (
	"context"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// SyncDraft is a caller's request for work on a channel (interface §4.5.7). Without names it is everything of its type.
type SyncDraft struct {
	Type        jobs.Type
	ExternalIDs []string // of orders to pull, as the platform names them
	SKUs        []string // whose stock is to be compared with the platform's
	marked      bool     // all items are marked (MarkForSync)
}

// MarkForSync precedes SyncChannel. For a channel with many items, it marks those that are to be compared with the
// platform, in short transactions, and notes that in the draft. If no job follows, a scheduled push compares them.
func (s *Service) MarkForSync(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel, draft *SyncDraft) error {
	mark, marks := draft.marks()
	if !marks {
		return nil
	}
	many := false
	err := store.Read(ctx, tenant, func(tx *db.Tx) (err error) {
		many, err = channelsync.AnyItems(tx, channel, s.itemsAtOnce())
		return err
	})
	if err != nil || !many {
		return err
	}
	draft.marked = true
	return before(ctx, s, store, tenant, func(tx *db.Tx, last string, orders int) (to string, err error) {
		return mark.Some(tx, channel, last, orders*textsAtOnce)
	})
}

// marks says how all items of the channel are marked for comparison with the platform, if they are.
func (d SyncDraft) marks() (mark channelsync.Change, marks bool) {
	if d.Type == jobs.ProductPush {
		return channelsync.Content, true
	}
	return channelsync.Looked, d.Type == jobs.StockPush && len(d.SKUs) == 0
}

// SyncChannel queues work on a channel (interface §4.5.7). At most one job of a type waits for a channel; a second
// request joins it. A new job waits for a moment, so that requests one after the other are one job. Errors: NotFound;
// Invalid for custom channels, which are never synchronised, and for inactive ones.
func (s *Service) SyncChannel(tx *db.Tx, channel id.Channel, draft SyncDraft) (jobs.Job, error) {
	c, err := channels.Lock(tx, channel)
	if err != nil {
		return jobs.Job{}, err
	}
	if c.Platform == channels.Custom {
		return jobs.Job{}, apperr.New(
			apperr.Invalid,
			"validation_failed",
			"a custom channel is never synchronised: its system calls this one",
		)
	}
	if !c.Receives() {
		return jobs.Job{}, apperr.New(apperr.Invalid, "channel_inactive", "the channel is inactive")
	}
	waits, err := jobs.PendingOnChannel(tx, draft.Type, c.ID)
	if err != nil {
		return jobs.Job{}, err
	}
	switch mark, marks := draft.marks(); {
	case marks && !draft.marked:
		mark.All(tx, c.ID)
	case draft.Type == jobs.StockPush && len(draft.SKUs) > 0:
		channelsync.MarkCheck(tx, c.ID, draft.SKUs)
	}
	input := jobInput{ExternalIDs: draft.ExternalIDs, SKUs: draft.SKUs}
	if waits != nil {
		if joined, err := joinJob(tx, waits, input); joined || err != nil {
			return *waits, err
		}
	}
	text, err := input.text()
	if err != nil {
		return jobs.Job{}, err
	}
	j := jobs.Insert(tx, jobs.Job{Type: draft.Type, Channel: c.ID, Total: int64(len(draft.ExternalIDs)), Input: text,
		DueAt: tx.Now().Add(burst).UnixMicro()})
	j.ChannelName, j.ChannelType = c.Name, c.Platform
	return j, nil
}
