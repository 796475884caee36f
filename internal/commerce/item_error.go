package commerce

import (
	"cmp"
	"slices"

	"entrepot/internal/apijson"
)

// ItemError says why one item of a bulk request was rejected (interface §2.7.4).
type ItemError struct {
	Index int
	Key   string // its SKU or externalId; "" if it has none
	Error string // all its errors
	Field string // the first field with an error; "" for the item as a whole
	Code  string // listed in docs/errors.md
}

// WriteItemFaults writes the errors[] of a bulk answer; external says that items are identified by externalId.
func WriteItemFaults(w *apijson.Writer, name string, faults []ItemError, external bool) {
	kind := "ItemError"
	if external {
		kind = "CategoryError"
	}
	w.List(name)
	for _, f := range faults {
		w.Record(kind, "")
		w.TextOrNull("sku", f.Key)
		if external {
			w.TextOrNull("externalId", f.Key)
		}
		w.Text("error", f.Error)
		w.Int("index", int64(f.Index))
		w.TextOrNull("field", f.Field)
		w.Text("code", f.Code)
		w.End()
	}
	w.EndList()
}

// sortErrors puts rejected items in the order of the request.
func sortErrors(faults []ItemError) {
	slices.SortStableFunc(faults, func(a, b ItemError) int { return cmp.Compare(a.Index, b.Index) })
}

// rejected are the errors of a bulk operation, a list for each piece. Adding a piece does not copy the others.
type rejected [][]ItemError

func (r rejected) and(faults []ItemError) rejected { return append(slices.Clip(r), faults) }

// inOrder are all errors, in the order of the request.
func (r rejected) inOrder() []ItemError {
	all := slices.Concat(r...)
	sortErrors(all)
	return all
}
