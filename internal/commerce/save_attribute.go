package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// AttributeDraft is what a caller says of an attribute; what is not set stays as it is.
type AttributeDraft struct {
	Code    apijson.Field[string]
	Label   apijson.Field[string]
	Type    apijson.Field[catalog.AttributeType]
	Options apijson.Field[[]string]
}

// SaveAttribute changes a locked attribute, or makes one when it gets the zero Attribute (interface §4.5). Errors: Conflict when the
// code is taken; Invalid when a select has no options.
func (s *Service) SaveAttribute(tx *db.Tx, _ accounts.Caller, a catalog.Attribute, draft AttributeDraft) (catalog.Attribute, error) {
	fresh := a.ID == ""
	if fresh {
		a = catalog.Attribute{ID: id.New[id.Attribute](), CreatedAt: tx.Micros()}
	}
	a.Code, a.Label, a.Type = draft.Code.Or(a.Code), draft.Label.Or(a.Label), draft.Type.Or(a.Type)
	if draft.Options.Set {
		a.Options = draft.Options.Value
	}
	if a.Type == catalog.Select && len(a.Options) == 0 {
		return a, apperr.At("options", "a select needs at least one option")
	}
	if a.Type != catalog.Select && len(draft.Options.Value) > 0 {
		return a, apperr.At("options", "only a select has options")
	}
	if a.Type != catalog.Select {
		a.Options = nil
	}
	if fresh {
		a.Insert(tx)
		return a, nil
	}
	a.Save(tx)
	return a, nil
}

// DeleteAttribute takes an attribute away; what products carry under its code stays. Errors: NotFound.
func (s *Service) DeleteAttribute(tx *db.Tx, _ accounts.Caller, target id.Attribute) error {
	a, err := catalog.AttributeByID(tx, target)
	if err != nil {
		return err
	}
	a.Delete(tx)
	return nil
}
