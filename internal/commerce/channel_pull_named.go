package commerce

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// pullAsked pulls the orders that a job is for: those that a caller named, those that changed, and those that
// notifications named.
func (r *channelRun) pullAsked(ctx context.Context) error {
	if !r.does.Orders {
		return connector.Failf(connector.Cannot, "the platform gives no orders")
	}
	at := placeOf(r.job)
	if until := time.UnixMicro(at.RestUntil); until.After(r.store.Now()) {
		return r.pullMeanwhile(ctx, until)
	}
	if len(r.input.ExternalIDs) > 0 {
		if err := r.pullNamed(ctx); err != nil || !r.input.All {
			return err
		}
	}
	resumed := at.Page != ""
	if r.input.Topic != "" && len(r.input.Notified) > 0 && !resumed {
		lately, err := r.pulledLately(ctx, r.restAfterPull())
		if err != nil {
			return err
		}
		if lately {
			return r.pullNotifiedAlone(ctx)
		}
	}
	var read notifiedRead
	var unread error
	// they need not wait for all pages, nor the pages for an order that the platform does not return
	if resumed || r.does.Time.Tail > 0 {
		read, unread = r.pullNotified(ctx)
		// lists have no limit of their own
		alike := connector.Is(unread, connector.Throttled) && r.does.Batch.Notified == 0
		if unread != nil && (alike || !connector.Is(unread, connector.Temporary, connector.Throttled)) {
			return unread
		}
	}
	err := r.pullOrders(ctx)
	if err == nil && resumed && r.input.Topic != "" { // the resumed span may end before the notification
		if err = r.pullOrders(ctx); connector.Is(err, connector.Throttled) { // what must wait comes with the next pull
			err = nil
		}
	}
	if read.more {
		return r.othersFirst(err)
	}
	if err != nil || unread != nil {
		return cmp.Or(err, unread)
	}
	for _, name := range read.missing { // they may be there by now
		if _, err := r.takeNotified(ctx, []string{name}); err != nil {
			return err
		}
	}
	if r.input.Topic != "" {
		return r.dropNotified(ctx)
	}
	return r.dropDeleted(ctx)
}

// othersFirst has the orders of further notifications read, because the pull that ended with err is done or has to
// wait.
func (r *channelRun) othersFirst(err error) error {
	at := placeOf(r.job)
	var rests *pause
	switch {
	case err == nil:
	case errors.As(err, &rests):
		at.RestUntil = rests.until.UnixMicro()
	case connector.Is(err, connector.Throttled):
		at.RestUntil = r.store.Now().Add(r.later(max(connector.FailureOf(err).After, firstHold))).UnixMicro()
	default:
		return err
	}
	r.job.Cursor = at.text()
	return &pause{until: r.store.Now()}
}

// pullMeanwhile stores the orders that notifications named while the pull has to wait until a time.
func (r *channelRun) pullMeanwhile(ctx context.Context, until time.Time) error {
	if r.restAfterPull() == 0 { // the pull has all of them, and the platform may be away
		return &pause{until: until}
	}
	read, err := r.pullNotified(ctx)
	switch {
	case read.more:
		until = r.store.Now()
	case connector.Is(err, connector.Temporary, connector.Throttled):
		until = r.store.Now().Add(max(until.Sub(r.store.Now()), r.later(connector.FailureOf(err).After)))
	case err != nil:
		return err
	}
	return &pause{until: until}
}

// pulledLately reports whether the last pull of changes was less than a time ago.
func (r *channelRun) pulledLately(ctx context.Context, rest time.Duration) (bool, error) {
	if rest == 0 {
		return false, nil
	}
	state, err := r.state(ctx)
	return time.UnixMicro(state.PulledAt).Add(rest).After(r.store.Now()), err
}

// restAfterPull is how long after a pull of changes notified orders are read by their ids alone: the platform's lists
// may leave them out, or must not be requested yet. 0 if the platform has no such time.
func (r *channelRun) restAfterPull() time.Duration {
	if tail := r.does.Time.Tail; tail > 0 {
		return max(tail+tailRest, r.does.Time.Every)
	}
	return r.does.Time.Every
}

// pullNotifiedAlone stores the orders that notifications named, and has changes pulled as soon as that is due again.
func (r *channelRun) pullNotifiedAlone(ctx context.Context) error {
	read, err := r.pullNotified(ctx)
	if err == nil && read.more {
		err = &pause{until: r.store.Now()}
	}
	if err == nil {
		err = r.dropNotified(ctx)
	}
	if err != nil {
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
		if err := r.untilStored(func(requested int64) error {
			order, err := r.session.PullOrder(ctx, external)
			switch f := connector.FailureOf(err); {
			case f == nil:
				return r.takePage(ctx, connector.OrderPage{Orders: []connector.Order{order}}, time.Time{}, requested)
			case f.Kind == connector.Missing || f.Kind == connector.Rejected:
				r.fail("", external, string(f.Kind), f.Error())
				return nil
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// notifiedRead is the outcome of a run for the orders that notifications named.
type notifiedRead struct {
	missing []string // the platform does not have them yet
	more    bool     // there are others, which a later run reads
}

// pullNotified stores the orders that notifications named, except those that earlier runs have read. One run reads
// only so many, so that the channel's other work comes in between.
func (r *channelRun) pullNotified(ctx context.Context) (read notifiedRead, err error) {
	at := placeOf(r.job)
	names := r.input.Notified[min(at.Notified, len(r.input.Notified)):]
	if most := r.does.Batch.Notified; most > 0 && len(names) > most {
		names, read.more = names[:most], true
	}
	for piece := range slices.Chunk(names, max(r.does.Batch.Orders, 1)) {
		taken, err := r.takeNotified(ctx, piece)
		if err != nil {
			return notifiedRead{}, err
		}
		if !taken && len(piece) == 1 {
			read.missing = append(read.missing, piece[0])
		}
		// One by one, so that one refused order does not delay the others.
		for i := 0; !taken && len(piece) > 1 && i < len(piece); i++ {
			if _, err := r.takeNotified(ctx, piece[i:i+1]); err != nil {
				return notifiedRead{}, err
			}
		}
		at.Notified += len(piece)
		if err := r.keepPlace(ctx, at); err != nil {
			return notifiedRead{}, err
		}
	}
	return read, nil
}

// takeNotified stores orders by their ids, with one call. A missing order is no error; it is reported as not stored,
// and the next pull has it.
func (r *channelRun) takeNotified(ctx context.Context, names []string) (taken bool, err error) {
	err = r.untilStored(func(requested int64) error {
		taken, err = r.takeNotifiedOnce(ctx, names, requested)
		return err
	})
	return taken, err
}

func (r *channelRun) takeNotifiedOnce(ctx context.Context, names []string, requested int64) (taken bool, err error) {
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
		return true, r.takePage(ctx, page, r.ordersFrom(), requested)
	case f.Kind == connector.Missing || f.Kind == connector.Rejected || f.Kind == connector.Cannot:
		return false, nil
	}
	return false, err
}
