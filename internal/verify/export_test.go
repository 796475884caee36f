package verify

import "entrepot/internal/db"

// Within runs every check over the account of a transaction, as the transaction sees it.
func Within(tx *db.Tx) ([]Result, error) {
	results := newResults()
	for i := range results {
		if err := results[i].add(tx, "", nil); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// InPartsOf makes checks look at n records at a time, and returns what undoes it.
func InPartsOf(n int) (undo func()) {
	before := partSize
	partSize = n
	return func() { partSize = before }
}
