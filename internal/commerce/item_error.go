package commerce

import (
	"cmp"
	"slices"

	"entrepot/internal/records"
)

// sortErrors puts rejected items in the order of the request.
func sortErrors(errs []records.ItemError) {
	slices.SortStableFunc(errs, func(a, b records.ItemError) int { return cmp.Compare(a.Index, b.Index) })
}

// rejected are the errors of a bulk operation, a list for each piece. Adding a piece does not copy the others.
type rejected [][]records.ItemError

func (r rejected) and(errs []records.ItemError) rejected { return append(slices.Clip(r), errs) }

// inOrder are all errors, in the order of the request.
func (r rejected) inOrder() []records.ItemError {
	all := slices.Concat(r...)
	sortErrors(all)
	return all
}
