package sales

import "entrepot/internal/db"

// SetFewest sets how many orders are worth a block, and gives what it was.
func SetFewest(n int64) (was int64) {
	was, fewest = fewest, n
	return was
}

// LinesRead is how many lines a stretch takes to be read one by one.
func LinesRead(tx *db.Tx, from, to int64) (int64, error) {
	c, err := collect(tx, from, to, months, func(item, Sum) {})
	return c.lines, err
}

// SetTops sets from how many orders on there is a top, and how many sums it has, and gives what undoes it.
func SetTops(orders int64, sums int) (undo func()) {
	wasOrders, wasSums := fewestTop, topSize
	fewestTop, topSize = orders, sums
	return func() { fewestTop, topSize = wasOrders, wasSums }
}

// FromTop reports whether there is a top in a stretch, and whether the best sellers are certain by it.
func FromTop(tx *db.Tx, currency string, from, to int64, most int) (there, sure bool, err error) {
	t, bucket, err := readTop(tx, currency, from, to)
	if err != nil || t == nil {
		return false, false, err
	}
	_, sure, err = byTop(tx, t, bucket, from, to, most)
	return true, sure, err
}
