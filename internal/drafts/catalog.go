package drafts

import (
	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/id"
	"entrepot/internal/limits"
)

// ReadCategory reads a category; in a partial one every member is optional, a bulk one is identified by its externalId.
func ReadCategory(o *apijson.Object, partial, bulk bool) catalog.CategoryDraft {
	o.Record(named(partial, "UpdateCategory", named(bulk, "CategoryInput", "CreateCategory")))
	d := catalog.CategoryDraft{
		ExternalID:     o.Text("externalId", apijson.Text{Required: bulk}),
		Name:           o.Text("name", apijson.Text{Required: !partial, Filled: true}),
		Slug:           o.Text("slug", apijson.Text{}),
		Parent:         apijson.UUID[id.Category](o, "parentId", false),
		ParentExternal: o.Text("parentExternalId", apijson.Text{}),
	}
	o.NotNull("name")
	return d
}

// ReadAttribute reads an attribute; in a partial one every member is optional.
func ReadAttribute(o *apijson.Object, partial bool) commerce.AttributeDraft {
	o.Record(named(partial, "UpdateAttribute", "CreateAttribute"))
	d := commerce.AttributeDraft{
		Code:    o.Text("code", apijson.Text{Required: !partial, Filled: true, Max: limits.MaxAttributeCode}),
		Label:   o.Text("label", apijson.Text{Required: !partial, Filled: true}),
		Type:    apijson.Enum(o, "type", !partial || o.Has("type"), catalog.AttributeTypes...),
		Options: o.Texts("options", false, 500, apijson.Text{}),
	}
	o.NotNull("code", "label", "type")
	return d
}
