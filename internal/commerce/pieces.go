package commerce

import (
	"entrepot/internal/catalog"
	"entrepot/internal/db"
)

// Sizes of a piece while others write: it occupies the one writer of SQLite, or an account's clock, for some
// milliseconds. While nobody else writes it is larger (db.Pace), because each piece costs a commit. They are
// multiples of the longest list that statements are made for.
const (
	pricesAtOnce   = 512
	levelsAtOnce   = 256
	productsAtOnce = 256 // rows, see weight
)

// Bulk is a bulk operation. Its items are stored in order in pieces, each in a transaction of its own, so that other
// transactions wait for one piece at most (decision 17). A piece is planned when the previous one is stored, on a
// snapshot, so that its reads do not delay the one writer of SQLite. The plan is made again in the transaction when
// that runs again because data changed meanwhile, or if planning failed, because an Idempotency-Key may already have
// an answer. A plan is applied once.
type Bulk[P any] struct {
	items  int
	cut    func(from, times int) (to int) // ends the piece that begins at an item; it has one item at least
	decide func(tx *db.Tx, p piece, before P) (P, error)
	rest   func(stored P) P // the plan of a stored piece, reduced to what decide needs for the next one
	hold   func(tx *db.Tx)  // what is locked before the account's clock; nil: nothing

	piece  piece
	before P // the reduced plan of the stored piece before; the zero value for none
	plan   P
	ready  bool
}

// piece is which items of a bulk operation are stored together.
type piece struct {
	from, to int
	last     bool
}

// Whole makes one piece of all items. It comes before Next.
func (o *Bulk[P]) Whole() { o.cut = func(int, int) int { return o.items } }

// Next moves on to the first piece, or from a stored piece to the next; false after the last. No items at all are one
// piece. times is the factor for the size of the piece (db.Pace).
func (o *Bulk[P]) Next(times int) bool {
	if o.piece.last {
		return false
	}
	from := o.piece.to
	if from > 0 {
		o.before = o.rest(o.plan)
	}
	var none P
	o.plan, o.ready = none, false
	o.piece = piece{from: from, to: from}
	if from < o.items {
		o.piece.to = o.cut(from, times)
	}
	o.piece.last = o.piece.to == o.items
	return true
}

// Last reports whether the piece is the last one, whose plan has the outcome of all.
func (o *Bulk[P]) Last() bool { return o.piece.last }

// Prepare makes the plan of the piece on a snapshot.
func (o *Bulk[P]) Prepare(tx *db.Tx) (err error) {
	o.plan, err = o.decide(tx, o.piece, o.before)
	o.ready = err == nil
	return err
}

// Plan returns the plan of the piece for a transaction to apply. A transaction that has lost a race locks the
// account's change clock while it plans, otherwise orders of the same SKUs could make it lose forever. Errors: those
// of making the plan.
func (o *Bulk[P]) Plan(tx *db.Tx) (plan P, err error) {
	if tx.Try() > 0 {
		if o.hold != nil {
			o.hold(tx)
		}
		if err := tx.LockClock(); err != nil {
			return plan, err
		}
	}
	if !o.ready {
		o.plan, err = o.decide(tx, o.piece, o.before)
	}
	o.ready = false
	return o.plan, err
}

// cutEvery makes pieces of n items.
func cutEvery(n, items int) func(from, times int) int {
	return func(from, times int) int { return min(from+n*times, items) }
}

// cutDrafts ends a piece of products where it has productsAtOnce rows.
func cutDrafts(drafts []catalog.Draft) func(from, times int) int {
	return func(from, times int) (to int) {
		to = from + 1
		for rows := weight(&drafts[from]); to < len(drafts); to++ {
			if rows += weight(&drafts[to]); rows > productsAtOnce*times {
				break
			}
		}
		return to
	}
}

// weight is the work of a product, in rows.
func weight(d *catalog.Draft) int {
	n := 1 + len(d.Categories.Value) + len(d.Description.Value)/8192 + len(d.Stock)
	for i := range d.Variants {
		n += 1 + len(d.Variants[i].Stock)
	}
	return n
}
