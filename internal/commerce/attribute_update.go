package commerce

import (
	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/records"
)

// holdAttribute locks an attribute that an operation changes. Errors: NotFound; those of Expected.
func holdAttribute(tx *db.Tx, attribute id.Attribute, expected Expected) (catalog.Attribute, error) {
	a, err := catalog.LockAttribute(tx, attribute)
	if err == nil {
		err = expected.check(func(w *apijson.Writer) { records.WriteAttribute(w, "data", a) })
	}
	return a, err
}

// UpdateAttribute changes an attribute (interface §4.5). Errors: NotFound; those of Expected and of CreateAttribute.
func (s *Service) UpdateAttribute(tx *db.Tx, attribute id.Attribute, expected Expected,
	draft AttributeDraft) (catalog.Attribute, error) {
	a, err := holdAttribute(tx, attribute, expected)
	if err == nil {
		err = draft.apply(&a)
	}
	if err != nil {
		return a, err
	}
	a.Save(tx)
	return a, nil
}
