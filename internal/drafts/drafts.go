// Package drafts holds what the interface takes, as records holds what it shows: one reader for each body, which both edges use. The API
// reads JSON with it, the dashboard a form whose inputs are named like the members; so both have the same bounds and the same words for
// what is wrong.
package drafts

import (
	"entrepot/internal/apijson"
	"entrepot/internal/patch"
)

// NotNull is the value of a member that may be absent but not null.
func NotNull[T any](o *apijson.Object, name string, f patch.Field[T]) T {
	if f.Null {
		o.Fault(name, "must not be null")
	}
	return f.Value
}
