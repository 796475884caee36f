package search

import (
	"bytes"
	"slices"

	"entrepot/internal/db"
)

// Set has the records that a search has found, by id. Other conditions narrow it: an index gives the ids that fulfil a
// condition, or all others, which costs a quarter of looking up as many records.
type Set struct {
	ids []ID // sorted
	at  int  // position of the last id that was looked up: an index often gives neighbours
}

// SetOf returns the set of some ids, which are sorted and different. It keeps them and does not change them.
func SetOf(sorted []ID) *Set { return &Set{ids: sorted} }

// FindSet finds all records that contain a term. keep says by its sort value whether a record counts; nil counts all.
func FindSet(tx *db.Tx, kind Kind, term string, keep func(sort int64) bool) (*Set, error) {
	s := &Set{}
	var odd []ID // that came behind a higher one: few, for sorting them all would take as long as finding them
	err := find(tx, kind, term, "ASC", func(id ID, sort int64) error {
		switch {
		case keep != nil && !keep(sort):
		case len(s.ids) > 0 && CompareIDs(id, s.ids[len(s.ids)-1]) < 0:
			odd = append(odd, id)
		default:
			s.ids = append(s.ids, id)
		}
		return nil
	})
	slices.SortFunc(odd, CompareIDs)
	s.ids = merged(s.ids, odd)
	return s, err
}

// TextsPerLook is the ratio of all texts to the records that count from which looking up these records is better than a
// search: a search for a common term reads 120 texts in the time of one look-up, and a search for a rare term hardly
// any.
const TextsPerLook = 400

// merged merges two sorted lists.
func merged(a, b []ID) []ID {
	if len(b) == 0 {
		return a
	}
	all := make([]ID, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		first := &a
		if CompareIDs(b[0], a[0]) < 0 {
			first = &b
		}
		all, *first = append(all, (*first)[0]), (*first)[1:]
	}
	return append(append(all, a...), b...)
}

// Union returns the set of the records of both sets.
func (s *Set) Union(other *Set) *Set {
	switch {
	case len(s.ids) == 0:
		return other
	case len(other.ids) == 0:
		return s
	}
	return &Set{ids: slices.Compact(merged(s.ids, other.ids))}
}

// CompareIDs compares two ids as indexes do.
func CompareIDs(a, b ID) int { return bytes.Compare(a[:], b[:]) }

// Len returns how many records the set has.
func (s *Set) Len() int64 { return int64(len(s.ids)) }

// IDs returns the ids, in their order.
func (s *Set) IDs() []ID { return s.ids }

// Find returns the index of an id in the set. It begins at the index of the last call, and continues in steps that
// grow, so it is not for several goroutines.
func (s *Set) Find(id ID) (at int, there bool) {
	low, high := 0, len(s.ids)
	switch before := s.at < high && CompareIDs(s.ids[s.at], id) <= 0; {
	case before:
		low = s.at
		for step := 1; low+step < high; step *= 2 {
			if CompareIDs(s.ids[low+step], id) > 0 {
				high = low + step
				break
			}
			low += step
		}
	case high > 0:
		high = s.at
		for step := 1; high-step > 0; step *= 2 {
			if CompareIDs(s.ids[high-step], id) <= 0 {
				low = high - step
				break
			}
			high -= step
		}
	}
	at, there = slices.BinarySearchFunc(s.ids[low:high], id, CompareIDs)
	s.at = min(low+at, max(0, len(s.ids)-1))
	return low + at, there
}

// Keep returns the set of the records whose ids a statement reads in its only column.
func (s *Set) Keep(tx *db.Tx, sql string, args ...any) (*Set, error) {
	return s.only(tx, true, sql, args)
}

// Drop returns the set without the records whose ids a statement reads.
func (s *Set) Drop(tx *db.Tx, sql string, args ...any) (*Set, error) {
	return s.only(tx, false, sql, args)
}

func (s *Set) only(tx *db.Tx, read bool, sql string, args []any) (*Set, error) {
	var ids []ID
	var text db.Buffer
	err := tx.Each(func(r db.Rows) error {
		err := r.Scan(&text)
		ids = append(ids, ParseID(text))
		return err
	}, sql, args...)
	slices.SortFunc(ids, CompareIDs) // a look far from the one before takes longer than sorting
	marked := make([]bool, len(s.ids))
	n := 0
	for _, id := range ids {
		if at, there := s.Find(id); there && !marked[at] {
			marked[at] = true
			n++
		}
	}
	if !read {
		n = len(s.ids) - n
	}
	left := &Set{ids: make([]ID, 0, n)}
	for i, id := range s.ids {
		if marked[i] == read {
			left.ids = append(left.ids, id)
		}
	}
	return left, err
}
