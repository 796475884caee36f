package commerce

import (
	"context"
	"math"

	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/unfinished"
	"entrepot/internal/webhooks"
)

// productsAtOnce are how many products one transaction links to a category, or takes out of one.
func (s *Service) productsAtOnce() int { return s.atOnce() * textsAtOnce }

// arrive returns the products that wait for categories which come with this transaction. If they are many, it returns none, and they
// are linked in steps.
func (s *Service) arrive(tx *db.Tx, arrived []catalog.Category) ([]catalog.Touched, error) {
	externals := make([]string, len(arrived))
	by := make(map[string]id.Category, len(arrived))
	for i, c := range arrived {
		externals[i], by[c.ExternalID] = c.ExternalID, c.ID
	}
	products, many, err := catalog.Waiting(tx, externals, s.productsAtOnce())
	if err != nil || !many {
		return products, err
	}
	awaited, err := catalog.Awaited(tx, externals)
	for _, external := range awaited {
		unfinished.BeginOrGoOn(tx, unfinished.CategoryArrival, string(by[external]))
	}
	return nil, err
}

// arriveBefore links all products that still wait for categories whose externalIds change now.
func arriveBefore(tx *db.Tx, changes []catalog.CategoryChange) error {
	for _, r := range changes {
		if r.Before == nil || r.Before.ExternalID == "" || r.Before.ExternalID == r.After.ExternalID {
			continue
		}
		begun, err := unfinished.Find(tx, unfinished.CategoryArrival, string(r.Before.ID))
		var products []catalog.Touched
		if err == nil && begun != nil {
			products, err = catalog.ArriveSome(tx, r.Before.ID, math.MaxInt32)
		}
		if err != nil {
			return err
		}
		webhooks.Record(tx, relinked(products)...)
	}
	return nil
}

// FinishCategories links the products that wait for categories, and takes those out of categories that are deleted, where that was too
// much for the transaction that created or deleted the category. It does so for all of the account, in short transactions. Several
// processes may do it at once, and each returns when all is done.
func (s *Service) FinishCategories(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	kinds := []unfinished.Kind{unfinished.CategoryArrival, unfinished.CategoryDeletion}
	left := make([][]id.Category, len(kinds))
	err := store.Read(ctx, tenant, func(tx *db.Tx) (err error) {
		for i, kind := range kinds {
			if left[i], err = unfinished.Subjects[id.Category](tx, kind); err != nil {
				return err
			}
		}
		return nil
	})
	for i, kind := range kinds {
		for _, category := range left[i] {
			if err == nil {
				err = s.finishCategory(ctx, store, tenant, kind, category)
			}
		}
	}
	return err
}

// finishCategory is FinishCategories for one category. Each step holds the account's change clock, as writers of categories do, so that
// it links products to what is there.
func (s *Service) finishCategory(ctx context.Context, store *db.DB, tenant id.Tenant, kind unfinished.Kind, category id.Category) error {
	some := catalog.ArriveSome
	if kind == unfinished.CategoryDeletion {
		some = catalog.LeaveSome
	}
	do := &operation{store: store, tenant: tenant, kind: kind, subject: string(category), stride: s.newStride(store)}
	for {
		more, err := do.step(ctx, func(tx *db.Tx, begun *unfinished.Operation) (bool, error) {
			if err := tx.LockClock(); err != nil {
				return false, err
			}
			products, err := some(tx, category, do.stride.Size*textsAtOnce)
			if err != nil {
				return false, err
			}
			if len(products) == 0 {
				begun.End(tx)
			}
			webhooks.Record(tx, relinked(products)...)
			return len(products) > 0, nil
		})
		if err != nil || !more {
			return orEnded(err)
		}
	}
}
