package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// DeleteProduct takes a product out of the catalog with its variants, publications and stock (interface §4.5). Its SKUs and
// slug are free again; lines of orders keep SKU and name. That its stock is gone too goes without an event of its own.
func (s *Service) DeleteProduct(tx *db.Tx, who accounts.Caller, p *catalog.Product) error {
	if err := tx.LockClock(); err != nil { // a level that somebody makes meanwhile would stay
		return err
	}
	if _, err := stock.DeleteFor(tx, p.SKUs(), stock.Why{Cause: stock.Adjustment, ReferenceType: "product", ReferenceID: string(p.ID), Actor: who.Actor()}); err != nil {
		return err
	}
	catalog.Delete(tx, p)
	catalog.Unpublish(tx, p.ID)
	webhooks.Record(tx, productEvent(webhooks.ProductDeleted, p, who.Currency))
	return nil
}
