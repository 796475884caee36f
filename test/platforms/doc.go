// Package platforms runs a whole service with a shop in memory and checks both by the same story: nothing lost,
// nothing doubled, stock equal on both sides, whatever goes wrong in between.
package platforms
