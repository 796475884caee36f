// Package model plays random operations against the service through HTTP, several clients at once, and compares
// every answer with a small reference model of orders, stock and customers written from the interface alone.
//
//	go test ./test/model -steps 300 -seed 7
//
// Each client has SKUs and customers of its own, whose figures the model knows exactly after every step, and all
// share one SKU, whose figures must be the sum of what they did once they have stopped.
package model
