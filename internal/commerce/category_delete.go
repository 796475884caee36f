package commerce

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/webhooks"
)

// DeleteCategory deletes a category (interface §4.5.2). Its children become roots and its products lose it; both are
// linked again when a category with its externalId is created. If there are many, later transactions do that, and
// FinishCategories must follow. Errors: NotFound; those of Expected.
func (s *Service) DeleteCategory(tx *db.Tx, target id.Category, expected Expected) error {
	if err := tx.LockClock(); err != nil {
		return err
	}
	gone, err := catalog.CategoryByID(tx, target)
	if err == nil {
		err = expected.checkCategory(&gone)
	}
	if err != nil {
		return err
	}
	products, manyProducts, err := catalog.Linked(tx, target, s.productsAtOnce())
	if err != nil {
		return err
	}
	children, manyChildren, err := catalog.Children(tx, target, s.productsAtOnce())
	if err != nil {
		return err
	}
	if manyProducts || manyChildren {
		jobs.Begin(tx, jobs.CategoryDeletion, string(target), "{}")
		products, children = nil, nil
	}
	orphans := catalog.Detach(gone, children)
	catalog.DeleteCategory(tx, gone)
	catalog.SaveCategories(tx, orphans)
	catalog.Leave(tx, gone, products)
	webhooks.Record(tx, slices.Concat([]webhooks.Event{categoryEvent(webhooks.CategoryDeleted, gone)}, categoriesUpdated(orphans),
		relinked(products))...)
	return nil
}

func categoriesUpdated(changes []catalog.CategoryChange) (events []webhooks.Event) {
	for _, r := range changes {
		events = append(events, categoryEvent(webhooks.CategoryUpdated, r.After))
	}
	return events
}
