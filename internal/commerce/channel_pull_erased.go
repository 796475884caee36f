package commerce

import (
	"context"
	"errors"

	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// errErased says that a person was erased since orders were requested. The orders may be the person's: they are
// requested again (decision 12).
var errErased = errors.New("commerce: a person was erased since the orders were requested")

// unlessErased refuses to store an order if a person was erased since it was requested, when the job had the given
// start. It comes after the transaction's other locks. The returned function fails with errErased or jobs.ErrLost.
func (r *channelRun) unlessErased(requested int64) func(tx *db.Tx) error {
	return func(tx *db.Tx) error {
		_, startedAt, err := jobs.Reread(tx, r.job)
		if err == nil && startedAt != requested {
			err = errErased
		}
		return err
	}
}

// requireSince fails with errErased if a person was erased since the job had that start.
func (r *channelRun) requireSince(ctx context.Context, requested int64) error {
	err := r.write(ctx, func(*db.Tx) error { return nil })
	if err == nil && r.job.StartedAt != requested {
		err = errErased
	}
	return err
}

// untilStored runs a function that requests and stores orders, and runs it again if a person was erased meanwhile. do
// receives the job's start as of before.
func (r *channelRun) untilStored(do func(requested int64) error) error {
	for {
		if err := do(r.job.StartedAt); !errors.Is(err, errErased) {
			return err
		}
	}
}
