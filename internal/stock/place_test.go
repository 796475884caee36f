package stock

import "testing"

// The warehouse of a line does not depend on the order in which the levels come: with equally much available it is the
// default, then the first code (interface §2.7.8).
func TestPlaceOfEqualLevels(t *testing.T) {
	level := func(code string, onHand int64) Level { return Level{Warehouse: code, OnHand: onHand} }
	for _, c := range []struct {
		name   string
		levels []Level
		want   string
	}{
		{"equal", []Level{level("LYON", 1), level("BREST", 1), level("PARIS", 1)}, "BREST"},
		{"equal, the default among them", []Level{level("LYON", 1), level("MAIN", 1), level("BREST", 1)}, "MAIN"},
		{"the most", []Level{level("BREST", 1), level("PARIS", 2), level("MAIN", 1)}, "PARIS"},
		{"the default has enough", []Level{level("BREST", 9), level("MAIN", 3)}, "MAIN"},
	} {
		n := len(c.levels)
		for turn := range n {
			order := make([]Level, n)
			back := make([]Level, n)
			for i := range n {
				order[i] = c.levels[(i+turn)%n]
				back[n-1-i] = order[i]
			}
			for _, levels := range [][]Level{order, back} {
				if got := place(levels, "MAIN", 3); got != c.want {
					t.Errorf("%s: %s of %v, want %s", c.name, got, levels, c.want)
				}
			}
		}
	}
}
