package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
)

// AttributeDraft is a caller's input for an attribute; in an update, fields that are not set stay.
type AttributeDraft struct {
	Code    patch.Field[string]
	Label   patch.Field[string]
	Type    patch.Field[catalog.AttributeType]
	Options patch.Field[[]string]
}

// CreateAttribute creates an attribute (interface §4.5.4). Errors: Conflict when the code is taken; Invalid when a
// select has no options.
func (s *Service) CreateAttribute(tx db.Writer, who accounts.Caller, draft AttributeDraft) (catalog.Attribute, error) {
	a := catalog.Attribute{ID: id.New[id.Attribute](), CreatedAt: tx.Micros()}
	if err := draft.apply(&a); err != nil {
		return a, err
	}
	a.Insert(tx)
	audit.Record(tx, who.Actor(), "attribute.created", "attribute", string(a.ID), nil)
	return a, nil
}

// apply applies the draft to an attribute. Errors: Invalid for a select without options, and for options of another
// type.
func (d *AttributeDraft) apply(a *catalog.Attribute) error {
	a.Code, a.Label, a.Type = d.Code.Or(a.Code), d.Label.Or(a.Label), d.Type.Or(a.Type)
	if d.Options.Set {
		a.Options = d.Options.Value
	}
	switch {
	case a.Type == catalog.Select && len(a.Options) == 0:
		return apperr.At("options", "a select needs at least one option")
	case a.Type != catalog.Select && len(d.Options.Value) > 0:
		return apperr.At("options", "only a select has options")
	case a.Type != catalog.Select:
		a.Options = nil
	}
	return nil
}
