package commerce

import (
	"context"

	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/unfinished"
)

// changesOfItems are what is done to all items of a channel: in steps, if they are many.
var changesOfItems = map[unfinished.Kind]channelsync.Change{
	unfinished.ItemsForgotten: channelsync.Forgotten,
	unfinished.ItemsDue:       channelsync.Compared,
	unfinished.ItemsLooked:    channelsync.Looked,
}

// itemsAtOnce are how many items of a channel one transaction changes.
func (s *Service) itemsAtOnce() int { return s.atOnce() * textsAtOnce }

// changeItems does something to all items of a channel. If they are many, it only begins: FinishItems does the rest. A job of the channel
// that depends on it does so before anything else.
func (s *Service) changeItems(tx *db.Tx, channel id.Channel, kind unfinished.Kind) error {
	many, err := channelsync.AnyItems(tx, channel, s.itemsAtOnce())
	if err != nil {
		return err
	}
	if many {
		unfinished.BeginAnew(tx, kind, string(channel))
		return nil
	}
	changesOfItems[kind].All(tx, channel)
	return nil
}

// FinishItems does what has begun for all items of a channel and is not done, in short transactions. Several processes may do it at once,
// and each returns when all is done.
func (s *Service) FinishItems(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel) error {
	return s.finishItems(ctx, store, tenant, channel, unfinished.ItemsForgotten, unfinished.ItemsDue, unfinished.ItemsLooked)
}

// finishItems is FinishItems for some kinds.
func (s *Service) finishItems(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel, kinds ...unfinished.Kind) error {
	begun := make([]*unfinished.Operation, len(kinds))
	err := store.Read(ctx, tenant, func(tx *db.Tx) (err error) {
		for i, kind := range kinds {
			if begun[i], err = unfinished.Find(tx, kind, string(channel)); err != nil {
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

// finishChange does one change in steps.
func (s *Service) finishChange(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel, kind unfinished.Kind) error {
	do := &operation{store: store, tenant: tenant, kind: kind, subject: string(channel), stride: s.newStride(store)}
	for {
		more, err := do.step(ctx, func(tx *db.Tx, begun *unfinished.Operation) (more bool, err error) {
			begun.Place, err = changesOfItems[kind].Some(tx, channel, begun.Place, do.stride.Size*textsAtOnce)
			if more = begun.Place != ""; err == nil && !more {
				begun.End(tx)
			}
			return more, err
		})
		if err != nil || !more {
			return orEnded(err)
		}
	}
}
