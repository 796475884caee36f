package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// DeleteProduct deletes a product with its variants, publications and stock (interface §4.5.1). Its SKUs and slug are
// free again; lines of orders keep SKU and name. No event reports the removal of its stock. Errors: NotFound; those of
// Expected.
func (s *Service) DeleteProduct(tx *db.Tx, who accounts.Caller, product id.Product, expected Expected) error {
	if err := tx.LockClock(); err != nil { // or a level that another transaction creates meanwhile would stay
		return err
	}
	p, err := holdProduct(tx, who, product, expected)
	if err != nil {
		return err
	}
	if _, err := stock.DeleteFor(tx, p.SKUs(),
		stock.Why{Cause: stock.Adjustment, ReferenceType: "product", ReferenceID: string(p.ID), Actor: who.Actor()}); err != nil {
		return err
	}
	catalog.Delete(tx, p)
	if err := catalog.Unpublish(tx, p.ID); err != nil {
		return err
	}
	webhooks.Record(tx, productEvent(webhooks.ProductDeleted, p, who.Currency))
	return nil
}
