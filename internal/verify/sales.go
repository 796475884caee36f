package verify

import (
	"entrepot/internal/db"
	"entrepot/internal/sales"
)

// soldBlocks sums the lines of every valid block again.
func soldBlocks(c *account) error {
	return sales.Verify(c.Tx, func(width, bucket int64, same bool) {
		c.look()
		if !same {
			c.derived(func(tx *db.Tx) error {
				sales.Forget(tx, width, bucket)
				return nil
			}, "what was sold from %d on for %d µs is not what is kept of it", bucket, width)
		}
	})
}
