package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
)

// UpdateAttribute changes a locked attribute (interface §4.5). Errors: as of CreateAttribute.
func (s *Service) UpdateAttribute(tx *db.Tx, _ accounts.Caller, a catalog.Attribute, draft AttributeDraft) (catalog.Attribute, error) {
	if err := draft.apply(&a); err != nil {
		return a, err
	}
	a.Save(tx)
	return a, nil
}
