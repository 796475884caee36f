package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// DeleteAttribute takes an attribute away; what products carry under its code stays. Errors: NotFound.
func (s *Service) DeleteAttribute(tx *db.Tx, _ accounts.Caller, target id.Attribute) error {
	a, err := catalog.AttributeByID(tx, target)
	if err != nil {
		return err
	}
	a.Delete(tx)
	return nil
}
