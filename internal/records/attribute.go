package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/catalog"
)

// WriteAttribute writes an attribute (interface §2.7.9).
func WriteAttribute(w *apijson.Writer, name string, a catalog.Attribute) {
	w.Record("Attribute", name)
	apijson.ID(w, "id", a.ID)
	w.Text("code", a.Code)
	w.Text("label", a.Label)
	apijson.Word(w, "type", a.Type)
	apijson.Texts(w, "options", a.Options)
	w.End()
}

// SampleAttribute is the attribute that describes the answers.
func SampleAttribute() catalog.Attribute {
	return catalog.Attribute{ID: "019a1c41-0000-7000-8000-0000000000a1", Code: "colour", Label: "Colour", Type: catalog.Select,
		Options: []string{"red", "blue"}}
}
