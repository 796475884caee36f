package commerce

import (
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/unfinished"
	"entrepot/internal/webhooks"
)

// DeleteCategory deletes a category (interface §4.5). Its children become roots and its products leave it; both are
// linked again when a category with its externalId is created. If it has many products, these do not leave it with the transaction, and
// FinishCategories must follow. Errors: NotFound; those of Expected.
func (s *Service) DeleteCategory(tx *db.Tx, target id.Category, expected Expected) error {
	tree, gone, err := holdCategory(tx, target, expected)
	if err != nil {
		return err
	}
	products, many, err := catalog.Linked(tx, target, s.productsAtOnce())
	if err != nil {
		return err
	}
	if many {
		unfinished.Begin(tx, unfinished.CategoryDeletion, string(target))
		products = nil
	}
	orphans := tree.Detach(target)
	catalog.DeleteCategory(tx, *gone)
	catalog.SaveCategories(tx, orphans)
	catalog.Leave(tx, *gone, products)
	events := []webhooks.Event{categoryEvent(webhooks.CategoryDeleted, *gone)}
	for _, r := range orphans {
		events = append(events, categoryEvent(webhooks.CategoryUpdated, r.After))
	}
	webhooks.Record(tx, append(events, relinked(products)...)...)
	return nil
}
