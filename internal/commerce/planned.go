package commerce

import "entrepot/internal/db"

// Planned is a bulk operation in two steps: a plan, made by reading, and the transaction that applies it. The plan is first made on a
// snapshot, so that what it reads and decides does not hold up the one writer of an embedded store. It is made again in the transaction
// when that one runs again, because data changed meanwhile, and when making it failed, about which an Idempotency-Key may know better. A
// plan is applied once.
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

// Plan is the plan for a transaction to apply. A transaction that has lost a race holds the account's change clock while it plans, else
// orders of the same SKUs would make it lose for ever. Errors: those of making the plan.
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
