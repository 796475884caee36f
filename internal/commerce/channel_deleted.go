package commerce

import (
	"context"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// Bounds of the search for orders that a shop has deleted for good.
const (
	lookedFor   = 300 // open orders checked in a pull: the next pull continues behind them
	mostDeleted = 3   // that are cancelled at once, unless more than as many others are still there
)

// lookedFact stores the order behind which the next search begins.
const lookedFact = "lookedForOrders"

// deletedThere is the note of an order that the platform has deleted.
const deletedThere = "deleted"

// dropDeleted cancels open orders that the shop has deleted for good, which no notification reports. Each pull checks
// some of them.
func (r *channelRun) dropDeleted(ctx context.Context) error {
	if _, can := r.session.(connector.OrderFinder); !can {
		return nil
	}
	var list []orders.OnPlatform
	err := r.write(ctx, func(tx *db.Tx) error {
		state, err := channelsync.Lock(tx, r.channel.ID)
		if err != nil {
			return err
		}
		facts := state.AllFacts()
		if list, err = orders.OpenOnPlatform(tx, r.channel.ID, id.Order(facts[lookedFact]), lookedFor); err != nil {
			return err
		}
		delete(facts, lookedFact)
		if len(list) == lookedFor {
			facts[lookedFact] = string(list[len(list)-1].ID)
		}
		channelsync.KeepFacts(tx, r.channel.ID, facts)
		return nil
	})
	if err != nil {
		return err
	}
	return r.dropGone(ctx, list, false)
}

// dropNotified is dropDeleted for the orders that notifications were about and that the pull did not see.
func (r *channelRun) dropNotified(ctx context.Context) error {
	if _, can := r.session.(connector.OrderFinder); !can {
		return nil
	}
	unseen := slices.DeleteFunc(slices.Clone(r.input.Notified), func(name string) bool { return r.seen[name] })
	var list []orders.OnPlatform
	err := r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
		list = nil
		for _, name := range unseen {
			known, err := orders.ByPlatformID(tx, r.channel.ID, name)
			if err != nil {
				return err
			}
			if known != "" {
				list = append(list, orders.OnPlatform{ID: known, PlatformID: name})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.dropGone(ctx, list, true)
}

// dropGone cancels those of some open orders that the shop no longer has. named says that the shop has named them.
// Otherwise it may be another shop, or one restored from an older backup, and nothing would say so. Therefore orders
// from before the channel's last change are only dropped if the shop has others of them, and many at once are not; a
// person decides about these.
func (r *channelRun) dropGone(ctx context.Context, list []orders.OnPlatform, named bool) error {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].PlatformID
	}
	if len(names) == 0 {
		return nil
	}
	gone, err := r.session.(connector.OrderFinder).Vanished(ctx, names)
	if err != nil { // the next pull looks again
		r.log().Info("looking for deleted orders", "channel", r.channel.ID, "error", err)
		return ctx.Err()
	}
	others := len(names) - len(gone)
	for _, o := range list {
		if !slices.Contains(gone, o.PlatformID) {
			continue
		}
		sure := named || len(gone) <= max(mostDeleted, others) && (others > 0 || o.RecordedAt > r.channel.UpdatedAt)
		if err := r.write(ctx, func(tx *db.Tx) error {
			changed, err := r.dropOrder(tx, o.PlatformID, sure)
			if changed {
				r.job.Updated++
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// dropOrder cancels an open order that the shop no longer has or, if that is not sure, flags it.
func (r *channelRun) dropOrder(tx *db.Tx, name string, sure bool) (changed bool, err error) {
	o, err := lockNewest(tx, r.channel.ID, name)
	if err != nil || o == nil || orders.Way(o.Status, orders.Cancelled) == nil {
		return false, err
	}
	known := o.Issues
	if !sure {
		orders.Flag(tx, o, orders.SyncConflict, "status", "the shop does not have the order any more: was it deleted there?")
		return r.announceIssues(tx, o, known), nil
	}
	o.PlatformStatus, o.SentStatus = deletedThere, "" // one that appears again is reopened
	if err := r.moveOrder(tx, accounts.Caller{}, o, Move{To: orders.Cancelled, Source: orders.FromChannel, Note: "deleted in the shop"}); err != nil {
		return false, err
	}
	o.Sync = orders.Sync{State: orders.Synced, UpdatedAt: tx.Micros()}
	orders.SaveSync(tx, o)
	return true, nil
}
