package sales

import "entrepot/internal/db"

// Build builds the blocks of an account that are due; whole reports that no others will be.
var Build = run

// SetFewest sets how many orders are worth a block, and gives what it was.
func SetFewest(n int64) (was int64) {
	was, fewest = fewest, n
	return was
}

// LinesRead is how many lines of a range no block covers.
func LinesRead(tx *db.Tx, from, to int64) (int64, error) {
	c, err := collect(tx, from, to, months, func(item, Sum) {})
	return c.lines, err
}
