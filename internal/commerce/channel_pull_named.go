package commerce

import (
	"context"
	"slices"
	"time"

	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// pullAsked pulls the orders that a job is for: those that a caller named, those that changed, and those that
// notifications were about.
func (r *channelRun) pullAsked(ctx context.Context) error {
	if !r.does.Orders {
		return connector.Failf(connector.Cannot, "the platform gives no orders")
	}
	if len(r.input.ExternalIDs) > 0 {
		if err := r.pullNamed(ctx); err != nil || !r.input.All {
			return err
		}
	}
	resumed := r.job.Cursor != ""
	if r.input.Topic != "" && len(r.input.Notified) > 0 && !resumed {
		lately, err := r.pulledLately(ctx, r.restAfterPull())
		if err != nil {
			return err
		}
		if lately {
			return r.pullNotifiedAlone(ctx)
		}
	}
	if at, ok := placeOf(r.job); ok {
		if err := r.pullMeanwhile(ctx, at); err != nil {
			return err
		}
	}
	if err := r.pullOrders(ctx); err != nil {
		return err
	}
	if resumed && r.input.Topic != "" { // the resumed span may end before the notification; what must wait comes with the next pull
		if err := r.pullOrders(ctx); err != nil && !connector.Is(err, connector.Throttled) {
			return err
		}
	}
	return r.pullNotified(ctx)
}

// pulledLately reports whether the last pull of changes was less than a time ago.
func (r *channelRun) pulledLately(ctx context.Context, rest time.Duration) (bool, error) {
	if rest == 0 {
		return false, nil
	}
	state, err := r.state(ctx)
	return time.UnixMicro(state.PulledAt).Add(rest).After(r.store.Now()), err
}

// restAfterPull is the time after a pull of changes in which notified orders are read by their ids alone: the
// platform's lists may leave them out, or must not be asked for yet. 0 if the platform has no such time.
func (r *channelRun) restAfterPull() time.Duration {
	if tail := r.does.Time.Tail; tail > 0 {
		return max(tail+tailRest, r.does.Time.Every)
	}
	return r.does.Time.Every
}

// pullNotifiedAlone stores the orders that notifications were about, and has changes pulled as soon as that is due again.
func (r *channelRun) pullNotifiedAlone(ctx context.Context) error {
	if err := r.pullNotified(ctx); err != nil {
		return err
	}
	return r.write(ctx, func(tx *db.Tx) error {
		state, err := channelsync.Lock(tx, r.channel.ID)
		if err != nil {
			return err
		}
		channelsync.PullAt(tx, r.channel.ID, min(state.PullAt, time.UnixMicro(state.PulledAt).Add(r.restAfterPull()).UnixMicro()))
		return nil
	})
}

// pullNamed stores the orders that a caller named.
func (r *channelRun) pullNamed(ctx context.Context) error {
	for _, external := range r.input.ExternalIDs {
		order, err := r.session.PullOrder(ctx, external)
		switch f := connector.FailureOf(err); {
		case f == nil:
			if err := r.takePage(ctx, connector.OrderPage{Orders: []connector.Order{order}}, time.Time{}); err != nil {
				return err
			}
		case f.Kind == connector.Missing || f.Kind == connector.Rejected:
			r.fail("", external, string(f.Kind), f.Error())
		default:
			return err
		}
	}
	return nil
}

// pullMeanwhile stores the orders of notifications that came while a long pull waited, before it goes on: it may take hours to come to
// them.
func (r *channelRun) pullMeanwhile(ctx context.Context, at pullPlace) error {
	r.notified = at.Notified
	for _, name := range r.input.Notified[min(at.Notified, len(r.input.Notified)):] {
		if most := r.does.Batch.Notified; most > 0 && r.notified-at.Notified == most {
			break
		}
		if _, err := r.takeNotified(ctx, []string{name}); err != nil {
			return err
		}
		r.notified++
	}
	if at.Notified == r.notified {
		return nil
	}
	at.Notified = r.notified
	return r.keepPlace(ctx, at)
}

// pullNotified stores the orders that notifications were about, if the pull before may have missed the newest changes.
func (r *channelRun) pullNotified(ctx context.Context) error {
	if r.does.Time.Tail == 0 {
		return nil
	}
	names := r.input.Notified
	if most := r.does.Batch.Notified; most > 0 && len(names) > most { // the next pulls have the others
		names = names[:most]
	}
	for piece := range slices.Chunk(names, max(r.does.Batch.Orders, 1)) {
		taken, err := r.takeNotified(ctx, piece)
		if err != nil {
			return err
		}
		// One by one, so that one refused order does not keep the others out.
		for i := 0; !taken && len(piece) > 1 && i < len(piece); i++ {
			if _, err := r.takeNotified(ctx, piece[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeNotified stores orders by their ids, with one call. A missing order is no error; it is reported as not taken,
// and the next pull has it.
func (r *channelRun) takeNotified(ctx context.Context, names []string) (taken bool, err error) {
	var page connector.OrderPage
	if several, ok := r.session.(connector.OrderReader); ok && len(names) > 1 {
		page, err = several.ReadOrders(ctx, names)
	} else {
		var order connector.Order
		order, err = r.session.PullOrder(ctx, names[0])
		page.Orders = []connector.Order{order}
	}
	switch f := connector.FailureOf(err); {
	case f == nil:
		return true, r.takePage(ctx, page, r.ordersFrom())
	case f.Kind == connector.Missing || f.Kind == connector.Rejected || f.Kind == connector.Cannot:
		return false, nil
	}
	return false, err
}
