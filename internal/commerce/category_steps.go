package commerce

import (
	"context"
	"math"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/webhooks"
)

// productsAtOnce are how many products one transaction links to a category, or takes out of one.
func (s *Service) productsAtOnce() int { return s.atOnce() * textsAtOnce }

// arrive returns the products that wait for categories of this transaction. If there are many, it returns none, and
// they are linked in steps, as are categories that wait for these, if the tree leaves them out.
func (s *Service) arrive(tx *db.Tx, tree *catalog.Tree, arrived []catalog.Category) ([]catalog.Touched, error) {
	externals := make([]string, len(arrived))
	by := make(map[string]id.Category, len(arrived))
	for i, c := range arrived {
		externals[i], by[c.ExternalID] = c.ExternalID, c.ID
	}
	products, many, err := catalog.Waiting(tx, externals, s.productsAtOnce())
	if err != nil || !many && !tree.Awaited() {
		return products, err
	}
	awaited, err := catalog.Awaited(tx, externals)
	for _, external := range awaited {
		jobs.BeginOrGoOn(tx, jobs.CategoryArrival, string(by[external]))
	}
	if many {
		products = nil
	}
	return products, err
}

// attachBefore attaches all categories that still wait for one whose externalId may change now, because they have to
// follow it.
func attachBefore(tx *db.Tx, targets []id.Category, drafts []catalog.CategoryDraft) error {
	if !slices.ContainsFunc(drafts, func(d catalog.CategoryDraft) bool { return d.ExternalID.Set }) {
		return nil
	}
	for _, category := range targets {
		begun, err := jobs.Operation(tx, jobs.CategoryArrival, string(category))
		if err != nil || begun == nil {
			return err
		}
		children, err := catalog.AttachSome(tx, category, math.MaxInt32)
		if err != nil {
			return err
		}
		webhooks.Record(tx, categoriesUpdated(children)...)
	}
	return tx.Flush()
}

// arriveBefore links all products that still wait for categories whose externalIds change now.
func arriveBefore(tx *db.Tx, changes []catalog.CategoryChange) error {
	for _, r := range changes {
		if r.Before == nil || r.Before.ExternalID == "" || r.Before.ExternalID == r.After.ExternalID {
			continue
		}
		begun, err := jobs.Operation(tx, jobs.CategoryArrival, string(r.Before.ID))
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

// detachBefore detaches what is still below deleted categories whose externalIds drafts give to others: otherwise it
// would not be found among those that wait for these.
func detachBefore(tx *db.Tx, drafts []catalog.CategoryDraft) error {
	left, err := jobs.Subjects[id.Category](tx, jobs.CategoryDeletion)
	if err != nil {
		return err
	}
	for _, category := range left {
		gone, err := catalog.Stored(tx, category)
		if err != nil {
			return err
		}
		if gone == nil || gone.ExternalID == "" ||
			!slices.ContainsFunc(drafts, func(d catalog.CategoryDraft) bool { return d.ExternalID.Value == gone.ExternalID }) {
			continue
		}
		orphans, err := catalog.DetachSome(tx, category, math.MaxInt32)
		if err != nil {
			return err
		}
		webhooks.Record(tx, categoriesUpdated(orphans)...)
	}
	return tx.Flush()
}

// FinishCategories does what was too much for the transaction that changed a category: it links products and children
// that wait for categories, takes both out of deleted ones, and gives children another externalId of their parent. It
// does so for the whole account, in short transactions. Several processes may do it at once, and each returns when
// all is done.
func (s *Service) FinishCategories(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	kinds := []jobs.Type{jobs.CategoryArrival, jobs.CategoryDeletion, jobs.CategoryRenaming}
	left := make([][]id.Category, len(kinds))
	err := store.Read(ctx, tenant, func(tx *db.Tx) (err error) {
		for i, kind := range kinds {
			if left[i], err = jobs.Subjects[id.Category](tx, kind); err != nil {
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

// finishCategory is FinishCategories for one category. Each step holds the account's change clock, as writers of
// categories do, so that it links products to categories that exist.
func (s *Service) finishCategory(ctx context.Context, store *db.DB, tenant id.Tenant, kind jobs.Type, category id.Category) error {
	do := s.operation(store, tenant, kind, string(category))
	var some func(tx *db.Tx, begun *jobs.Job, limit int) ([]webhooks.Event, error)
	switch kind {
	case jobs.CategoryArrival:
		some = func(tx *db.Tx, _ *jobs.Job, limit int) ([]webhooks.Event, error) {
			return arriveSome(tx, category, limit)
		}
	case jobs.CategoryDeletion:
		some = func(tx *db.Tx, _ *jobs.Job, limit int) ([]webhooks.Event, error) {
			return leaveSome(tx, category, limit)
		}
	case jobs.CategoryRenaming:
		var children []id.Category
		err := store.Read(ctx, tenant, func(tx *db.Tx) (err error) {
			children, err = catalog.ChildIDs(tx, category)
			return err
		})
		if err != nil {
			return err
		}
		some = func(tx *db.Tx, begun *jobs.Job, limit int) ([]webhooks.Event, error) {
			return followSome(tx, begun, category, children, limit)
		}
	}
	for {
		more, err := do.step(ctx, func(tx *db.Tx, begun *jobs.Job) (bool, error) {
			if err := tx.LockClock(); err != nil {
				return false, err
			}
			events, err := some(tx, begun, do.batch.Size*textsAtOnce)
			if err != nil {
				return false, err
			}
			if len(events) == 0 {
				begun.LastStepDone(tx)
			}
			webhooks.Record(tx, events...)
			return len(events) > 0, nil
		})
		if err != nil || !more {
			return orEnded(err)
		}
	}
}

// arriveSome attaches some categories that wait for one or, if none do, links some products that wait for it.
func arriveSome(tx *db.Tx, category id.Category, limit int) ([]webhooks.Event, error) {
	children, err := catalog.AttachSome(tx, category, limit)
	if err != nil || len(children) > 0 {
		return categoriesUpdated(children), err
	}
	products, err := catalog.ArriveSome(tx, category, limit)
	return relinked(products), err
}

// leaveSome takes some children out of a deleted category or, if it has none, some products.
func leaveSome(tx *db.Tx, category id.Category, limit int) ([]webhooks.Event, error) {
	orphans, err := catalog.DetachSome(tx, category, limit)
	if err != nil || len(orphans) > 0 {
		return categoriesUpdated(orphans), err
	}
	products, err := catalog.LeaveSome(tx, category, limit)
	return relinked(products), err
}

// followSome gives some children their parent's externalId: first those of a list that are not done, in the end all
// that lack it, because some may have come since the list was read.
func followSome(tx *db.Tx, begun *jobs.Job, category id.Category, children []id.Category, limit int) ([]webhooks.Event, error) {
	for {
		left := after(children, id.Category(begun.Cursor))
		if len(left) == 0 {
			changes, err := catalog.FollowRest(tx, category, limit)
			return categoriesUpdated(changes), err
		}
		left = left[:min(len(left), limit)]
		begun.Cursor = string(left[len(left)-1])
		if changes, err := catalog.Follow(tx, category, left); err != nil || len(changes) > 0 {
			return categoriesUpdated(changes), err
		}
	}
}
