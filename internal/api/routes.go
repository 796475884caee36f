package api

import "slices"

// routes is the whole API table, by section of docs/interface.md.
func routes() []*route {
	return slices.Concat[[]*route]()
}
