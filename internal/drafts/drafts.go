// Package drafts has one reader for each body of the interface, as package records has the writers. Both edges use it:
// the API reads JSON, the dashboard a form whose inputs are named like the members; so both have the same bounds and
// the same error messages.
package drafts

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/patch"
)

// notNull is the value of a member that may be absent but not null.
func notNull[T any](o *apijson.Object, name string, f patch.Field[T]) T {
	o.NotNull(name)
	return f.Value
}

// Purpose is what a body is for, where one reader serves several.
type Purpose int

// The purposes.
const (
	ToCreate Purpose = iota + 1
	ToUpdate         // members that are left out stay as they are
	ToImport         // creates the record, or updates all of it
)

// makes reports whether the body must have all that a record needs.
func (to Purpose) makes() bool { return to != ToUpdate }

// named is the name of the body in the API description, by its purpose.
func (to Purpose) named(names ...string) string { return names[to-ToCreate] }
