// Package patch holds the value of an optional member of a body, in three forms that PATCH distinguishes: absent
// (stays as it is), null (is cleared) or a value. Field is such a member; Apply changes a record by it.
package patch

// Field is a member of a body: absent (not Set), null, or a value.
type Field[T any] struct {
	Set   bool
	Null  bool
	Value T // the zero value when absent or null
}

// To is a member with a value.
func To[T any](value T) Field[T] { return Field[T]{Set: true, Value: value} }

// Given reports whether there is a value.
func (f Field[T]) Given() bool { return f.Set && !f.Null }

// Or is the value, or another one if it is absent or null.
func (f Field[T]) Or(other T) T {
	if f.Given() {
		return f.Value
	}
	return other
}

// Ptr is nil when absent or null.
func (f Field[T]) Ptr() *T {
	if f.Given() {
		return &f.Value
	}
	return nil
}

// Apply stores the value at a target: absent leaves it, null empties it.
func (f Field[T]) Apply(place *T) {
	if f.Set {
		*place = f.Value
	}
}
