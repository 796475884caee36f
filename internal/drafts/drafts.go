// Package drafts has one reader for each body of the interface, as package records has the writers. Both edges use it:
// the API reads JSON, the dashboard a form whose inputs are named like the members; so both have the same bounds and
// the same error messages.
package drafts

import (
	"entrepot/internal/apijson"
	"entrepot/internal/patch"
)

// notNull is the value of a member that may be absent but not null.
func notNull[T any](o *apijson.Object, name string, f patch.Field[T]) T {
	o.NotNull(name)
	return f.Value
}

// named chooses a record's name: a if first is true, else b.
func named(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
