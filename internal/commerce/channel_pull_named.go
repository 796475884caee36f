package commerce

import (
	"context"
	"slices"
	"time"

	"entrepot/internal/connector"
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
	if r.input.Topic != "" && len(r.input.Notified) > 0 {
		if lately, err := r.pulledLately(ctx); err != nil {
			return err
		} else if lately {
			return r.pullNotified(ctx)
		}
	}
	resumed := r.job.Cursor != ""
	if err := r.pullOrders(ctx); err != nil {
		return err
	}
	if resumed && r.input.Topic != "" { // the resumed span may end before the notification
		if err := r.pullOrders(ctx); err != nil {
			return err
		}
	}
	return r.pullNotified(ctx)
}

// pulledLately reports whether the platform was asked for changes so recently that it must not be asked again yet.
func (r *channelRun) pulledLately(ctx context.Context) (bool, error) {
	every := r.does.Time.Every
	if every == 0 {
		return false, nil
	}
	state, err := r.state(ctx)
	return time.UnixMicro(state.PulledAt).Add(every).After(r.store.Now()), err
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

// pullNotified stores the orders that notifications were about, if the pull before left out the platform's newest changes.
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
