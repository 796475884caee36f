package commerce

import (
	"context"
	"errors"
	"slices"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// pushOrders sends the platform the newest status of the channel's orders. Statuses that the platform takes in
// batches are sent at the end, also if a push failed before.
func (r *channelRun) pushOrders(ctx context.Context) error {
	err := r.pushWaiting(ctx)
	if several, ok := r.session.(connector.Collector); ok && ctx.Err() == nil {
		err = errors.Join(err, several.Send(ctx))
	}
	return err
}

// mostForbidden is how many orders in a row may be refused for a missing right before the others wait, too.
const mostForbidden = 2

func (r *channelRun) pushWaiting(ctx context.Context) error {
	var after id.Order
	var forbidden error
	inRow := 0
	push := func(order id.Order, ahead connector.AheadReader) error {
		err := r.pushOrder(ctx, order, ahead)
		switch {
		case err == nil:
			inRow = 0
		case connector.Is(err, connector.Forbidden):
			if inRow++; inRow < mostForbidden { // it may be a right that other orders do not need
				if forbidden == nil {
					forbidden = err
				}
				return nil
			}
		}
		return err
	}
	for {
		var waiting []id.Order
		err := r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) (err error) {
			waiting, err = orders.AwaitSync(tx, r.channel.ID, after, 50)
			return err
		})
		if err != nil {
			return err
		}
		if len(waiting) == 0 {
			return forbidden
		}
		for piece := range slices.Chunk(waiting, max(r.does.Batch.Orders, 1)) {
			if err := r.pushPiece(ctx, piece, push); err != nil {
				return err
			}
		}
		after = waiting[len(waiting)-1]
	}
}

// pushPiece sends the statuses of some orders. If the platform can be asked about several at once, it reads them
// first.
func (r *channelRun) pushPiece(ctx context.Context, piece []id.Order, push func(id.Order, connector.AheadReader) error) error {
	ahead, err := r.readAhead(ctx, piece)
	if err != nil {
		return err
	}
	for _, order := range piece {
		if err := push(order, ahead); err != nil {
			return err
		}
	}
	return nil
}

// readAhead has the session read several orders that are about to be pushed; ahead is nil if it did not.
func (r *channelRun) readAhead(ctx context.Context, piece []id.Order) (ahead connector.AheadReader, err error) {
	ahead, ok := r.session.(connector.AheadReader)
	if !ok || len(piece) < 2 {
		return nil, nil
	}
	var externals []string
	err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
		externals = nil
		list, err := orders.ByIDs(tx, piece)
		for _, o := range list {
			if o.Status != orders.Pending {
				externals = append(externals, o.PlatformID)
			}
		}
		return err
	})
	if err != nil || len(externals) < 2 {
		return nil, err
	}
	if err = ahead.ReadAhead(ctx, externals); err != nil && connector.FailureOf(err).Lasting() && !connector.Is(err, connector.Unauthorized) {
		return nil, nil // each is read alone
	}
	return ahead, err
}

// pushOrder sends one order's status and stores the outcome. An order that changed meanwhile waits for its next push.
// So does an order for which the merchant has to act first: enter other credentials, give the key a right, open the
// shop again. An order that is refused after it was read ahead is read again, because it may have changed on the
// platform since.
func (r *channelRun) pushOrder(ctx context.Context, order id.Order, ahead connector.AheadReader) error {
	var o *orders.Order
	var deleted []orders.DeletedParcel
	var corrected []id.Shipment
	err := r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) (err error) {
		if err := r.stands(tx); err != nil {
			return err
		}
		if o, err = orders.ByID(tx, order); err != nil || o.PlatformID == "" || len(o.Shipments) == 0 {
			return err
		}
		deleted, corrected, err = orders.DeletedParcels(tx, order)
		return err
	})
	if apperr.Is(err, apperr.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	pushed := r.push(ctx, o, deleted, corrected)
	if ahead != nil && connector.Is(pushed, connector.Rejected) {
		if pushed = ahead.ReadAhead(ctx, []string{o.PlatformID}); pushed == nil {
			pushed = r.push(ctx, o, deleted, corrected)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f := connector.FailureOf(pushed)
	sync := syncAfter(f)
	if err := r.storeSync(ctx, o, sync, f == nil); err != nil {
		return err
	}
	switch {
	case connector.Is(pushed, connector.Underway):
		r.underway = true
		return nil
	case sync.State == orders.SyncPending:
		return pushed
	case sync.State == orders.SyncFailed:
		r.fail("", o.PlatformID, string(f.Kind), f.Error())
	}
	r.job.Processed++
	r.job.Updated++
	return nil
}

// syncAfter is the channelSync of an order after a push; f is nil if the push succeeded.
func syncAfter(f *connector.Failure) orders.Sync {
	switch {
	case f == nil:
		return orders.Sync{State: orders.Synced}
	case f.Kind == connector.Cannot:
		return orders.Sync{State: orders.SyncSkipped, Error: f.Error()}
	case !f.Lasting() || f.Kind == connector.Unauthorized || f.Kind == connector.Forbidden || f.Kind == connector.Underway:
		return orders.Sync{State: orders.SyncPending, Error: f.Error()}
	}
	return orders.Sync{State: orders.SyncFailed, Error: f.Error()}
}

// storeSync stores the outcome of the push of an order. If the order has changed since, it waits for another push.
func (r *channelRun) storeSync(ctx context.Context, pushed *orders.Order, sync orders.Sync, sent bool) error {
	err := r.write(ctx, func(tx *db.Tx) error {
		now, err := orders.Lock(tx, pushed.ID)
		if err != nil {
			return err
		}
		moved := now.UpdatedAt != pushed.UpdatedAt || now.Sync.State != orders.SyncPending
		if sent && (pushed.Status == orders.Shipped || pushed.Status == orders.Delivered) {
			// also if the order is another one here meanwhile, such as one whose shipment was deleted
			now.SentStatus = pushed.Status
		} else if moved {
			return nil
		}
		if !moved {
			sync.Attempts, sync.UpdatedAt = now.Sync.Attempts+1, tx.Micros()
			now.Sync = sync
		}
		orders.SaveSync(tx, now)
		return nil
	})
	if apperr.Is(err, apperr.NotFound) {
		return nil
	}
	return err
}

// push sends an order's refunds and its status to the platform. Errors: also Failure Cannot, after all other steps, for
// a refund or a parcel that the platform cannot show.
func (r *channelRun) push(ctx context.Context, o *orders.Order, deleted []orders.DeletedParcel, corrected []id.Shipment) error {
	unsent := ""
	ref := r.orderRef(o).WithUnsent(func(reason string) { unsent = reason })
	ref.Deleted = deletedHere(deleted)
	for i := range ref.Shipped {
		ref.Shipped[i].Corrected = slices.Contains(corrected, id.Shipment(ref.Shipped[i].Key))
	}
	if err := r.pushRefunds(ctx, o, ref); err != nil {
		return err
	}
	err := r.pushRef(ctx, o, ref)
	if (err == nil || connector.Is(err, connector.Cannot)) && unsent != "" {
		err = connector.Failf(connector.Cannot, "%s", unsent)
	}
	return err
}

// pushRef sends parcels first, so that the platform's message to the buyer about the status can name them.
func (r *channelRun) pushRef(ctx context.Context, o *orders.Order, ref connector.OrderRef) error {
	switch o.Status {
	case orders.Pending:
		return connector.Failf(connector.Cannot, "an order that waits for its payment is moved on the platform")
	case orders.Cancelled:
		return r.session.PushCancel(ctx, ref, lastNote(o))
	}
	if err := r.pushParcels(ctx, ref); err != nil {
		return err
	}
	if o.Status == orders.PartiallyShipped && !slices.Contains(r.does.Statuses, o.Status) {
		if slices.Contains(r.does.Statuses, orders.Processing) && slices.ContainsFunc(o.History, begunHere) {
			return r.session.PushStatus(ctx, ref, orders.Processing) // it may wait for its payment there still
		}
		return nil
	}
	if !slices.Contains(r.does.Statuses, o.Status) {
		return connector.Failf(connector.Cannot, "the platform has no status for %s", o.Status)
	}
	return r.session.PushStatus(ctx, ref, o.Status)
}

// begunHere reports whether a status change is one to PROCESSING of which the platform has to be notified.
func begunHere(e orders.Entry) bool {
	return e.Status == orders.Processing && e.Previous != "" && e.Source != orders.FromChannel
}

func (r *channelRun) pushParcels(ctx context.Context, ref connector.OrderRef) error {
	if !r.does.Tracking {
		return nil
	}
	for _, parcel := range ref.Shipped {
		if err := r.session.PushShipment(ctx, ref, parcel); err != nil {
			return err
		}
	}
	return nil
}

// orderRef identifies an order for its platform. Its shipped parcels leave out those that the platform packed itself.
func (r *channelRun) orderRef(o *orders.Order) connector.OrderRef {
	ref := connector.OrderRef{ExternalID: o.PlatformID, Number: orders.Number(o.Number), Currency: o.Currency, Packed: map[string]int64{}}
	for _, refund := range o.Refunds {
		if refund.ExternalID != "" {
			ref.Refunds = append(ref.Refunds, refund.ExternalID)
		}
	}
	left := map[id.Line]int64{}
	for _, l := range o.Lines {
		if !l.Fee {
			left[l.ID] = l.Quantity - l.Refunded
		}
	}
	for _, s := range o.Shipments {
		parcel := connector.Parcel{
			Key:       string(s.ID),
			Carrier:   s.Carrier,
			Number:    s.TrackingNumber,
			URL:       s.TrackingURL,
			ShippedAt: time.UnixMicro(s.ShippedAt).UTC(),
			Rest:      true,
		}
		for _, l := range s.Lines {
			left[l.Line] -= l.Quantity
			if line := o.Line(l.Line); line != nil && !line.Fee { // a caller may have shipped it with the goods
				parcel.Lines = append(
					parcel.Lines,
					connector.ParcelLine{ExternalLine: line.ExternalID, SKU: line.SKU, Quantity: l.Quantity},
				)
			}
		}
		for _, rest := range left {
			parcel.Rest = parcel.Rest && rest <= 0
		}
		if s.ExternalID == "" {
			ref.Shipped = append(ref.Shipped, parcel)
			continue
		}
		for _, l := range parcel.Lines {
			ref.Packed[l.ExternalLine] += l.Quantity
		}
	}
	return ref
}

// deletedHere reports whether a tracking number is that of a shipment that was made here and deleted; "" stands for a
// shipment without a number.
func deletedHere(deleted []orders.DeletedParcel) func(number string) bool {
	return func(number string) bool {
		return slices.ContainsFunc(deleted, func(d orders.DeletedParcel) bool { return d.Key == "" && d.Mark == numberMark(number) })
	}
}

// lastNote is the note of the order's last status change.
func lastNote(o *orders.Order) string {
	if len(o.History) == 0 {
		return ""
	}
	return o.History[len(o.History)-1].Note
}
