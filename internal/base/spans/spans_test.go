package spans

import (
	"math/rand"
	"testing"
)

// The pieces and ends of a stretch cover each of its moments once, and every piece is whole buckets.
func TestFillCoversAStretchOnce(t *testing.T) {
	dice := rand.New(rand.NewSource(5))
	day := Widths[Days]
	for range 2000 {
		from := dice.Int63n(3 * day)
		to := from + dice.Int63n(1+[]int64{5, 30_000_000, 3 * Widths[Hours], 40 * day}[dice.Intn(4)])
		if dice.Intn(4) == 0 {
			from, to = Down(from, day), Up(to, day)
		}
		widest := dice.Intn(len(Widths))
		pieces, ends := Fill(from, to, widest)
		covered := int64(0)
		for _, p := range pieces {
			if p.From%p.Width != 0 || p.To%p.Width != 0 || p.From >= p.To || p.Width > Widths[widest] || p.From < from || p.To > to {
				t.Fatalf("[%d, %d): piece %+v", from, to, p)
			}
			covered += p.To - p.From
		}
		for _, e := range ends {
			if e[0] >= e[1] || e[0] < from || e[1] > to || e[1]-e[0] > 2*Widths[Seconds] {
				t.Fatalf("[%d, %d): end %v", from, to, e)
			}
			covered += e[1] - e[0]
		}
		if covered != to-from {
			t.Fatalf("[%d, %d): %v and %v cover %d of %d", from, to, pieces, ends, covered, to-from)
		}
	}
	for _, width := range Widths {
		if int64(Last)%width != 0 {
			t.Errorf("Last is not the end of a bucket of %d", width)
		}
	}
}
