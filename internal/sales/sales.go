// Package sales adds up what was sold of each SKU in any stretch of time without reading every line of it (interface §4.5.11).
//
//	block.go    the sums of one bucket of time, packed
//	collect.go  a stretch, from the widest blocks that hold, and from the lines of what no block covers
//	best.go     what sold best
//	fold.go     the worker makes blocks
//	verify.go   whether blocks are what the lines add up to
//
// Writers of orders know nothing of blocks. They move the version of an order's buckets in order_figures whenever lines that are not
// cancelled come, go or change. A block remembers the version that it was made at, and holds for as long as that stays; what no block
// covers is read from the lines, so an answer is exact at every moment. Lines without an SKU, a platform's fees, are left out.
package sales

import "entrepot/internal/spans"

// widths are those of the blocks, the narrowest first: an hour, a day, 30 days.
var widths = []int64{spans.Widths[spans.Hours], spans.Widths[spans.Days], 30 * spans.Widths[spans.Days]}

// The places in widths.
const (
	hours = iota
	days
	months
)

// versionsOf are the spans of order_figures by which the versions of the blocks are kept.
var versionsOf = []int64{widths[hours], widths[days], widths[days]}

// fewest is how many orders a bucket has that is worth a block. Tests lower it.
var fewest int64 = 16
