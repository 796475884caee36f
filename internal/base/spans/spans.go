// Package spans divides ranges of time into the buckets of stored figures: 10 seconds, an hour and a day (UTC), each
// a multiple of the one before. The sum over any range is that of the fewest whole buckets in it, and of the rows at
// its two ends.
package spans

// Widths are the widths of the buckets in microseconds, the narrowest first.
var Widths = []int64{10_000_000, 3_600_000_000, 86_400_000_000}

// Indexes of Widths.
const (
	Seconds = iota
	Hours
	Days
)

// DaysOfAll stands for days whose figures are stored for all channels together, in addition to those of each channel:
// a figure of a year reads a row for each day, whatever the number of channels. It is the width of a day with its
// sign changed, so that no reader of one kind finds rows of the other.
const DaysOfAll = -86_400_000_000

// Last is later than every time, at the end of a bucket of every width.
const Last = 86_400_000_000 * 400_000

// Piece is a part of a range that consists of whole buckets of one width: those that begin at From or later and
// before To.
type Piece struct{ Width, From, To int64 }

// OverAll is the width under which figures over all channels are found for the buckets of a piece.
func (p Piece) OverAll() int64 {
	if p.Width == Widths[Days] {
		return DaysOfAll
	}
	return p.Width
}

// Fill divides the range from one time to before another into the fewest pieces of buckets no wider than
// Widths[widest], and returns the ends that fill no whole bucket.
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

// Down is the beginning of the bucket of a time.
func Down(at, width int64) int64 { return at / width * width }

// Up is the first beginning of a bucket at a time or after it.
func Up(at, width int64) int64 { return (at + width - 1) / width * width }
