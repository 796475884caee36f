package importer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"entrepot/internal/limits"
)

// pump makes, sends and settles everything. One goroutine makes chunks, several send them, and the caller's settles
// their outcomes in the order of the file. At most inFlight chunks are made and not settled, which limits the memory
// when one of them has to wait.
func (r *importRun) pump(ctx context.Context) error {
	sending, stop := context.WithCancel(ctx)
	defer stop()
	inFlight := 2*r.Concurrency + 1
	places := make(chan struct{}, inFlight)
	work := make(chan *chunk)
	outcomes := make(chan outcome, inFlight)

	var makeErr error
	var making, senders sync.WaitGroup
	making.Go(func() {
		defer close(work)
		makeErr = r.makeChunks(sending, func(c *chunk) error {
			select {
			case places <- struct{}{}:
			case <-sending.Done():
				return sending.Err()
			}
			select {
			case work <- c:
				return nil
			case <-sending.Done():
				return sending.Err()
			}
		})
	})
	to := r.sender()
	for range r.Concurrency {
		senders.Go(func() {
			for c := range work {
				outcomes <- to.send(sending, c) // has room: at most inFlight chunks are under way
			}
		})
	}
	go func() {
		senders.Wait()
		close(outcomes)
	}()
	err := r.settleAll(outcomes, places, stop)
	making.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	}
	return makeErr
}

func (r *importRun) sender() sender {
	switch {
	case r.Kind.isList() && r.Lists == nil:
		return nowhere{}
	case r.Kind == Prices:
		return &listSender{r.Lists.UpdatePrices}
	case r.Kind == Stock:
		return &listSender{r.Lists.UpdateStock}
	case r.Kind == Shipments && r.Shipper == nil:
		return nowhere{}
	case r.Kind == Shipments:
		return &shipmentSender{to: r.Shipper, run: r.Now()}
	case r.Catalog == nil:
		return nowhere{}
	case r.DryRun && r.Kind == Orders:
		return r.checker
	case r.Kind == Orders:
		return &orderSender{shop: r.Shop}
	}
	return &productSender{catalog: r.Catalog, channel: r.Channel, dryRun: r.DryRun}
}

func (r *importRun) makeChunks(ctx context.Context, deliver func(*chunk) error) error {
	k := &chunker{
		most: r.Batch, bytes: limits.MaxBulkBody - wrapping, skip: r.state.NextItem,
		read: r.source.read.Load, deliver: deliver,
	}
	err := r.maker.make(ctx, k.take)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(err, k.flush(k.pieces)) // what was read before an error of the file is sent still
}

// settleAll settles the outcomes in the order in which their chunks were made. After the first error it still settles
// the chunks before it; those after it are not settled and will be sent again.
func (r *importRun) settleAll(outcomes <-chan outcome, places <-chan struct{}, stop func()) error {
	waiting := map[int]outcome{}
	next := 1
	var failed error
	for out := range outcomes {
		waiting[out.chunk.number] = out
		for failed == nil {
			out, here := waiting[next]
			if !here {
				break
			}
			delete(waiting, next)
			next++
			if failed = out.err; failed == nil {
				failed = r.settle(out)
			}
			chunks.Put(out.chunk)
			<-places
		}
		if failed != nil {
			stop()
		}
	}
	return failed
}

// settle makes an outcome final: report, counters, state.
func (r *importRun) settle(out outcome) error {
	faults := slices.Concat(out.chunk.faults, out.faults)
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(a.Row, b.Row) })
	for _, f := range faults {
		if err := r.reportError(f); err != nil {
			return err
		}
	}
	r.state.Counts.add(out)
	r.state.NextItem = out.chunk.pieces
	r.state.NextRow = max(r.state.NextRow, out.chunk.lastRow+1)
	r.reportProgress(out.chunk)
	return r.saveState()
}

// settleError reports an error that belongs to no chunk.
func (r *importRun) settleError(f Fault) error {
	r.state.Counts.fault(f)
	return r.reportError(f)
}

func (r *importRun) reportError(f Fault) error {
	if r.OnFault != nil {
		r.OnFault(f)
	}
	if r.report != nil {
		return r.report.write(f)
	}
	return nil
}
