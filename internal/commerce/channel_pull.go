package commerce

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/postal"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// pullPlace is the position from which a pull continues. Without a page it is the beginning.
type pullPlace struct {
	connector.Cursor
	// failed runs since the pull came here; runs that a crash ended do not count
	Failures int64 `json:"failures,omitempty"`
	Notified int   `json:"notified,omitempty"` // how many of the orders named by notifications were read
	// pages of changes are not read before; orders named by notifications are
	RestUntil int64 `json:"restUntil,omitempty"`
}

// placeOf is the position at which earlier runs of a pull stopped.
func placeOf(job jobs.Job) (at pullPlace) {
	if job.Type == jobs.OrderPull {
		_ = json.Unmarshal([]byte(job.Cursor), &at)
	}
	return at
}

// text is the position as a job's cursor.
func (at pullPlace) text() string {
	text, err := json.Marshal(at)
	if err != nil { // a time and texts always encode
		return ""
	}
	return string(text)
}

// pullOrders stores the channel's orders that changed on the platform.
func (r *channelRun) pullOrders(ctx context.Context) error {
	if !r.does.Orders {
		return connector.Failf(connector.Cannot, "the platform gives no orders")
	}
	state, err := r.state(ctx)
	if err != nil {
		return err
	}
	since := r.ordersFrom()
	if state.PulledUntil != 0 {
		since = time.UnixMicro(state.PulledUntil).UTC()
	}
	cursor := connector.Cursor{Since: since.Add(-r.does.Time.Overlap)}
	mine := r.job.Type == jobs.OrderPull // another job pulls as a side effect and moves no cursor
	left := placeOf(r.job)
	if mine && left.Page != "" && !left.Since.After(cursor.Since) { // unless pulls are to begin further back since
		cursor = left.Cursor
	}
	begunAt := cursor.Page
	anew := begunAt != "" // a page that an earlier run came to may have expired: then the pull begins anew, once
	for {
		requested := r.job.StartedAt
		page, err := r.session.PullOrders(ctx, cursor)
		if anew && connector.Is(err, connector.Rejected) {
			anew, begunAt, cursor.Page = false, "", ""
			continue
		}
		anew = false
		if connector.Is(err, connector.Throttled) && cursor.Page != begunAt {
			return r.goOnLater(ctx, connector.FailureOf(err).After)
		}
		if err != nil {
			return err
		}
		from := r.ordersFrom() // its first answer may show that the platform's clock is behind
		if state.PulledUntil == 0 && cursor.Page == "" && from.Before(cursor.Since) {
			cursor.Since = from
			continue
		}
		if err := r.takePage(ctx, page, from, requested); errors.Is(err, errErased) {
			continue
		} else if err != nil {
			return err
		}
		if page.Next == "" {
			return r.endPull(ctx, state, page.Until)
		}
		cursor.Page = page.Next
		if mine {
			if err := r.keepPlace(ctx, pullPlace{Cursor: cursor, Notified: placeOf(r.job).Notified}); err != nil {
				return err
			}
		}
		if err := r.store.Read(ctx, r.job.Tenant, r.stands); err != nil {
			return err
		}
	}
}

// endPull stores how far a pull came whose last page was read. state is the state before it; until is the time up to
// which the platform has returned all orders, if it says so.
func (r *channelRun) endPull(ctx context.Context, state channelsync.State, until time.Time) error {
	left := placeOf(r.job)
	r.job.Cursor = pullPlace{Failures: left.Failures, Notified: left.Notified}.text()
	return r.write(ctx, func(tx *db.Tx) error {
		channel, err := r.held(tx)
		if err != nil || settingsOf(channel).rereads(r.settings) { // then the next pull begins where they say
			return err
		}
		now, err := channelsync.Lock(tx, r.channel.ID)
		if err != nil {
			return err
		}
		pulled := state.PulledUntil
		if !until.IsZero() {
			pulled = max(pulled, until.UnixMicro())
		}
		channelsync.Begin(tx, r.channel.ID, tx.Now().Add(r.pullEvery()))
		next := tx.Now().Add(r.nextPull(state)).UnixMicro()
		// A pull that a notification or an outage made due soon stays due: another pull meanwhile may miss the same
		// changes.
		mine := r.job.Type == jobs.OrderPull
		if soon := tx.Now().Add(r.restAfterPull()).UnixMicro(); state.PullAt > tx.Micros() && (!mine || state.PullAt <= soon) {
			next = min(next, state.PullAt)
		}
		if now.PullAt != state.PullAt { // it was made due meanwhile
			next = min(next, now.PullAt)
		}
		channelsync.Pulled(tx, r.channel.ID, pulled, next)
		return nil
	})
}

// keepPlace stores the position from which the pull continues.
func (r *channelRun) keepPlace(ctx context.Context, at pullPlace) error {
	r.job.Cursor = at.text()
	return r.write(ctx, func(*db.Tx) error { return nil })
}

// goOnLater has a pull that has progressed continue from its position when the platform allows the next page. The
// pull before a push has no position to continue from: a pull of its own follows, for which the push waits.
func (r *channelRun) goOnLater(ctx context.Context, after time.Duration) error {
	if r.job.Type != jobs.OrderPull {
		if err := r.write(ctx, func(tx *db.Tx) error {
			return queueOnce(tx, jobs.OrderPull, r.channel.ID, jobInput{Scheduled: true})
		}); err != nil {
			return err
		}
	}
	return &pause{until: r.store.Now().Add(r.later(max(after, firstHold)))}
}

// ordersFrom is the time from which the channel's orders are pulled, by the platform's clock. A clock that is behind
// dates orders back, so the channel's creation is as much earlier there. A clock that is ahead changes nothing: an
// order from before the channel does no harm, and the date of an answer need not come from the clock that dates
// orders.
func (r *channelRun) ordersFrom() time.Time {
	from := r.settings.ordersFrom(r.channel)
	if r.settings.OrdersFrom.IsZero() {
		ahead, _ := r.client.Ahead()
		from = from.Add(min(ahead, 0))
	}
	return from
}

// tailRest is added to the time by which a platform's lists may be behind, so that the next pull has all of it.
const tailRest = 5 * time.Second

// nextPull is the time until the next scheduled pull. After a pull that a notification caused, it is short if pulls
// may miss the platform's newest changes, because other orders of the same moment may not have been in that pull. It
// is short after an outage, too, in which the pulls for notified orders failed.
func (r *channelRun) nextPull(before channelsync.State) time.Duration {
	every := r.pullEvery()
	outage := before.Since(string(jobs.OrderPull)) != 0
	if (r.input.Topic != "" || outage) && r.job.Type == jobs.OrderPull && r.does.Time.Tail > 0 {
		return min(every, r.restAfterPull())
	}
	return every
}

// takePage stores the orders of a page, except unknown ones that are older than a time. First it marks their items:
// shops reduce stock at other moments than orders are reserved here, so the platform's stock is read again. requested
// is the job's start as of before the page was requested. Errors: errErased.
func (r *channelRun) takePage(ctx context.Context, page connector.OrderPage, from time.Time, requested int64) error {
	for i := range page.Orders {
		order := &page.Orders[i]
		order.Clean()
		if ours, mapped := r.settings.StatusMap[order.Theirs]; mapped {
			order.Status = ours
		}
	}
	if err := r.nameLines(ctx, page.Orders); err != nil {
		return err
	}
	r.see(page)
	for _, unreadable := range page.Unreadable {
		r.fail("", unreadable.ExternalID, "unreadable", unreadable.Error)
	}
	for i := range page.Orders {
		order := &page.Orders[i]
		err := r.takeOrder(ctx, order, from, requested)
		switch refused, isRefusal := apperr.As(err); {
		case err == nil:
		case isRefusal && (refused.Kind == apperr.Invalid || refused.Kind == apperr.Conflict):
			if err := r.requireSince(ctx, requested); err != nil { // its buyer was erased at the same moment
				return err
			}
			r.fail("", order.ExternalID, refused.Code, refused.Message)
		case db.Lasting(err): // it must not delay all others
			r.log().Error("an order of a platform cannot be stored", "channel", r.channel.ID, "order", order.ExternalID, "error", err)
			r.fail("", order.ExternalID, "not_stored", "the order cannot be stored: the service's log says why")
		default:
			return err
		}
	}
	return r.write(ctx, func(*db.Tx) error { return nil })
}

// see notes which orders the run has read.
func (r *channelRun) see(page connector.OrderPage) {
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	for i := range page.Orders {
		r.seen[page.Orders[i].ExternalID] = true
	}
	for _, u := range page.Unreadable {
		r.seen[u.ExternalID] = true
	}
}

// takeOrder stores an order if it is new or changed.
func (r *channelRun) takeOrder(ctx context.Context, order *connector.Order, from time.Time, requested int64) error {
	news, err := r.isNews(ctx, *order, from)
	if err != nil || !news {
		return err
	}
	if err := r.readDetail(ctx, order); err != nil {
		switch connector.FailureOf(err).Kind {
		case connector.Rejected:
			r.fail("", order.ExternalID, "unreadable", err.Error())
		case connector.Missing: // it went away meanwhile
		default:
			return err
		}
		return nil
	}
	order.Clean() // read with it
	if err := r.write(ctx, func(tx *db.Tx) error {
		_, err := r.held(tx)
		if err == nil {
			channelsync.MarkCheck(tx, r.channel.ID, skusOfOrder(*order))
		}
		return err
	}); err != nil {
		return err
	}
	got, err := r.ReceiveOrder(ctx, r.store, r.channel, *order, r.unlessErased(requested), r.twins()...)
	switch {
	case errors.Is(err, errErased):
		return cmp.Or(r.requireSince(ctx, requested), err)
	case err != nil:
		return err
	case got.Created:
		r.job.Created++
	case got.Updated:
		r.job.Updated++
	default:
		return nil
	}
	r.job.Processed++
	return nil
}

// readDetail reads what the platform's lists leave out of an order.
func (r *channelRun) readDetail(ctx context.Context, order *connector.Order) error {
	if d, ok := r.session.(connector.Detailer); ok {
		return d.Detail(ctx, order)
	}
	return nil
}

// isNews reports whether this version of an order was not stored yet. Platforms write times to the second, so a
// content hash distinguishes two changes of one second.
func (r *channelRun) isNews(ctx context.Context, order connector.Order, from time.Time) (news bool, err error) {
	err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
		known, err := orders.ByPlatformID(tx, r.channel.ID, order.ExternalID)
		if err != nil {
			return err
		}
		if known == "" {
			made := order.CreatedAt
			if made.IsZero() { // some shops lose it: then it is as old as its last change
				made = order.UpdatedAt
			}
			news = made.IsZero() || !made.Before(from.Truncate(time.Second))
			if news {
				news, err = r.isOurs(tx, order, from)
			}
			return err
		}
		o, err := orders.ByID(tx, known)
		if err != nil {
			return err
		}
		switch at := micros(order.UpdatedAt); {
		case at == 0 || o.PlatformUpdatedAt == 0 || at > o.PlatformUpdatedAt:
			news = true
		case at == o.PlatformUpdatedAt:
			news = saysOther(o, order) || remapped(o, order)
		}
		return nil
	})
	if apperr.Is(err, apperr.NotFound) { // deleted meanwhile
		return false, nil
	}
	return news, err
}

// saysOther reports whether a version differs from the stored one of the same time.
func saysOther(o *orders.Order, in connector.Order) bool {
	known := 0
	for _, r := range o.Refunds {
		if r.ExternalID != "" {
			known++
		}
	}
	if o.PlatformStatus != in.Theirs || known != len(in.Refunds) || o.Total != in.Total {
		return true
	}
	for _, l := range in.Lines {
		if mine := o.LineOf(l.ExternalID); l.Amount >= 0 && (mine == nil || mine.Quantity != max(l.Quantity, 1) || mine.Total != l.Amount) {
			return true
		}
	}
	return in.ShipTo != nil && o.ShippingAddress != postal.Normal(placeJSON(*in.ShipTo))
}

// nameLines finds the SKUs of lines that have only the platform's ids.
func (r *channelRun) nameLines(ctx context.Context, list []connector.Order) error {
	return r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
		for i := range list {
			for j := range list[i].Lines {
				l := &list[i].Lines[j]
				if l.SKU != "" || l.Item.Product == "" {
					continue
				}
				sku, err := channelsync.SKUOf(tx, r.channel.ID, l.Item.Product, l.Item.Variant)
				if err != nil {
					return err
				}
				l.SKU = sku
			}
		}
		return nil
	})
}

func skusOfOrder(order connector.Order) (skus []string) {
	for _, l := range order.Lines {
		if l.SKU != "" {
			skus = append(skus, l.SKU)
		}
	}
	return skus
}
