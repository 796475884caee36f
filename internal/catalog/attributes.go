package catalog

import (
	"encoding/json"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// AttributeType is the kind of values that an attribute has.
type AttributeType string

// AttributeTypes lists the types (interface §2.7.9).
var AttributeTypes = []AttributeType{"text", "number", "boolean", "date", "select"}

// Select is the type whose values are among the options.
const Select AttributeType = "select"

// Attribute describes the values that products may have under its code.
type Attribute struct {
	ID        id.Attribute
	Code      string
	Label     string
	Type      AttributeType
	Options   []string
	CreatedAt int64
}

// AttributeByID reads one attribute. Errors: NotFound.
func AttributeByID(tx *db.Tx, attribute id.Attribute) (Attribute, error) {
	return attributeTable.One(tx, db.NoLock, "id = $2::UUID", attribute)
}

// LockAttribute reads one attribute and locks it for a change. Errors: NotFound.
func LockAttribute(tx *db.Tx, attribute id.Attribute) (Attribute, error) {
	return attributeTable.One(tx, db.ForUpdate, "id = $2::UUID", attribute)
}

// ListAttributes reads a page of attributes by code, and how many there are.
func ListAttributes(tx *db.Tx, limit, offset int) ([]Attribute, int64, error) {
	return attributeTable.Page(tx, db.NewWhere(tx, ""), "code", limit, offset)
}

// Insert queues a new attribute. Errors: Conflict when the code is taken.
func (a Attribute) Insert(tx db.Writer) { attributeTable.InsertOne(tx, a).Unique(a.taken()) }

// Save queues the changed attribute. Errors: NotFound when it was deleted; Conflict when the code is taken.
func (a Attribute) Save(tx db.Writer) {
	attributeTable.Update(tx, &a, "id = $2::UUID", a.ID).Rows(1, attributeTable.Missing()).Unique(a.taken())
}

// Delete queues the removal; products keep their values under its code.
func (a Attribute) Delete(tx db.Writer) {
	tx.Queue("DELETE FROM attributes WHERE tenant_id = $1 AND id = $2", tx.TenantID(), a.ID).Rows(1, attributeTable.Missing())
}

func (a Attribute) taken() error {
	return apperr.New(apperr.Conflict, "conflict", "an attribute with the code %s exists already", a.Code)
}

func (a *Attribute) options() string {
	if a.Options == nil {
		return "[]"
	}
	text, _ := json.Marshal(a.Options) // strings always encode
	return string(text)
}
