package commerce

import "entrepot/internal/db"

// Planned is a bulk operation in two steps: a plan, made by reading, and the transaction that applies it. The plan is
// first made on a snapshot, so that its reads do not delay the one writer of SQLite. It is made again in the
// transaction when that runs again because data changed meanwhile, or if it failed before, because an Idempotency-Key
// may already have an answer. A plan is applied once.
type Planned[P any] struct {
	decide func(tx *db.Tx) (P, error)
	hold   func(tx *db.Tx) // what is locked before the account's clock; nil: nothing
	plan   P
	ready  bool
}

// Prepare makes the plan on a snapshot.
func (o *Planned[P]) Prepare(tx *db.Tx) (err error) {
	o.plan, err = o.decide(tx)
	o.ready = err == nil
	return err
}

// Plan returns the plan for a transaction to apply. A transaction that has lost a race locks the account's change
// clock while it plans, otherwise orders of the same SKUs could make it lose forever. Errors: those of making the
// plan.
func (o *Planned[P]) Plan(tx *db.Tx) (plan P, err error) {
	if tx.Try() > 0 {
		if o.hold != nil {
			o.hold(tx)
		}
		if err := tx.LockClock(); err != nil {
			return plan, err
		}
	}
	if o.ready {
		plan = o.plan
	} else {
		plan, err = o.decide(tx)
	}
	o.ready = false
	return plan, err
}
