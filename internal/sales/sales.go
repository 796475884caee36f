// Package sales sums what was sold of each SKU in any range of time without reading every line of it (interface §4.5.11).
//
//	block.go    the packed sums of one bucket of time
//	collect.go  a range, from the widest valid blocks, and from the lines of what no block covers
//	best.go     the best sellers
//	view.go     the view (package view): builds blocks
//	verify.go   compares blocks with the lines
//
// Writers of orders do nothing for blocks. They increase the version of an order's buckets in order_figures whenever
// lines of uncancelled orders are added, removed or changed. A block stores the version that it was built at, and is
// valid as long as that is unchanged; what no valid block covers is read from the lines, so an answer is exact at
// every moment. Lines without a SKU, a platform's fees, are left out.
package sales

import "entrepot/internal/base/spans"

// widths are those of the blocks, the narrowest first: an hour, a day, 30 days.
var widths = []int64{spans.Widths[spans.Hours], spans.Widths[spans.Days], 30 * spans.Widths[spans.Days]}

// Indexes of widths.
const (
	hours = iota
	days
	months
)

// versionsOf are the widths in order_figures whose versions the blocks use.
var versionsOf = []int64{widths[hours], spans.DaysOfAll, spans.DaysOfAll}

// fewest is the number of orders from which a bucket gets a block. Tests lower it.
var fewest int64 = 16
