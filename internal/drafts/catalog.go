package drafts

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
)

// ReadCategory reads a category; of a change every member is optional, an import identifies it by its externalId.
func ReadCategory(o *apijson.Object, to Purpose) catalog.CategoryDraft {
	o.Record(to.named("CreateCategory", "UpdateCategory", "CategoryInput"))
	d := catalog.CategoryDraft{
		ExternalID:     o.Text("externalId", apijson.Text{Required: to == ToImport}),
		Name:           o.Text("name", apijson.Text{Required: to.makes(), Filled: true}),
		Slug:           o.Text("slug", apijson.Text{}),
		Parent:         apijson.UUID[id.Category](o, "parentId", false),
		ParentExternal: o.Text("parentExternalId", apijson.Text{}),
	}
	o.NotNull("name")
	return d
}

// ReadAttribute reads an attribute; of a change every member is optional.
func ReadAttribute(o *apijson.Object, to Purpose) commerce.AttributeDraft {
	o.Record(to.named("CreateAttribute", "UpdateAttribute"))
	d := commerce.AttributeDraft{
		Code:    o.Text("code", apijson.Text{Required: to.makes(), Filled: true, Max: limits.MaxAttributeCode}),
		Label:   o.Text("label", apijson.Text{Required: to.makes(), Filled: true}),
		Type:    apijson.Enum(o, "type", to.makes() || o.Has("type"), catalog.AttributeTypes...),
		Options: o.Texts("options", false, 500, apijson.Text{}),
	}
	o.NotNull("code", "label", "type")
	return d
}
