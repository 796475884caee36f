package verify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// What is derived repeats records in another form, and the transactions that change a record change it alike: mostly by a
// difference, without reading it. So a maintained count that is wrong stays wrong by the same number, whatever is written meanwhile:
// what one snapshot shows to be missing can be added later, by a short transaction among all others. No writer stops for it
// (decision 18).

// correction puts one thing right, in a transaction of its account in which others do so, too. What it adds to is what a snapshot
// of this repair showed, or it looks itself.
type correction func(tx *db.Tx) error

// corrections are what one look found to put right.
type corrections struct {
	list  []correction
	texts []string
}

// Bounds of repairs. Tests lower the first.
var (
	maxCorrections = 100_000 // of one look, some 200 bytes each
	mostTexts      = 1000    // of a result
	maxChecks      = 1000    // with something to put right, of one check in one account
	minCorrections = 8       // in one transaction
)

func (m *corrections) add(one correction, text func() string) {
	if len(m.list) == maxCorrections {
		return // the next look finds it
	}
	m.list = append(m.list, one)
	if len(m.texts) < mostTexts {
		m.texts = append(m.texts, text())
	}
}

// Repair is Run that also puts right what is derived from records: maintained counts and figures, what was sold, what searches and
// sorted lists go by. It changes no record that has a version, a stamp or an event of its own. Writers go on meanwhile: it
// writes in steps that take some 25 ms of the store's time each while others wait. What is still wrong after it is in the results, as of
// Run: rules about records themselves, and what a program of another version makes wrong again.
//
// Two repairs of one account at once would add a difference twice: a later one makes the earlier one end with an error.
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

// check looks and puts right what is wrong until nothing more is, or nothing becomes less.
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
