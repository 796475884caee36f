package commerce

import (
	"context"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/idempotency"
	"entrepot/internal/orders"
)

// ChannelAnswers are the stored answers about a channel's orders. They are found before its deletion, which need not
// read all answers of the account then.
type ChannelAnswers struct {
	since   int64 // later answers may be missing
	records map[string]bool
	answers map[string][]idempotency.Ref // by record
}

// FindChannelAnswers finds the answers on a snapshot, which delays no other work. It returns nil if the deletion
// needs none: a platform's channel keeps its orders unless force is set, and FinishChannelDeletion finds those of a
// channel with much.
func (s *Service) FindChannelAnswers(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel, force bool) (
	found *ChannelAnswers, err error) {
	since := store.OldestWrite() // before the snapshot
	err = store.Read(ctx, tenant, func(tx *db.Tx) error {
		c, err := channels.ByID(tx, channel)
		if err != nil || c.Platform != channels.Custom && !force {
			return nil // the deletion reports it, too
		}
		if much, err := s.hasMuch(tx, channel); much || err != nil {
			return err
		}
		found = &ChannelAnswers{since: since}
		return found.find(tx, channel)
	})
	return found, err
}

// find finds the answers about all orders of the channel.
func (f *ChannelAnswers) find(tx *db.Tx, channel id.Channel) error {
	list, err := orders.RecordsOf(tx, channel)
	if err != nil {
		return err
	}
	f.records, f.answers = setOf(list), map[string][]idempotency.Ref{}
	if len(list) > 0 {
		f.answers, err = idempotency.About(tx, 0, f.has)
	}
	return err
}

// findNewer adds the answers that were stored since.
func (f *ChannelAnswers) findNewer(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	since := store.OldestWrite() // before the snapshot
	return store.Read(ctx, tenant, func(tx *db.Tx) error {
		newer, err := idempotency.About(tx, f.since, f.has)
		for record, answers := range newer {
			f.answers[record] = append(f.answers[record], answers...)
		}
		f.since = max(f.since, since)
		return err
	})
}

func (f *ChannelAnswers) has(record string) bool { return f.records[record] }

// about returns the answers about some orders, which the transaction has locked, and about their shipments. If the
// search did not include one of the orders, it reads every answer of the account.
func (f *ChannelAnswers) about(tx *db.Tx, records []string) (answers []idempotency.Ref, err error) {
	since := int64(0)
	if f != nil && tx.Micros() >= f.since && !slices.ContainsFunc(records, func(r string) bool { return !f.records[r] }) {
		since = f.since
		for _, record := range records {
			answers = append(answers, f.answers[record]...)
		}
	}
	these := setOf(records)
	newer, err := idempotency.About(tx, since, func(record string) bool { return these[record] })
	for _, more := range newer {
		answers = append(answers, more...)
	}
	return answers, err
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, one := range list {
		set[one] = true
	}
	return set
}
