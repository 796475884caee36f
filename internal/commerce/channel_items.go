package commerce

import (
	"context"

	"entrepot/internal/base/id"
	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// changesOfItems are the changes that apply to all items of a channel: in steps, if there are many.
var changesOfItems = map[jobs.Type]channelsync.Change{
	jobs.ItemsForgotten: channelsync.Forgotten,
	jobs.ItemsDue:       channelsync.Compared,
	jobs.ItemsLookedAt:  channelsync.Looked,
}

// itemsAtOnce are how many items of a channel one transaction changes.
func (s *Service) itemsAtOnce() int { return s.atOnce() * textsAtOnce }

// changeItems changes all items of a channel. If there are many, it only begins, and FinishItems does the rest. A job
// of the channel that depends on the change finishes it first.
func (s *Service) changeItems(tx *db.Tx, channel id.Channel, kind jobs.Type) error {
	many, err := channelsync.AnyItems(tx, channel, s.itemsAtOnce())
	if err != nil {
		return err
	}
	if many {
		jobs.BeginAnew(tx, kind, string(channel))
		return nil
	}
	changesOfItems[kind].All(tx, channel)
	return nil
}

// FinishItems finishes all changes of a channel's items that have begun, in short transactions. Several processes may
// do it at once, and each returns when all is done.
func (s *Service) FinishItems(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel) error {
	return s.finishItems(ctx, store, tenant, channel, jobs.ItemsForgotten, jobs.ItemsDue, jobs.ItemsLookedAt)
}

// finishItems is FinishItems for some kinds.
func (s *Service) finishItems(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel, kinds ...jobs.Type) error {
	begun := make([]*jobs.Job, len(kinds))
	err := store.Read(ctx, tenant, func(tx *db.Tx) (err error) {
		for i, kind := range kinds {
			if begun[i], err = jobs.Operation(tx, kind, string(channel)); err != nil {
				return err
			}
		}
		return nil
	})
	for i, kind := range kinds {
		if err == nil && begun[i] != nil {
			err = s.finishChange(ctx, store, tenant, channel, kind)
		}
	}
	return err
}

// finishChange finishes one change in steps.
func (s *Service) finishChange(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel, kind jobs.Type) error {
	do := s.operation(store, tenant, kind, string(channel))
	for {
		more, err := do.step(ctx, func(tx *db.Tx, begun *jobs.Job) (more bool, err error) {
			begun.Cursor, err = changesOfItems[kind].Some(tx, channel, begun.Cursor, do.batch.Size*textsAtOnce)
			if more = begun.Cursor != ""; err == nil && !more {
				begun.LastStepDone(tx)
			}
			return more, err
		})
		if err != nil || !more {
			return orEnded(err)
		}
	}
}
