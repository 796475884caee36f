package search

import (
	"fmt"
	"slices"
	"testing"
)

// A page of a set has the records that it would have if each of the set were added to it, but it keeps no more of them than it may show.
func TestAPageOfASet(t *testing.T) {
	set := &Set{}
	for i := range 4000 {
		set.ids = append(set.ids, ID{0: byte(i >> 7), 15: byte(2 * (i & 127))})
	}
	first, middle, last := set.ids[0], set.ids[2000], set.ids[3999]
	between := middle
	between[15]++
	for _, ascending := range []bool{true, false} {
		for _, p := range []Page{{Limit: 20}, {Limit: 20, Offset: 60}, {Limit: 20, Offset: 3990}, {Limit: 20, Offset: 5000},
			{Limit: 20, After: &Hit{ID: middle}}, {Limit: 20, After: &Hit{ID: between}}, {Limit: 20, After: &Hit{ID: first}},
			{Limit: 20, After: &Hit{ID: last}}} {
			p.Ascending = ascending
			each, whole := p, p
			for _, id := range set.ids {
				each.Add(Hit{ID: id})
			}
			whole.AddSet(set)
			name := fmt.Sprintf("%+v", p)
			if len(whole.best) > p.Offset+p.Limit {
				t.Errorf("%s: keeps %d records", name, len(whole.best))
			}
			if got, want := whole.Hits(), each.Hits(); !slices.Equal(got, want) || whole.Total != each.Total {
				t.Errorf("%s: %v of %d, not %v of %d", name, got, whole.Total, want, each.Total)
			}
		}
	}
}
