package verify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Derived data repeats records in another form, and transactions that change a record update it: mostly by a
// difference, without reading it. So a wrong count stays wrong by the same number, whatever is written meanwhile. A
// difference that one snapshot shows can be added later, by a short transaction among others, and no writer stops for
// it (decision 18).

// correction corrects one difference, in a transaction of its account that may contain others. The difference comes
// from a snapshot of this repair, or the correction reads the records itself.
type correction func(tx *db.Tx) error

// corrections are the corrections that one check found.
type corrections struct {
	list  []correction
	texts []string
}

// Bounds of repairs. Tests lower the first.
var (
	maxCorrections = 100_000 // of one check, some 200 bytes each
	mostTexts      = 1000    // of a result
	maxChecks      = 1000    // checks with differences, of one rule in one account
	minCorrections = 8       // in one transaction
)

func (m *corrections) add(one correction, text func() string) {
	if len(m.list) == maxCorrections {
		return // the next check finds it
	}
	m.list = append(m.list, one)
	if len(m.texts) < mostTexts {
		m.texts = append(m.texts, text())
	}
}

// Repair is Run that also corrects derived data: maintained counts and figures, sums of sales, and the data of searches
// and sorted lists. It changes no record that has a version, a stamp or an event of its own. Writers continue
// meanwhile: while others wait, Repair writes in steps of some 25 ms of the store's time. The results, as of Run, have
// the violations that remain: rules about records themselves, and differences that a program of another version creates
// again.
//
// Two repairs of one account at once would add a difference twice: a later repair makes the earlier one end with an
// error.
func Repair(ctx context.Context, store *db.DB, only id.Account) ([]Result, error) {
	accounts, err := accountsOf(ctx, store, only)
	if err != nil {
		return nil, err
	}
	results := newResults()
	for _, a := range accounts {
		var number int64
		err := store.Write(ctx, a.tenant, func(tx *db.Tx) (err error) {
			number, err = tx.BeginRepair()
			return err
		})
		if err != nil {
			return nil, err
		}
		r := repairer{store, a, number, fmt.Errorf("another repair of account %s has begun: this one ends", a.id)}
		for i := range results {
			if err := r.check(ctx, &results[i]); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// repairer is one repair of one account.
type repairer struct {
	store  *db.DB
	of     numbered
	number int64
	other  error // another repair has begun
}

// check finds and corrects differences until none is left, or until their number no longer falls.
func (r *repairer) check(ctx context.Context, into *Result) error {
	left := int64(-1)
	for range maxChecks {
		found := Result{Check: into.Check}
		var all *corrections
		err := r.store.Read(ctx, r.of.tenant, func(tx *db.Tx) error {
			if found = (Result{Check: into.Check}); found.Derived {
				all = new(corrections)
			}
			return found.add(tx, r.of.id, all)
		})
		if err != nil {
			return err
		}
		into.Took += found.Took
		stuck := left >= 0 && found.Wrong >= left
		if left >= 0 && !stuck {
			into.Repaired += left - found.Wrong
		}
		if all == nil || len(all.list) == 0 || stuck {
			into.Looked += found.Looked
			into.Wrong += found.Wrong
			into.Examples = append(into.Examples, found.Examples...)
			into.Examples = into.Examples[:min(len(into.Examples), maxExamples)]
			return nil
		}
		left = found.Wrong
		if err := r.write(ctx, all.list); err != nil {
			return err
		}
		into.Repairs = append(into.Repairs, all.texts...)
		into.Repairs = into.Repairs[:min(len(into.Repairs), mostTexts)]
	}
	return fmt.Errorf("%s of account %s: still not right after %d looks", into.Name, r.of.id, maxChecks)
}

// write runs the corrections, as many in a transaction as the store does in a moment.
func (r *repairer) write(ctx context.Context, list []correction) error {
	batch := r.store.NewBatchSize(minCorrections, 2048)
	for len(list) > 0 {
		some := list[:min(batch.Size, len(list))]
		var took time.Duration
		err := r.store.Write(ctx, r.of.tenant, func(tx *db.Tx) error {
			begun := r.store.Now()
			for _, correction := range some {
				if err := correction(tx); err != nil {
					return err
				}
			}
			tx.InRepair(r.number, r.other)
			err := tx.Flush()
			took = r.store.Now().Sub(begun)
			return err
		})
		if err != nil {
			return err
		}
		list = slices.Clip(list[len(some):])
		batch.Next(ctx, took)
	}
	return nil
}
