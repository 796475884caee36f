package importer

import (
	"hash/maphash"
	"iter"
)

// gather groups rows that belong together but may be anywhere in the file. A first reading counts the rows of each
// key; in the second a group is passed on when its last row has come, so that a sorted file needs the memory of one
// group, however long it is. The counts take about 20 bytes for each key; if two keys have one hash, their groups only
// wait for the end.
type gather[T any] struct {
	seed     maphash.Seed
	expected map[uint64]int32
	open     map[string]*group[T]
	first    *group[T] // the open groups in the order of their first rows
	last     *group[T]
}

type group[T any] struct {
	key            string
	rows           []T
	previous, next *group[T]
}

func newGather[T any]() *gather[T] {
	return &gather[T]{seed: maphash.MakeSeed(), expected: map[uint64]int32{}, open: map[string]*group[T]{}}
}

// expect counts a row in the first reading.
func (g *gather[T]) expect(key []byte) { g.expected[maphash.Bytes(g.seed, key)]++ }

// add takes a row in the second reading and returns the whole group when this was its last row.
func (g *gather[T]) add(key []byte, r T) (rows []T, whole bool) {
	opened := g.open[string(key)]
	if opened == nil {
		opened = &group[T]{key: string(key), previous: g.last}
		if g.last == nil {
			g.first = opened
		} else {
			g.last.next = opened
		}
		g.last = opened
		g.open[opened.key] = opened
	}
	opened.rows = append(opened.rows, r)
	if len(opened.rows) < int(g.expected[maphash.Bytes(g.seed, key)]) {
		return nil, false
	}
	g.drop(opened)
	return opened.rows, true
}

func (g *gather[T]) drop(done *group[T]) {
	delete(g.open, done.key)
	if done.previous == nil {
		g.first = done.next
	} else {
		done.previous.next = done.next
	}
	if done.next == nil {
		g.last = done.previous
	} else {
		done.next.previous = done.previous
	}
}

// forget drops the groups of a reading, so that another can begin.
func (g *gather[T]) forget() { g.open, g.first, g.last = map[string]*group[T]{}, nil, nil }

// rest passes on the groups still open at the end of the file.
func (g *gather[T]) rest() iter.Seq2[string, []T] {
	return func(yield func(string, []T) bool) {
		for opened := g.first; opened != nil; opened = opened.next {
			if !yield(opened.key, opened.rows) {
				return
			}
		}
	}
}
