package catalog

import (
	"encoding/json"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// AttributeType says what values an attribute takes.
type AttributeType string

// AttributeTypes lists the types (interface §2.7.9).
var AttributeTypes = []AttributeType{"text", "number", "boolean", "date", "select"}

// Select is the type whose values are among the options.
const Select AttributeType = "select"

// Attribute describes the values that products may carry under its code.
type Attribute struct {
	ID        id.Attribute
	Code      string
	Label     string
	Type      AttributeType
	Options   []string
	CreatedAt int64
}

const attributeColumns = "id, code, label, type, options, created_at"

func scanAttribute(r db.Rows) (a Attribute, err error) {
	var options string
	if err = r.Scan((*string)(&a.ID), &a.Code, &a.Label, (*string)(&a.Type), &options, &a.CreatedAt); err == nil {
		err = json.Unmarshal([]byte(options), &a.Options)
	}
	return a, err
}

// AttributeByID reads one attribute. Errors: NotFound.
func AttributeByID(tx *db.Tx, attribute id.Attribute) (Attribute, error) {
	return oneAttribute(tx, attribute, "")
}

// LockAttribute reads one attribute for changing it. Errors: NotFound.
func LockAttribute(tx *db.Tx, attribute id.Attribute) (Attribute, error) {
	return oneAttribute(tx, attribute, " FOR UPDATE")
}

func oneAttribute(tx *db.Tx, attribute id.Attribute, lock string) (Attribute, error) {
	list, err := db.List(tx, scanAttribute, "SELECT "+attributeColumns+" FROM attributes WHERE tenant_id = $1 AND id = $2"+lock, tx.Tenant, attribute)
	if err == nil && len(list) == 0 {
		err = apperr.Missing("attribute")
	}
	if err != nil {
		return Attribute{}, err
	}
	return list[0], nil
}

// ListAttributes reads a page of attributes by code, and how many there are.
func ListAttributes(tx *db.Tx, limit, offset int) (list []Attribute, total int64, err error) {
	if err := tx.Row("SELECT count(*) FROM attributes WHERE tenant_id = $1", []any{tx.Tenant}, &total); err != nil {
		return nil, 0, err
	}
	list, err = db.List(tx, scanAttribute, "SELECT "+attributeColumns+" FROM attributes WHERE tenant_id = $1 ORDER BY code LIMIT $2::BIGINT OFFSET $3::BIGINT", tx.Tenant, limit, offset)
	return list, total, err
}

// Insert queues a new attribute. Errors: Conflict when the code is taken.
func (a Attribute) Insert(tx *db.Tx) {
	tx.Queue("INSERT INTO attributes (tenant_id, id, code, label, type, options, created_at) VALUES ($1,$2,$3,$4,$5,$6,$7)",
		tx.Tenant, a.ID, a.Code, a.Label, a.Type, a.options(), a.CreatedAt).Unique(a.taken())
}

// Save queues the changed attribute. Errors: NotFound when it is gone; Conflict when the code is taken.
func (a Attribute) Save(tx *db.Tx) {
	tx.Queue("UPDATE attributes SET code = $3, label = $4, type = $5, options = $6 WHERE tenant_id = $1 AND id = $2",
		tx.Tenant, a.ID, a.Code, a.Label, a.Type, a.options()).Rows(1, apperr.Missing("attribute")).Unique(a.taken())
}

// Delete queues the removal; values that products carry under its code stay.
func (a Attribute) Delete(tx *db.Tx) {
	tx.Queue("DELETE FROM attributes WHERE tenant_id = $1 AND id = $2", tx.Tenant, a.ID).Rows(1, apperr.Missing("attribute"))
}

func (a Attribute) taken() error {
	return apperr.New(apperr.Conflict, "conflict", "an attribute with the code %s exists already", a.Code)
}

func (a Attribute) options() string {
	if a.Options == nil {
		return "[]"
	}
	text, _ := json.Marshal(a.Options) // strings always encode
	return string(text)
}
