// Package platforms runs a whole service beside a shop in memory and holds both to the same story: nothing lost, nothing doubled, stock
// equal on both sides, whatever the shop does in between.
package platforms
