package verify

import (
	"context"

	"entrepot/internal/db"
)

// Within runs every check over the account of a transaction, as the transaction sees it.
func Within(ctx context.Context, tx *db.Tx) ([]Result, error) {
	results := newResults()
	return results, examine(ctx, tx, "", results)
}
