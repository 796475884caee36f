package search

import (
	"testing"

	"entrepot/internal/db"
)

// SmallBlocks makes blocks of 16 records for one test.
func SmallBlocks(t *testing.T) {
	was := blockSize
	blockSize = 16
	t.Cleanup(func() { blockSize = was })
}

// PackSome packs changed documents in a transaction of the test's.
func PackSome(tx *db.Tx, kind Kind) (int, error) { return packSome(tx, kind, 1) }
