// Package commerce holds the operations: what the business does, one file per verb. Each takes the caller's
// transaction, tells its story top to bottom, and writes its events in the same commit.
package commerce

import (
	"entrepot/internal/orders"
	"entrepot/internal/seal"
)

// Service is what operations need beyond a transaction.
type Service struct {
	Key     seal.Key // seals credentials and signing secrets
	Numbers *orders.Numbers
	Dev     bool // http and loopback addresses are allowed
}
