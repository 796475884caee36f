package commerce

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// DeleteAttribute deletes an attribute; products keep their values under its code. Errors: NotFound; those of Expected.
func (s *Service) DeleteAttribute(tx *db.Tx, attribute id.Attribute, expected Expected) error {
	a, err := holdAttribute(tx, attribute, expected)
	if err == nil {
		a.Delete(tx)
	}
	return err
}
