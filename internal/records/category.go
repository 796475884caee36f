package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/catalog"
)

// WriteCategory writes a category (interface §2.7.3).
func WriteCategory(w *apijson.Writer, name string, c catalog.Category) {
	w.Record("Category", name)
	apijson.ID(w, "id", c.ID)
	w.TextOrNull("externalId", c.ExternalID)
	w.Text("name", c.Name)
	w.Text("slug", c.Slug)
	apijson.IDOrNull(w, "parentId", c.Parent)
	w.TextOrNull("parentExternalId", c.ParentExternal)
	w.Micros("createdAt", c.CreatedAt)
	w.Micros("updatedAt", c.UpdatedAt)
	w.End()
}

// WriteChangedCategory writes a category as the feed shows it; deleted says that tombstones were requested.
func WriteChangedCategory(w *apijson.Writer, c catalog.Category, deleted bool) {
	w.Record("ChangedCategory", "")
	apijson.ID(w, "id", c.ID)
	w.TextOrNull("externalId", c.ExternalID)
	w.Text("name", c.Name)
	w.Text("slug", c.Slug)
	apijson.IDOrNull(w, "parentId", c.Parent)
	w.TextOrNull("parentExternalId", c.ParentExternal)
	w.Stamp("changedAt", c.ChangedAt)
	if deleted {
		w.MicrosOrNull("deletedAt", c.DeletedAt)
	}
	w.End()
}

// WriteCategoryData is the data of category.created, category.updated and category.deleted (interface §6.1).
func WriteCategoryData(w *apijson.Writer, c catalog.Category) {
	w.Record("CategoryData", "")
	apijson.ID(w, "id", c.ID)
	w.TextOrNull("externalId", c.ExternalID)
	w.Text("name", c.Name)
	w.Text("slug", c.Slug)
	apijson.IDOrNull(w, "parentId", c.Parent)
	w.End()
}

// SampleCategory is the category that describes the answers.
func SampleCategory() catalog.Category {
	return catalog.Category{ID: "019a1c41-0000-7000-8000-0000000000c1", ExternalID: "mugs", Name: "Mugs", Slug: "mugs",
		Parent:         "019a1c41-0000-7000-8000-0000000000c0",
		ParentExternal: "kitchen", CreatedAt: 1767322800000000, UpdatedAt: 1767322800000000, ChangedAt: 1767323045678901}
}
