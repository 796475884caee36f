package commerce_test

import (
	"context"
	"errors"
	"time"

	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// resume does what a worker does when it is the only process and starts: it ends all operations that were interrupted.
func resume(ctx context.Context, store *db.DB, do *commerce.Service) error {
	all := store.Write(ctx, db.Across, func(tx *db.Tx) error {
		_, err := jobs.Abandon(tx)
		return err
	})
	for more := all == nil; more; {
		var job jobs.Job
		err := store.Write(ctx, db.Across, func(tx *db.Tx) (err error) {
			job, more, err = jobs.ClaimOperation(tx, time.Minute)
			return err
		})
		if err != nil {
			return errors.Join(all, err)
		}
		if more {
			all = errors.Join(all, do.RunOperation(ctx, store, job))
		}
	}
	return all
}
