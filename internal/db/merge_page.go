package db

import "slices"

// MergePage returns a page of two lists merged, where the first is a little behind: all three are in the order of the page. list is a part
// of the first, behind from of its rows, and at least as long as the page and the others; stale are rows of the first that no longer count,
// and late, which is complete, are those that count besides. So from may be at most offset less the length of late.
func MergePage[T any](list, stale, late []T, compare func(a, b T) int, from, offset, limit int) []T {
	page := make([]T, 0, limit)
	if from > 0 && len(list) == 0 { // the page is after the end
		return page
	}
	at := from // position of the next record
	if from > 0 {
		gone, _ := slices.BinarySearchFunc(stale, list[0], compare)
		before, _ := slices.BinarySearchFunc(late, list[0], compare)
		at, stale, late = from-gone+before, stale[gone:], late[before:]
	}
	for len(page) < limit && len(list)+len(late) > 0 {
		next := &list
		switch {
		case len(list) > 0 && len(stale) > 0 && compare(list[0], stale[0]) == 0:
			list, stale = list[1:], stale[1:]
			continue
		case len(list) == 0 || len(late) > 0 && compare(late[0], list[0]) < 0:
			next = &late
		}
		if at >= offset {
			page = append(page, (*next)[0])
		}
		*next = (*next)[1:]
		at++
	}
	return page
}
