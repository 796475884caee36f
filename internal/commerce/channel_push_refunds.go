package commerce

import (
	"cmp"
	"context"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// queueRefundPush marks a new refund of a locked order as one that is to be pushed to the order's platform, and queues
// the push, if the channel's setting pushRefunds says so (interface §4.5.7). Call it before refund and order are saved.
func queueRefundPush(tx *db.Tx, who accounts.Caller, o *orders.Order, refund *orders.Refund) error {
	if o.PlatformID == "" || o.Channel == "" || refund.Amount <= 0 {
		return nil
	}
	c, err := channels.ByID(tx, o.Channel)
	switch {
	case apperr.Is(err, apperr.NotFound):
		return nil
	case err != nil:
		return err
	}
	if refund.Unsent = settingsOf(c).PushRefunds; refund.Unsent {
		pushToPlatform(tx, o, sourceOf(who))
	}
	return nil
}

// pushRefunds pushes an order's refunds that wait for it to its platform. One that it cannot record, or refuses, is left
// out with the reason; so is, without one, what waits when the setting is off by now.
func (r *channelRun) pushRefunds(ctx context.Context, o *orders.Order, ref connector.OrderRef) error {
	to, can := r.session.(connector.Refunder)
	for _, refund := range o.Refunds {
		if !refund.Unsent {
			continue
		}
		reason := cmp.Or(r.does.NoRefunds, "the platform takes no refunds from here")
		if can && r.settings.PushRefunds {
			external, err := to.PushRefund(ctx, ref, refundOf(o, refund))
			if err == nil {
				err = r.saveRefund(ctx, o, func(tx *db.Tx, now *orders.Order) { now.NameRefund(tx, refund.ID, external) })
				ref.Refunds = append(ref.Refunds, external)
			}
			f := connector.FailureOf(err)
			if f == nil {
				continue
			}
			if f.Kind != connector.Cannot && f.Kind != connector.Rejected && f.Kind != connector.Missing {
				return err
			}
			reason = "the refund of " + refund.Amount.Text(o.Currency) + " was not recorded there: " + f.Error()
		}
		if err := r.saveRefund(ctx, o, func(tx *db.Tx, now *orders.Order) { now.KeepRefund(tx, refund.ID) }); err != nil {
			return err
		}
		if r.settings.PushRefunds {
			ref.Unsent(reason)
		}
	}
	return nil
}

// saveRefund stores what became of the push of a refund, in a transaction of its own: what follows may fail.
func (r *channelRun) saveRefund(ctx context.Context, o *orders.Order, save func(tx *db.Tx, now *orders.Order)) error {
	err := r.write(ctx, func(tx *db.Tx) error {
		now, err := orders.Lock(tx, o.ID)
		if err == nil {
			save(tx, now)
		}
		return err
	})
	if apperr.Is(err, apperr.NotFound) {
		return nil
	}
	return err
}

// refundOf is a refund that was recorded here as the platform gets it.
func refundOf(o *orders.Order, r orders.Refund) connector.Refund {
	out := connector.Refund{Ours: r.ID, Amount: r.Amount, Reason: r.Reason, CreatedAt: time.UnixMicro(r.CreatedAt).UTC()}
	for _, l := range r.Lines {
		if line := o.Line(l.Line); line != nil && line.ExternalID != "" {
			out.Lines = append(out.Lines, connector.RefundLine{ExternalLine: line.ExternalID, Quantity: l.Quantity, Amount: l.Amount})
		}
	}
	return out
}
