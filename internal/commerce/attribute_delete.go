package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// DeleteAttribute deletes an attribute; products keep their values under its code. Errors: NotFound; those of Expected.
func (s *Service) DeleteAttribute(tx *db.Tx, who accounts.Caller, attribute id.Attribute, expected Expected) error {
	a, err := holdAttribute(tx, attribute, expected)
	if err == nil {
		a.Delete(tx)
		audit.Record(tx, who.Actor(), "attribute.deleted", "attribute", string(a.ID), map[string]string{"code": a.Code})
	}
	return err
}
