package commerce

import (
	"context"

	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/idempotency"
	"entrepot/internal/orders"
)

// ChannelAnswers are the stored answers about a channel's orders, found before its deletion, which need not read all answers
// of the account then.
type ChannelAnswers struct {
	since   int64 // later answers may be missing
	records map[string]bool
	answers []idempotency.Ref
}

// FindChannelAnswers finds them on a snapshot, which delays no other work; nil if there are none: a platform's channel keeps
// its orders, unless force is set.
func (s *Service) FindChannelAnswers(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel, force bool) (
	found *ChannelAnswers, err error) {
	since := store.OldestWrite() // before the snapshot
	err = store.Read(ctx, tenant, func(tx *db.Tx) error {
		c, err := channels.ByID(tx, channel)
		if err != nil || c.Platform != channels.Custom && !force {
			return nil // the deletion says so, too
		}
		records, err := orders.RecordsOf(tx, channel)
		if err != nil {
			return err
		}
		found = &ChannelAnswers{since: since, records: map[string]bool{}}
		if len(records) == 0 {
			return nil
		}
		for _, r := range records {
			found.records[r] = true
		}
		found.answers, err = found.search(tx, 0)
		return err
	})
	return found, err
}

func (f *ChannelAnswers) search(tx *db.Tx, since int64) ([]idempotency.Ref, error) {
	return idempotency.Search(tx, since, func(r string) bool { return f.records[r] }, noForms, func(string) bool { return false })
}

// noForms is the beginning of no request.
const noForms = "none"

// now adds the answers that were stored since. known is false if the channel has orders or shipments now that it did not have
// when they were looked for.
func (f *ChannelAnswers) now(tx *db.Tx, channel id.Channel) (answers []idempotency.Ref, known bool, err error) {
	if f == nil || tx.Micros() < f.since {
		return nil, false, nil
	}
	records, err := orders.RecordsOf(tx, channel)
	if err != nil {
		return nil, false, err
	}
	for _, r := range records {
		if !f.records[r] {
			return nil, false, nil
		}
	}
	if len(records) == 0 {
		return nil, true, nil
	}
	later, err := f.search(tx, f.since)
	return append(f.answers, later...), true, err
}
