// Package spans cuts stretches of time into the buckets by which figures are kept: of 10 seconds, an hour and a day (UTC), each a whole
// number of the one before. A sum over any stretch is that of the fewest buckets that fill it, and of the rows at its two ends.
package spans

// Widths are the widths of the buckets in microseconds, the narrowest first.
var Widths = []int64{10_000_000, 3_600_000_000, 86_400_000_000}

// The places in Widths.
const (
	Seconds = iota
	Hours
	Days
)

// Last is a moment beyond all others, at the end of a bucket of every width.
const Last = 86_400_000_000 * 400_000

// Piece is a part of a stretch that buckets of one width fill: those that begin at From or later and before To.
type Piece struct{ Width, From, To int64 }

// Fill cuts the stretch from one moment to before another into the fewest pieces of buckets no wider than Widths[widest], and gives the
// ends that no bucket fills.
func Fill(from, to int64, widest int) (pieces []Piece, ends [][2]int64) {
	add := func(narrower int, from, to int64) {
		switch {
		case from >= to:
		case narrower < 0:
			ends = append(ends, [2]int64{from, to})
		default:
			pieces = append(pieces, Piece{Widths[narrower], from, to})
		}
	}
	for i, width := range Widths[:widest+1] {
		up, down := Up(from, width), Down(to, width)
		if up >= down {
			add(i-1, from, to)
			return pieces, ends
		}
		add(i-1, from, up)
		add(i-1, down, to)
		from, to = up, down
	}
	add(widest, from, to)
	return pieces, ends
}

// Down is the beginning of the bucket that a moment falls in.
func Down(at, width int64) int64 { return at / width * width }

// Up is the first beginning of a bucket at a moment or after it.
func Up(at, width int64) int64 { return (at + width - 1) / width * width }
