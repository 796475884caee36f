package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/jobs"
)

// WriteProductOutcome writes the outcome of a bulk change for one product (interface §4.3).
func WriteProductOutcome(w *apijson.Writer, p jobs.Product) {
	w.Record("ProductOutcome", "")
	apijson.ID(w, "productId", p.ID)
	w.TextOrNull("sku", p.SKU)
	apijson.Word(w, "outcome", p.Outcome)
	w.TextOrNull("reason", p.Message)
	writeProductPart(w, "before", p.Before)
	writeProductPart(w, "after", p.After)
	w.End()
}

// writeProductPart writes a part of a product as the report has it; null for "".
func writeProductPart(w *apijson.Writer, name, text string) {
	w.MayBeNull(name)
	if text == "" {
		w.Raw(name, "null")
		return
	}
	w.RawObject(name, text)
}

// SampleProductOutcomes describe the outcomes of products.
var SampleProductOutcomes = []jobs.Product{
	{ID: SampleID[id.Product](272), SKU: "MUG-BLUE", Outcome: jobs.Done, Before: `{"prices":{"MUG-BLUE":"12.5"}}`,
		After: `{"prices":{"MUG-BLUE":"13.75"}}`},
	{ID: SampleID[id.Product](273), Outcome: jobs.Refused, Message: "the product does not exist any more"},
}
