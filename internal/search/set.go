package search

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"entrepot/internal/db"
)

// Set has the records that a search has found, by id. Other conditions narrow it: an index gives the ids of those that fulfil one, or of
// all others, which costs a quarter of looking up as many records.
type Set struct {
	ids []ID // sorted
	at  int  // where the last one was looked for: an index often gives neighbours
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

// TextsPerLook is how many times as many texts there must be as records that count, for looking up these to be better than a search:
// one for a common term reads 120 texts in the time of one look, and one for a rare term next to none.
const TextsPerLook = 400

// merged are two sorted lists in one.
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

// Len returns how many records it has.
func (s *Set) Len() int64 { return int64(len(s.ids)) }

// IDs are their ids, in their order.
func (s *Set) IDs() []ID { return s.ids }

// Has reports whether a record is in it.
func (s *Set) Has(id ID) bool {
	_, there := s.Find(id)
	return there
}

// Find returns the place of an id among the set's. It looks at the places around the last one first, in steps that grow, so it is not for
// several goroutines.
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

// Keep returns the set of those records in it whose ids a statement reads in its only column.
func (s *Set) Keep(tx *db.Tx, sql string, args ...any) (*Set, error) {
	return s.only(tx, true, sql, args)
}

// Drop returns the set without these.
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

// errMany ends a search for the records that do not contain a term.
var errMany = errors.New("search: too many records do not contain the term")

// restAnyway is how many records may be met that do not contain a term before it is looked whether most of those met do.
const restAnyway = 64

// FindRest finds the records that do not contain a term, in no order, if they are fewer than those that do: at most some of them, and not
// more than half of those that it has met so far, besides the first restAnyway. Otherwise few is false, which is known as soon as so many
// have been met.
func FindRest(tx *db.Tx, kind Kind, term string, most int) (rest []ID, few bool, err error) {
	term = Fold(term)
	met := 0
	add := func(id ID, met int) error {
		if rest = append(rest, id); len(rest) > most || len(rest) > restAnyway+met/2 {
			return errMany
		}
		return nil
	}
	loose, err := unpacked(tx, kind, func(e entry) error {
		if met++; strings.Contains(e.text, term) {
			return nil
		}
		return add(e.id, met)
	})
	if err == nil {
		var body, keys db.Buffer
		err = tx.Each(func(r db.Rows) error {
			if err := r.Scan(&body, &keys); err != nil {
				return err
			}
			err := misses(body, keys, []byte(term), func(id ID, line int) error {
				if loose[id] {
					return nil
				}
				return add(id, met+line)
			})
			met += len(keys) / keySize
			return err
		}, "SELECT body, keys FROM search_blocks WHERE tenant_id = $1 AND kind = $2 ORDER BY first_id DESC", tx.Tenant, string(kind))
	}
	if errors.Is(err, errMany) {
		return nil, false, nil
	}
	return rest, err == nil, err
}
