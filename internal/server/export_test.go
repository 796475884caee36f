package server

// SetFree makes what is left on every disk n bytes until undo is called.
func SetFree(n uint64) (undo func()) {
	before := freeOf
	freeOf = func(string) (uint64, bool) { return n, true }
	return func() { freeOf = before }
}
