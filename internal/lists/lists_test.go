package lists

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A page of an outdated index, merged with the changes, is the page of the rows as they are now.
func TestMergeIsThePageOfAllRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfDistinct(rapid.IntRange(0, 200), rapid.ID[int]).Draw(t, "all")
		was, fresh := all[:len(all)*2/3], slices.Clone(all[len(all)*2/3:])
		was = slices.Clone(was)
		stale := slices.Clone(was[:rapid.IntRange(0, len(was)).Draw(t, "stale")])
		now := slices.Concat(was[len(stale):], fresh)
		for _, list := range [][]int{was, fresh, stale, now} {
			slices.Sort(list)
		}
		offset, limit := rapid.IntRange(0, 80).Draw(t, "offset"), rapid.IntRange(1, 30).Draw(t, "limit")
		from := min(len(was), max(0, offset-len(fresh)))
		part := was[from:min(len(was), from+limit+len(fresh)+len(stale))]
		got := Merge(part, stale, fresh, cmp.Compare[int], max(0, offset-len(fresh)), offset, limit)
		want := now[min(offset, len(now)):min(offset+limit, len(now))]
		if !slices.Equal(got, want) {
			t.Fatalf("%v, not %v: %v without %v with %v from %d", got, want, was, stale, fresh, offset)
		}
	})
}
