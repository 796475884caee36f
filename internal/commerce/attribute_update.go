package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
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

// UpdateAttribute changes an attribute (interface §4.5.4). Errors: NotFound; those of Expected and of CreateAttribute.
func (s *Service) UpdateAttribute(tx *db.Tx, who accounts.Caller, attribute id.Attribute, expected Expected,
	draft AttributeDraft) (catalog.Attribute, error) {
	a, err := holdAttribute(tx, attribute, expected)
	before := a
	if err == nil {
		err = draft.apply(&a)
	}
	if err != nil {
		return a, err
	}
	if a.Code != before.Code || a.Label != before.Label || a.Type != before.Type || !slices.Equal(a.Options, before.Options) {
		a.Save(tx)
		audit.Record(tx, who.Actor(), "attribute.updated", "attribute", string(a.ID), nil,
			audit.Diff(auditedAttribute(before), auditedAttribute(a))...)
	}
	return a, nil
}
