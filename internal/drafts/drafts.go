// Package drafts has one reader for each body of the interface, as package records has the writers. Both edges use it:
// the API reads JSON, the dashboard a form whose inputs are named like the members; so both have the same bounds and
// the same error messages.
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
