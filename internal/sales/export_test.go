package sales

import "entrepot/internal/db"

// Build builds the blocks of an account that are due; whole reports that no others will become due.
var Build = run

// SetFewest sets how many orders are worth a block, and returns the former number.
func SetFewest(n int64) (was int64) {
	was, fewest = fewest, n
	return was
}

// LinesRead returns how many lines of a range no block covers.
func LinesRead(tx *db.Tx, from, to int64) (int64, error) {
	c, err := collect(tx, from, to, months, func(item, Sum) {})
	return c.lines, err
}
