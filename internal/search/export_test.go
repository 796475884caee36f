package search

import "testing"

// SmallBlocks makes blocks of 16 records for one test.
func SmallBlocks(t *testing.T) {
	was := blockSize
	blockSize = 16
	t.Cleanup(func() { blockSize = was })
}
